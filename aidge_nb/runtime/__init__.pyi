# Written by .ci/stubs.py from the table in __init__.py: change that one.

from aidge_nb.runtime.arena.check import check_execution
from aidge_nb.runtime.arena.prepared import PreparedRun
from aidge_nb.runtime.arena.run import ArenaRun
from aidge_nb.runtime.arena.run import FiringCheck
from aidge_nb.runtime.arena.run import run_in_arena
from aidge_nb.runtime.backends.cpu import CpuImpl
from aidge_nb.runtime.backends.cpu import MetaImpl
from aidge_nb.runtime.backends.timing import ExecTime
from aidge_nb.runtime.backends.timing import NodeExecTime
from aidge_nb.runtime.schedulers.parallel import ParallelScheduler
from aidge_nb.runtime.schedulers.sequential import SequentialScheduler

__all__ = [
    "ParallelScheduler",
    "SequentialScheduler",
    "CpuImpl",
    "MetaImpl",
    "ArenaRun",
    "FiringCheck",
    "run_in_arena",
    "check_execution",
    "PreparedRun",
    "ExecTime",
    "NodeExecTime",
]
