"""Finding repetitions in a schedule.

Greedy from the left, as Aidge does it: at each position the period and number of repetitions that
cover most are taken, the shortest period on ties.

Copies are alike when actors and slacks are, and early steps shift by one constant from copy to
copy. So within a section all but the first firing must agree with the firing a period before in
actor, slack and distance from the firing before it: in a *letter*. The word of these letters is
searched for maximal repetitions (:mod:`aidge_nb.scheduling.schedule.runs`); the first firing of a
section need not have the right distance, so a stretch one letter short of two periods is enough. A
period that is a multiple of another one never covers more, so smallest periods are all that
matters; two of those never cover the same, as a stretch with both would have a smaller one (Fine
and Wilf).

At each position of the greedy walk only the repetitions that reach two periods beyond it are
compared: there are ``O(log n)`` (Crochemore and Rytter, "Squares, cubes, and time-space efficient
string searching", Algorithmica 13, 1995), so that the walk adds ``O(n log n)``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from aidge_nb.scheduling.schedule.runs import find_runs

Key = tuple[int, int, int]
Ints = NDArray[np.int64]


def find_sections(
    keys: Sequence[Key] | Ints, min_repeat: int = 2
) -> list[tuple[int, int, int, int]]:
    """Cut a sequence into repeated sections.

    Parameters
    ----------
    keys
        Actor, early step and late step of each firing.
    min_repeat
        Smallest number of repetitions that is folded; with 1, everything is one section.

    Returns
    -------
    list of (start, length, repeat, shift)
        ``length`` firings from ``start`` occur ``repeat`` times, ``shift`` steps apart.

    Examples
    --------
    >>> find_sections([(0, 0, 0), (1, 1, 1), (1, 2, 2), (1, 3, 3)])
    [(0, 1, 1, 0), (1, 1, 3, 1)]
    """
    if not len(keys):
        return []
    table = np.asarray(keys, dtype=np.int64)
    if min_repeat <= 1:
        return [_whole(table)]
    return _walk(table[:, 1].tolist(), _repetitions(table, min_repeat))


def _whole(table: Ints) -> tuple[int, int, int, int]:
    """Give everything as one section: the shortest one that it is a repetition of."""
    size, early = len(table), table[:, 1]
    for first, _, end, period in sorted(_repetitions(table, 2), key=lambda each: each[3]):
        if first == 0 and end == size and size % period == 0:
            return 0, period, size // period, int(early[period] - early[0])
    return 0, size, 1, 0


def _repetitions(table: Ints, min_repeat: int) -> list[tuple[int, int, int, int]]:
    """List what repeats: first and last position to start from, end, period; sorted."""
    actor, early, late = table.T
    kind = _number_pairs(actor, late - early)
    letters = _number_pairs(kind, np.diff(early, prepend=early[0]))
    runs = find_runs(letters)
    first = runs.start.copy()
    # One firing earlier, of which actor and slack are right but the distance is not.
    before = np.flatnonzero((first > 0) & (first - 1 + runs.period < len(kind)))
    same = kind[first[before] - 1] == kind[first[before] - 1 + runs.period[before]]
    first[before[same]] -= 1
    last = runs.end - min_repeat * runs.period
    usable = np.stack([first, last, runs.end, runs.period], axis=1)[last >= first]
    return [(a, b, c, d) for a, b, c, d in usable[np.argsort(usable[:, 0])].tolist()]


def _number_pairs(one: Ints, other: Ints) -> Ints:
    """Give equal pairs equal numbers."""
    ones, others = (np.unique(each, return_inverse=True)[1] for each in (one, other))
    return (ones * (int(others.max()) + 1) + others).astype(np.int64)


def _walk(
    early: Sequence[int], repetitions: Sequence[tuple[int, int, int, int]]
) -> list[tuple[int, int, int, int]]:
    """Take the best repetition at each position, or the firing alone, and go on behind it."""
    sections = []
    usable: list[tuple[int, int, int, int]] = []
    start = seen = 0
    while start < len(early):
        while seen < len(repetitions) and repetitions[seen][0] <= start:
            usable.append(repetitions[seen])
            seen += 1
        usable = [each for each in usable if each[1] >= start]
        length, covered = 1, 1
        for _, _, end, period in usable:
            cover = (end - start) // period * period
            if cover > covered:
                length, covered = period, cover
        repeat = covered // length
        shift = early[start + length] - early[start] if repeat > 1 else 0
        sections.append((start, length, repeat, shift))
        start += covered
    return sections
