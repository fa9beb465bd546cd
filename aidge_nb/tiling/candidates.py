"""Candidates: chains of a graph that can be tiled, and the costs of each grid.

A chain reaches from one narrow place of the graph, where a single tensor is live, to another. It is
tiled in stripes along either axis, with halos recomputed or kept, and in grids of both, with halos
recomputed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.values import dataclass
from aidge_nb.graph.node import Port
from aidge_nb.graph.view import GraphView
from aidge_nb.memory import live_values
from aidge_nb.memory.live.facts import output_bytes
from aidge_nb.tiling.chain import Chain
from aidge_nb.tiling.chain_model import Assumptions, ChainModel, can_weigh, chain_model
from aidge_nb.tiling.choices import nondominated
from aidge_nb.tiling.costs import AxisProfile, Ints, profiles, suffix_costs

_FEW = 4  # ends of chains that are compared where they are enough


@dataclass(frozen=True, slots=True)
class Candidate:
    """A way to tile the nodes at [first, last] of the order, and its costs."""

    first: int
    last: int
    grid: tuple[int, int]
    halo: str
    peak: int
    macs: int
    traffic: int


class SearchSpace:
    """The nodes of a graph in order, their untiled costs, and the candidates.

    For each node there are its name, the live bytes during it, its multiply-accumulates, and the
    bytes that it moves.
    """

    def __init__(self, view: GraphView, assumptions: Assumptions) -> None:
        self._view, self._assumptions = view, assumptions
        self._order = [node for node in view.topological_order() if node.type() != "Producer"]
        for node in self._order:  # refuse unknown sizes
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
        return chain_model(chain, self._assumptions)

    def _live_bytes(self) -> list[int]:
        totals = [0] * len(self._order)
        for storage in live_values(self._view, self._order).storages:
            for tick in range(storage.live_range.lower, storage.live_range.upper):
                totals[tick] += storage.live_range.size
        return totals

    def candidates(
        self, halos: Sequence[str], max_slices: int
    ) -> Iterator[tuple[Sequence[Candidate], int]]:
        """Compare the ways to tile each chain.

        Yields
        ------
        tuple
            For each chain the candidates that are not dominated, and the number compared.
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

    def around(self, at: int, max_slices: int, enough: int) -> Iterator[Candidate]:
        """Compare stripes of rows, with halos kept, of the shortest chains that hold a node.

        Of the chains after which the same number of bytes is needed only the shortest is compared,
        and of those after which that is ``enough`` only a few.

        Yields
        ------
        Candidate
            For each chain those that are not dominated.
        """
        narrow = self._narrow_places()
        run = next(((low, high) for low, high in self._runs() if low <= at <= high), None)
        if run is None:
            return
        low, high = run
        ends: list[int] = []
        behind = list(accumulate(reversed(self.live), max, initial=0))
        after = behind[-2::-1]  # for each node, the most bytes that are live during any later one
        for last in range(at, high + 1):
            is_less = not ends or after[last] < after[ends[-1]]
            if is_less and last in narrow and self._is_end(last, narrow):
                ends.append(last)
        low_ends = [last for last in ends if after[last] <= enough][:_FEW]
        ends = low_ends or ends
        firsts = [first for first in range(low, at + 1) if self._is_start(first, low, narrow)]
        if not ends or not firsts:
            return
        model = self._model(low, ends[-1] + 1)
        for last in ends:
            tried = _Tried(self, model.prefix(last + 1 - low), low, firsts)
            tried.weigh_stripes(max_slices)
            for found, _ in tried.best():
                yield from found

    def _runs(self) -> Iterator[tuple[int, int]]:
        """Yield the longest runs of nodes that can be tiled; graph outputs end a run."""
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
        """Return the positions after which only the node there is read."""
        number = {node: at for at, node in enumerate(self._order)}
        furthest, narrow = -1, set()
        for at, node in enumerate(self._order):
            if furthest <= at:
                narrow.add(at)
            readers = (number[child] for child in node.get_children() if child in number)
            furthest = max(furthest, *readers, -1)
        return narrow

    def _is_start(self, at: int, low: int, narrow: set[int]) -> bool:
        """Return whether a chain may begin here; in-place operators need not."""
        if at == low:
            return at == 0 or at - 1 in narrow
        return at - 1 in narrow and not self._works_in_place(at)

    def _works_in_place(self, at: int) -> bool:
        """Return whether a node overwrites the one before it."""
        node, before = self._order[at], self._order[at - 1]
        overwrites = bool(node.get_operator().spec.overwrites)
        return overwrites and list(before.get_children()) == [node]

    def _is_end(self, at: int, narrow: set[int]) -> bool:
        """Return whether a chain may end here: 4-D, and not overwritten."""
        dims = self._order[at].get_operator().get_output(0).dims
        if len(dims) != 4 or dims[2] < 2:
            return False
        behind = at + 1 < len(self._order)
        return not (behind and self._works_in_place(at + 1) and can_weigh(self._order[at + 1]))


