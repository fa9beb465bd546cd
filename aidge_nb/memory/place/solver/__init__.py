"""Searches for hard problems: by joining blocks, valley by valley, with a beam, or by OR-Tools."""

from aidge_nb.memory.place.solver.assemble import assemble
from aidge_nb.memory.place.solver.beam import Beam, widen
from aidge_nb.memory.place.solver.clock import Clock, Progress
from aidge_nb.memory.place.solver.squeeze import squeeze
from aidge_nb.memory.place.solver.strip import Improvement, Strip
from aidge_nb.memory.place.solver.valleys import Filling, Valleys

__all__ = [
    "Beam",
    "Clock",
    "Filling",
    "Progress",
    "Improvement",
    "Strip",
    "Valleys",
    "assemble",
    "squeeze",
    "widen",
]
