# Written by .ci/stubs.py from the table in __init__.py: change that one.

from aidge_nb.runtime.arena.check import check_execution as check_execution
from aidge_nb.runtime.arena.prepared import PreparedRun as PreparedRun
from aidge_nb.runtime.arena.run import ArenaRun as ArenaRun
from aidge_nb.runtime.arena.run import FiringCheck as FiringCheck
from aidge_nb.runtime.arena.run import run_in_arena as run_in_arena
from aidge_nb.runtime.backends.cpu import CpuImpl as CpuImpl
from aidge_nb.runtime.backends.cpu import MetaImpl as MetaImpl
from aidge_nb.runtime.backends.timing import ExecTime as ExecTime
from aidge_nb.runtime.backends.timing import NodeExecTime as NodeExecTime
from aidge_nb.runtime.schedulers.parallel import ParallelScheduler as ParallelScheduler
from aidge_nb.runtime.schedulers.sequential import SequentialScheduler as SequentialScheduler

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
