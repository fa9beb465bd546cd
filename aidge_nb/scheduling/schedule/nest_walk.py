"""Find firings in a loop nest, and the firings that they wait for, without unrolling it.

Each function goes through the nest once and enters a loop at most once (:func:`firings_at` once
per copy with a firing at the step), so that a million copies cost as much as two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from aidge_nb.scheduling.schedule.nest import Firing, Loop, Readers, Slots

Nest = Sequence[Firing | Loop]
Shift = tuple[int, int, int]
Offsets = Mapping[int, Shift]
_Place = tuple[int, Firing]
"""A position in the unrolled schedule, and the firing there."""

_NOWHERE: Shift = (0, 0, 0)


def _moved(firing: Firing, by: Shift) -> Firing:
    return firing if by is _NOWHERE else firing.moved(*by)


def _inside(loop: Loop, copy: int, offsets: Offsets) -> Offsets:
    """Return by how much one copy of a loop moves its actors from their place in the body."""
    if not copy and not offsets:
        return offsets
    found = {}
    for actor, execution, early, late in loop.shifts:
        base = offsets.get(actor, _NOWHERE)
        found[actor] = (base[0] + copy * execution, base[1] + copy * early, base[2] + copy * late)
    return found


def _shift_of(loop: Loop, actor: int) -> Shift | None:
    return next((tuple(shift) for number, *shift in loop.shifts if number == actor), None)  # type: ignore[return-value]  # three numbers


def count_firings(nest: Nest) -> int:
    """Return the number of firings."""
    return sum(
        item.count * count_firings(item.body) if isinstance(item, Loop) else 1 for item in nest
    )


def walk_firings(nest: Nest, offsets: Offsets | None = None) -> Iterator[Firing]:
    """Iterate over all firings, in order.

    Examples
    --------
    >>> loop = Loop(3, (Firing(0, 0, 5, 6),), ((0, 1, 2, 2),))
    >>> [(firing.execution, firing.early) for firing in walk_firings([loop])]
    [(0, 5), (1, 7), (2, 9)]
    """
    offsets = offsets or {}
    for item in nest:
        if isinstance(item, Loop):
            for copy in range(item.count):
                yield from walk_firings(item.body, _inside(item, copy, offsets))
        else:
            yield _moved(item, offsets.get(item.actor, _NOWHERE))


def firings_from(nest: Nest, start: int, offsets: Offsets | None = None) -> Iterator[Firing]:
    """Iterate over the firings from a position on."""
    offsets = offsets or {}
    for number, item in enumerate(nest):
        size = count_firings([item]) if isinstance(item, Loop) else 1
        if start >= size:
            start -= size
            continue
        if isinstance(item, Loop):
            copy, start = divmod(start, size // item.count)
            yield from firings_from(item.body, start, _inside(item, copy, offsets))
            for later in range(copy + 1, item.count):
                yield from walk_firings(item.body, _inside(item, later, offsets))
            number += 1
        yield from walk_firings(nest[number:], offsets)
        return


def firings_of(
    nest: Nest, actor: int, start: int = 0, by: Shift = _NOWHERE
) -> Iterator[tuple[int, Firing]]:
    """Iterate over the firings of one actor, in order, with their positions."""
    for item in nest:
        if isinstance(item, Firing):
            if item.actor == actor:
                yield start, _moved(item, by)
            start += 1
            continue
        shift, length = _shift_of(item, actor), count_firings(item.body)
        if shift is not None:
            for copy in range(item.count):
                moved = tuple(b + copy * s for b, s in zip(by, shift, strict=True))
                yield from firings_of(item.body, actor, start + copy * length, moved)  # type: ignore[arg-type]  # three numbers
        start += item.count * length


def find_firing(nest: Nest, actor: int, execution: int) -> _Place | None:
    """Return the position and the firing of an execution of an actor; None if it does not exist."""
    start, by = 0, _NOWHERE
    while True:
        for item in nest:
            if isinstance(item, Firing):
                if item.actor == actor:
                    if execution == 0:
                        return start, _moved(item, by)
                    execution -= 1
                start += 1
                continue
            length = count_firings(item.body)
            shift = _shift_of(item, actor)
            if shift is not None and execution < item.count * shift[0]:
                copy, execution = divmod(execution, shift[0])
                start += copy * length
                by = (by[0] + copy * shift[0], by[1] + copy * shift[1], by[2] + copy * shift[2])
                nest = item.body
                break
            start += item.count * length
            if shift is not None:
                execution -= item.count * shift[0]
        else:
            return None


def count_before(nest: Nest, actor: int, position: int) -> int:
    """Return the number of executions of an actor before a position."""
    found = 0
    while True:
        for item in nest:
            if position <= 0:
                return found
            if isinstance(item, Firing):
                found += item.actor == actor
                position -= 1
                continue
            length = count_firings(item.body)
            shift = _shift_of(item, actor)
            each = 0 if shift is None else shift[0]
            if position < item.count * length:
                copies, position = divmod(position, length)
                found += copies * each
                nest = item.body
                break
            found += item.count * each
            position -= item.count * length
        else:
            return found


def last_step(nest: Nest) -> int:
    """Return the largest late step, or -1 without firings."""
    return max((last for _, _, last in _spans(nest)), default=-1)


def firings_at(nest: Nest, step: int) -> list[Firing]:
    """Return the firings that may run at a step, in order."""
    return [firing for _, firing in sorted(_running(nest, step, 0, {}))]


def _running(nest: Nest, step: int, start: int, offsets: Offsets) -> Iterator[_Place]:
    for item in nest:
        if isinstance(item, Firing):
            firing = _moved(item, offsets.get(item.actor, _NOWHERE))
            if firing.early <= step <= firing.late:
                yield start, firing
            start += 1
            continue
        length = count_firings(item.body)
        for copy in _copies_at(item, step, offsets):
            inside = _inside(item, copy, offsets)
            yield from _running(item.body, step, start + copy * length, inside)
        start += item.count * length


def _copies_at(loop: Loop, step: int, offsets: Offsets) -> list[int]:
    """Return the copies of a loop that may have a firing at a step."""
    shifts = {actor: (early, late) for actor, _, early, late in loop.shifts}
    copies: set[int] = set()
    for actor, first, last in _spans(loop.body):
        _, early, late = offsets.get(actor, _NOWHERE)
        each_early, each_late = shifts[actor]
        # early + copy * each_early <= step <= late + copy * each_late
        low, high = 0, loop.count - 1
        if each_early > 0:
            high = min(high, (step - first - early) // each_early)
        elif first + early > step:
            continue
        if each_late > 0:
            low = max(low, -((last + late - step) // each_late))
        elif last + late < step:
            continue
        copies.update(range(low, high + 1))
    return sorted(copies)


def _spans(nest: Nest) -> Iterator[tuple[int, int, int]]:
    """Iterate over the actors of leaves, with the first early and the last late step of each."""
    for item in nest:
        if isinstance(item, Firing):
            yield item.actor, item.early, item.late
            continue
        shifts = {actor: late for actor, _, _, late in item.shifts}
        for actor, first, last in _spans(item.body):
            yield actor, first, last + max(0, (item.count - 1) * shifts[actor])


class Links:
    """Dependencies between the firings of a loop nest.

    A firing waits for the last execution of each actor that feeds it. If its own actor ran before,
    it also waits for each reader that ran since and so took what that execution gave; for readers
    that did not run since, or without readers, it waits for that execution itself.
    """

    def __init__(self, nest: Nest, parents: Slots, children: Readers) -> None:
        self._nest = nest
        self._parents = parents
        self._children = children

    def sources(self, actor: int, execution: int) -> list[Firing]:
        """Return the firings that one waits for, in the order of :func:`compute_timing`."""
        here = self._find(actor, execution)
        if here is None:
            return []
        own = self._find(actor, execution - 1)
        parents = [each for each in self._parents[actor] if each is not None]
        wanted = [self._last_before(each, here[0]) for each in parents]
        if own is not None:
            readers = self._children[actor]
            last = [self._last_before(reader, here[0]) for reader in readers]
            wanted += [each if each and each > own else own for each in last] or [own]
        return [each[1] for each in dict.fromkeys(wanted) if each is not None]

    def targets(self, actor: int, execution: int) -> Iterator[Firing]:
        """Iterate over the firings that wait for one; those of one actor in order."""
        here = self._find(actor, execution)
        if here is None:
            return
        following = self._find(actor, execution + 1)
        end = count_firings(self._nest) if following is None else following[0]
        seen: set[_Place] = set()
        for reader in self._children[actor]:
            first = count_before(self._nest, reader, here[0] + 1)
            for number in range(first, count_before(self._nest, reader, end + 1)):
                place = self._find(reader, number)
                if place is not None and place not in seen:
                    seen.add(place)
                    yield place[1]
        feeders = [each for each in dict.fromkeys(self._parents[actor]) if each is not None]
        for other in [*feeders, actor]:
            place = self._find(other, count_before(self._nest, other, here[0] + 1))
            if place is None or place in seen:
                continue
            before = self.sources(place[1].actor, place[1].execution)
            if any((each.actor, each.execution) == (actor, execution) for each in before):
                seen.add(place)
                yield place[1]

    def _find(self, actor: int, execution: int) -> _Place | None:
        return find_firing(self._nest, actor, execution) if execution >= 0 else None

    def _last_before(self, actor: int, position: int) -> _Place | None:
        return self._find(actor, count_before(self._nest, actor, position) - 1)
