"""Run graphs: backends for single operators, and ways to run them in order.

- :class:`SequentialScheduler`: the ordinary way; loops, branches, backward pass.
- :class:`ParallelScheduler`: the same results with nodes side by side, on threads or any executor.
- :func:`run_in_arena`: one pass in the bytes of a memory plan, with notes on each firing;
  :func:`check_execution` also compares every value with an ordinary run. Both use the executor of
  :mod:`aidge_nb.runtime.arena.executor`, whose observers see every read and write.
- :class:`PreparedRun`: many fast passes in the arena of a plan, without allocation.

:func:`aidge_nb.hardware.run_mapping` runs a mapped network with a worker per processing element,
and :func:`aidge_nb.export.export` records its reference values with the executor.
"""

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
