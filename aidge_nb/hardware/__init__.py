"""Map networks onto processing elements and memories described in a file."""

from aidge_nb.hardware.check.mapping import check_mapping
from aidge_nb.hardware.map.adapted import AdaptedGraph, adapt
from aidge_nb.hardware.map.machine import Roofline, roofline
from aidge_nb.hardware.map.map_schedule import map_schedule
from aidge_nb.hardware.map.map_tiles import map_tiles
from aidge_nb.hardware.map.options import Option
from aidge_nb.hardware.map.schedulers import SCHEDULERS, mapping_scheduler
from aidge_nb.hardware.map.state import MappingState
from aidge_nb.hardware.map.sweeps import STRATEGIES, Sweep, SweepRow, sweep
from aidge_nb.hardware.mapping import Mapping, MappingBound, binding, bounds, critical_path
from aidge_nb.hardware.run.run import MappedRun, MeasuredStep, run_mapping
from aidge_nb.hardware.steps import Function, MappingStep, Placed, TargetMemoryUse, Work
from aidge_nb.hardware.targets.constraints import (
    Constraints,
    as_constraints,
    check_support,
    read_constraints,
)
from aidge_nb.hardware.targets.describe import as_target, read_target
from aidge_nb.hardware.targets.parts import Cooperation, Element, Link, OperatorCost, TargetMemory
from aidge_nb.hardware.targets.ready import TARGETS, target
from aidge_nb.hardware.targets.target import Target

__all__ = [
    "SCHEDULERS",
    "STRATEGIES",
    "TARGETS",
    "AdaptedGraph",
    "MappingState",
    "MappingBound",
    "Constraints",
    "Cooperation",
    "OperatorCost",
    "Element",
    "Function",
    "Link",
    "MappedRun",
    "Mapping",
    "MeasuredStep",
    "TargetMemory",
    "TargetMemoryUse",
    "Option",
    "Placed",
    "Roofline",
    "MappingStep",
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
