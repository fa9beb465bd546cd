"""Fold a loop nest into repeated sections, as Aidge does, without unrolling it.

Aidge folds the unrolled schedule greedily from the left
(:mod:`aidge_nb.scheduling.schedule.repetitions`). A long schedule is replaced by short ones: each
large loop is cut to a few copies, more for larger loops, so that the best cover stays the best. The
short schedule is folded again with one more copy of each loop, alone and together. If only the
repetitions of some sections changed, these changes give the repetitions for all copies. The result
is checked on the nest itself: sections follow each other without a gap, and each is repeated as
claimed (:func:`_is_run`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import SchedulingError
from aidge_nb.core.values import dataclass
from aidge_nb.scheduling.schedule.nest import Firing, Loop
from aidge_nb.scheduling.schedule.nest_walk import count_firings, firings_from, walk_firings
from aidge_nb.scheduling.schedule.repetitions import find_sections

Ints = NDArray[np.int64]
Nest = Sequence[Firing | Loop]
Folded = tuple[int, Sequence[Firing], int]
"""Number of repetitions, firings of the first one, and steps from one to the next."""

Found = list[tuple[int, int, int, int]]
"""Start, length, repetitions, shift."""

MAX_FOLDED = 5_000_000
"""Limit on the firings of a schedule that is folded firing by firing."""

_MOST_LOOPS = 12
"""Limit on the number of loops that are cut, which keeps the short schedules short."""


def fold_nest(nest: Nest, min_repeat: int) -> Iterator[Folded]:
    """Fold a loop nest."""
    if min_repeat < 1 or min_repeat != int(min_repeat):
        raise SchedulingError.at(
            "sections",
            "min_repeat is not a number of repetitions",
            expected="a whole number, 1 or more",
            found=repr(min_repeat),
        )
    total = count_firings(nest)
    found = _fold_short(nest, min_repeat, total) if min_repeat > 1 else None
    if found is None:
        if total > MAX_FOLDED:
            raise SchedulingError.at(
                "schedule",
                "too long to be cut into sections",
                expected=f"at most {MAX_FOLDED} firings, or loops whose copies are all alike",
                found=total,
                cure="Read the loop nest in `loops`.",
            )
        firings = list(walk_firings(nest))
        keys = [(f.actor, f.early, f.late) for f in firings]
        for start, length, repeat, shift in find_sections(keys, min_repeat):
            yield repeat, firings[start : start + length], shift
        return
    walk = _NestCursor(nest)
    for start, length, repeat, shift in found:
        yield repeat, list(islice(walk.from_position(start), length)), shift


class _NestCursor:
    """Find the firings from a position on, by bisection over the items of the nest."""

    def __init__(self, nest: Nest) -> None:
        self._nest = nest
        sizes = (count_firings([item]) if isinstance(item, Loop) else 1 for item in nest)
        self._starts = list(accumulate(sizes, initial=0))

    def from_position(self, start: int) -> Iterator[Firing]:
        """Iterate over the firings from a position on."""
        number = bisect_right(self._starts, start) - 1
        return firings_from(self._nest[number:], start - self._starts[number])


def _fold_short(nest: Nest, min_repeat: int, total: int) -> Found | None:
    """Fold schedules with shorter loops and extrapolate; None when the answer is not certain."""
    counts = _cut_counts(nest, min_repeat)
    loops = {number: item for number, item in enumerate(nest) if isinstance(item, Loop)}
    cut = {number: loop.count for number, loop in loops.items() if counts[number] < loop.count}
    size = _total(nest, counts)
    if not cut or len(cut) > _MOST_LOOPS or 2 * size > total or size > MAX_FOLDED:
        return None
    pieces = list(_pieces(nest, _count_actors(nest)))

    def fold(more: dict[int, int]) -> Found:
        return find_sections(_rows_of(pieces, counts, more), min_repeat)

    base = fold({})
    growth = []
    for number in cut:
        grown = _growth(base, fold({number: 1}))
        if grown is None:
            return None
        growth.append(grown)
    # A stretch across two loops can grow with either loop: also test growing all together.
    for more in (1, 2) if len(cut) > 1 else ():
        if fold(dict.fromkeys(cut, more)) != _extrapolate(base, growth, [more] * len(cut)):
            return None
    missing = [count - counts[number] for number, count in cut.items()]
    found = _extrapolate(base, growth, missing)
    stop = 0
    walk = _NestCursor(nest)
    for start, length, repeat, shift in found:
        if start != stop or not _is_run(nest, walk, start, length, repeat, shift):
            return None
        stop = start + length * repeat
    return found if stop == total else None


def _cut_counts(nest: Nest, min_repeat: int) -> dict[int, int]:
    """Choose numbers of copies that keep each loop longer than all smaller items together."""
    loops = {number: item for number, item in enumerate(nest) if isinstance(item, Loop)}
    size = len(nest) - len(loops)
    counts = {}
    for number, loop in sorted(loops.items(), key=lambda pair: count_firings([pair[1]])):
        length = count_firings(loop.body)
        counts[number] = min(loop.count, min_repeat + 4 + size // length)
        size += counts[number] * length
    return counts


def _total(nest: Nest, counts: dict[int, int]) -> int:
    return sum(
        counts[number] * count_firings(item.body) if isinstance(item, Loop) else 1
        for number, item in enumerate(nest)
    )


@dataclass(frozen=True, slots=True)
class _Piece:
    """Rows of actor, early and late step, of firings or of the first copy of a loop.

    ``number`` is the item of the nest; ``shift`` holds what one copy adds, by actor.
    """

    number: int
    count: int
    rows: Ints
    shift: Ints


def _pieces(nest: Nest, actors: int) -> Iterator[_Piece]:
    """Iterate over the items of a nest as tables; consecutive firings share one."""
    firings: list[Firing] = []
    for number, item in enumerate((*nest, None)):
        if isinstance(item, Firing):
            firings.append(item)
            continue
        if firings:
            rows = [(each.actor, each.early, each.late) for each in firings]
            nothing = np.zeros((actors, 3), dtype=np.int64)
            yield _Piece(number - 1, 1, np.array(rows, dtype=np.int64), nothing)
            firings.clear()
        if item is not None:
            shift = np.zeros((actors, 3), dtype=np.int64)
            for actor, _, early, late in item.shifts:
                shift[actor] = 0, early, late
            body = [_copies(piece, piece.count) for piece in _pieces(item.body, actors)]
            yield _Piece(number, item.count, np.concatenate(body), shift)


def _count_actors(nest: Nest) -> int:
    """Return the highest actor number plus one."""
    highest = (_count_actors(i.body) if isinstance(i, Loop) else i.actor + 1 for i in nest)
    return max(highest, default=0)


def _copies(piece: _Piece, count: int) -> Ints:
    """Return the rows of ``count`` copies."""
    moves = piece.shift[piece.rows[:, 0]]
    copies: Ints = piece.rows + np.arange(count)[:, None, None] * moves
    return copies.reshape(-1, 3)


def _rows_of(pieces: Sequence[_Piece], counts: dict[int, int], more: dict[int, int]) -> Ints:
    """Return the rows of the schedule with the given numbers of copies, plus ``more``."""
    offsets = np.zeros_like(pieces[0].shift)
    found = []
    for piece in pieces:
        count = counts.get(piece.number, 1) + more.get(piece.number, 0)
        rows = _copies(piece, count)
        found.append(rows + offsets[rows[:, 0]])
        offsets = offsets - (piece.count - count) * piece.shift
    return np.concatenate(found)


def _growth(base: Found, grown: Found) -> list[int] | None:
    """Return the growth of the repetitions of each section; None if anything else changed."""
    if len(base) != len(grown):
        return None
    growth = []
    for (_, length, repeat, shift), (_, *other) in zip(base, grown, strict=True):
        # A section that occurs once has no shift to compare.
        if other[0] != length or (other[2] != shift) or other[1] < repeat:
            return None
        growth.append(other[1] - repeat)
    return growth


def _extrapolate(base: Found, growth: list[list[int]], copies: list[int]) -> Found:
    found = []
    start = 0
    for place, (_, length, repeat, shift) in enumerate(base):
        times = repeat + sum(
            grown[place] * more for grown, more in zip(growth, copies, strict=True)
        )
        found.append((start, length, times, shift))
        start += length * times
    return found


def _is_run(
    nest: Nest, walk: _NestCursor, start: int, length: int, repeat: int, shift: int
) -> bool:
    """Tell whether firings repeat ``length`` positions later, ``shift`` steps on.

    Where both are in the same loop, all copies behave alike: one copy is compared.
    """
    stop = start + length * (repeat - 1)
    here = start
    position = 0
    for item in nest:
        if here >= stop:
            break
        size = count_firings([item]) if isinstance(item, Loop) else 1
        if isinstance(item, Loop):
            each = size // item.count
            seen, last = max(here, position) + each, position + size - length
            if seen < last:
                if not _matches(walk, here, min(seen, stop), length, shift):
                    return False
                here = last
        position += size
    return here >= stop or _matches(walk, here, stop, length, shift)


def _matches(walk: _NestCursor, start: int, stop: int, length: int, shift: int) -> bool:
    ones = walk.from_position(start)
    others = walk.from_position(start + length)
    return all(
        (one.actor, one.early + shift, one.late + shift) == (other.actor, other.early, other.late)
        for one, other in islice(zip(ones, others, strict=False), stop - start)
    )
