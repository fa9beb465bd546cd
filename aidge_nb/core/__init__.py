"""Errors, tensors, types, files and messages: the ground floor of every other room."""

from aidge_nb.core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, {".": "dformat dtype"})
