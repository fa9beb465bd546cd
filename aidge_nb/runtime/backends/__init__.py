"""Run single operators: the backends ``cpu``, ``exact`` and ``c``."""

from aidge_nb.graph.backend import register_backend

for _name in ("cpu", "exact", "c"):
    register_backend(_name, f"{__name__}.{_name}")
