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

__all__ = ["Way", "cheapest_ways", "least_peak", "trade_offs"]

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
    allowed = max([*space.live, *(each.peak for chain in chains for each in chain)], default=0)
    steps = 0
    while allowed >= 0 and (ways := cheapest_ways(space, chains, allowed)):
        yield from ways
        highest = max(way.peak for way in ways)
        steps += 1
        allowed = highest - 1 if steps < _STEPS else min(highest - 1, int(allowed * 0.99))


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
    ending: dict[int, list[tuple[int, list[Candidate]]]] = {}
    for chain in chains:
        fitting = _cheapest([each for each in chain if each.peak <= allowed])
        if fitting:
            ending.setdefault(fitting[0].last, []).append((fitting[0].first, fitting))
    ways: list[list[Way]] = [[Way(0, 0, 0)]]
    for at, live in enumerate(space.live):
        found: list[Way] = []
        if live <= allowed:
            macs, moved = space.macs[at], space.moved[at]
            found += [
                Way(w.macs + macs, w.traffic + moved, max(w.peak, live), None, w) for w in ways[at]
            ]
        for first, fitting in ending.get(at, ()):
            found += [
                Way(w.macs + c.macs, w.traffic + c.traffic, max(w.peak, c.peak), c, w)
                for w in ways[first]
                for c in fitting
            ]
        ways.append(_cheapest(found))
    return ways[-1]


Cost = TypeVar("Cost", Way, Candidate)


def _cheapest(found: list[Cost]) -> list[Cost]:
    kept: list[Cost] = []
    for each in sorted(found, key=lambda each: (each.macs, each.traffic, each.peak)):
        if not kept or each.traffic < kept[-1].traffic:
            kept.append(each)
    return kept
