"""Schedulers that run a graph, one node at a time or side by side."""
