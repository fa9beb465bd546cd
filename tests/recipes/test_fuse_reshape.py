"""Reshape behind what reshapes."""

from __future__ import annotations

import pytest

import aidge_nb
from aidge_nb.graph import Node
from aidge_nb.recipes import fuse_consecutive_reshape
from tests.recipes.graphs import check, prepared, producer


@pytest.mark.parametrize(
    ("first", "shape", "count"),
    [
        (aidge_nb.Flatten(), [4, -1], 1),
        (aidge_nb.Reshape([3, 4]), [2, 6], 1),
        (aidge_nb.Squeeze([0]), [6, -1], 1),
        (aidge_nb.Unsqueeze([0]), [12], 1),
        (aidge_nb.Reshape([3, 4]), [0, 2, 2], 0),
        (aidge_nb.Transpose([2, 1, 0]), [12], 0),
    ],
    ids=str,
)
def test_pairs(first: Node, shape: list[int], count: int) -> None:
    nodes = [aidge_nb.Tanh(), first, aidge_nb.Reshape(shape)]
    view = prepared(aidge_nb.sequential(nodes), [1, 3, 4])
    assert check(view, fuse_consecutive_reshape)[0] == count
    assert len(view) == 3 - count


def test_shapes_as_tensors() -> None:
    last = aidge_nb.Reshape()
    producer([4, 3]).add_child(last, 0, 1)
    nodes = [aidge_nb.Tanh(), aidge_nb.Flatten(), last]
    view = prepared(aidge_nb.sequential(nodes), [1, 3, 4])
    assert check(view, fuse_consecutive_reshape) == (1, ["Tanh", "Reshape"])


def test_shapes_that_are_computed_stay() -> None:
    data, flat, shape, last = (
        aidge_nb.Tanh(),
        aidge_nb.Flatten(),
        aidge_nb.Shape(),
        aidge_nb.Reshape(),
    )
    data.add_child(flat)
    data.add_child(shape)
    flat.add_child(last, 0, 0)
    shape.add_child(last, 0, 1)
    view = prepared(aidge_nb.get_connected_graph_view(data), [1, 3, 4])
    assert check(view, fuse_consecutive_reshape)[0] == 0
