"""Chains of a graph that can be tiled to lower its peak, and what each way to tile them costs.

A chain reaches from one narrow place of the graph, where a single tensor connects what is before to
what is behind, to another. Each is tiled in stripes of any number and in squares, with halos
recomputed and, for stripes, kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from aidge_nb.graph.node import Port
from aidge_nb.graph.view import GraphView
from aidge_nb.memory import live_values
from aidge_nb.memory.values import output_bytes
from aidge_nb.tiling.chain import Chain
from aidge_nb.tiling.chain_model import ChainModel, chain_model
from aidge_nb.tiling.costs import suffix_costs
from aidge_nb.tiling.profile import AxisProfile, profiles
from aidge_nb.tiling.reads import can_weigh

__all__ = ["Assumptions", "Candidate", "Space"]


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What is assumed of another machine than NumPy; see :func:`aidge_nb.tile_for`."""

    bytes_per_element: int = 0
    depthwise_in_place: bool = False
    residual_in_place: bool = False

    def __bool__(self) -> bool:
        return self != Assumptions()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A way to tile the nodes at [first, last] of the order; ``peak`` is that of the chain."""

    first: int
    last: int
    grid: tuple[int, int]
    halo: str
    peak: int
    macs: int
    traffic: int


class Space:
    """The nodes of a graph in order, and the costs of each as it is.

    Attributes
    ----------
    names
        Names of the nodes.
    live, macs, moved
        For each node, the bytes that are live while it is computed, its multiply-accumulates, and
        the bytes that are moved for it.
    """

    def __init__(self, view: GraphView, assumptions: Assumptions) -> None:
        self._view, self._assumptions = view, assumptions
        self._order = [node for node in view.topological_order() if node.type() != "Producer"]
        for node in self._order:  # what follows divides by sizes
            if node.get_nb_outputs():
                output_bytes(Port(node, 0))
        names = view.unique_names()
        self._chain = Chain(tuple(self._order), {node: names[node] for node in self._order})
        self.names = tuple(names[node] for node in self._order)
        model = self._model(0, len(self._order))
        self.live = model.live_bytes() if assumptions else self._live_bytes()
        self.macs = list(model.macs)
        self.moved = [model.moved(node) for node in range(model.size)]

    def _model(self, start: int, stop: int) -> ChainModel:
        nodes = self._order[start:stop]
        chain = Chain(tuple(nodes), {node: self._chain.names[node] for node in nodes})
        return chain_model(
            chain,
            bytes_per_element=self._assumptions.bytes_per_element,
            depthwise_in_place=self._assumptions.depthwise_in_place,
            residual_in_place=self._assumptions.residual_in_place,
        )

    def _live_bytes(self) -> list[int]:
        totals = [0] * len(self._order)
        for storage in live_values(self._view, self._order).storages:
            for tick in range(storage.live_range.lower, storage.live_range.upper):
                totals[tick] += storage.live_range.size
        return totals

    def candidates(
        self, halos: Sequence[str], max_slices: int
    ) -> Iterator[tuple[list[Candidate], int]]:
        """Weigh the ways to tile each chain.

        Yields
        ------
        tuple
            For each chain the ways that nothing beats, and how many there were.
        """
        narrow = self._narrow_places()
        for low, high in self._runs():
            model = self._model(low, high + 1)
            for last in range(low, high + 1):
                if last not in narrow or not self._is_end(last, narrow):
                    continue
                firsts = [at for at in range(low, last + 1) if self._is_start(at, low, narrow)]
                tried = _Tried(self, model.prefix(last + 1 - low), low, firsts)
                for halo in halos:
                    tried.weigh(halo, max_slices)
                yield from tried.best()

    def _runs(self) -> Iterator[tuple[int, int]]:
        """Walk over the longest sequences of nodes that can be tiled; outputs end one."""
        outputs = set(self._view.get_ordered_outputs())
        low = None
        for at, node in enumerate(self._order):
            if not can_weigh(node):
                if low is not None:
                    yield low, at - 1
                low = None
                continue
            low = at if low is None else low
            if Port(node, 0) in outputs:
                yield low, at
                low = None
        if low is not None:
            yield low, len(self._order) - 1

    def _narrow_places(self) -> set[int]:
        """Find the positions behind which only the node there is read."""
        number = {node: at for at, node in enumerate(self._order)}
        furthest, narrow = -1, set()
        for at, node in enumerate(self._order):
            if furthest <= at:
                narrow.add(at)
            readers = (number[child] for child in node.get_children() if child in number)
            furthest = max(furthest, *readers, -1)
        return narrow

    def _is_start(self, at: int, low: int, narrow: set[int]) -> bool:
        """Whether a chain may begin here; what works in the place of its input need not."""
        if at == low:
            return at == 0 or at - 1 in narrow
        return at - 1 in narrow and not self._works_in_place(at)

    def _works_in_place(self, at: int) -> bool:
        """Whether a node overwrites the one before it."""
        node, before = self._order[at], self._order[at - 1]
        overwrites = bool(node.get_operator().spec.overwrites)
        return overwrites and list(before.get_children()) == [node]

    def _is_end(self, at: int, narrow: set[int]) -> bool:
        """Whether a chain may end here: dims can be cut, and nothing overwrites the result."""
        dims = self._order[at].get_operator().get_output(0).dims
        if len(dims) != 4 or dims[2] < 2:
            return False
        behind = at + 1 < len(self._order)
        return not (behind and self._works_in_place(at + 1) and can_weigh(self._order[at + 1]))


class _Tried:
    """The ways to tile the chains with one end."""

    def __init__(self, space: Space, model: ChainModel, low: int, firsts: Sequence[int]) -> None:
        self._space, self._model, self._low = space, model, low
        self._firsts = firsts
        self._found: dict[int, list[Candidate]] = {first: [] for first in firsts}

    def weigh(self, halo: str, max_slices: int) -> None:
        """Try stripes, and squares where halos are computed again."""
        tall, wide = (min(max_slices, length) for length in self._model.lengths[-1])
        if tall > 1:
            stripes = profiles(self._model, 0, range(2, tall + 1), halo)
            self._note(stripes, profiles(self._model, 1, [1], halo), halo)
        square = min(tall, wide)
        if halo == "recompute" and square > 1:
            rows, columns = (profiles(self._model, axis, range(2, square + 1)) for axis in (0, 1))
            self._note(rows, columns, halo)

    def _note(self, rows: AxisProfile, columns: AxisProfile, halo: str) -> None:
        last = self._low + self._model.size - 1
        starts = [first - self._low for first in self._firsts]
        both = np.broadcast_arrays(rows.counts, columns.counts)
        grids = list(zip(*(each.tolist() for each in both), strict=True))
        for start, peaks, macs, traffic in suffix_costs(self._model, rows, columns, starts):
            first = start + self._low
            possible = rows.possible[start:].all(axis=0) & columns.possible[start:].all(axis=0)
            costs = zip(grids, peaks.tolist(), macs.tolist(), traffic.tolist(), strict=True)
            self._found[first] += [
                Candidate(first, last, g, halo, *each)
                for (g, *each), can in zip(costs, np.atleast_1d(possible).tolist(), strict=True)
                if can
            ]

    def best(self) -> Iterator[tuple[list[Candidate], int]]:
        """Give, for each chain, the ways that neither another one beats nor doing without."""
        last, space = self._low + self._model.size - 1, self._space
        for first, found in self._found.items():
            inside = slice(first, last + 1)
            peak, moved = max(space.live[inside]), sum(space.moved[inside])
            helpful = [each for each in found if each.peak < peak or each.traffic < moved]
            yield _nondominated(helpful), len(found)


def _nondominated(candidates: Sequence[Candidate]) -> list[Candidate]:
    front: list[Candidate] = []
    for each in sorted(candidates, key=lambda each: (each.peak, each.macs, each.traffic)):
        if all(each.macs < other.macs or each.traffic < other.traffic for other in front):
            front.append(each)
    return front
