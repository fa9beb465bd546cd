"""Running graphs: the NumPy backend, and the schedulers that run by a schedule."""

from typing import TYPE_CHECKING

from aidge_nb.lazy import when_asked_for
from aidge_nb.runtime import compiled as _compiled  # noqa: F401  # the backends "c" and "exact"
from aidge_nb.runtime.backend import CpuImpl, MetaImpl
from aidge_nb.runtime.parallel import ParallelScheduler
from aidge_nb.runtime.sequential import SequentialScheduler
from aidge_nb.runtime.timing import ExecTime, NodeExecTime

if TYPE_CHECKING:
    from aidge_nb.runtime.execution_check import check_execution
    from aidge_nb.runtime.in_arena import ArenaRun, run_in_arena
    from aidge_nb.runtime.player import FiringCheck
    from aidge_nb.runtime.prepared import PreparedRun

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
        "aidge_nb.runtime.execution_check": ("check_execution",),
        "aidge_nb.runtime.in_arena": (
            "ArenaRun",
            "run_in_arena",
        ),
        "aidge_nb.runtime.player": ("FiringCheck",),
        "aidge_nb.runtime.prepared": ("PreparedRun",),
    },
)
