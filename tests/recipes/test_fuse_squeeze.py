"""Squeeze behind Squeeze."""

from __future__ import annotations

import pytest

import aidge_nb
from aidge_nb.recipes import fuse_consecutive_squeeze
from tests.recipes.graphs import check, prepared, producer


@pytest.mark.parametrize(
    ("first", "second", "axes"),
    [
        ([0], [0], (0, 1)),
        ([-1], [0], (0, 5)),
        ([1], [-1], (1, 5)),
        ([0, 3], [0], (0, 1, 3)),
        ([3], [], (0, 1, 3, 5)),
    ],
    ids=str,
)
def test_axes(first: list[int], second: list[int], axes: tuple[int, ...]) -> None:
    squeezes = [aidge_nb.Squeeze(first), aidge_nb.Squeeze(second, name="second")]
    view = prepared(aidge_nb.sequential([aidge_nb.Tanh(), *squeezes]), [1, 1, 2, 1, 3, 1])
    assert check(view, fuse_consecutive_squeeze) == (1, ["Tanh", "Squeeze"])
    assert view.get_node("second").get_operator().attr.axes == axes


def test_axes_as_tensors() -> None:
    squeezes = [aidge_nb.Squeeze(), aidge_nb.Squeeze()]
    axes = producer([0], "axes")
    for node in squeezes:
        axes.add_child(node, 0, 1)
    view = prepared(aidge_nb.sequential([aidge_nb.Tanh(), *squeezes]), [1, 1, 2])
    assert check(view, fuse_consecutive_squeeze) == (1, ["Tanh", "Squeeze"])
    assert len(view) == 2


def test_the_first_stays_for_others() -> None:
    squeezes = [aidge_nb.Squeeze([0]), aidge_nb.Squeeze([0])]
    view = aidge_nb.sequential([aidge_nb.Tanh(), *squeezes])
    view.add_child(aidge_nb.Exp(), squeezes[0])
    prepared(view, [1, 1, 2])
    assert check(view, fuse_consecutive_squeeze)[0] == 1
    assert len(view) == 4


def test_unknown_dimensions_stay() -> None:
    view = aidge_nb.sequential([aidge_nb.Squeeze([0]), aidge_nb.Squeeze([0])])
    assert fuse_consecutive_squeeze(view) == 0