class _Tried:
    """The candidates of the chains with one end."""

    def __init__(
        self, space: SearchSpace, model: ChainModel, low: int, firsts: Sequence[int]
    ) -> None:
        self._space, self._model, self._low = space, model, low
        self._firsts = firsts
        self._found: dict[int, list[Candidate]] = {first: [] for first in firsts}
        self._tried = dict.fromkeys(firsts, 0)

    def weigh(self, halo: str, max_slices: int) -> None:
        """Compare stripes along both axes, and grids if halos are recomputed."""
        tall, wide = (min(max_slices, length) for length in self._model.lengths[-1])
        rows = profiles(self._model, 0, range(1, tall + 1), halo)
        alike = self._model.is_symmetric and tall == wide
        columns = rows if alike else profiles(self._model, 1, range(1, wide + 1), halo)
        if halo == "recompute":
            across, down = np.indices((wide, tall)).reshape(2, -1)[:, 1:]  # prefer more rows
            self._note(rows.take(down), columns.take(across), halo)
        else:
            self._note(rows.take(np.arange(1, tall)), columns.take(np.zeros(tall - 1, int)), halo)
            self._note(rows.take(np.zeros(wide - 1, int)), columns.take(np.arange(1, wide)), halo)

    def weigh_stripes(self, max_slices: int) -> None:
        """Compare stripes of rows with halos kept."""
        tall = min(max_slices, self._model.lengths[-1][0])
        rows = profiles(self._model, 0, range(1, tall + 1), "cache")
        alike = self._model.is_symmetric
        columns = rows if alike else profiles(self._model, 1, [1], "cache")
        self._note(rows.take(np.arange(1, tall)), columns.take(np.zeros(tall - 1, int)), "cache")

    def _note(self, rows: AxisProfile, columns: AxisProfile, halo: str) -> None:
        if not len(rows.counts):
            return
        last = self._low + self._model.size - 1
        starts = [first - self._low for first in self._firsts]
        grids = np.stack([rows.counts, columns.counts], axis=1)
        for start, *costs in suffix_costs(self._model, rows, columns, starts):
            first = start + self._low
            possible = rows.possible[start:].all(axis=0) & columns.possible[start:].all(axis=0)
            self._tried[first] += int(possible.sum())
            at = _unbeaten(np.stack(costs, axis=1), possible & self._helps(first, costs))
            self._found[first] += [
                Candidate(first, last, (high, wide), halo, *each)
                for (high, wide), *each in zip(
                    grids[at].tolist(), *(cost[at].tolist() for cost in costs), strict=True
                )
            ]

    def _helps(self, first: int, costs: Sequence[Ints]) -> NDArray[np.bool_]:
        """Return whether candidates need less memory, or move less, than untiled nodes."""
        inside = slice(first, self._low + self._model.size)
        peaks, _, traffic = costs
        less_memory = peaks < max(self._space.live[inside])
        return less_memory | (traffic < sum(self._space.moved[inside]))

    def best(self) -> Iterator[tuple[Sequence[Candidate], int]]:
        """Yield, for each chain, the candidates not dominated and the number compared."""
        for first, found in self._found.items():
            yield nondominated(found), self._tried[first]


def _unbeaten(costs: Ints, wanted: NDArray[np.bool_]) -> Ints:
    """Return the wanted rows that are not dominated; of equal ones the first."""
    at = np.flatnonzero(wanted)
    at = at[np.lexsort(costs[at].T[::-1])]
    kept = []
    while len(at):
        best, at = at[0], at[1:]
        kept.append(best)
        at = at[(costs[at] < costs[best]).any(axis=1)]
    return np.array(kept, np.int64)
