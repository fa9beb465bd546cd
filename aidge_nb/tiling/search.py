"""Which chain to tile, and how: all choices are weighed by their costs, the best trade-offs stay.

A chain to tile reaches from one narrow place of the graph, where a single tensor connects what is
before to what is behind, to another, and holds the moment at which most memory is needed: tiling
anything else does not lower the peak. For each chain, grids and both ways to treat halos are tried.

References: Lin and others, MCUNetV2: Memory-Efficient Patch-based Inference for Tiny Deep
Learning, 2021; Alwani and others, Fused-Layer CNN Accelerators, 2016.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

from aidge_nb.errors import GraphError, MemoryPlanError, explain
from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.memory import live_values, plan_memory
from aidge_nb.tiling.build import apply_tiling
from aidge_nb.tiling.chain import Chain, as_chain
from aidge_nb.tiling.layers import can_tile
from aidge_nb.tiling.plan import HALOS, plan_tiling
from aidge_nb.tiling.profile import ChainModel, Costs, chain_model, profile
from aidge_nb.tiling.tiles import Tiling

__all__ = ["Choice", "TilingSearch", "tile_for"]

_PAIRS = 64  # of ends of chains; with more, chains begin as early as they can


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to tile a graph, and what the whole graph then costs.

    Attributes
    ----------
    nodes
        Names of the chain; none for the graph as it is.
    grid
        Rows and columns of tiles.
    halo
        ``recompute`` or ``cache``.
    peak
        Bytes of activations; inputs of the graph are not counted. What overwrites its input does,
        and the whole result of the chain is reserved from its beginning. A memory plan
        can need less, or more for tiles along two axes: parts cut along both are copied.
    macs
        Multiply-accumulates.
    traffic
        Bytes moved between the memory of whole tensors and one in which a node, or a tile of the
        chain, is computed; element-wise operators work on what is there.
    """

    nodes: tuple[str, ...]
    grid: tuple[int, int]
    halo: str
    peak: int
    macs: int
    traffic: int

    def plan(self, view: GraphView) -> Tiling:
        """Plan the tiling for the graph that was searched.

        Raises
        ------
        GraphError
            When nothing is to be tiled, or the graph is another one.
        """
        by_name = {name: node for node, name in view.unique_names().items()}
        if not self.nodes or not set(self.nodes) <= set(by_name):
            raise GraphError(explain("tiling", "nothing in this graph is to be tiled"))
        grid = {axis: count for axis, count in zip((2, 3), self.grid, strict=True) if count > 1}
        nodes = [by_name[name] for name in self.nodes]
        return plan_tiling(view, nodes, grid or {2: 1}, halo=self.halo)

    def _is_as_good_as(self, other: Choice) -> bool:
        return self.peak <= other.peak and self.macs <= other.macs and self.traffic <= other.traffic


