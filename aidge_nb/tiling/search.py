"""Search for tilings: which chains to tile, and how, by peak, multiply-accumulates and traffic.

Node by node, a node is computed untiled if its live bytes are allowed, or a chain that ends there
is tiled. For one allowed peak the cheapest plans are shortest paths with two costs. All trade-offs
follow from lowering the allowed peak below the highest one found.

References: Lin and others, MCUNetV2: Memory-Efficient Patch-based Inference for Tiny Deep
Learning, 2021; Alwani and others, Fused-Layer CNN Accelerators, 2016.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from aidge_nb.core.amounts import is_whole
from aidge_nb.core.errors import GraphError, MemoryPlanError
from aidge_nb.graph.view import GraphView, check_view
from aidge_nb.memory import MemoryPlan, plan_memory
from aidge_nb.tiling.build import apply_tilings
from aidge_nb.tiling.candidates import Candidate, SearchSpace
from aidge_nb.tiling.chain_model import Assumptions
from aidge_nb.tiling.choices import ChainChoice, TilingChoice, TilingSearch, nondominated
from aidge_nb.tiling.plan import HALOS

_NEAR = 2  # choices above the budget whose memory plan is tried
_STEPS = 200  # allowed peaks that are tried one by one; then by steps of a percent


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
        Bytes for activations; None for the least peak.
    halos
        Allowed treatments of halos.
    max_slices
        Most tiles along an axis. All grids are compared; with kept halos, stripes along either
        axis.
    bytes_per_element, depthwise_in_place, residual_in_place
        Assumptions on machines other than NumPy: the size of an element, whether depthwise
        convolutions overwrite their input, and whether residual blocks accumulate on their
        shortcut.
    confirm
        Whether to plan the memory of the best choice, and to take the next one if it exceeds the
        budget. Not done under assumptions, or without budget.

    Raises
    ------
    MemoryPlanError
        When nothing fits (names the least), or dimensions are unknown.
    GraphError
        For arguments that are not legal.

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
    check_limits(memory, halos, max_slices, bytes_per_element)
    assumed = Assumptions(bytes_per_element, depthwise_in_place, residual_in_place)
    space = SearchSpace(view, assumed)
    weighed = list(space.candidates(halos, max_slices))
    untiled = untiled_path(space)
    ways = nondominated([untiled, *trade_offs(space, [found for found, _ in weighed if found])])
    front = tuple(choice_of(space, way) for way in ways)
    confirm = confirm and not assumed and memory is not None
    as_it_is = choice_of(space, untiled)
    best = _best(view, as_it_is, front, memory, confirm=confirm)
    return TilingSearch(as_it_is, front, best, memory, 1 + sum(tried for _, tried in weighed))


def least_choice(view: GraphView) -> TilingChoice:
    """Return ``tile_for(view).best``, without searching other trade-offs."""
    space = SearchSpace(view, Assumptions())
    chains = [found for found, _ in space.candidates(HALOS, 16) if found]
    ways = _CheapestWays(space, chains).within(least_peak(space, chains))
    return choice_of(space, nondominated([untiled_path(space), *ways])[0])


def untiled_path(space: SearchSpace) -> CostPath:
    """Return the path without tiles."""
    return CostPath(sum(space.macs), sum(space.moved), max(space.live, default=0))


def check_limits(
    memory: object, halos: Sequence[str], max_slices: object, bytes_per_element: object
) -> None:
    """Check the arguments of a search for tiles."""
    if memory is not None and not is_whole(memory):
        problem = "memory must be a number of bytes"
        raise MemoryPlanError.at("tile_for", problem, expected="65536, say", found=repr(memory))
    if isinstance(halos, str) or not halos or not set(halos) <= set(HALOS):
        expected = f"some of {list(HALOS)}"
        raise GraphError.at("tile_for", "unknown halo", expected=expected, found=halos)
    for name, value, least in (
        ("max_slices", max_slices, 1),
        ("bytes_per_element", bytes_per_element, 0),
    ):
        if not is_whole(value) or value < least:
            problem = f"{name} must be {least} or more"
            raise GraphError.at("tile_for", problem, expected=least, found=repr(value))


def choice_of(space: SearchSpace, way: CostPath) -> TilingChoice:
    """Return a path as a choice, with the names of its nodes."""
    chains = tuple(
        ChainChoice(space.names[each.first : each.last + 1], each.grid, each.halo)
        for each in way.chains
    )
    return TilingChoice(chains, way.peak, way.macs, way.traffic)


def _best(
    view: GraphView,
    untiled: TilingChoice,
    front: Sequence[TilingChoice],
    memory: int | None,
    *,
    confirm: bool,
) -> TilingChoice:
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
        planned: list[tuple[int, TilingChoice]] = []
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


def _planned(view: GraphView, choice: TilingChoice) -> int:
    """Return the planned peak of the graph tiled by a choice."""
    copy = view.clone()
    apply_tilings(copy, choice.plan(copy))
    return plan_memory(copy, copy.topological_order(), parts=True, effort=0.05).peak


def tiled_plan(view: GraphView, memory: int, **options: Any) -> MemoryPlan:
    """Plan the memory of a graph that is tiled to fit, or else for the least peak.

    Parameters
    ----------
    view
        The graph, with known dimensions; it is not changed.
    memory
        Budget in bytes.
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


