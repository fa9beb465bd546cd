"""Scenes: what the views draw, as values."""
