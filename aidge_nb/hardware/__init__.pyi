# Written by .ci/stubs.py from the table in __init__.py: change that one.

from aidge_nb.hardware.check.mapping import check_mapping
from aidge_nb.hardware.map.adapted import AdaptedGraph
from aidge_nb.hardware.map.adapted import adapt
from aidge_nb.hardware.map.machine import Roofline
from aidge_nb.hardware.map.machine import roofline
from aidge_nb.hardware.map.map_schedule import map_schedule
from aidge_nb.hardware.map.map_tiles import map_tiles
from aidge_nb.hardware.map.options import Option
from aidge_nb.hardware.map.schedulers import SCHEDULERS
from aidge_nb.hardware.map.schedulers import mapping_scheduler
from aidge_nb.hardware.map.state import MappingState
from aidge_nb.hardware.map.sweeps import STRATEGIES
from aidge_nb.hardware.map.sweeps import Sweep
from aidge_nb.hardware.map.sweeps import SweepRow
from aidge_nb.hardware.map.sweeps import sweep
from aidge_nb.hardware.mapping import Mapping
from aidge_nb.hardware.mapping import MappingBound
from aidge_nb.hardware.mapping import binding
from aidge_nb.hardware.mapping import bounds
from aidge_nb.hardware.mapping import critical_path
from aidge_nb.hardware.run.run import MappedRun
from aidge_nb.hardware.run.run import MeasuredStep
from aidge_nb.hardware.run.run import run_mapping
from aidge_nb.hardware.steps import Function
from aidge_nb.hardware.steps import MappingStep
from aidge_nb.hardware.steps import Placed
from aidge_nb.hardware.steps import TargetMemoryUse
from aidge_nb.hardware.steps import Work
from aidge_nb.hardware.targets.constraints import Constraints
from aidge_nb.hardware.targets.constraints import as_constraints
from aidge_nb.hardware.targets.constraints import check_support
from aidge_nb.hardware.targets.constraints import read_constraints
from aidge_nb.hardware.targets.describe import as_target
from aidge_nb.hardware.targets.describe import read_target
from aidge_nb.hardware.targets.parts import Cooperation
from aidge_nb.hardware.targets.parts import Element
from aidge_nb.hardware.targets.parts import Link
from aidge_nb.hardware.targets.parts import OperatorCost
from aidge_nb.hardware.targets.parts import TargetMemory
from aidge_nb.hardware.targets.ready import TARGETS
from aidge_nb.hardware.targets.ready import target
from aidge_nb.hardware.targets.target import Target

__all__ = [
    "Target",
    "Cooperation",
    "Element",
    "Link",
    "OperatorCost",
    "TargetMemory",
    "as_target",
    "read_target",
    "TARGETS",
    "target",
    "Constraints",
    "as_constraints",
    "check_support",
    "read_constraints",
    "Mapping",
    "MappingBound",
    "binding",
    "bounds",
    "critical_path",
    "Function",
    "MappingStep",
    "Placed",
    "TargetMemoryUse",
    "Work",
    "map_schedule",
    "map_tiles",
    "AdaptedGraph",
    "adapt",
    "Option",
    "SCHEDULERS",
    "mapping_scheduler",
    "MappingState",
    "STRATEGIES",
    "Sweep",
    "SweepRow",
    "sweep",
    "Roofline",
    "roofline",
    "check_mapping",
    "MappedRun",
    "MeasuredStep",
    "run_mapping",
]
