"""Repetitions: the quick search gives what the slow one does, and finds all there are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from aidge_nb.scheduling.schedule.repetitions import find_runs, find_sections

Key = tuple[int, int, int]


def _slow_sections(keys: Sequence[Key], min_repeat: int) -> list[tuple[int, int, int, int]]:
    """Say what a section is: at each position, try every length."""
    if min_repeat <= 1:
        return _slow_whole(keys)
    sections = []
    start = 0
    while start < len(keys):
        length = repeat = 1
        for other in range(1, (len(keys) - start) // min_repeat + 1):
            copies = _count(keys, start, other)
            if copies >= min_repeat and (repeat == 1 or other * copies > length * repeat):
                length, repeat = other, copies
        shift = keys[start + length][1] - keys[start][1] if repeat > 1 else 0
        sections.append((start, length, repeat, shift))
        start += length * repeat
    return sections


def _slow_whole(keys: Sequence[Key]) -> list[tuple[int, int, int, int]]:
    """Take the shortest length whose copies cover everything, as aidge_core does."""
    for length in range(1, len(keys)):
        copies = _count(keys, 0, length)
        if copies * length == len(keys):
            return [(0, length, copies, keys[length][1] - keys[0][1])]
    return [(0, len(keys), 1, 0)] if keys else []


def _count(keys: Sequence[Key], start: int, length: int) -> int:
    shift = keys[start + length][1] - keys[start][1]
    position = start + length
    while position < len(keys):
        actor, early, late = keys[position - length]
        if keys[position] != (actor, early + shift, late + shift):
            break
        position += 1
    return (position - start) // length


@st.composite
def _keys(draw: st.DrawFn) -> list[Key]:
    """Draw few actors and distances, with stretches that are repeated, also inside each other."""
    letter = st.tuples(st.integers(0, 2), st.integers(-1, 2), st.integers(0, 1))
    word = draw(st.lists(letter, max_size=8))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(word)))
        end = draw(st.integers(start, min(len(word), start + 12)))
        word[end:end] = word[start:end] * draw(st.integers(1, 3))
        word[start:start] = draw(st.lists(letter, max_size=2))
    earlies = accumulate(distance for _, distance, _ in word)
    return [(a, e, e + slack) for (a, _, slack), e in zip(word, earlies, strict=True)]


@settings(max_examples=3000)
@given(_keys(), st.integers(1, 4))
@example([(0, 5, 5), (0, 0, 0), (0, 1, 1), (0, 2, 2)], 2)
@example([(0, 0, 0)] * 7, 3)
@example([(0, 0, 0), (1, 1, 1), (0, 2, 2), (1, 3, 3)], 1)
def test_the_same_sections_as_the_slow_search(keys: list[Key], min_repeat: int) -> None:
    assert find_sections(keys, min_repeat) == _slow_sections(keys, min_repeat)


@settings(max_examples=1000)
@given(st.lists(st.integers(0, 2), max_size=60), st.integers(2, 3))
def test_the_same_sections_where_steps_tell_nothing(word: list[int], min_repeat: int) -> None:
    keys = [(letter, step, step) for step, letter in enumerate(word)]
    assert find_sections(keys, min_repeat) == _slow_sections(keys, min_repeat)


def _fibonacci(length: int) -> list[int]:
    one, other = [0], [0, 1]
    while len(other) < length:
        one, other = other, other + one
    return other[:length]


WORDS = {
    "fibonacci": _fibonacci(500),
    "thue and morse": [number.bit_count() % 2 for number in range(500)],
    "equal": [0] * 300,
    "two rates": ([0, 0, 1] * 40 + [2]) * 4,
    "period 40": [number % 40 for number in range(500)],
    "growing": [int(bool(k)) for n in range(30) for k in range(n, -1, -1)],
}


@pytest.mark.parametrize("word", WORDS.values(), ids=WORDS)
@pytest.mark.parametrize("min_repeat", [2, 3])
def test_long_words(word: list[int], min_repeat: int) -> None:
    keys = [(letter, 3 * step, 3 * step + letter) for step, letter in enumerate(word)]
    assert find_sections(keys, min_repeat) == _slow_sections(keys, min_repeat)


def test_steps_may_be_large() -> None:
    keys = [(0, 10**15 * step, 10**15 * step + 1) for step in range(5)]
    assert find_sections(keys) == [(0, 1, 5, 10**15)]


def _smallest_period(word: Sequence[int]) -> int:
    return next(
        p
        for p in range(1, len(word) + 1)
        if all(word[i] == word[i + p] for i in range(len(word) - p))
    )


def _slow_runs(word: Sequence[int]) -> set[tuple[int, int, int]]:
    """Say what a run is: a stretch with a period, longer on neither side."""
    found = set()
    for start in range(len(word)):
        for end in range(start + 1, len(word) + 1):
            period = _smallest_period(word[start:end])
            is_left = start == 0 or word[start - 1] != word[start - 1 + period]
            is_right = end == len(word) or word[end] != word[end - period]
            if is_left and is_right and end - start >= 2 * period - 1:
                found.add((start, end, period))
    return found


@given(st.lists(st.integers(0, 2), min_size=1, max_size=18))
def test_runs_are_all_there(word: list[int]) -> None:
    runs = find_runs(np.array(word))
    found = list(zip(runs.start.tolist(), runs.end.tolist(), runs.period.tolist(), strict=True))
    assert len(set(found)) == len(found)
    assert set(found) == _slow_runs(word)
