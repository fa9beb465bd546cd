"""What helps where whole tensors do not fit their memory: a budget for tilings that was tried."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aidge_nb.core.errors import AidgeError, MemoryPlanError
from aidge_nb.graph.view import GraphView
from aidge_nb.tiling import Tiling, tile_for

_TRIED = 7  # budgets that are tried


def budget_advice(
    view: GraphView, capacity: int, room: int, peak: Callable[[Sequence[Tiling]], int]
) -> str:
    """Say with which budget a search of tilings gives tensors that fit.

    Elements need room to work in beside the tensors, so that a search must be given less than the
    memory has; how much less is found out by trying.

    Parameters
    ----------
    view
        The graph.
    capacity
        Bytes of the memory that there are for tensors.
    room
        Bytes of it beside the inputs of the graph, which searches do not count.
    peak
        Gives the bytes that are needed with some tilings.
    """
    low, high, budget = 0, room, room
    least: tuple[int, str] | None = None
    for _ in range(_TRIED):
        try:
            needed = peak(tile_for(view, memory=budget).best.plan(view))
        except MemoryPlanError:  # no tiling needs as little
            low, budget = budget, (budget + high) // 2
        except AidgeError:  # these tiles cannot be computed there
            break
        else:
            tilings = f"tilings=tile_for(view, memory={budget}).best.plan(view)"
            if needed <= capacity:
                return f"Tile the graph: {tilings}."
            least = min(least or (needed, tilings), (needed, tilings))
            high = budget
            budget = max(budget - max(needed - capacity, budget // 6), (low + budget) // 2)
        if budget in (low, high):
            break
    return _cure(view, capacity, peak, least)


def _cure(
    view: GraphView,
    capacity: int,
    peak: Callable[[Sequence[Tiling]], int],
    least: tuple[int, str] | None,
) -> str:
    """Say what the least is that was found, where no budget did."""
    try:
        found = peak(tile_for(view).best.plan(view)), "tilings=tile_for(view).best.plan(view)"
    except AidgeError:
        if least is None:
            return "Give it a larger memory, or use a smaller network: no tiling was found."
        found = least
    needed, tilings = min(least or found, found)
    if needed <= capacity:
        return f"Tile the graph: {tilings}."
    return f"Give it {needed - capacity} bytes more, and tile the graph: {tilings}."
