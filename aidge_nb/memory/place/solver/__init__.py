"""What plans hard problems: valley by valley, with a beam, or by OR-Tools."""

from aidge_nb.memory.place.solver.beam import Beam
from aidge_nb.memory.place.solver.clock import Clock, Progress
from aidge_nb.memory.place.solver.squeeze import squeeze
from aidge_nb.memory.place.solver.squeezed import Squeezed
from aidge_nb.memory.place.solver.strip import Strip
from aidge_nb.memory.place.solver.valleys import Filling, Valleys
from aidge_nb.memory.place.solver.widening import widen

__all__ = [
    "Beam",
    "Clock",
    "Filling",
    "Progress",
    "Squeezed",
    "Strip",
    "Valleys",
    "squeeze",
    "widen",
]
