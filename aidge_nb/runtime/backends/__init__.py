"""Backends: implementations of operators in NumPy (fast or exact) and by the C kernels."""

from aidge_nb.graph.backend import register_backend

for _name in ("cpu", "exact", "c"):
    register_backend(_name, f"{__name__}.{_name}")
