"""Sums made of additions."""

from __future__ import annotations

import numpy as np

import aidge_nb
from aidge_nb.graph import GraphView, Node, Port
from aidge_nb.recipes import RECIPES, fuse_consecutive_adds
from tests.recipes.graphs import check, prepared, producer, tensor


def _tree() -> tuple[GraphView, list[Node]]:
    """Make ((x + exp x) + (x + 1)) + x."""
    data, other, one = aidge_nb.Tanh(), aidge_nb.Exp(), producer([1.0])
    adds = [aidge_nb.Add(name=f"add{number}") for number in range(4)]
    data.add_child(other)
    edges = [(data, 0, 0), (other, 0, 1), (data, 1, 0), (one, 1, 1)]
    edges += [(adds[0], 2, 0), (adds[1], 2, 1), (adds[2], 3, 0), (data, 3, 1)]
    for parent, number, index in edges:
        parent.add_child(adds[number], 0, index)
    return aidge_nb.get_connected_graph_view(data), adds


def test_a_tree_becomes_one_sum() -> None:
    view, _ = _tree()
    prepared(view, [3, 4])
    count, left = check(view, fuse_consecutive_adds, exact=False)
    assert (count, sorted(left)) == (1, ["Exp", "Sum", "Tanh"])
    assert view.get_node("add3").get_nb_inputs() == 5


def test_what_others_read_stays() -> None:
    view, adds = _tree()
    view.set_ordered_outputs([Port(adds[3], 0), Port(adds[1], 0)])
    view.add_child(aidge_nb.Neg(name="neg"), adds[0])
    prepared(view, [3, 4])
    _, left = check(view, fuse_consecutive_adds, exact=False)
    assert sorted(left) == ["Add", "Add", "Exp", "Neg", "Sum", "Tanh"]


def test_one_addition_stays() -> None:
    add = aidge_nb.Add()
    producer(tensor([4])).add_child(add, 0, 1)
    view = prepared(aidge_nb.sequential([aidge_nb.Tanh(), add]), [3, 4])
    assert check(view, fuse_consecutive_adds)[0] == 0


def test_a_node_added_to_itself_is_read_twice() -> None:
    first, second = aidge_nb.Add(), aidge_nb.Add()
    producer(tensor([4])).add_child(first, 0, 1)
    view = aidge_nb.sequential([aidge_nb.Tanh(), first])
    for index in range(2):
        first.add_child(second, 0, index)
    view.add(second)
    prepared(view, [3, 4])
    assert check(view, fuse_consecutive_adds)[0] == 0


def test_types_that_differ_are_left_alone() -> None:
    first, second = aidge_nb.Add(), aidge_nb.Add()
    wide = aidge_nb.Producer(aidge_nb.Tensor(np.ones(4)))
    wide.add_child(first, 0, 1)
    producer(tensor([4])).add_child(second, 0, 1)
    view = prepared(aidge_nb.sequential([aidge_nb.Tanh(), first, second]), [3, 4])
    assert check(view, fuse_consecutive_adds)[0] == 0


def test_it_may_cost_memory() -> None:
    assert not RECIPES["fuse_consecutive_adds"].safe
