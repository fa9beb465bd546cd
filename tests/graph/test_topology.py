"""Orders of graphs, and cycles that have none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aidge_nb.core.errors import GraphError
from aidge_nb.graph import GraphView, connected_nodes, topological_order
from tests.graph.nodes import chain, loop, names_of, unit


def test_producers_come_first_ties_as_added() -> None:
    join, b, a = unit("join", inputs=2), unit("b"), unit("a")
    a.add_child(join)
    b.add_child(join)
    view = GraphView()
    view.add([join, b, a])
    assert names_of(view.topological_order()) == ["b", "a", "join"]


@given(st.data())
def test_every_edge_points_forward(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 12))
    nodes = [unit(str(i), inputs=i) for i in range(count)]
    for i, node in enumerate(nodes):
        for index in range(i):
            if data.draw(st.booleans()):
                nodes[index].add_child(node, 0, index)
    listed = data.draw(st.permutations(nodes))
    order = topological_order(listed)
    assert sorted(order, key=id) == sorted(nodes, key=id)
    position = {node: i for i, node in enumerate(order)}
    for node in nodes:
        assert all(position[parent.node] < position[node] for _, parent in node.edges_in())
    assert topological_order(listed) == order


def test_parents_outside_do_not_count() -> None:
    view = chain("a", "b", "c")
    b, c = view.get_node("b"), view.get_node("c")
    assert topological_order([c, b]) == [b, c]


def test_a_cycle_is_named() -> None:
    a, b, c, d = unit("a"), unit("b", inputs=2), unit("c"), unit("d")
    a.add_child(b)
    b.add_child(c)
    c.add_child(b, 0, 1)
    c.add_child(d)
    view = GraphView()
    view.add([d, a, b, c])
    with pytest.raises(GraphError) as refusal:
        view.topological_order()
    assert str(refusal.value) in {
        f"graph: has a cycle without initial data (found {path}). Close the cycle through a "
        "Memorize node, whose second input gives the first value."
        for path in ("b (Unit) -> c (Unit) -> b (Unit)", "c (Unit) -> b (Unit) -> c (Unit)")
    }


def test_back_edges_close_no_cycle() -> None:
    memory, body = loop("m"), unit("body")
    memory.add_child(body, 1, 0)
    body.add_child(memory, 0, 0)
    assert names_of(topological_order([body, memory])) == ["m", "body"]
    assert memory.parent_is_back_edge(0)
    assert not memory.parent_is_back_edge(1)


def test_connected_nodes_in_order_of_creation() -> None:
    view = chain("a", "b", "c")
    alone = unit("alone")
    assert names_of(connected_nodes(view.get_node("b"))) == ["a", "b", "c"]
    assert connected_nodes(alone) == [alone]


def test_long_chains_need_no_recursion() -> None:
    view = chain(*map(str, range(3000)))
    assert len(view.topological_order()) == 3000
    assert len(connected_nodes(view.get_node("0"))) == 3000
    assert len(view.clone()) == 3000
    assert view.forward_dims([[2]])


@given(st.data())
def test_an_order_that_was_asked_for_before_follows_what_changed_since(data: st.DataObject) -> None:
    nodes = [unit(str(i), inputs=3) for i in range(6)]
    view, other = GraphView(), GraphView()
    view.add(nodes)
    other.add(nodes[:3])
    for _ in range(data.draw(st.integers(1, 12))):
        early, late = sorted(data.draw(st.lists(st.integers(0, 5), min_size=2, max_size=2)))
        match data.draw(st.sampled_from(["connect", "disconnect", "add", "remove"])):
            case "connect" if early < late and nodes[late].get_nb_free_inputs():
                nodes[early].add_child(nodes[late])
            case "disconnect":
                nodes[late].reset_connections()
            case "add":
                view.add(nodes[early])
            case "remove":
                view.remove(nodes[early], include_learnable_params=False)
        for each in (view, other):
            order = each.topological_order()
            assert order == topological_order(each)
            order.clear()  # it is nobody else's


def test_nodes_know_the_views_that_are_left() -> None:
    node = unit("a")
    view, gone = GraphView("left"), GraphView("gone")
    for each in (view, gone, view):
        each.add(node)
    del each, gone
    assert list(node._views) == [view]
    view.remove(node)
    assert not list(node._views)
