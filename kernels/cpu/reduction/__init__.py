"""Reductions along axes, and order."""
