"""Independent checks of schedules."""
