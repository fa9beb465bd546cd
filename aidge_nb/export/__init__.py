"""Exports: from a graph to C sources that give the same bits in the planned memory.

The phases are kept apart. A graph is *prepared*: a copy in which every node is something C kernels
do. It is *planned*: an :class:`ExportPlan` has every address, call and loop, and can be looked at
and checked. The plan is *rendered* and written: C sources, build files, data and tests. The package
is *built* and *run*, on this machine or on an emulated board, and bits are compared.
"""

from aidge_nb.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "api": "export plan_export prepare_export",
        "boards.cycles": "CycleEstimate estimate_cycles",
        "boards.emulate": "BoardRun",
        "boards.targets": "BOARDS TARGETS",
        "package": "ExportedPackage",
        "plan.check": "check_export",
        "plan.value": "ExportPlan",
        "results": "LayerCheck RunResult",
        "write.plugin": "add_kernel",
    },
)
