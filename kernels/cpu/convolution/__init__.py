"""Convolutions, transposed convolutions."""
