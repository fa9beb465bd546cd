"""Operators that combine several inputs element by element."""
