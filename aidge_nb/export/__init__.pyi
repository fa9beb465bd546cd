# Written by .ci/stubs.py from the table in __init__.py: change that one.

from aidge_nb.export.api import export
from aidge_nb.export.api import plan_export
from aidge_nb.export.api import prepare_export
from aidge_nb.export.boards.cycles import CycleEstimate
from aidge_nb.export.boards.cycles import estimate_cycles
from aidge_nb.export.boards.emulate import BoardRun
from aidge_nb.export.boards.targets import BOARDS
from aidge_nb.export.boards.targets import TARGETS
from aidge_nb.export.package import ExportedPackage
from aidge_nb.export.plan.check import check_export
from aidge_nb.export.plan.value import ExportPlan
from aidge_nb.export.results import LayerCheck
from aidge_nb.export.results import RunResult
from aidge_nb.export.write.plugin import add_kernel

__all__ = [
    "export",
    "plan_export",
    "prepare_export",
    "CycleEstimate",
    "estimate_cycles",
    "BoardRun",
    "BOARDS",
    "TARGETS",
    "ExportedPackage",
    "check_export",
    "ExportPlan",
    "LayerCheck",
    "RunResult",
    "add_kernel",
]
