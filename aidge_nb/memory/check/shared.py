"""Check which buffers of a plan may share bytes: views, parts, and outputs written in place."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import inf

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.memory.values.part import Interval
from aidge_nb.memory.values.plan import Buffer, MemoryPlan


def check_sharing(buffer: Buffer, before: Mapping[str, Buffer]) -> None:
    """Check that a buffer shares bytes only with live buffers, and with the right ones of theirs.

    Raises
    ------
    MemoryPlanError
        Naming the rule that is broken; ``before`` are the buffers that are listed before it.
    """
    where = f"buffer {buffer.name}"
    for name in buffer.shares_with:
        other = before.get(name)
        if other is None or not other.lower <= buffer.lower < other.upper:
            problem = "shares the memory of a buffer that is not listed before it or not live then"
            raise MemoryPlanError.at(where, problem, found=name)
    if buffer.view_of is not None:
        other = before[buffer.view_of]
        if not _lies_in(buffer, other):
            raise MemoryPlanError.at(
                where,
                f"is a view of {other.name}, but not of its bytes",
                expected=f"{other.size} bytes at {other.offset}",
                found=f"{buffer.size} bytes at {buffer.offset}",
            )
    if buffer.made_of:
        _check_parts(buffer, [before[name] for name in buffer.made_of])


def check_levels(buffer: Buffer) -> None:
    """Check that a buffer lies in blocks of one size, which lie apart.

    Raise MemoryPlanError when it does not.
    """
    where = f"buffer {buffer.name}"
    if not buffer.levels:
        return
    found = f"{buffer.size} bytes in levels {list(buffer.levels)}"
    if any(count < 1 for count, _ in buffer.levels) or buffer.size % buffer.part.blocks:
        raise MemoryPlanError.at(where, "does not lie in blocks of one size", found=found)
    if not _are_apart(sorted(buffer.intervals)):
        raise MemoryPlanError.at(where, "lies on itself", found=found)


def _check_parts(buffer: Buffer, parts: Sequence[Buffer]) -> None:
    """Check that the parts of a Concat fill its result, and that none lies on another."""
    are_apart = _are_apart(sorted(interval for part in parts for interval in part.intervals))
    total = sum(part.size for part in parts)
    if are_apart and total == buffer.size and all(_lies_in(part, buffer) for part in parts):
        return
    raise MemoryPlanError.at(
        f"buffer {buffer.name}",
        "its parts do not fill it",
        expected=f"{buffer.size} bytes at {buffer.offset}",
        found=", ".join(f"{part.name}: {part.size} bytes at {part.offset}" for part in parts),
    )


class Sharing:
    """Which buffers of a plan may have bytes in common while both live.

    Parameters
    ----------
    plan
        The plan; each of its buffers must have passed :func:`check_sharing`.
    """

    def __init__(self, plan: MemoryPlan) -> None:
        self._by_name = {buffer.name: buffer for buffer in plan.buffers}
        self._views: dict[str, list[Buffer]] = {}
        for buffer in sorted(plan.buffers, key=lambda buffer: buffer.lower):
            if buffer.view_of is not None:
                self._views.setdefault(buffer.view_of, []).append(buffer)

    def permits(self, first: Buffer, second: Buffer) -> bool:
        """Return whether two may overlap; the second begins at the same tick or later."""
        return (
            self._is_same_value(first, second)
            or self._takes_place(first, second)
            or self._takes_place(second, first)
            or self._takes_a_part(first, second)
            or self._are_of_same_parts(first, second)
        )

    def _is_same_value(self, first: Buffer, second: Buffer) -> bool:
        """Return whether one is the other, or a part of it."""
        one, other = self.original(first), self.original(second)
        return one.name in self._contents(other) or other.name in self._contents(one)

    def _takes_place(self, early: Buffer, late: Buffer) -> bool:
        """Return whether one is overwritten by the other, or what that shows, at its last tick."""
        late = self.original(late)
        gone = {name for source in late.in_place_of for name in self._contents_of(source)}
        return early.upper <= late.lower + 1 and self.original(early).name in gone

    def _takes_a_part(self, early: Buffer, late: Buffer) -> bool:
        """Return whether one is written over a part of the other that is no longer needed.

        The last view of the early one must be the last to ask for it, and lie apart.
        """
        if early.name not in self._wholes(late):
            return False
        views = self._views.get(early.name, ())
        last = [view for view in views if view.lower + 1 == early.upper > late.lower + 1]
        mine = sorted(late.intervals)
        return any(first_common(sorted(view.intervals), mine) is None for view in last)

    def _are_of_same_parts(self, first: Buffer, second: Buffer) -> bool:
        """Return whether two share no bytes but those of values that both are made of."""
        contents = self._contents_of(first.name) & self._contents_of(second.name)
        same = sorted(piece for name in contents for piece in self._by_name[name].intervals)
        rest = _without(first.intervals, same)
        return bool(same) and first_common(rest, sorted(second.intervals)) is None

    def _wholes(self, buffer: Buffer) -> set[str]:
        """Name the values over parts of which one is written, or what it is made of."""
        found: set[str] = set()
        for part in buffer.made_of:
            found |= self._wholes(self.original(self._by_name[part]))
        for name in buffer.in_place_of:
            source = self._by_name[name]
            while source.view_of is not None:
                found.add(source.view_of)
                source = self._by_name[source.view_of]
            found |= self._wholes(source)
        return found

    def _contents_of(self, name: str) -> set[str]:
        return self._contents(self.original(self._by_name[name]))

    def _contents(self, buffer: Buffer) -> set[str]:
        """Name a value and all that it is made of."""
        found = {buffer.name}
        for name in buffer.made_of:
            found |= self._contents_of(name)
        return found

    def original(self, buffer: Buffer) -> Buffer:
        """Return the value that a buffer is a view of, or itself."""
        while buffer.view_of is not None:
            buffer = self._by_name[buffer.view_of]
        return buffer


def first_common(one: Sequence[Interval], other: Sequence[Interval]) -> Interval | None:
    """Return the first bytes that lie in intervals of both, which are in order.

    Examples
    --------
    >>> first_common([(0, 8), (16, 24)], [(8, 18)])
    (16, 18)
    """
    mine = others = 0
    while mine < len(one) and others < len(other):
        (a, b), (c, d) = one[mine], other[others]
        if max(a, c) < min(b, d):
            return max(a, c), min(b, d)
        if b <= d:
            mine += 1
        else:
            others += 1
    return None


def _are_apart(pieces: Sequence[Interval]) -> bool:
    return all(first[1] <= second[0] for first, second in pairwise(pieces))


def _lies_in(inner: Buffer, outer: Buffer) -> bool:
    pieces = sorted(outer.intervals)
    for start, stop in inner.intervals:
        after = bisect_right(pieces, (start, inf))
        if not after or stop > pieces[after - 1][1]:
            return False
    return True


def _without(pieces: Sequence[Interval], gone: Sequence[Interval]) -> list[Interval]:
    """Take bytes out of intervals; ``gone`` is in order."""
    rest, at = list[Interval](), 0
    for start, stop in sorted(pieces):
        while at and gone[at - 1][1] > start:
            at -= 1
        while at < len(gone) and gone[at][0] < stop:
            if gone[at][0] > start:
                rest.append((start, gone[at][0]))
            start, at = max(start, gone[at][1]), at + 1
        if start < stop:
            rest.append((start, stop))
    return rest
