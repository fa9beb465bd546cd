"""The solvers that are compared: one table of their names, how to get them, and how to call them.

Each takes live ranges and seconds, and returns offsets and the bound that it has proven. What is
fast by nature (greedy rules) does not look at the clock.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from aidge_nb.memory.aidge.manager import MemoryManager
from aidge_nb.memory.aidge.optimize import OptimizeStrategy
from aidge_nb.memory.contest.foreign import (
    OMNIMALLOC,
    ask_minimalloc,
    ask_omnimalloc,
    has_minimalloc,
    has_omnimalloc,
)
from aidge_nb.memory.contest.outcome import Outcome
from aidge_nb.memory.place.greedy import Problem, first_fit
from aidge_nb.memory.place.planners import Solver, best_placement
from aidge_nb.memory.place.solver.cp_sat import is_installed
from aidge_nb.memory.values.live_range import LiveRange

Ranges = Sequence[LiveRange]


class PlanSolver(NamedTuple):
    """A solver of placement problems.

    Attributes
    ----------
    name
        What it is called in tables.
    place
        Finds offsets within some seconds.
    is_installed
        Whether it can run here.
    cure
        How to get it.
    """

    name: str
    place: Callable[[Ranges, float], Outcome]
    is_installed: Callable[[], bool] = lambda: True
    cure: str = ""


def _planned(solver: Solver, ranges: Ranges, seconds: float) -> Outcome:
    found = best_placement(ranges, time_limit=seconds, solver=solver)
    return Outcome(found.offsets, found.lower_bound)


def largest_into_first_gap(ranges: Ranges) -> list[int]:
    """Place buffers as TensorFlow Lite Micro's ``GreedyMemoryPlanner`` does.

    The largest comes first (among equals that which was added first), and goes into the first gap,
    from the ground up, between those that live when it does.

    Examples
    --------
    >>> largest_into_first_gap([LiveRange(0, 2, 8), LiveRange(1, 3, 16), LiveRange(2, 4, 8)])
    [16, 0, 16]
    """
    return first_fit(Problem(ranges), sorted(range(len(ranges)), key=lambda i: -ranges[i].size))


def by_strategy(strategy: OptimizeStrategy, ranges: Ranges) -> list[int]:
    """Place buffers as Aidge's memory manager does: as time passes, then by a strategy.

    Examples
    --------
    >>> by_strategy(OptimizeStrategy.None_, [LiveRange(0, 2, 8), LiveRange(1, 3, 16)])
    [0, 8]
    """
    manager = MemoryManager()
    born: dict[int, list[int]] = {}
    for number, each in enumerate(ranges):
        born.setdefault(each.lower, []).append(number)
    spaces, alive = {}, set[int]()
    ticks = sorted(born)
    for tick, following in zip(ticks, [*ticks[1:], None], strict=True):
        for number in born[tick]:
            spaces[number] = manager.allocate(ranges[number].size).mem_space
            alive.add(number)
        for number in sorted(alive):
            if following is None or ranges[number].upper <= following:
                manager.release(spaces[number])
                alive.discard(number)
        manager.tick()
    manager.optimize(strategy)
    return [spaces[number].offset for number in range(len(ranges))]


def _by_rule(rule: Callable[[Ranges], list[int]]) -> Callable[[Ranges, float], Outcome]:
    return lambda ranges, seconds: Outcome(rule(ranges))


_STRATEGIES = {
    "as reserved": OptimizeStrategy.None_,
    "long, small first": OptimizeStrategy.OptimizeMaxLifetimeMinSizeFirst,
    "long, large first": OptimizeStrategy.OptimizeMaxLifetimeMaxSizeFirst,
    "holes first": OptimizeStrategy.OptimizeMaxHoleMaxLifetimeFirst,
}

_GET_MINIMALLOC = (
    "build it from github.com/google/minimalloc (CMake, a C++20 compiler) and put `minimalloc` on "
    "the PATH"
)

SOLVERS: tuple[PlanSolver, ...] = (
    PlanSolver("aidge_nb", partial(_planned, "numpy")),
    PlanSolver(
        "OR-Tools CP-SAT",
        partial(_planned, "cp-sat"),
        is_installed,
        'pip install "aidge_nb[solver]"',
    ),
    PlanSolver("minimalloc", ask_minimalloc, has_minimalloc, _GET_MINIMALLOC),
    *(
        PlanSolver(
            f"omnimalloc {name}",
            partial(ask_omnimalloc, name),
            has_omnimalloc,
            "pip install omnimalloc",
        )
        for name in OMNIMALLOC
    ),
    PlanSolver("TFLM greedy", _by_rule(largest_into_first_gap)),
    *(
        PlanSolver(f"Aidge {name}", _by_rule(partial(by_strategy, strategy)))
        for name, strategy in _STRATEGIES.items()
    ),
)
"""All solvers. CP-SAT begins with our greedy placements, as ``solver="cp-sat"`` does."""
