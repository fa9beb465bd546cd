"""The exact half of the planner: filling a strip of memory valley by valley, or by OR-Tools."""

from aidge_nb.memory.solver.clock import Clock, Progress
from aidge_nb.memory.solver.squeeze import Squeezed, squeeze
from aidge_nb.memory.solver.strip import Strip
from aidge_nb.memory.solver.valleys import Filling, Valleys

__all__ = ["Clock", "Filling", "Progress", "Squeezed", "Strip", "Valleys", "squeeze"]
