"""Running graphs: the NumPy backend, and the schedulers that run by a schedule."""

from typing import TYPE_CHECKING

from aidge_nb.core.lazy import when_asked_for
from aidge_nb.runtime.backends import c as _compiled  # noqa: F401  # the backends "c" and "exact"
from aidge_nb.runtime.backends.cpu import CpuImpl, MetaImpl
from aidge_nb.runtime.backends.timing import ExecTime, NodeExecTime
from aidge_nb.runtime.schedulers.parallel import ParallelScheduler
from aidge_nb.runtime.schedulers.sequential import SequentialScheduler

if TYPE_CHECKING:
    from aidge_nb.runtime.arena.check import check_execution
    from aidge_nb.runtime.arena.prepared import PreparedRun
    from aidge_nb.runtime.arena.run import ArenaRun, FiringCheck, run_in_arena

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
    # Prepared once, run many times
    "PreparedRun",
    # Measurements
    "ExecTime",
    "NodeExecTime",
]

__getattr__, __dir__ = when_asked_for(
    __name__,
    {
        "aidge_nb.runtime.arena.check": ("check_execution",),
        "aidge_nb.runtime.arena.run": (
            "ArenaRun",
            "FiringCheck",
            "run_in_arena",
        ),
        "aidge_nb.runtime.arena.prepared": ("PreparedRun",),
    },
)
