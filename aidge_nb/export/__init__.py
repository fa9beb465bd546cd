"""Exports: from a graph to C sources that give the same bits in the planned memory.

The phases are kept apart. A graph is *prepared*: a copy in which every node is something C kernels
do. It is *planned*: an :class:`ExportPlan` has every address, call and loop, and can be looked at
and checked. The plan is *rendered* and written: C sources, build files, data and tests. The package
is *built* and *run*, on this machine or on an emulated board, and bits are compared.
"""

from aidge_nb.export.api import export, plan_export, prepare_export
from aidge_nb.export.boards.boards import BOARDS
from aidge_nb.export.boards.cycles import CycleEstimate, estimate_cycles
from aidge_nb.export.boards.emulate import BoardRun
from aidge_nb.export.boards.targets import TARGETS
from aidge_nb.export.package import ExportedPackage
from aidge_nb.export.plan.check import check_export
from aidge_nb.export.plan.value import ExportPlan
from aidge_nb.export.results import LayerCheck, RunResult
from aidge_nb.export.write.plugin import add_kernel

__all__ = [
    "BOARDS",
    "TARGETS",
    "BoardRun",
    "CycleEstimate",
    "ExportPlan",
    "ExportedPackage",
    "LayerCheck",
    "RunResult",
    "add_kernel",
    "check_export",
    "estimate_cycles",
    "export",
    "plan_export",
    "prepare_export",
]
