"""Identity nodes: which go, and which have to stay."""

from __future__ import annotations

import pytest

import aidge_nb
from aidge_nb.graph import GraphView, Node, Port
from aidge_nb.recipes import remove_identity
from tests.recipes.graphs import check, kinds, prepared, producer


def _model(*nodes: Node) -> GraphView:
    return prepared(aidge_nb.sequential(nodes), [2, 3])


def test_all_go_but_one_that_is_input_and_output() -> None:
    view = _model(aidge_nb.Identity(), aidge_nb.ReLU(), aidge_nb.Identity(), aidge_nb.Identity())
    assert check(view, remove_identity) == (3, ["ReLU"])
    alone = _model(aidge_nb.Identity(), aidge_nb.Identity())
    assert check(alone, remove_identity) == (1, ["Identity"])


def test_an_input_that_several_read_stays_one_input() -> None:
    start, left, right = aidge_nb.Identity(), aidge_nb.ReLU(name="l"), aidge_nb.Tanh(name="r")
    for side in (left, right):
        start.add_child(side)
    view = aidge_nb.get_connected_graph_view(start)
    assert remove_identity(view) == 1
    assert len(view.get_input_groups()) == 1
    prepared(view, [2, 3])
    assert [port.node.name() for port in view.get_ordered_outputs()] == ["l", "r"]


def test_two_outputs_of_the_graph_stay_two() -> None:
    start, first, second = aidge_nb.ReLU(), aidge_nb.Identity(), aidge_nb.Identity()
    start.add_child(first)
    start.add_child(second)
    view = prepared(aidge_nb.get_connected_graph_view(start), [2])
    returned, left = check(view, remove_identity)
    assert (returned, left) == (1, ["ReLU", "Identity"])


def test_an_output_in_the_middle_moves() -> None:
    a, same, b = aidge_nb.ReLU(name="a"), aidge_nb.Identity(), aidge_nb.Tanh(name="b")
    view = aidge_nb.sequential([a, same, b])
    view.set_ordered_outputs([Port(b, 0), Port(same, 0)])
    prepared(view, [3])
    check(view, remove_identity)
    assert view.get_ordered_outputs() == [Port(b, 0), Port(a, 0)]


def test_order_of_inputs_stays() -> None:
    add = aidge_nb.Add(name="add")
    for index in range(2):
        aidge_nb.Identity(name=f"i{index}").add_child(add, 0, index)
    view = aidge_nb.get_connected_graph_view(add)
    first, second = (add.get_parent(index) for index in range(2))
    assert first is not None
    assert second is not None
    view.set_ordered_inputs([Port(second, 0), Port(first, 0)])
    prepared(view, [3], [3])
    check(view, remove_identity)
    assert view.get_ordered_inputs() == [Port(add, 1), Port(add, 0)]


def test_every_view_loses_the_node() -> None:
    view = _model(aidge_nb.ReLU(), aidge_nb.Identity(), aidge_nb.Tanh())
    part = GraphView()
    part.add(list(view)[1:])
    remove_identity(view)
    assert kinds(part) == ["Tanh"]


def test_a_parameter_may_be_an_output() -> None:
    same = aidge_nb.Identity()
    producer([1.0, 2.0], "p").add_child(same)
    view = prepared(aidge_nb.get_connected_graph_view(same))
    assert check(view, remove_identity) == (1, [])
    assert [port.node.name() for port in view.get_ordered_outputs()] == ["p"]


@pytest.mark.parametrize("count", [0, 3])
def test_nothing_to_do(count: int) -> None:
    view = aidge_nb.sequential([aidge_nb.ReLU() for _ in range(count)])
    assert remove_identity(view) == 0
    assert len(view) == count
