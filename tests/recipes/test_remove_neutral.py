"""Neutral elements: found at either side, and kept where they repeat or convert the data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb.graph import Node
from aidge_nb.recipes import remove_neutral
from tests.recipes.graphs import check, prepared, producer


@pytest.mark.parametrize(
    ("make", "values", "place", "goes"),
    [
        (aidge_nb.Add, 0.0, 1, True),
        (aidge_nb.Add, [0.0, 0.0, 0.0], 0, True),
        (aidge_nb.Sub, 0.0, 1, True),
        (aidge_nb.Sub, 0.0, 0, False),
        (aidge_nb.Mul, [[1.0]], 0, True),
        (aidge_nb.Mul, [1.0, 1.0, 2.0], 0, False),
        (aidge_nb.Div, 1.0, 1, True),
        (aidge_nb.Div, 1.0, 0, False),
        (aidge_nb.Pow, 1.0, 1, True),
        (aidge_nb.Add, [[[0.0]]], 1, False),
        (aidge_nb.Add, np.zeros((5, 2, 3)), 1, False),
        (aidge_nb.Add, np.zeros((), np.float64), 1, True),
    ],
)
def test_constants(make: Callable[[], Node], values: Any, place: int, goes: bool) -> None:
    node = make()
    producer(values).add_child(node, 0, place)
    view = prepared(aidge_nb.sequential([aidge_nb.Tanh(), node, aidge_nb.Exp()]), [2, 3])
    assert check(view, remove_neutral)[0] == int(goes)


def test_what_converts_stays() -> None:
    add = aidge_nb.Add()
    wide = aidge_nb.Producer(aidge_nb.Tensor(np.zeros(1, np.float64)))
    wide.add_child(add, 0, 1)
    view = prepared(aidge_nb.sequential([aidge_nb.Tanh(), add]), [2, 3])
    assert check(view, remove_neutral)[0] == 0


def test_unknown_dimensions_stay() -> None:
    add = aidge_nb.Add()
    producer(0.0).add_child(add, 0, 1)
    assert remove_neutral(aidge_nb.sequential([aidge_nb.Tanh(), add])) == 0


def test_the_input_of_the_graph_passes_on() -> None:
    add = aidge_nb.Add()
    producer(0.0).add_child(add, 0, 0)
    view = prepared(aidge_nb.sequential([add, aidge_nb.Exp()]), [2, 3])
    assert check(view, remove_neutral) == (1, ["Exp"])
    assert len(view.get_input_groups()) == 1
