"""Shapes that are computed become constants."""

from __future__ import annotations

import pytest

import aidge_nb
from aidge_nb.core.errors import ShapeError
from aidge_nb.graph import GraphView
from aidge_nb.recipes import constant_shape_folding
from tests.recipes.graphs import check, prepared, producer


def _model() -> GraphView:
    """Make x -> Reshape(x, Concat(Gather(Shape(x), 0), [-1]))."""
    data, shape, gather = aidge_nb.Tanh(name="x"), aidge_nb.Shape(), aidge_nb.Gather(0)
    join, reshape = aidge_nb.Concat(2, name="join"), aidge_nb.Reshape(name="reshape")
    data.add_child(shape)
    data.add_child(reshape, 0, 0)
    shape.add_child(gather, 0, 0)
    producer([0], "index").add_child(gather, 0, 1)
    gather.add_child(join, 0, 0)
    producer([-1], "rest").add_child(join, 0, 1)
    join.add_child(reshape, 0, 1)
    return aidge_nb.get_connected_graph_view(data)


def test_the_chain_becomes_one_constant() -> None:
    view = prepared(_model(), [2, 3, 4])
    assert check(view, constant_shape_folding) == (True, ["Tanh", "Reshape"])
    assert view.get_node("join").get_operator().get_output(0).array.tolist() == [2, -1]
    assert constant_shape_folding(view) is False


def test_dims_may_be_given() -> None:
    view = _model()
    assert constant_shape_folding(view) is False
    assert constant_shape_folding(view, [[2, 3, 4]]) is True
    assert len(view) == 3


def test_dims_that_do_not_fit() -> None:
    with pytest.raises(ShapeError, match="not a size"):
        constant_shape_folding(_model(), [[-2]])
