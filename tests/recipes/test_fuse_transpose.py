"""Chains of transpositions."""

from __future__ import annotations

import aidge_nb
from aidge_nb.graph import Port
from aidge_nb.recipes import fuse_transpose
from tests.recipes.graphs import check, prepared


def test_a_chain_becomes_one() -> None:
    orders = [[1, 2, 0], [0, 2, 1], [2, 0, 1]]
    layers = [aidge_nb.Transpose(order) for order in orders]
    view = prepared(aidge_nb.sequential([aidge_nb.Tanh(), *layers]), [2, 3, 4])
    assert check(view, fuse_transpose) == (2, ["Tanh", "Transpose"])


def test_two_that_undo_each_other_go() -> None:
    layers = [aidge_nb.Transpose([1, 2, 0]), aidge_nb.Transpose([2, 0, 1])]
    view = prepared(aidge_nb.sequential([aidge_nb.Tanh(), *layers]), [2, 3, 4])
    assert check(view, fuse_transpose) == (1, ["Tanh"])


def test_negative_axes_and_reversed_ones() -> None:
    layers = [aidge_nb.Transpose(), aidge_nb.Transpose([-2, -3, -1])]
    view = prepared(aidge_nb.sequential([aidge_nb.Tanh(), *layers]), [2, 3, 4])
    assert check(view, fuse_transpose) == (1, ["Tanh", "Transpose"])


def test_the_first_stays_for_others() -> None:
    first, second = aidge_nb.Transpose([1, 0], name="first"), aidge_nb.Transpose([1, 0])
    other = aidge_nb.Exp(name="other")
    view = aidge_nb.sequential([aidge_nb.Tanh(), first, second, aidge_nb.Neg(name="end")])
    view.add_child(other, first)
    prepared(view, [2, 3])
    assert check(view, fuse_transpose)[0] == 1
    assert sorted(node.type() for node in view) == ["Exp", "Neg", "Tanh", "Transpose"]


def test_the_first_stays_when_it_is_an_output() -> None:
    first, second = aidge_nb.Transpose([1, 0]), aidge_nb.Transpose([1, 0])
    view = aidge_nb.sequential([aidge_nb.Tanh(), first, second])
    view.set_ordered_outputs([Port(first, 0), Port(second, 0)])
    prepared(view, [2, 3])
    check(view, fuse_transpose)
    assert len(view.get_ordered_outputs()) == 2


def test_at_the_input_of_the_graph() -> None:
    view = aidge_nb.sequential([aidge_nb.Transpose([0, 2, 1]), aidge_nb.Transpose([1, 0, 2])])
    prepared(view, [2, 3, 4])
    assert check(view, fuse_transpose) == (1, ["Transpose"])


def test_unknown_orders_stay() -> None:
    view = aidge_nb.sequential([aidge_nb.Transpose(), aidge_nb.Transpose()])
    assert fuse_transpose(view) == 0
