"""Convolutions as products of matrices."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aidge_nb
from aidge_nb.graph import GraphView, Node, Port
from aidge_nb.recipes import RECIPES, conv_to_matMul, conv_to_matmul
from tests.recipes.graphs import check, prepared


def _model(conv: Node) -> GraphView:
    return aidge_nb.sequential([aidge_nb.Tanh(), conv, aidge_nb.ReLU()])


@given(
    kernel=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    stride=st.tuples(st.integers(1, 2), st.integers(1, 3)),
    dilation=st.tuples(st.integers(1, 2), st.integers(1, 2)),
    no_bias=st.booleans(),
)
def test_windows(
    kernel: tuple[int, int], stride: tuple[int, int], dilation: tuple[int, int], no_bias: bool
) -> None:
    conv = aidge_nb.Conv2D(2, 3, kernel, "conv", stride, dilation, no_bias)
    # Large enough that among the results is one whose terms do not cancel each other.
    view = prepared(_model(conv), [2, 2, 12, 13])
    count, left = check(view, conv_to_matmul, exact=False)
    add = [] if no_bias else ["Add"]
    assert (count, left) == (1, ["Tanh", "Unfold2D", "MatMul", *add, "Reshape", "ReLU"])
    assert view.get_node("conv").type() == "Reshape"


def test_padded() -> None:
    conv = aidge_nb.PaddedConv2D(2, 3, [3, 3], padding_dims=[1, 0, 2, 1])
    view = prepared(_model(conv), [2, 2, 6, 7])
    count, left = check(view, conv_to_matmul, exact=False)
    assert (count, left[1:3]) == (1, ["Pad", "Unfold2D"])


@pytest.mark.parametrize("dims", [None, (1, 4, 5, 5)])
def test_what_is_left_alone(dims: tuple[int, ...] | None) -> None:
    conv = aidge_nb.Conv2D(4, 4, [3, 3], group=2 if dims else 1)
    view = _model(conv) if dims is None else prepared(_model(conv), dims)
    assert conv_to_matmul(view) == 0


def test_an_output_and_an_input_of_the_graph() -> None:
    conv = aidge_nb.Conv2D(2, 3, [3, 3], name="conv")
    view = prepared(aidge_nb.sequential([conv]), [1, 2, 5, 5])
    assert check(view, conv_to_matmul, exact=False)[0] == 1
    assert view.get_ordered_outputs() == [Port(view.get_node("conv"), 0)]


def test_names() -> None:
    assert conv_to_matMul is conv_to_matmul
    assert not RECIPES["conv_to_matmul"].safe
