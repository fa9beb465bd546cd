"""What plans hard problems: valley by valley, with a beam, or by OR-Tools."""

from aidge_nb.memory.solver.beam import Beam
from aidge_nb.memory.solver.clock import Clock, Progress
from aidge_nb.memory.solver.squeeze import squeeze
from aidge_nb.memory.solver.squeezed import Squeezed
from aidge_nb.memory.solver.strip import Strip
from aidge_nb.memory.solver.valleys import Filling, Valleys
from aidge_nb.memory.solver.widening import widen

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
