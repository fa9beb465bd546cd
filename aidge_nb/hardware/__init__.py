"""Hardware: what a network is mapped onto, and what a project may use of it."""

from aidge_nb.hardware.check import check_mapping
from aidge_nb.hardware.constraints import (
    Constraints,
    as_constraints,
    check_support,
    read_constraints,
)
from aidge_nb.hardware.describe import as_target, read_target
from aidge_nb.hardware.map_tiles import Roofline, map_tiles, roofline
from aidge_nb.hardware.mapping import Mapping, Placed, Step
from aidge_nb.hardware.ready import TARGETS, target
from aidge_nb.hardware.target import Cooperation, Cost, Element, Link, Memory, Target

__all__ = [
    "TARGETS",
    "Constraints",
    "Cooperation",
    "Cost",
    "Element",
    "Link",
    "Mapping",
    "Memory",
    "Placed",
    "Roofline",
    "Step",
    "Target",
    "as_constraints",
    "as_target",
    "check_mapping",
    "check_support",
    "map_tiles",
    "read_constraints",
    "read_target",
    "roofline",
    "target",
]
