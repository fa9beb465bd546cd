"""The same question put to OR-Tools CP-SAT, an optional package: rectangles that do not overlap.

It is at its best where everything fits exactly and clever counting pays off, and weak where there
are many buffers at each tick.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from aidge_nb.core.errors import MissingExtraError
from aidge_nb.memory.place.solver.clock import Clock
from aidge_nb.memory.place.solver.strip import Improvement, Strip

_WORKERS = 8
"""Different ways to search that take turns."""

_SECONDS_PER_EFFORT = 10.0
"""Of CP-SAT's own deterministic time, which counts work as we count steps."""


def is_installed() -> bool:
    """Return whether OR-Tools is there."""
    return find_spec("ortools") is not None


def cp_sat(strip: Strip, peak: int, lower_bound: int, target: int, clock: Clock) -> Improvement:
    """Search as :func:`~aidge_nb.memory.place.solver.squeeze.squeeze` does, by CP-SAT.

    Raise MissingExtraError when OR-Tools is not installed.
    """
    try:
        cp_model = import_module("ortools.sat.python.cp_model")
    except ImportError as error:
        raise MissingExtraError("ortools", "solver") from error
    goal = max(-(-lower_bound // strip.unit), target // strip.unit)
    best = -(-peak // strip.unit)
    found = _ask(cp_model, strip, goal, goal, clock.part(0.5))
    if found.offsets is None and found.lower_bound < peak and target <= lower_bound:
        low = max(goal, found.lower_bound // strip.unit)
        if low < best - 1:
            found = _ask(cp_model, strip, low, best - 1, clock)
    return Improvement(found.offsets, max(lower_bound, found.lower_bound), found.method)


def _ask(cp_model: Any, strip: Strip, low: int, highest: int, clock: Clock) -> Improvement:
    """Look for the least height in a range; bounds that are not proven are 0."""
    model, starts = _model(cp_model, strip, low, highest)
    solver = cp_model.CpSolver()
    _set_limits(solver.parameters, clock)
    status = solver.solve(model)
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        placed = [solver.value(start) for start in starts]
        proven = round(solver.best_objective_bound) if low < highest else 0
        return Improvement(strip.offsets(placed), proven * strip.unit, "CP-SAT")
    proven = highest + 1 if status == cp_model.INFEASIBLE else 0
    return Improvement(None, proven * strip.unit)


def _model(cp_model: Any, strip: Strip, low: int, highest: int) -> tuple[Any, list[Any]]:
    """Place rectangles: sections across, heights up."""
    model = cp_model.CpModel()
    starts, across, up = [], [], []
    for number, height in enumerate(strip.height):
        first, behind = strip.first[number], strip.behind[number]
        start = model.new_int_var(0, highest - height, "")
        across.append(model.new_fixed_size_interval_var(first, behind - first, ""))
        up.append(model.new_fixed_size_interval_var(start, height, ""))
        starts.append(start)
    model.add_no_overlap_2d(across, up)
    widths = [b - a for a, b in zip(strip.first, strip.behind, strict=True)]
    model.add_cumulative(up, widths, len(strip.load))
    if low < highest:
        top = model.new_int_var(low, highest, "")
        for start, height in zip(starts, strip.height, strict=True):
            model.add(start + height <= top)
        model.minimize(top)
    return model, starts


def _set_limits(parameters: Any, clock: Clock) -> None:
    parameters.random_seed = 0
    parameters.num_workers = _WORKERS
    if clock.time_limit is None:
        parameters.interleave_search = True  # workers take turns: the same answer every time
        parameters.max_deterministic_time = _SECONDS_PER_EFFORT * clock.effort
    else:
        parameters.max_time_in_seconds = max(0.0, clock.seconds_left)
