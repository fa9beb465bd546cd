"""Distribute storages over several memories, by priority.

Memories are filled in the order of their priority. Into each goes what is used most often for its
size, as long as it fits; what is left spills into the next. If something does not fit in the end it
is tried once more with the largest first. In a plan they follow each other
in one address space, so that whoever reads the plan need not know of memories.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.memory.place.footprints import place_footprints
from aidge_nb.memory.values.live_range import Footprint, Stream, bound_of, round_up
from aidge_nb.memory.values.options import Memory
from aidge_nb.memory.values.plan import MemoryUse


class MemoryLayout(NamedTuple):
    """Offsets of footprints in one address space, and what became of each memory."""

    offsets: list[int]
    uses: list[MemoryUse]


def spread(
    footprints: Sequence[Footprint],
    names: Sequence[str],
    uses: Sequence[int],
    streams: Mapping[tuple[int, int], Stream],
    memories: Sequence[Memory],
    alignment: int,
) -> MemoryLayout:
    """Distribute footprints over memories, and place them there.

    Parameters
    ----------
    footprints, names
        What is to be placed, and what messages call each.
    uses
        How often each is written or read.
    streams
        As for :func:`~aidge_nb.memory.place.footprints.place_footprints`; they hold inside a
        memory.
    memories
        They are filled by priority.
    alignment
        Memories begin at multiples of it.

    Raises
    ------
    MemoryPlanError
        Naming what does not fit into any memory, and the room that there is.
    """
    memories = sorted(memories, key=lambda memory: memory.priority)
    numbers = range(len(footprints))
    busy = sorted(
        numbers, key=lambda i: (-uses[i] / max(1, footprints[i].size), footprints[i].lower)
    )
    large = sorted(numbers, key=lambda i: (-footprints[i].size, footprints[i].lower))
    given = _Footprints(footprints, streams)
    for order in (busy, large):
        found, left = _spread(given, order, memories, alignment)
        if not left:
            return found
    largest = max(left, key=lambda number: footprints[number].size)
    room = max(memory.capacity for memory in memories)
    too_large = footprints[largest].size > room
    raise MemoryPlanError.at(
        f"buffer {names[largest]}",
        f"is larger than every memory by {footprints[largest].size - room} bytes"
        if too_large
        else "fits into no memory beside what lives at the same time",
        expected=", ".join(f"{memory.name}: {memory.capacity} bytes" for memory in memories),
        found=f"{footprints[largest].size} bytes"
        + ("" if len(left) == 1 else f", and {len(left) - 1} more that do not fit"),
        cure="Another order, in-place operators, fusing or tiling may help; see fit().",
    )


class _Footprints:
    """Footprints, of which some may be placed in one memory."""

    def __init__(
        self, footprints: Sequence[Footprint], streams: Mapping[tuple[int, int], Stream]
    ) -> None:
        self.all, self._streams = footprints, streams

    def some(self, numbers: Sequence[int]) -> tuple[list[Footprint], dict[tuple[int, int], Stream]]:
        """Return some footprints, and the streams between them, numbered anew."""
        rank = {number: place for place, number in enumerate(numbers)}
        return [self.all[number] for number in numbers], {
            (rank[output], rank[source]): stream
            for (output, source), stream in self._streams.items()
            if output in rank and source in rank
        }

    def fill(self, candidates: Sequence[int], capacity: int) -> dict[int, int]:
        """Take what fits, in order; give the offsets of what was taken."""
        everything = self._placed(candidates, capacity)
        if everything is not None:
            return everything
        taken: dict[int, int] = {}
        for number in candidates:
            trial = [*taken, number]
            if self.all[number].size <= capacity and bound_of(*self.some(trial)).size <= capacity:
                taken = self._placed(trial, capacity) or taken
        return taken

    def _placed(self, numbers: Sequence[int], capacity: int) -> dict[int, int] | None:
        placed = place_footprints(*self.some(numbers), capacity, rounds=10)
        if placed.peak > capacity:
            return None
        return dict(zip(numbers, placed.offsets, strict=True))


def _spread(
    footprints: _Footprints, left: Sequence[int], memories: Sequence[Memory], alignment: int
) -> tuple[MemoryLayout, Sequence[int]]:
    """Fill the memories in order; return also what is left in the end."""
    offsets = [0] * len(footprints.all)
    found: list[MemoryUse] = []
    base = 0
    for memory in memories:
        taken = footprints.fill(left, memory.capacity)
        left = [number for number in left if number not in taken]
        mine, inside = footprints.some(sorted(taken))
        bound = bound_of(mine, inside).size
        places = [taken[number] for number in sorted(taken)]
        peak = max((o + b.size for o, b in zip(places, mine, strict=True)), default=0)
        tighter = place_footprints(mine, inside, bound, rounds=20) if mine else None
        if tighter is not None and tighter.peak < peak:
            places, peak = tighter.offsets, tighter.peak
        for number, place in zip(sorted(taken), places, strict=True):
            offsets[number] = base + place
        found.append(MemoryUse(memory.name, memory.capacity, memory.priority, base, peak, bound))
        base += round_up(peak, alignment)
    return MemoryLayout(offsets, found), left
