"""Search for stripes of one chain around the peak: a small part of what ``tile_for`` compares."""

from __future__ import annotations

from collections.abc import Iterator

from aidge_nb.graph.view import GraphView, check_view
from aidge_nb.tiling.candidates import SearchSpace
from aidge_nb.tiling.chain_model import Assumptions
from aidge_nb.tiling.choices import TilingSearch, nondominated
from aidge_nb.tiling.search import CostPath, check_limits, choice_of, untiled_path


def tile_at_peak(view: GraphView, memory: int, *, max_slices: int = 6) -> TilingSearch:
    """Find stripes, with halos kept, of the one chain around the node that needs most bytes.

    :func:`tile_for` compares many chains together, and grids; this takes a tenth of its time. The
    best choice has the fewest stripes that need no more than ``memory``; if none does, it is the
    one that needs least, or the untiled graph where stripes do not help.

    Parameters
    ----------
    view
        The graph, with known dimensions; it is not changed (:meth:`TilingSearch.apply` does).
    memory
        Bytes for activations to aim at.
    max_slices
        Most stripes.

    Raises
    ------
    MemoryPlanError
        When dimensions are unknown.
    GraphError
        For arguments that are not legal.

    Examples
    --------
    >>> import aidge_nb
    >>> convs = [aidge_nb.Conv2D(8, 8, [3, 3], f"conv{number}") for number in range(3)]
    >>> view = aidge_nb.sequential([*convs, aidge_nb.MaxPooling2D([4, 4], "pool", [4, 4])])
    >>> view.forward_dims([[1, 8, 38, 38]])
    True
    >>> found = tile_at_peak(view, 40_000)
    >>> found.untiled.peak, found.best.peak, found.best.chains[0].grid
    (78464, 31232, (4, 1))
    """
    check_view(view, "tiling")
    check_limits(memory, ("cache",), max_slices, 0)
    space = SearchSpace(view, Assumptions())
    untiled = untiled_path(space)
    found = sorted(_ways(space, max_slices, memory), key=lambda each: _rank(each, memory))
    best = next((each for each in found if each.peak < untiled.peak), untiled)
    front = nondominated([untiled, *found])
    return TilingSearch(
        choice_of(space, untiled),
        tuple(choice_of(space, way) for way in front),
        choice_of(space, best),
        memory,
        1 + len(found),
    )


def _rank(way: CostPath, memory: int) -> tuple[int, ...]:
    tiles = sum(rows * columns for chain in way.chains for rows, columns in [chain.grid])
    if way.peak <= memory:
        return (0, tiles, way.peak, way.traffic)
    return (1, way.peak, tiles, way.traffic)


def _ways(space: SearchSpace, max_slices: int, memory: int) -> Iterator[CostPath]:
    """Yield the tilings of single chains, with the costs of the whole graph."""
    if not space.live:
        return
    at = max(range(len(space.live)), key=space.live.__getitem__)
    for each in space.around(at, max_slices, memory):
        inside = slice(each.first, each.last + 1)
        outside = (*space.live[: each.first], *space.live[each.last + 1 :])
        yield CostPath(
            sum(space.macs) - sum(space.macs[inside]) + each.macs,
            sum(space.moved) - sum(space.moved[inside]) + each.traffic,
            max((each.peak, *outside)),
            each,
        )
