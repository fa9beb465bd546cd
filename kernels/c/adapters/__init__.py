"""Adapters: from a node to the calls that compute it, one module per family of operators."""

from aidge_nb.kernels.c.adapters import elementwise

__all__ = ["elementwise"]
