"""Kernels: what computes operators, one folder per backend (``cpu``: NumPy, ``c``: C99)."""

from aidge_nb.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {"registry": "Kernel can_be_placed can_skip_outputs can_write_into find_kernel kernel"},
)
