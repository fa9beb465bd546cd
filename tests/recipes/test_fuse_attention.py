"""Attention fused into blocks that still run."""

from __future__ import annotations

import pytest

import aidge_nb
from aidge_nb.graph import GraphView, Port
from aidge_nb.recipes import fuse_attention
from tests.recipes.graphs import check, load, prepared, producer


def _attention(scale: str) -> GraphView:
    """Make softmax(q kᵀ · scale) v of three inputs, keys transposed already."""
    starts = [aidge_nb.Tanh(name=name) for name in ("q", "k", "v")]
    scores, softmax, context = aidge_nb.MatMul(name="s"), aidge_nb.Softmax(-1), aidge_nb.MatMul()
    starts[0].add_child(scores, 0, 0)
    starts[1].add_child(scores, 0, 1)
    last = scores
    if scale:
        last = getattr(aidge_nb, scale)(name="scale")
        scores.add_child(last, 0, 0)
        producer(2.0).add_child(last, 0, 1)
    last.add_child(softmax, 0, 0)
    softmax.add_child(context, 0, 0)
    starts[2].add_child(context, 0, 1)
    view = aidge_nb.get_connected_graph_view(context)
    view.set_ordered_inputs([Port(start, 0) for start in starts])
    return prepared(view, [2, 3, 4], [2, 4, 5], [2, 5, 6])


@pytest.mark.parametrize("scale", ["Div", "Mul", ""])
def test_forms(scale: str) -> None:
    view = _attention(scale)
    count, left = check(view, fuse_attention)
    assert (count, left[-1]) == (1, "ScaledDotProductAttention")
    (node,) = [node for node in view if node.type() == "ScaledDotProductAttention"]
    assert [parent and parent.name() for parent in node.get_parents()] == ["q", "k", "v"]


def test_scores_that_are_an_output_stay_one() -> None:
    view = _attention("Div")
    ports = [*view.get_ordered_outputs(), Port(view.get_node("s"), 0)]
    view.set_ordered_outputs(ports)
    assert check(view, fuse_attention)[0] == 1


def test_no_attention() -> None:
    assert check(load("lenet"), fuse_attention)[0] == 0
