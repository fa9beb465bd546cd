"""Tiling as a measure for budgets: the memory plan of a graph that was tiled to fit."""

from __future__ import annotations

from typing import Any

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.graph.view import GraphView
from aidge_nb.memory import MemoryPlan, plan_memory
from aidge_nb.tiling.search import tile_for


def tiled_plan(view: GraphView, memory: int, **options: Any) -> MemoryPlan:
    """Plan the memory of a graph, tiled so that it fits, or as small as tiling makes it.

    Parameters
    ----------
    view
        The graph, with known dimensions; it stays as it is.
    memory
        Bytes that should do.
    **options
        As for :func:`~aidge_nb.memory.plan_memory`; tiles are put together without copies.

    Raises
    ------
    MemoryPlanError
        When dimensions are unknown.

    Examples
    --------
    >>> import aidge_nb
    >>> convs = [aidge_nb.Conv2D(8, 8, [3, 3], f"conv{number}") for number in range(3)]
    >>> view = aidge_nb.sequential([*convs, aidge_nb.MaxPooling2D([4, 4], "pool", [4, 4])])
    >>> view.forward_dims([[1, 8, 38, 38]])
    True
    >>> aidge_nb.fit(view, 20_000, others={"tiling": lambda: tiled_plan(view, 20_000)}).taken
    ('tiling',)
    """
    try:
        found = tile_for(view, memory)
    except MemoryPlanError:
        found = tile_for(view)
    tiled = view.clone()
    found.apply(tiled)
    return plan_memory(tiled, tiled.topological_order(), **{"parts": True, **options})
