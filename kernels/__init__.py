"""Kernels: what computes operators, one folder per backend (``cpu``: NumPy, ``c``: C99)."""

from aidge_nb.kernels.registry import Kernel, find_kernel, kernel

__all__ = ["Kernel", "find_kernel", "kernel"]
