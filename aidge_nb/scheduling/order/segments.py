"""Cut an order problem into segments that run one after the other.

A cut lies where all earlier tasks must run before all later ones, such as at a tensor that alone
is live (an articulation point). The live bytes there are known, so each segment is a separate
problem, and the peak is the maximum over the segments.
"""

from __future__ import annotations

from collections.abc import Iterable

from aidge_nb.core.values import dataclass
from aidge_nb.scheduling.order.groups import GroupCost, Relations
from aidge_nb.scheduling.order.problem import START

Pairs = tuple[tuple[int, int], ...]
"""Order-dependent bytes: (mask of the groups that must have run, bytes)."""


@dataclass(frozen=True, slots=True)
class SegmentGroup:
    """A group of a segment in the form that the search needs; masks number the segment's groups.

    The core, if any, writes ``made`` bytes, and always takes over ``over`` and frees ``freed``
    bytes. Of the entries whose mask has run, it takes over the first of ``maybe_over``, and frees
    all of ``maybe_freed``.
    """

    tasks: tuple[int, ...]
    need: int
    head: GroupCost
    tail: GroupCost
    has_core: bool = False
    made: int = 0
    over: int = 0
    freed: int = 0
    maybe_over: Pairs = ()
    maybe_freed: Pairs = ()

    def run(self, done: int, live: int) -> tuple[int, int]:
        """Return the peak while it runs, and the live bytes after it."""
        peak = live + self.head[0]
        live += self.head[1]
        if self.has_core:
            over = self.over
            for mask, size in self.maybe_over:
                if not mask & ~done:
                    over = size
                    break
            most = live + self.made - over
            live += self.made - self.freed
            for mask, size in self.maybe_freed:
                if not mask & ~done:
                    live -= size
            peak = max(peak, most, live + self.tail[0])
            live += self.tail[1]
        return peak, live


@dataclass(frozen=True, slots=True)
class Segment:
    """Groups between two cuts.

    Attributes
    ----------
    groups
        The groups; their numbers in turn are a valid order.
    followers
        For each group the groups that can become ready after it ran.
    always_live
        For each group the bytes of blocks of this segment that are live at its start in any order.
    live
        Bytes of these blocks that are live at the start of the segment.
    """

    groups: tuple[SegmentGroup, ...]
    followers: tuple[tuple[int, ...], ...]
    always_live: tuple[int, ...]
    live: int

    def __len__(self) -> int:
        """Return the number of groups."""
        return len(self.groups)

    def bound(self, live: int) -> int:
        """Return a lower bound of all peaks, with ``live`` bytes live at its start."""
        everything = (1 << len(self)) - 1
        rest = live - self.live
        return max(
            group.run(everything, rest + least)[0]
            for group, least in zip(self.groups, self.always_live, strict=True)
        )

    def run(self, order: Iterable[int], live: int) -> tuple[int, int]:
        """Return the peak of an order of the groups, and the live bytes at its end."""
        done, peak = 0, live
        for number in order:
            most, live = self.groups[number].run(done, live)
            peak = max(peak, most)
            done |= 1 << number
        return peak, live


def cut(relations: Relations) -> list[Segment]:
    """Cut a problem into segments.

    Examples
    --------
    >>> from aidge_nb.scheduling.order.groups import group_tasks
    >>> from aidge_nb.scheduling.order.problem import MemoryBlock, OrderProblem
    >>> sizes = (4, 9, 3, 1, 9, 4)
    >>> users = (0b00110, 0b01000, 0b01000, 0b110000, 0, 0)
    >>> blocks = tuple(MemoryBlock(size, i, u) for i, (size, u) in enumerate(zip(sizes, users)))
    >>> relations = group_tasks(OrderProblem((0, 1, 1, 6, 8, 8), blocks))
    >>> [len(segment) for segment in cut(relations)]
    [1, 2, 1, 2]
    """
    count = len(relations.groups)
    if not count:
        return []
    common, starts = (1 << count) - 1, []
    for number in range(count - 1, -1, -1):
        common &= relations.earlier[number]
        prefix = (1 << number) - 1
        if common & prefix == prefix:
            starts.append(number)
    starts.reverse()
    ends = [*starts[1:], count]
    return [_segment(relations, *limits) for limits in zip(starts, ends, strict=True)]


def _segment(relations: Relations, start: int, end: int) -> Segment:
    here = range(start, end)
    groups = tuple(_segment_group(relations, number, start) for number in here)
    followers = tuple(
        tuple(sorted(relations.number[each] - start for each in relations.groups[number].after))
        for number in here
    )
    followers = tuple(tuple(f for f in each if f < end - start) for each in followers)
    blocks = _blocks_of(relations, here)
    return Segment(
        groups,
        followers,
        tuple(_always_live(relations, blocks, number) for number in here),
        sum(relations.problem.blocks[b].size for b in blocks if _writer(relations, b) < start),
    )


def _segment_group(relations: Relations, number: int, start: int) -> SegmentGroup:
    group = relations.groups[number]
    need = 0
    for each in group.before:
        if relations.number[each] >= start:
            need |= 1 << relations.number[each] - start
    tasks = tuple(group.tasks)
    if group.core is None:
        return SegmentGroup(tasks, need, group.head, group.tail)
    task, blocks = group.core, relations.problem.blocks
    over, maybe_over = relations.taken_over(task)
    touched = sorted({*relations.written[task], *relations.used[task]})
    frees = {block: relations.frees(block, task) for block in touched}

    def pairs(numbers: Iterable[int]) -> Pairs:
        return tuple((relations.others(b, task) >> start, blocks[b].size) for b in numbers)

    return SegmentGroup(
        tasks,
        need,
        group.head,
        group.tail,
        has_core=True,
        made=sum(blocks[block].size for block in relations.written[task]),
        over=over,
        freed=sum(blocks[block].size for block in touched if frees[block]),
        maybe_over=pairs(maybe_over),
        maybe_freed=pairs(block for block in touched if frees[block] is None),
    )


def _writer(relations: Relations, block: int) -> int:
    """Return the group that writes a block; -1 for a block that is live from the start."""
    writer = relations.problem.blocks[block].writer
    return START if writer == START else relations.owner[writer]


def _blocks_of(relations: Relations, here: range) -> list[int]:
    """Return the blocks that a group of a segment writes or uses."""
    found: dict[int, None] = {}
    for number in here:
        for task in relations.groups[number].tasks:
            found.update(dict.fromkeys(relations.written[task]))
            found.update(dict.fromkeys(relations.used[task]))
    return list(found)


def _always_live(relations: Relations, blocks: Iterable[int], number: int) -> int:
    """Sum the blocks live at the start of a group in any order: written before, used from it on."""
    needing = relations.later[number] | 1 << number
    total = 0
    for block in blocks:
        writer = _writer(relations, block)
        if writer != START and not relations.earlier[number] >> writer & 1:
            continue
        each = relations.problem.blocks[block]
        if each.kept or relations.users[block] & needing:
            total += each.size
    return total
