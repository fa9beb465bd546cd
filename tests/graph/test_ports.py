"""Ports under the names that aidge_core has; what they give was recorded from release 0.10.1."""

import pytest

import aidge_nb
from aidge_nb.core.errors import GraphError
from aidge_nb.graph import Port


def chain() -> aidge_nb.GraphView:
    return aidge_nb.sequential(
        [
            aidge_nb.Producer([1, 3, 8, 8], name="in"),
            aidge_nb.Conv2D(3, 4, [3, 3], name="c"),
            aidge_nb.ReLU(name="r"),
            aidge_nb.ReLU(name="r2"),
        ]
    )


def named(ports: list[Port]) -> list[tuple[str, int]]:
    return [(node.name(), index) for node, index in ports]


def test_of_a_view() -> None:
    view = chain()
    assert (view.get_nb_inputs(), view.get_nb_outputs()) == (0, 1)
    assert named(view.get_all_input_tuples()) == []
    assert named(view.get_all_output_tuples()) == [("r2", 0)]
    assert view.get_ordered_input_nodes() == []
    assert [node.name() for node in view.get_ordered_output_nodes()] == ["r2"]
    order = [node.name() for node in view.get_ordered_nodes()]
    assert order.index("in") < order.index("c") < order.index("r") < order.index("r2")


def test_of_a_node() -> None:
    node = chain().get_node("c")
    assert named(node.get_all_input_tuples()) == [("c", 0), ("c", 1), ("c", 2)]
    assert named(node.get_all_output_tuples()) == [("c", 0)]
    assert (node.get_nb_free_inputs(), node.get_nb_free_outputs()) == (0, 0)
    assert node.get_free_input_tuples() == node.get_free_output_tuples() == []
    alone = aidge_nb.Conv2D(3, 4, [3, 3], name="alone")
    assert named(alone.get_free_input_tuples()) == [("alone", 0)]
    assert alone.get_nb_free_outputs() == 1


def test_a_node_feeds_a_graph_at_its_first_input_or_at_the_one_that_is_named() -> None:
    inner = aidge_nb.parallel([aidge_nb.ReLU(name="a"), aidge_nb.Tanh(name="b")])
    first, second = inner.get_ordered_inputs()
    for wanted, port in ((None, first), ((second.node, second.index), second)):
        source = aidge_nb.ReLU(name="source")
        source.add_child(inner, 0, wanted)
        assert source.output(0) == [port]
        assert port.node.input(0) == source.port(0)
    with pytest.raises(GraphError, match=r"unknown input \(expected \[\].*None"):
        aidge_nb.ReLU(name="source").add_child(aidge_nb.GraphView())
    with pytest.raises(GraphError, match="in_idx of a node must be a number"):
        aidge_nb.ReLU(name="c").add_child(first.node, 0, (first.node, 0))


def test_a_graph_tells_what_feeds_it_and_what_it_feeds() -> None:
    outer = aidge_nb.sequential([aidge_nb.ReLU(name=name) for name in "abc"])
    inner = aidge_nb.GraphView()
    inner.add(outer.get_node("b"))
    assert inner.inputs() == [outer.get_node("a").port(0)]
    assert inner.outputs() == [[outer.get_node("c").port(0)]]
    assert outer.inputs() == [None]
    assert outer.outputs() == [[]]
