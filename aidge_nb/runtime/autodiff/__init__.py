"""Reverse-mode differentiation: the tape, and the way back over it."""
