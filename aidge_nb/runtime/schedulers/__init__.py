"""Run a graph by its schedule, one node at a time or in parallel."""
