"""Errors, tensors, data types, files and messages; every other room imports these."""

from aidge_nb.core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, {".": "dformat dtype"})
