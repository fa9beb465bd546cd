"""Ports under the names that aidge_core has; what they give was recorded from release 0.10.1."""

import aidge_nb
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