@dataclass(frozen=True, slots=True)
class TilingSearch:
    """What a search found.

    Attributes
    ----------
    untiled
        The graph as it is.
    front
        The choices that nothing beats in peak, multiply-accumulates and traffic at once; by peak.
    best
        The graph as it is where that fits; else, of those that fit, the choice with the fewest
        multiply-accumulates, then least traffic.
    memory
        The budget in bytes; None without.
    tried
        Number of choices that were weighed.
    """

    untiled: Choice
    front: tuple[Choice, ...]
    best: Choice
    memory: int | None
    tried: int = field(compare=False)

    @property
    def extra_macs(self) -> float:
        """Multiply-accumulates of the best choice beyond those without tiles, as a part."""
        return self.best.macs / self.untiled.macs - 1 if self.untiled.macs else 0.0

    def apply(self, view: GraphView) -> Tiling | None:
        """Rewrite the graph by the best choice; None when it is best as it is."""
        if not self.best.nodes:
            return None
        tiling = self.best.plan(view)
        apply_tiling(view, tiling)
        return tiling


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
        Most tiles along an axis. Grids are stripes of any number up to it, and squares.
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
        When nothing fits; says what the least is.

    Examples
    --------
    >>> import aidge_nb
    >>> convs = [aidge_nb.Conv2D(8, 8, [3, 3], f"conv{number}") for number in range(3)]
    >>> view = aidge_nb.sequential([*convs, aidge_nb.MaxPooling2D([4, 4], "pool", [4, 4])])
    >>> view.forward_dims([[1, 8, 38, 38]])
    True
    >>> found = tile_for(view, memory=20_000)
    >>> found.untiled.peak, found.best.peak <= 20_000, found.best.halo
    (78464, True, 'recompute')
    """
    _check(memory, halos, max_slices)
    assumptions = (bytes_per_element, depthwise_in_place, residual_in_place)
    space = _Space(view, assumptions)
    choices = [space.untiled]
    for first, last in space.segments():
        choices += space.choices(first, last, halos, max_slices)
    front = _front(choices)
    best = _best(
        view, choices, memory, confirm=confirm and not any(assumptions) and memory is not None
    )
    return TilingSearch(space.untiled, front, best, memory, len(choices))


def _check(memory: object, halos: Sequence[str], max_slices: int) -> None:
    if memory is not None and (isinstance(memory, bool) or not isinstance(memory, int)):
        problem = "memory is a number of bytes"
        raise MemoryPlanError(explain("tile_for", problem, expected="65536, say", found=memory))
    if not halos or not set(halos) <= set(HALOS):
        raise GraphError(explain("tile_for", "unknown halo", expected=HALOS, found=tuple(halos)))
    if max_slices < 1:
        raise GraphError(explain("tile_for", "max_slices is 1 or more", found=max_slices))


def _front(choices: Sequence[Choice]) -> tuple[Choice, ...]:
    """Keep what nothing beats; of equals the first."""
    front: list[Choice] = []
    for choice in sorted(choices, key=lambda each: (each.peak, each.macs, each.traffic)):
        if not any(other._is_as_good_as(choice) for other in front):
            front.append(choice)
    return tuple(front)


def _best(
    view: GraphView, choices: Sequence[Choice], memory: int | None, *, confirm: bool
) -> Choice:
    least = min(choices, key=lambda each: (each.peak, each.macs, each.traffic))
    if memory is None:
        return least
    if choices[0].peak <= memory:
        return choices[0]
    fitting = [choice for choice in choices if choice.peak <= memory]
    fitting.sort(key=lambda each: (each.macs, each.traffic, each.peak))
    for choice in fitting:
        if not confirm or _planned(view, choice) <= memory:
            return choice
    raise MemoryPlanError(
        explain(
            "tile_for",
            "no tiling fits into this memory",
            expected=f"at least {least.peak} bytes",
            found=memory,
            cure=f"The least is {least.grid[0]}x{least.grid[1]} tiles with halo={least.halo!r}; "
            "without tiles it is " + f"{choices[0].peak} bytes.",
        )
    )


def _planned(view: GraphView, choice: Choice) -> int:
    """Plan the memory of the graph, tiled so."""
    copy = view.clone()
    apply_tiling(copy, choice.plan(copy))
    return plan_memory(copy, copy.topological_order(), parts=True, effort=0.05).peak


class _Space:
    """The choices for one graph."""

    def __init__(self, view: GraphView, assumptions: tuple[int, bool, bool]) -> None:
        self.view = view
        self._assumptions = assumptions
        self.order = [node for node in view.topological_order() if node.type() != "Producer"]
        self._names = view.unique_names()
        self._models = [self._model([node]) for node in self.order]
        self.live = self._live_bytes()
        self.moved = [model.moved() for model in self._models]
        self.macs = sum(sum(model.macs) for model in self._models)
        peak = max(self.live, default=0)
        self.untiled = Choice((), (1, 1), "recompute", peak, self.macs, sum(self.moved))

    def _model(self, nodes: Sequence[Node]) -> ChainModel:
        chain = Chain(tuple(nodes), {node: self._names[node] for node in nodes})
        size, depthwise, residual = self._assumptions
        return chain_model(
            chain,
            bytes_per_element=size,
            depthwise_in_place=depthwise,
            residual_in_place=residual,
        )

    def _live_bytes(self) -> list[int]:
        """Give the bytes that are live at each tick, under the assumptions."""
        if any(self._assumptions):
            return self._model(self.order).live_bytes()
        totals = [0] * len(self.order)
        for storage in live_values(self.view, self.order).storages:
            for tick in range(storage.live_range.lower, storage.live_range.upper):
                totals[tick] += storage.live_range.size
        return totals

    def segments(self) -> Iterator[tuple[int, int]]:
        """Walk over chains that hold the peak: positions of their first and last nodes."""
        if not self.order:
            return
        narrow = self._narrow_places()
        top = self.live.index(max(self.live))
        low, high = top, top
        while low > 0 and can_tile(self.order[low - 1]):
            low -= 1
        while high + 1 < len(self.order) and can_tile(self.order[high + 1]):
            high += 1
        if not can_tile(self.order[top]):
            return
        starts = [at for at in range(low, top + 1) if at == 0 or at - 1 in narrow]
        ends = [at for at in range(top, high + 1) if at in narrow and self._is_end(at)]
        if len(starts) * len(ends) > _PAIRS:
            starts = starts[:1]
        yield from product(starts, ends)

    def _narrow_places(self) -> set[int]:
        """Find the positions behind which only the node there is read."""
        number = {node: at for at, node in enumerate(self.order)}
        furthest, narrow = -1, set()
        for at, node in enumerate(self.order):
            if furthest <= at:
                narrow.add(at)
            readers = (number[child] for child in node.get_children() if child in number)
            furthest = max(furthest, *readers, -1)
        return narrow

    def _is_end(self, at: int) -> bool:
        """Whether a chain may end here: dims can be cut, and nothing overwrites the result."""
        dims = self.order[at].get_operator().get_output(0).dims
        if len(dims) != 4 or dims[2] < 2:
            return False
        following = self._models[at + 1 : at + 2]
        readers = self.order[at].get_children()
        return not (
            following
            and len(readers) == 1
            and readers[0] is self.order[at + 1]
            and readers[0].get_operator().spec.overwrites
            and can_tile(readers[0])
        )

    def choices(
        self, first: int, last: int, halos: Sequence[str], max_slices: int
    ) -> Iterator[Choice]:
        """Weigh the grids for one chain."""
        nodes = self.order[first : last + 1]
        try:
            as_chain(self.view, nodes)
        except GraphError:
            return
        model = self._model(nodes)
        names = tuple(self._names[node] for node in nodes)
        outside = max([*self.live[:first], *self.live[last + 1 :], 0])
        moved = sum(self.moved[:first]) + sum(self.moved[last + 1 :])
        macs = self.macs - sum(model.macs)

        def choice(grid: tuple[int, int], halo: str, costs: Costs) -> Choice:
            peak = max(outside, costs.peak)
            return Choice(names, grid, halo, peak, macs + costs.macs, moved + costs.traffic)

        tall, wide = (min(max_slices, length) for length in model.lengths[-1])
        for halo in halos:
            whole = profile(model, 1, 1, halo)
            for rows in range(2, tall + 1):
                costs = model.costs(profile(model, 0, rows, halo), whole)
                yield choice((rows, 1), halo, costs)
                if costs.peak <= outside:
                    break
        if "recompute" in halos:
            for count in range(2, min(tall, wide) + 1):
                costs = model.costs(profile(model, 0, count), profile(model, 1, count))
                yield choice((count, count), "recompute", costs)
                if costs.peak <= outside:
                    break
