"""Kernels: what computes operators, one folder per backend (``cpu``: NumPy, ``c``: C99)."""

from aidge_nb.kernels.registry import (
    Kernel,
    can_be_placed,
    can_skip_outputs,
    can_write_into,
    find_kernel,
    kernel,
)

__all__ = [
    "Kernel",
    "can_be_placed",
    "can_skip_outputs",
    "can_write_into",
    "find_kernel",
    "kernel",
]
