"""Finding one's way in a loop nest of firings, without unrolling it.

Each function goes through the nest once and enters a loop at most once (:func:`firings_at` once
for each copy that has something to give), so that a loop of a million copies costs what one of
two does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from aidge_nb.scheduling.schedule.nest import Firing, Loop

Nest = Sequence[Firing | Loop]
Shift = tuple[int, int, int]
Offsets = Mapping[int, Shift]

_NOWHERE: Shift = (0, 0, 0)


def _moved(firing: Firing, by: Shift) -> Firing:
    if by is _NOWHERE:
        return firing
    execution, early, late = by
    return Firing(
        firing.actor, firing.execution + execution, firing.early + early, firing.late + late
    )


def _inside(loop: Loop, copy: int, offsets: Offsets) -> Offsets:
    """Give what the actors of a loop are moved by in one of its copies."""
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
    """Count the firings."""
    return sum(
        item.count * count_firings(item.body) if isinstance(item, Loop) else 1 for item in nest
    )


def walk_firings(nest: Nest, offsets: Offsets | None = None) -> Iterator[Firing]:
    """Walk over all firings, in order.

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
    """Walk over the firings from a position on."""
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
    """Walk over the firings of one actor, in order, with their positions."""
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


def find_firing(nest: Nest, actor: int, execution: int) -> tuple[int, Firing] | None:
    """Find an execution of an actor, and its position; None when there is none."""
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
    """Count the executions of an actor before a position."""
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
    """Give the largest late step, -1 when there is no firing."""
    return max((late for late, _ in _latest(nest)), default=-1)


def _latest(nest: Nest) -> Iterator[tuple[int, int]]:
    """Walk over the latest late step of each leaf, and its actor."""
    for item in nest:
        if isinstance(item, Firing):
            yield item.late, item.actor
        else:
            shifts = {actor: late for actor, _, _, late in item.shifts}
            for late, actor in _latest(item.body):
                yield late + max(0, (item.count - 1) * shifts[actor]), actor


def firings_at(nest: Nest, step: int) -> list[Firing]:
    """Find the firings that may run at a step, in order."""
    found: list[tuple[int, Firing]] = []
    _gather(nest, step, 0, {}, found)
    found.sort(key=lambda pair: pair[0])
    return [firing for _, firing in found]


def _gather(
    nest: Nest, step: int, start: int, offsets: Offsets, found: list[tuple[int, Firing]]
) -> None:
    for item in nest:
        if isinstance(item, Firing):
            firing = _moved(item, offsets.get(item.actor, _NOWHERE))
            if firing.early <= step <= firing.late:
                found.append((start, firing))
            start += 1
            continue
        length = count_firings(item.body)
        for copy in _copies_at(item, step, offsets):
            inside = _inside(item, copy, offsets)
            _gather(item.body, step, start + copy * length, inside, found)
        start += item.count * length


def _copies_at(loop: Loop, step: int, offsets: Offsets) -> list[int]:
    """List the copies of a loop that may have a firing at a step."""
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
    """Walk over the actors of leaves, with the first early and the last late step of each."""
    for item in nest:
        if isinstance(item, Firing):
            yield item.actor, item.early, item.late
            continue
        shifts = {actor: late for actor, _, _, late in item.shifts}
        for actor, first, last in _spans(item.body):
            yield actor, first, last + (item.count - 1) * shifts[actor]
