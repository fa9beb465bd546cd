"""Attention with its products as one block that still runs."""

from __future__ import annotations

from aidge_nb.graph import Port, expand_metaops
from aidge_nb.recipes import fuse_multi_head_attention
from tests.recipes.graphs import check, kinds, load


def test_of_a_model() -> None:
    view = load("dinov2_like")
    before = sorted(kinds(view))
    count, left = check(view, fuse_multi_head_attention)
    assert (count, left.count("MultiHeadAttention"), "Softmax" in left) == (2, 2, False)
    expand_metaops(view, recursive=True)
    assert sorted(kinds(view)) == before


def test_weights_of_attention_that_are_an_output_stay_one() -> None:
    view = load("dinov2_like")
    weights = next(node for node in view if node.type() == "Softmax")
    view.set_ordered_outputs([*view.get_ordered_outputs(), Port(weights, 0)])
    assert check(view, fuse_multi_head_attention)[0] == 2


def test_no_attention() -> None:
    assert check(load("lenet"), fuse_multi_head_attention)[0] == 0
