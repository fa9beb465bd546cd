"""Which chains to tile, and how: all choices are weighed by their costs, the best trade-offs stay.

References: Lin and others, MCUNetV2: Memory-Efficient Patch-based Inference for Tiny Deep
Learning, 2021; Alwani and others, Fused-Layer CNN Accelerators, 2016.
"""

from __future__ import annotations

from collections.abc import Sequence

from aidge_nb.core.amounts import is_whole
from aidge_nb.core.errors import GraphError, MemoryPlanError
from aidge_nb.graph.given import check_view
from aidge_nb.graph.view import GraphView
from aidge_nb.memory import plan_memory
from aidge_nb.tiling.build import apply_tilings
from aidge_nb.tiling.candidates import Assumptions, Space
from aidge_nb.tiling.choices import ChainChoice, Choice, TilingSearch, nondominated
from aidge_nb.tiling.combine import Way, cheapest_ways, least_peak, trade_offs
from aidge_nb.tiling.plan import HALOS

_NEAR = 2  # choices beyond the budget whose plan may be within it after all


def tile_for(
    view: GraphView,
    memory: int | None = None,
    *,
    halos: Sequence[str] = HALOS,
    max_slices: int = 16,
    bytes_per_element: int = 0,
    depthwise_in_place: bool = False,
    residual_in_place: bool = False,
    confirm: bool = True,
) -> TilingSearch:
    """Find how to tile a graph so that its activations fit into a memory.

    Parameters
    ----------
    view
        The graph, with known dimensions; it is not changed (:meth:`TilingSearch.apply` does).
    memory
        Bytes for activations; without, the least peak is sought.
    halos
        How halos may be treated.
    max_slices
        Most tiles along an axis. All grids of rows and columns are weighed; where halos are kept,
        stripes along either axis.
    bytes_per_element, depthwise_in_place, residual_in_place
        Assumptions on another machine than NumPy, as for quantised networks: the size of an
        element, whether depthwise convolutions overwrite their input, and whether the end of a
        residual block is accumulated on its shortcut.
    confirm
        Whether the memory of the best choice is planned, and the next one is taken where that
        needs more than the budget. Not done under assumptions, or without budget.

    Raises
    ------
    MemoryPlanError
        When nothing fits; says what the least is. Also while dimensions are unknown.
    GraphError
        For what is no graph, an unknown halo, and numbers that make no sense.

    Examples
    --------
    >>> import aidge_nb
    >>> convs = [aidge_nb.Conv2D(8, 8, [3, 3], f"conv{number}") for number in range(3)]
    >>> view = aidge_nb.sequential([*convs, aidge_nb.MaxPooling2D([4, 4], "pool", [4, 4])])
    >>> view.forward_dims([[1, 8, 38, 38]])
    True
    >>> found = tile_for(view, memory=20_000)
    >>> found.untiled.peak, found.best.peak <= 20_000, found.best.chains[0].halo
    (78464, True, 'recompute')
    """
    check_view(view, "tiling")
    _check(memory, halos, max_slices, bytes_per_element)
    assumed = Assumptions(bytes_per_element, depthwise_in_place, residual_in_place)
    space = Space(view, assumed)
    weighed = list(space.candidates(halos, max_slices))
    untiled = _untiled(space)
    ways = nondominated([untiled, *trade_offs(space, [found for found, _ in weighed if found])])
    front = tuple(_choice(space, way) for way in ways)
    confirm = confirm and not assumed and memory is not None
    as_it_is = _choice(space, untiled)
    best = _best(view, as_it_is, front, memory, confirm=confirm)
    return TilingSearch(as_it_is, front, best, memory, 1 + sum(tried for _, tried in weighed))


def least_choice(view: GraphView, *, halos: Sequence[str] = HALOS, max_slices: int = 16) -> Choice:
    """Find what ``tile_for(view).best`` is, without the other trade-offs, which take longest."""
    space = Space(view, Assumptions())
    chains = [found for found, _ in space.candidates(halos, max_slices) if found]
    ways = cheapest_ways(space, chains, least_peak(space, chains))
    return _choice(space, nondominated([_untiled(space), *ways])[0])


def _untiled(space: Space) -> Way:
    return Way(sum(space.macs), sum(space.moved), max(space.live, default=0))


def _check(
    memory: object, halos: Sequence[str], max_slices: object, bytes_per_element: object
) -> None:
    if memory is not None and not is_whole(memory):
        problem = "memory is a number of bytes"
        raise MemoryPlanError.at("tile_for", problem, expected="65536, say", found=repr(memory))
    if isinstance(halos, str) or not halos or not set(halos) <= set(HALOS):
        expected = f"some of {list(HALOS)}"
        raise GraphError.at("tile_for", "unknown halo", expected=expected, found=halos)
    for name, value, least in (
        ("max_slices", max_slices, 1),
        ("bytes_per_element", bytes_per_element, 0),
    ):
        if not is_whole(value) or value < least:
            problem = f"{name} is {least} or more"
            raise GraphError.at("tile_for", problem, expected=least, found=repr(value))


def _choice(space: Space, way: Way) -> Choice:
    chains = tuple(
        ChainChoice(space.names[each.first : each.last + 1], each.grid, each.halo)
        for each in way.chains
    )
    return Choice(chains, way.peak, way.macs, way.traffic)


def _best(
    view: GraphView, untiled: Choice, front: Sequence[Choice], memory: int | None, *, confirm: bool
) -> Choice:
    if memory is None:
        return front[0]
    if untiled.peak <= memory:
        return untiled
    fitting = [choice for choice in front if choice.peak <= memory]
    fitting.sort(key=lambda each: (each.macs, each.traffic, each.peak))
    if not confirm and fitting:
        return fitting[0]
    near = [choice for choice in front if choice.peak > memory and choice.chains][:_NEAR]
    least, size = front[0], front[0].peak
    if confirm:
        planned: list[tuple[int, Choice]] = []
        for choice in (*fitting, *near):
            planned.append((_planned(view, choice) if choice.chains else choice.peak, choice))
            if planned[-1][0] <= memory:
                return choice
        size, least = min(planned or [(size, least)], key=lambda each: each[0])
    cure = f"Without tiles it is {untiled.peak} bytes."
    if least.chains:
        cure = f"The least is {'; '.join(map(str, least.chains))}. {cure}"
    problem, expected = "no tiling fits into this memory", f"at least {size} bytes"
    raise MemoryPlanError.at("tile_for", problem, expected=expected, found=memory, cure=cure)


def _planned(view: GraphView, choice: Choice) -> int:
    """Plan the memory of the graph, tiled so."""
    copy = view.clone()
    apply_tilings(copy, choice.plan(copy))
    return plan_memory(copy, copy.topological_order(), parts=True, effort=0.05).peak
