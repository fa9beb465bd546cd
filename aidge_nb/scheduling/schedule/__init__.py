"""Static schedules as values: loop nests of firings with early and late steps."""
