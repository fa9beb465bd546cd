"""Running graphs: the NumPy backend, and the schedulers that run by a schedule."""

from aidge_nb.runtime.backend import CpuImpl, MetaImpl
from aidge_nb.runtime.check_execution import check_execution
from aidge_nb.runtime.in_arena import ArenaRun, run_in_arena
from aidge_nb.runtime.parallel import ParallelScheduler
from aidge_nb.runtime.player import FiringCheck
from aidge_nb.runtime.sequential import SequentialScheduler
from aidge_nb.runtime.timing import ExecTime, NodeExecTime

__all__ = [
    # Schedulers that run
    "ParallelScheduler",
    "SequentialScheduler",
    # The backend
    "CpuImpl",
    "MetaImpl",
    # In the arena of a memory plan
    "ArenaRun",
    "FiringCheck",
    "check_execution",
    "run_in_arena",
    # Measurements
    "ExecTime",
    "NodeExecTime",
]
