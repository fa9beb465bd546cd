"""Hardware: what a network is mapped onto, and what a project may use of it."""

from aidge_nb.hardware.check.mapping import check_mapping
from aidge_nb.hardware.map.adapted import AdaptedGraph, adapt
from aidge_nb.hardware.map.board import Board
from aidge_nb.hardware.map.map_schedule import map_schedule
from aidge_nb.hardware.map.map_tiles import Roofline, map_tiles, roofline
from aidge_nb.hardware.map.options import Option
from aidge_nb.hardware.map.schedulers import SCHEDULERS, mapping_scheduler
from aidge_nb.hardware.map.sweeps import STRATEGIES, Sweep, SweepRow, sweep
from aidge_nb.hardware.mapping import Function, Mapping, MemoryUse, Placed, Step, Work
from aidge_nb.hardware.run.report import Bound, binding, bounds, critical_path
from aidge_nb.hardware.run.run import MappedRun, Measured, run_mapping
from aidge_nb.hardware.targets.constraints import (
    Constraints,
    as_constraints,
    check_support,
    read_constraints,
)
from aidge_nb.hardware.targets.describe import as_target, read_target
from aidge_nb.hardware.targets.ready import TARGETS, target
from aidge_nb.hardware.targets.value import Cooperation, Cost, Element, Link, Memory, Target

__all__ = [
    "SCHEDULERS",
    "STRATEGIES",
    "TARGETS",
    "AdaptedGraph",
    "Board",
    "Bound",
    "Constraints",
    "Cooperation",
    "Cost",
    "Element",
    "Function",
    "Link",
    "MappedRun",
    "Mapping",
    "Measured",
    "Memory",
    "MemoryUse",
    "Option",
    "Placed",
    "Roofline",
    "Step",
    "Sweep",
    "SweepRow",
    "Target",
    "Work",
    "adapt",
    "as_constraints",
    "as_target",
    "binding",
    "bounds",
    "check_mapping",
    "check_support",
    "critical_path",
    "map_schedule",
    "map_tiles",
    "mapping_scheduler",
    "read_constraints",
    "read_target",
    "roofline",
    "run_mapping",
    "sweep",
    "target",
]
