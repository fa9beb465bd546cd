"""Loop nests on one line: they say how often everything fires, whatever was folded how."""

from __future__ import annotations

import re

import pytest

from aidge_nb.scheduling import Actor, Firing, Loop, StaticSchedule
from aidge_nb.scheduling.schedule.text import nest_text

ACTORS = tuple(Actor(name, "ReLU", False, name, 0) for name in "abc")


def _schedule(text: str) -> StaticSchedule:
    """Make a nest of letters and counted brackets, such as ``a2(bc)``; steps do not matter."""

    def read(position: int) -> tuple[tuple[Firing | Loop, ...], int]:
        items: list[Firing | Loop] = []
        while position < len(text) and text[position] != ")":
            count = re.match(r"(\d+)\(", text[position:])
            if count:
                body, position = read(position + count.end())
                items.append(Loop(int(count[1]), body, ()))
            else:
                items.append(Firing("abc".index(text[position]), 0, 0, 0))
            position += 1
        return tuple(items), position

    return StaticSchedule(ACTORS, read(0)[0])


@pytest.mark.parametrize(
    ("nest", "text"),
    [
        ("", ""),
        ("abc", "a b c"),
        ("aab", "2×(a) b"),
        ("a9(ab)c", "a 9×(a b) c"),
        ("ab9(ab)c", "10×(a b) c"),
        ("c9(ab)abab", "c 11×(a b)"),
        ("9(ab)aba", "10×(a b) a"),
        ("3(a2(b)c)a2(b)c", "4×(a 2×(b) c)"),
        ("3(a2(b)c)abbc", "4×(a 2×(b) c)"),
        ("aaa4(a)", "7×(a)"),
    ],
)
def test_nests(nest: str, text: str) -> None:
    assert nest_text(_schedule(nest)) == text
    assert _schedule(nest).to_text() == text
