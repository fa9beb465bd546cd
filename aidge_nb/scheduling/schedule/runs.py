"""Maximal repetitions of a word: every stretch that has a period and cannot be made longer.

The method is the one behind the "runs" theorem of Bannai, I, Inenaga, Nakashima, Takeda and Tsuruta
(SIAM Journal on Computing 46(5), 2017). A stretch of smallest period ``p`` that holds at least
``2p - 1`` letters holds every rotation of its period, so also the Lyndon rotation: the one that
comes first in the order of the letters, or, if the letter that ends the stretch is larger than the
one a period before it, in the opposite order. From where that rotation begins, it is the longest
Lyndon word, which ends where the next smaller (larger) suffix begins. So two candidates per
position are enough; each is stretched to both sides by looking up common prefixes.

Suffixes are ordered, and common prefixes found, with the names of Karp, Miller and Rosenberg
(STOC 1972): all substrings of length 1, 2, 4, 8, … are numbered in their order. Names are exact,
nothing is hashed. Time ``O(n log² n)``, memory ``O(n log n)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Runs:
    """Stretches of a word, each from ``start`` up to ``end`` (not included), and their periods."""

    start: Ints
    end: Ints
    period: Ints


def find_runs(word: Ints) -> Runs:
    """Find all maximal stretches that are at least one letter short of two periods long.

    Parameters
    ----------
    word
        The letters, by number.

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
    found = np.unique(np.stack([first, last, period], axis=1)[enough], axis=0)
    return Runs(found[:, 0], found[:, 1], found[:, 2])


def _names_of_substrings(word: Ints) -> list[Ints]:
    """Number the substrings of length 1, 2, 4, … at each position, until all of them differ.

    Numbers begin with 1 and keep the order of the substrings. What would reach over the end of the
    word counts as a substring that ends early, before all that go on.
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
    """Replace each value by its place, from 1, among the values that there are."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    names = np.empty_like(keys)
    names[order] = np.cumsum(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    return names


def _longest_lyndon_words(ranks: Ints) -> tuple[Ints, Ints]:
    """Give the longest Lyndon word from each position, in the order of the letters and against it.

    It ends where the next smaller (or larger) suffix begins. Against the order those that reach the
    end of the word are left out: a stretch that ends there is found in the order of the letters.
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
    """Count the letters that agree from two positions on, or before them; ``one < other``."""
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
