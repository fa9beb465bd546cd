"""Several chains at once: for each peak that is allowed, the cheapest way through the graph.

Position by position, either a node is computed as it is, where its live bytes are allowed, or a
chain that ends there is tiled. For one allowed peak the cheapest ways are a shortest path with two
costs, multiply-accumulates and traffic. All trade-offs follow from lowering the allowed peak below
the highest one of the last ways, until there is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

from aidge_nb.tiling.candidates import Candidate, Space

_STEPS = 200  # allowed peaks that are looked at one by one; beyond, a percent less each


class Way(NamedTuple):
    """A way through the nodes up to some position: its costs, its last chain, what was before."""

    macs: int
    traffic: int
    peak: int
    chain: Candidate | None = None
    before: Way | None = None

    @property
    def chains(self) -> tuple[Candidate, ...]:
        """The chains that are tiled, in order."""
        found = []
        way: Way | None = self
        while way is not None:
            if way.chain is not None:
                found.append(way.chain)
            way = way.before
        return tuple(reversed(found))


def trade_offs(space: Space, chains: Sequence[Sequence[Candidate]]) -> Iterator[Way]:
    """Give the ways that are cheapest for some allowed peak, from the highest peak down.

    ``chains`` holds the ways to tile each chain.
    """
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


def least_peak(space: Space, chains: Sequence[Sequence[Candidate]]) -> int:
    """Find the least peak of any way: the least of the highest, position by position."""
    ending: dict[int, list[tuple[int, int]]] = {}
    for chain in chains:
        found = min(chain, key=lambda each: each.peak)
        ending.setdefault(found.last, []).append((found.first, found.peak))
    peaks = [0]
    for at, live in enumerate(space.live):
        tiled = (max(peaks[first], peak) for first, peak in ending.get(at, ()))
        peaks.append(min([max(peaks[at], live), *tiled]))
    return peaks[-1]


def cheapest_ways(space: Space, chains: Sequence[Sequence[Candidate]], allowed: int) -> list[Way]:
    """Find the ways of a peak that is allowed which no other beats; by multiply-accumulates."""
    return _CheapestWays(space, chains).within(allowed)


class _CheapestWays:
    """The ways that no other beats, for allowed peaks that only fall.

    What a lower peak does not forbid stays: ways up to the first node that loses one are kept.
    """

    def __init__(self, space: Space, chains: Sequence[Sequence[Candidate]]) -> None:
        self._space = space
        self._ending: dict[int, list[_Chain]] = {}
        for chain in chains:
            self._ending.setdefault(chain[0].last, []).append(_Chain(chain))
        self._ways: list[list[Way]] = [[Way(0, 0, 0)]]
        self._allowed: int | None = None

    def within(self, allowed: int) -> list[Way]:
        """Find them, from the first node to the last; by multiply-accumulates."""
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

    def _up_to(self, at: int, allowed: int) -> list[Way]:
        found: list[Way] = []
        live, macs, moved = self._space.live[at], self._space.macs[at], self._space.moved[at]
        if live <= allowed:
            found += [
                Way(w.macs + macs, w.traffic + moved, max(w.peak, live), None, w)
                for w in self._ways[at]
            ]
        for chain in self._ending.get(at, ()):
            found += [
                Way(w.macs + c.macs, w.traffic + c.traffic, max(w.peak, c.peak), c, w)
                for w in self._ways[chain.first]
                for c in chain.fitting
            ]
        return _cheapest(found)


class _Chain:
    """The ways to tile one chain that are the cheapest of those that fit."""

    def __init__(self, ways: Sequence[Candidate]) -> None:
        self.first = ways[0].first
        self._ways = sorted(ways, key=lambda each: (each.macs, each.traffic, each.peak))
        self.fitting: list[Candidate] = _cheapest(self._ways)

    def lower(self, allowed: int) -> bool:
        """Forbid higher peaks; whether that changes what is cheapest."""
        if all(each.peak <= allowed for each in self.fitting):
            return False
        self._ways = [each for each in self._ways if each.peak <= allowed]
        self.fitting = _cheapest(self._ways)
        return True


Cost = TypeVar("Cost", Way, Candidate)


def _cheapest(found: list[Cost]) -> list[Cost]:
    kept: list[Cost] = []
    for each in sorted(found, key=lambda each: (each.macs, each.traffic, each.peak)):
        if not kept or each.traffic < kept[-1].traffic:
            kept.append(each)
    return kept