class CostPath(NamedTuple):
    """A path through the nodes up to some position: its costs, last chain, and prefix."""

    macs: int
    traffic: int
    peak: int
    chain: Candidate | None = None
    before: CostPath | None = None

    @property
    def chains(self) -> tuple[Candidate, ...]:
        """The tiled chains, in order."""
        found = []
        way: CostPath | None = self
        while way is not None:
            if way.chain is not None:
                found.append(way.chain)
            way = way.before
        return tuple(reversed(found))


def trade_offs(space: SearchSpace, chains: Sequence[Sequence[Candidate]]) -> Iterator[CostPath]:
    """Yield the cheapest paths for falling allowed peaks; ``chains`` are the candidates."""
    cheapest = _CheapestWays(space, chains)
    allowed = max([*space.live, *(each.peak for chain in chains for each in chain)], default=0)
    least = least_peak(space, chains)
    steps = 0
    while allowed >= least:
        ways = cheapest.within(allowed)
        yield from ways
        highest = max(way.peak for way in ways)
        steps += 1
        allowed = highest - 1 if steps < _STEPS else min(highest - 1, int(allowed * 0.99))
        if allowed < least < highest:
            allowed = least


def least_peak(space: SearchSpace, chains: Sequence[Sequence[Candidate]]) -> int:
    """Return the least peak of any path."""
    ending: dict[int, list[tuple[int, int]]] = {}
    for chain in chains:
        found = min(chain, key=lambda each: each.peak)
        ending.setdefault(found.last, []).append((found.first, found.peak))
    peaks = [0]
    for at, live in enumerate(space.live):
        tiled = (max(peaks[first], peak) for first, peak in ending.get(at, ()))
        peaks.append(min([max(peaks[at], live), *tiled]))
    return peaks[-1]


class _CheapestWays:
    """The cheapest paths for falling allowed peaks.

    Paths up to the first node that a lower peak affects are kept.
    """

    def __init__(self, space: SearchSpace, chains: Sequence[Sequence[Candidate]]) -> None:
        self._space = space
        self._ending: dict[int, list[_Chain]] = {}
        for chain in chains:
            self._ending.setdefault(chain[0].last, []).append(_Chain(chain))
        self._ways: list[list[CostPath]] = [[CostPath(0, 0, 0)]]
        self._allowed: int | None = None

    def within(self, allowed: int) -> list[CostPath]:
        """Return the cheapest paths to the last node, by multiply-accumulates."""
        lost = len(self._space.live) if self._allowed is not None else 0
        for last, chains in self._ending.items():
            fewer = [chain.lower(allowed) for chain in chains]
            if any(fewer):
                lost = min(lost, last)
        for at, live in enumerate(self._space.live[:lost]):
            if self._allowed is not None and allowed < live <= self._allowed:
                lost = at
                break
        self._allowed = allowed
        del self._ways[lost + 1 :]
        for at in range(lost, len(self._space.live)):
            self._ways.append(self._up_to(at, allowed))
        return self._ways[-1]

    def _up_to(self, at: int, allowed: int) -> list[CostPath]:
        found: list[CostPath] = []
        live, macs, moved = self._space.live[at], self._space.macs[at], self._space.moved[at]
        if live <= allowed:
            found += [
                CostPath(w.macs + macs, w.traffic + moved, max(w.peak, live), None, w)
                for w in self._ways[at]
            ]
        for chain in self._ending.get(at, ()):
            found += [
                CostPath(w.macs + c.macs, w.traffic + c.traffic, max(w.peak, c.peak), c, w)
                for w in self._ways[chain.first]
                for c in chain.fitting
            ]
        return _cheapest(found)


class _Chain:
    """The cheapest candidates of one chain that fit."""

    def __init__(self, ways: Sequence[Candidate]) -> None:
        self.first = ways[0].first
        self._ways = sorted(ways, key=lambda each: (each.macs, each.traffic, each.peak))
        self.fitting: list[Candidate] = _cheapest(self._ways)

    def lower(self, allowed: int) -> bool:
        """Forbid higher peaks; return whether that changes the cheapest candidates."""
        if all(each.peak <= allowed for each in self.fitting):
            return False
        self._ways = [each for each in self._ways if each.peak <= allowed]
        self.fitting = _cheapest(self._ways)
        return True


Cost = TypeVar("Cost", CostPath, Candidate)


def _cheapest(found: list[Cost]) -> list[Cost]:
    kept: list[Cost] = []
    for each in sorted(found, key=lambda each: (each.macs, each.traffic, each.peak)):
        if not kept or each.traffic < kept[-1].traffic:
            kept.append(each)
    return kept
