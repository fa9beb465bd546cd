"""Running graphs: the NumPy backend, and the schedulers that run by a schedule."""

from aidge_nb.runtime.backend import CpuImpl, MetaImpl
from aidge_nb.runtime.parallel import ParallelScheduler
from aidge_nb.runtime.sequential import SequentialScheduler
from aidge_nb.runtime.timing import ExecTime, NodeExecTime

__all__ = [
    # Schedulers that run
    "ParallelScheduler",
    "SequentialScheduler",
    # The backend
    "CpuImpl",
    "MetaImpl",
    # Measurements
    "ExecTime",
    "NodeExecTime",
]
