"""Differentiate in reverse mode: the tape, and the backward pass over it."""
