"""A problem cut where one state of memory is certain: between segments that run one by one.

A cut lies where everything before it must run before everything behind it, as at a tensor that
alone is live (an articulation point). What is live there is known, so each segment is a problem of
its own, and the peak is that of the worst.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from aidge_nb.scheduling.order.groups import Cost, Relations
from aidge_nb.scheduling.order.problem import START

Pairs = tuple[tuple[int, int], ...]
"""(mask of the groups that must have run, bytes) for what depends on the order."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A group of a segment, as the search sees it; masks are of the groups of the segment.

    The core, if there is one, makes ``made`` bytes, surely takes over ``over`` and frees ``freed``
    of them; it takes over the first of ``maybe_over`` and frees all of ``maybe_freed`` whose mask
    has run.
    """

    tasks: tuple[int, ...]
    need: int
    head: Cost
    tail: Cost
    has_core: bool = False
    made: int = 0
    over: int = 0
    freed: int = 0
    maybe_over: Pairs = ()
    maybe_freed: Pairs = ()

    def run(self, done: int, live: int) -> tuple[int, int]:
        """Give the peak while it runs, and what is live behind it."""
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
    choices
        The groups; their numbers in turn are a valid order.
    followers
        For each group those that may become ready when it ran.
    always_live
        For each group: bytes that are live when it starts, in any order, of those of which the
        segment decides.
    live
        Bytes of these that are live where it begins.
    """

    choices: tuple[Choice, ...]
    followers: tuple[tuple[int, ...], ...]
    always_live: tuple[int, ...]
    live: int

    def __len__(self) -> int:
        """Count the groups."""
        return len(self.choices)

    def bound(self, live: int) -> int:
        """Give a peak that no order is below, when ``live`` bytes are live at its start."""
        everything = (1 << len(self)) - 1
        rest = live - self.live
        return max(
            choice.run(everything, rest + least)[0]
            for choice, least in zip(self.choices, self.always_live, strict=True)
        )

    def run(self, order: Iterable[int], live: int) -> tuple[int, int]:
        """Give the peak of an order of the groups, and what is live in the end."""
        done, peak = 0, live
        for number in order:
            most, live = self.choices[number].run(done, live)
            peak = max(peak, most)
            done |= 1 << number
        return peak, live


def cut(relations: Relations) -> list[Segment]:
    """Cut a problem into segments.

    Examples
    --------
    >>> from aidge_nb.scheduling.order.joining import group_tasks
    >>> from aidge_nb.scheduling.order.problem import Block, OrderProblem
    >>> sizes = (4, 9, 3, 1, 9, 4)
    >>> users = (0b00110, 0b01000, 0b01000, 0b110000, 0, 0)
    >>> blocks = tuple(Block(size, i, mask) for i, (size, mask) in enumerate(zip(sizes, users)))
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
    choices = tuple(_choice(relations, number, start) for number in here)
    followers = tuple(
        tuple(sorted(relations.number[each] - start for each in relations.groups[number].after))
        for number in here
    )
    followers = tuple(tuple(f for f in each if f < end - start) for each in followers)
    blocks = _blocks_of(relations, here)
    return Segment(
        choices,
        followers,
        tuple(_always_live(relations, blocks, number) for number in here),
        sum(relations.problem.blocks[b].size for b in blocks if _writer(relations, b) < start),
    )


def _choice(relations: Relations, number: int, start: int) -> Choice:
    group = relations.groups[number]
    need = 0
    for each in group.before:
        if relations.number[each] >= start:
            need |= 1 << relations.number[each] - start
    tasks = tuple(group.tasks)
    if group.core is None:
        return Choice(tasks, need, group.head, group.tail)
    task, blocks = group.core, relations.problem.blocks
    over, maybe_over = relations.taken_over(task)
    touched = sorted({*relations.written[task], *relations.used[task]})
    frees = {block: relations.frees(block, task) for block in touched}

    def pairs(numbers: Iterable[int]) -> Pairs:
        return tuple((relations.others(b, task) >> start, blocks[b].size) for b in numbers)

    return Choice(
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
    """Give the group that writes a block; -1 for one that is live from the start."""
    writer = relations.problem.blocks[block].writer
    return START if writer == START else relations.owner[writer]


def _blocks_of(relations: Relations, here: range) -> list[int]:
    """List the blocks that some group of a segment writes or uses."""
    found: dict[int, None] = {}
    for number in here:
        for task in relations.groups[number].tasks:
            found.update(dict.fromkeys(relations.written[task]))
            found.update(dict.fromkeys(relations.used[task]))
    return list(found)


def _always_live(relations: Relations, blocks: Iterable[int], number: int) -> int:
    """Sum what is live whenever a group starts: written before it in any order, needed by it."""
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
