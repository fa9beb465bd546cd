"""Attention and its linear relatives."""
