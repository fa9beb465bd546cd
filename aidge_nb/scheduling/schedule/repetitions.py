"""Find repetitions in a sequence of firings: Aidge's greedy folding, with maximal repetitions.

Folding goes from the left, as in Aidge: at each position the period and number of repetitions that
cover most are taken, the shortest period on ties.

*Letters.* Copies are alike when actors and slacks are equal, and early steps shift by one constant
from copy to copy. So within a section every firing but the first must agree with the firing one
period before in actor, slack and distance from its predecessor: in a *letter*. The word of these
letters is searched for maximal repetitions; as the first firing of a section need not have the
right distance, a stretch one letter short of two periods is enough. Multiples of a period never
cover more, so smallest periods suffice; two of them never cover the same (Fine and Wilf).

*Maximal repetitions* are found as in the "runs" theorem of Bannai, I, Inenaga, Nakashima, Takeda
and Tsuruta (SIAM Journal on Computing 46(5), 2017). A stretch of smallest period ``p`` with at
least ``2p - 1`` letters holds every rotation of its period, also the Lyndon rotation: the smallest
one in the order of the letters, or in the opposite order if the letter that ends the stretch is
larger than the one a period before it. From its start, that rotation is the longest Lyndon word,
which ends where the next smaller (larger) suffix begins. So two candidates per position suffice;
each is extended to both sides by common prefixes. Suffixes are ordered, and prefixes compared, by
the names of Karp, Miller and Rosenberg (STOC 1972): all substrings of length 1, 2, 4, 8, … are
numbered in their order, exactly. Time ``O(n log² n)``, memory ``O(n log n)``.

The greedy walk compares at each position only the ``O(log n)`` repetitions that reach two periods
beyond it (Crochemore and Rytter, Algorithmica 13, 1995).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.values import dataclass

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
        Smallest number of repetitions that is folded; 1 makes the whole sequence one section.

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
    """Return the whole sequence as one section, with the shortest possible period."""
    size, early = len(table), table[:, 1]
    for first, _, end, period in sorted(_repetitions(table, 2), key=lambda each: each[3]):
        if first == 0 and end == size and size % period == 0:
            return 0, period, size // period, int(early[period] - early[0])
    return 0, size, 1, 0


def _repetitions(table: Ints, min_repeat: int) -> list[tuple[int, int, int, int]]:
    """Return repetitions as first and last position to start from, end, and period; sorted."""
    actor, early, late = table.T
    kind = _number_pairs(actor, late - early)
    letters = _number_pairs(kind, np.diff(early, prepend=early[0]))
    runs = find_runs(letters)
    first = runs.start.copy()
    # One firing earlier: its actor and slack agree, its distance does not.
    before = np.flatnonzero((first > 0) & (first - 1 + runs.period < len(kind)))
    same = kind[first[before] - 1] == kind[first[before] - 1 + runs.period[before]]
    first[before[same]] -= 1
    last = runs.end - min_repeat * runs.period
    usable = np.stack([first, last, runs.end, runs.period], axis=1)[last >= first]
    return [(a, b, c, d) for a, b, c, d in usable[np.argsort(usable[:, 0])].tolist()]


def _number_pairs(one: Ints, other: Ints) -> Ints:
    """Number pairs so that equal pairs have equal numbers."""
    ones, others = (np.unique(each, return_inverse=True)[1] for each in (one, other))
    return (ones * (int(others.max()) + 1) + others).astype(np.int64)


def _walk(
    early: Sequence[int], repetitions: Sequence[tuple[int, int, int, int]]
) -> list[tuple[int, int, int, int]]:
    """Take the best repetition at each position, or one firing, and continue after it."""
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


# --- maximal repetitions ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MaximalRuns:
    """Stretches of a word: half-open intervals ``start`` to ``end``, and their periods."""

    start: Ints
    end: Ints
    period: Ints


def find_runs(word: Ints) -> MaximalRuns:
    """Find all maximal stretches of at least two periods minus one letter.

    Examples
    --------
    >>> runs = find_runs(np.array([7, 1, 2, 1, 2, 1, 8]))
    >>> [(int(s), int(e)) for s, e, p in zip(runs.start, runs.end, runs.period) if p == 2]
    [(1, 6)]
    """
    names = _names_of_substrings(word)
    begin, end = _longest_lyndon_words(names[-1])
    period = end - begin
    last = end + _common(names, begin, end, forwards=True)
    first = begin - _common(names, begin, end, forwards=False)
    enough = last - first >= 2 * period - 1
    runs = np.stack([first, last, period], axis=1)[enough]
    found, _ = np.unique(runs, axis=0, return_counts=True)  # without counts numpy.ma is imported
    return MaximalRuns(found[:, 0], found[:, 1], found[:, 2])


def _names_of_substrings(word: Ints) -> list[Ints]:
    """Number the substrings of length 1, 2, 4, … at each position, until all of them differ.

    Numbers start at 1 and keep the order of the substrings. A substring cut off by the end of the
    word comes before its continuations.
    """
    names = [_number(word)]
    length = 1
    while length < len(word) and names[-1].max() < len(word):
        second = np.zeros_like(names[-1])
        second[:-length] = names[-1][length:]
        names.append(_number(names[-1] * (len(word) + 1) + second))
        length *= 2
    return names


def _number(keys: Ints) -> Ints:
    """Replace each value by its rank, from 1, among the distinct values."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    names = np.empty_like(keys)
    names[order] = np.cumsum(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    return names


def _longest_lyndon_words(ranks: Ints) -> tuple[Ints, Ints]:
    """Return the longest Lyndon word from each position, in both orders of the letters.

    It ends where the next smaller (larger) suffix begins. In the opposite order, words that reach
    the end are left out: stretches that end there are found in the order of the letters.
    """
    values = ranks.tolist()
    smaller = np.array(_next_smaller(values))
    larger = np.array(_next_smaller([-value for value in values]))
    inside = np.flatnonzero(larger < len(values))
    begins = np.concatenate([np.arange(len(values)), inside])
    return begins, np.concatenate([smaller, larger[inside]])


def _next_smaller(values: Sequence[int]) -> list[int]:
    following = [len(values)] * len(values)
    waiting: list[int] = []
    for position, value in enumerate(values):
        while waiting and values[waiting[-1]] > value:
            following[waiting.pop()] = position
        waiting.append(position)
    return following


def _common(names: Sequence[Ints], one: Ints, other: Ints, forwards: bool) -> Ints:
    """Count equal letters after, or before, two positions; ``one < other``."""
    size = len(names[0])
    one, other = one.copy(), other.copy()
    common = np.zeros_like(one)
    for power in range(len(names) - 1, -1, -1):
        length = 1 << power
        # One step per power is enough: no two positions have the same longest substring.
        fits = other + length <= size if forwards else one >= length
        here = np.flatnonzero(fits)
        back = 0 if forwards else length
        same = here[names[power][one[here] - back] == names[power][other[here] - back]]
        step = length if forwards else -length
        one[same] += step
        other[same] += step
        common[same] += length
    return common
