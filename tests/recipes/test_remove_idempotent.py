"""What changes nothing the second time."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import aidge_nb
from aidge_nb.graph import Node
from aidge_nb.recipes import remove_idempotent
from tests.recipes.graphs import check, prepared, producer


@pytest.mark.parametrize(
    ("first", "second", "goes"),
    [
        (aidge_nb.ReLU, aidge_nb.ReLU, True),
        (aidge_nb.Abs, aidge_nb.ReLU, True),
        (aidge_nb.ReLU, aidge_nb.Abs, True),
        (aidge_nb.Sigmoid, aidge_nb.ReLU, True),
        (aidge_nb.Floor, aidge_nb.Ceil, True),
        (aidge_nb.Round, aidge_nb.Floor, True),
        (aidge_nb.Sign, aidge_nb.Sign, True),
        (aidge_nb.Tanh, aidge_nb.ReLU, False),
        (aidge_nb.ReLU, aidge_nb.Floor, False),
        (aidge_nb.Neg, aidge_nb.Neg, False),
    ],
)
def test_pairs(first: Callable[[], Node], second: Callable[[], Node], goes: bool) -> None:
    view = prepared(aidge_nb.sequential([first(), second(), aidge_nb.Exp()]), [4, 5])
    assert check(view, remove_idempotent)[0] == int(goes)


@pytest.mark.parametrize(
    ("inner", "outer", "goes"),
    [
        ((0.0, 6.0), (0.0, 6.0), True),
        ((0.0, 1.0), (-1.0, 6.0), True),
        ((0.0, 6.0), (0.0, 1.0), False),
        ((3.0, 2.0), (-9.0, 9.0), False),
    ],
)
def test_limits(inner: tuple[float, float], outer: tuple[float, float], goes: bool) -> None:
    clips = [aidge_nb.Clip(min=low, max=high) for low, high in (inner, outer)]
    view = prepared(aidge_nb.sequential(clips), [4, 5])
    assert check(view, remove_idempotent)[0] == int(goes)


def test_limits_that_come_as_tensors_stay() -> None:
    clips = [aidge_nb.Clip(min=0.0, max=1.0), aidge_nb.Clip()]
    producer(0.5).add_child(clips[1], 0, 1)
    view = prepared(aidge_nb.sequential([aidge_nb.Tanh(), *clips]), [40])
    assert check(view, remove_idempotent)[0] == 0
