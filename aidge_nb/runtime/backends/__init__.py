"""Backends: who runs an operator, with NumPy, exactly, or with the C kernels."""
