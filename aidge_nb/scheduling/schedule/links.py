"""Who waits for whom in a loop nest, firing by firing, without unrolling it.

A firing waits for the last execution of each actor that feeds it, and, if its own actor ran
before, for each reader that ran since: what it gave then was read. If a reader did not, or there
is none, it waits for that execution of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from aidge_nb.scheduling.schedule.nest import Firing, Loop
from aidge_nb.scheduling.schedule.nest_walk import count_before, count_firings, find_firing


class _Place(NamedTuple):
    position: int
    actor: int
    execution: int


class Links:
    """Answers who waits for whom.

    Parameters
    ----------
    nest
        The firings.
    parents, children
        For each actor what feeds it, None where nothing does, and who reads it, each once.
    """

    def __init__(
        self,
        nest: Sequence[Firing | Loop],
        parents: Sequence[Sequence[int | None]],
        children: Sequence[Sequence[int]],
    ) -> None:
        self._nest = nest
        self._parents = parents
        self._children = children

    def sources(self, actor: int, execution: int) -> list[Firing]:
        """Give the firings that one waits for, as :func:`compute_timing` lists them."""
        here = self._find(actor, execution)
        if here is None:
            return []
        own = self._find(actor, execution - 1)
        parents = [each for each in self._parents[actor] if each is not None]
        wanted = [self._last_before(each, here.position) for each in parents]
        if own is not None:
            readers = self._children[actor]
            last = [self._last_before(reader, here.position) for reader in readers]
            wanted += [each if each and each > own else own for each in last] or [own]
        return [self._firing(each) for each in dict.fromkeys(wanted) if each is not None]

    def targets(self, actor: int, execution: int) -> Iterator[Firing]:
        """Walk over the firings that wait for one; of each actor in order."""
        here = self._find(actor, execution)
        if here is None:
            return
        following = self._find(actor, execution + 1)
        end = count_firings(self._nest) if following is None else following.position
        seen: set[_Place] = set()
        for reader in self._children[actor]:
            first = count_before(self._nest, reader, here.position + 1)
            for number in range(first, count_before(self._nest, reader, end + 1)):
                place = self._find(reader, number)
                if place is not None and place not in seen:
                    seen.add(place)
                    yield self._firing(place)
        feeders = [each for each in dict.fromkeys(self._parents[actor]) if each is not None]
        for other in [*feeders, actor]:
            place = self._find(other, count_before(self._nest, other, here.position + 1))
            if place is None or place in seen:
                continue
            if any((f.actor, f.execution) == (actor, execution) for f in self.sources(*place[1:])):
                seen.add(place)
                yield self._firing(place)

    def _find(self, actor: int, execution: int) -> _Place | None:
        found = find_firing(self._nest, actor, execution) if execution >= 0 else None
        return None if found is None else _Place(found[0], actor, execution)

    def _last_before(self, actor: int, position: int) -> _Place | None:
        return self._find(actor, count_before(self._nest, actor, position) - 1)

    def _firing(self, place: _Place) -> Firing:
        found = find_firing(self._nest, place.actor, place.execution)
        if found is None:
            raise LookupError(place)
        return found[1]
