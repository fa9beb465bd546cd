"""Run graphs: backends, schedulers that run, and execution inside a planned arena."""

from aidge_nb.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        # Schedulers that run
        "schedulers.parallel": "ParallelScheduler",
        "schedulers.sequential": "SequentialScheduler",
        # Implementations of operators in NumPy
        "backends.cpu": "CpuImpl MetaImpl",
        # Runs in the arena of a memory plan
        "arena.run": "ArenaRun FiringCheck run_in_arena",
        "arena.check": "check_execution",
        "arena.prepared": "PreparedRun",
        # Measurements
        "backends.timing": "ExecTime NodeExecTime",
    },
)
