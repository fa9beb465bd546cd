"""Layered layout of graphs."""
