"""Run a model in one block of bytes, at the offsets of its memory plan."""
