"""Operators that give their data as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb.recipes import remove_noop
from tests.recipes.graphs import check, prepared, producer


@pytest.mark.parametrize(
    ("kind", "arguments", "goes"),
    [
        ("Cast", (np.float32,), True),
        ("Cast", (np.float64,), False),
        ("Transpose", ([0, 1, 2],), True),
        ("Transpose", ([0, 2, 1],), False),
        ("Transpose", (), False),
        ("Reshape", ([2, 3, 3],), True),
        ("Reshape", ([0, 0, -1],), True),
        ("Reshape", ([2, 9],), False),
        ("Pad", ([0, 0, 0, 0],), True),
        ("Pad", ([0, 0, 0, 1],), False),
        ("Concat", (1,), True),
        ("Split", (1,), True),
        (
            "Slice",
            (
                [0],
                [99],
                [1],
            ),
            True,
        ),
        (
            "Slice",
            (
                [2],
                [-99],
                [2],
                [-1],
            ),
            False,
        ),
        (
            "Slice",
            (
                [0],
                [2],
                [1],
            ),
            False,
        ),
        ("Flatten", (1,), False),
        ("Squeeze", (), True),
        ("Unsqueeze", ([0],), False),
    ],
)
def test_nodes(kind: str, arguments: tuple[Any, ...], goes: bool) -> None:
    node = getattr(aidge_nb, kind)(*arguments)
    view = prepared(aidge_nb.sequential([aidge_nb.Tanh(), node, aidge_nb.Exp()]), [2, 3, 3])
    assert check(view, remove_noop)[0] == int(goes)


@pytest.mark.parametrize(("shape", "goes"), [([1], True), ([2, 3], True), ([4, 2, 3], False)])
def test_expand(shape: list[int], goes: bool) -> None:
    expand = aidge_nb.Expand()
    producer(shape).add_child(expand, 0, 1)
    view = prepared(aidge_nb.sequential([aidge_nb.Tanh(), expand]), [2, 3])
    assert check(view, remove_noop)[0] == int(goes)
    assert len(view) == (1 if goes else 3)


def test_pads_that_are_computed_stay() -> None:
    pad, pads = aidge_nb.Pad(), aidge_nb.Identity()
    producer([0, 0]).add_child(pads)
    pads.add_child(pad, 0, 1)
    data = aidge_nb.Tanh()
    data.add_child(pad, 0, 0)
    view = prepared(aidge_nb.get_connected_graph_view(pad), [2, 3])
    assert check(view, remove_noop)[0] == 0


def test_a_reshape_to_a_shared_shape() -> None:
    shape = producer([2, 3], "shape")
    first, second = aidge_nb.Reshape(name="first"), aidge_nb.Reshape(name="second")
    for node in (first, second):
        shape.add_child(node, 0, 1)
    layers = [aidge_nb.Tanh(), first, aidge_nb.Transpose([1, 0]), second]
    view = prepared(aidge_nb.sequential(layers), [2, 3])
    assert check(view, remove_noop) == (1, ["Tanh", "Transpose", "Reshape"])
    assert view.in_view("shape")
