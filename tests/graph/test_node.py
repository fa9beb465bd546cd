"""Nodes and edges: ports, shared tensors, and every way an edge can be refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import aidge_nb
from aidge_nb.core.dtype import DType
from aidge_nb.core.errors import GraphError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import GraphView, InputCategory, Port
from tests.graph.nodes import loop, optional, unit


class TestNames:
    def test_label_names_the_type(self) -> None:
        node = unit("conv0", kind="Conv2D")
        assert node.label == "conv0 (Conv2D)"
        assert repr(node) == "Node(conv0, Conv2D)"
        node.set_name("")
        assert node.label == "(Conv2D)"
        assert repr(node) == "Node((unnamed), Conv2D)"
        assert node.get_operator().label == node.label

    def test_ids_follow_creation(self) -> None:
        assert unit().id() < unit().id()

    def test_names_of_ports(self) -> None:
        node = unit("a", inputs=2, outputs=2)
        assert node.inputs_names() == ["input_0", "input_1"]
        assert node.outputs_names() == ["output_0", "output_1"]
        assert node.output_name(7) == "output_7"


class TestEdges:
    def test_an_edge_is_seen_from_both_ends(self) -> None:
        a, b = unit("a"), unit("b", inputs=2)
        a.add_child(b, 0, 1)
        assert b.inputs() == [None, Port(a, 0)]
        assert b.get_parents() == [None, a]
        assert b.get_parent(1) is a
        assert b.get_parent(0) is None
        assert a.output(0) == [Port(b, 1)]
        assert a.outputs() == [[Port(b, 1)]]
        assert a.get_children() == [b]
        assert a.get_ordered_children() == [[b]]
        assert list(b.edges_in()) == [(1, Port(a, 0))]
        assert b.get_nb_free_inputs() == 1

    def test_both_ends_share_one_tensor(self) -> None:
        a, b, c = unit("a"), unit("b"), unit("c")
        a.add_child(b)
        a.add_child(c)
        tensor = a.get_operator().get_output(0)
        assert b.get_operator().get_input(0) is tensor
        assert c.get_operator().get_input(0) is tensor
        b.get_operator().set_input(0, Tensor([1.0, 2.0]))
        assert a.get_operator().get_output(0).array.tolist() == [1, 2]

    def test_a_node_does_not_wait_for_itself(self) -> None:
        a, memory = unit("a"), loop("m")
        with pytest.raises(GraphError, match=r"a \(Unit\), input#0: would wait .*a Memorize node"):
            a.add_child(a)
        assert a.inputs() == [None]
        assert a.outputs() == [[]]
        memory.add_child(memory, 1, 0)
        assert memory.get_parent(0) is memory
        with pytest.raises(GraphError, match="would wait for itself"):
            memory.add_child(memory, 0, 1)

    def test_only_nodes_are_fed(self) -> None:
        a: Any = unit("a")
        with pytest.raises(
            GraphError, match=r"a \(Unit\): cannot be connected to this object.*found 3"
        ):
            a.add_child(3)
        with pytest.raises(GraphError, match=r"cannot be connected to GraphView\(.*unknown input"):
            a.add_child(GraphView())

    def test_the_first_free_data_input_is_taken(self) -> None:
        a, b, join = unit("a"), unit("b"), unit("join", inputs=2)
        a.add_child(join)
        b.add_child(join)
        assert join.get_parents() == [a, b]

    def test_parameters_are_no_data_inputs(self) -> None:
        a, b, node = unit("a"), unit("b"), optional("node")
        assert node.input_category(1) is InputCategory.Param
        assert [node.is_optional_input(i) for i in range(3)] == [False, False, True]
        a.add_child(node)
        with pytest.raises(GraphError) as refusal:
            b.add_child(node)
        assert str(refusal.value) == "node (Unit): has no free data input for b (Unit), output#0"

    def test_children_are_listed_once(self) -> None:
        a, b = unit("a", outputs=2), unit("b", inputs=3)
        a.add_child(b, 0, 0)
        a.add_child(b, 0, 1)
        a.add_child(b, 1, 2)
        assert a.get_children() == [b]
        assert a.get_children(1) == [b]
        assert a.get_ordered_children() == [[b, b], [b]]

    def test_a_taken_input(self) -> None:
        a, b, c = unit("a"), unit("b"), unit("c")
        a.add_child(c)
        with pytest.raises(GraphError) as refusal:
            b.add_child(c, 0, 0)
        assert str(refusal.value) == (
            "c (Unit), input#0: is connected already (found a (Unit)). "
            "Disconnect it first with remove_parent()."
        )
        assert c.get_parents() == [a]
        assert b.get_children() == []


class TestPortsThatAreNotThere:
    @pytest.mark.parametrize("index", [-1, 2, 7])
    def test_inputs(self, index: int) -> None:
        a, b = unit("a"), unit("b", inputs=2)
        message = rf"b \(Unit\), input#{index}: no such input \(expected 0 to 1, found {index}\)"
        for action in (
            lambda: a.add_child(b, 0, index),
            lambda: b.input(index),
            lambda: b.remove_parent(index),
            lambda: b.get_parent(index),
        ):
            with pytest.raises(GraphError, match=message):
                action()

    @pytest.mark.parametrize("index", [-1, 1])
    def test_outputs(self, index: int) -> None:
        a, b = unit("a"), unit("b")
        message = rf"a \(Unit\), output#{index}: no such output \(expected 0 to 0, found {index}\)"
        for action in (
            lambda: a.add_child(b, index),
            lambda: a.output(index),
            lambda: a.get_children(index),
            lambda: a.remove_child(b, index),
        ):
            with pytest.raises(GraphError, match=message):
                action()

    def test_none_at_all(self) -> None:
        with pytest.raises(GraphError, match=r"expected no input at all, found 0"):
            unit("a", inputs=0).input(0)


class TestDisconnecting:
    def test_remove_parent(self) -> None:
        a, b = unit("a"), unit("b")
        a.add_child(b)
        b.remove_parent(0)
        assert a.get_children() == []
        assert b.get_parents() == [None]
        assert b.get_operator().get_input(0) is None
        b.remove_parent(0)

    def test_remove_child_tells_whether(self) -> None:
        a, b = unit("a"), unit("b", inputs=2)
        a.add_child(b)
        a.add_child(b)
        assert a.remove_child(b)
        assert b.get_parents() == [None, None]
        assert not a.remove_child(b)

    def test_reset_connections(self) -> None:
        a, b, c = unit("a"), unit("b"), unit("c")
        a.add_child(b)
        b.add_child(c)
        b.reset_connections()
        assert (a.get_children(), b.get_children(), c.get_parents()) == ([], [], [None])

    def test_clones_are_not_connected(self) -> None:
        a, b = unit("a"), unit("b")
        a.add_child(b)
        a.get_operator().get_output(0).resize([2])
        twin = a.clone()
        assert (twin.name(), twin.type(), twin.get_children()) == ("a", "Unit", [])
        assert twin.get_operator().get_output(0) is not a.get_operator().get_output(0)
        assert twin.get_operator().get_output(0).dims == [2]


MAKERS: dict[str, Callable[[Any], object]] = {
    "relu": aidge_nb.ReLU,
    "convolution": lambda name: aidge_nb.Conv2D(1, 1, [1, 1], name),
    "producer": lambda name: aidge_nb.Producer([2], name),
    "view": aidge_nb.GraphView,
    "renamed view": lambda name: aidge_nb.GraphView().set_name(name),
    "row": lambda name: aidge_nb.sequential([aidge_nb.ReLU()], name),
}


@pytest.mark.parametrize("name", [3, None, DType.float32])
@pytest.mark.parametrize("kind", MAKERS)
def test_what_is_no_string_is_no_name(kind: str, name: object) -> None:
    with pytest.raises(TypeError, match=r"its name is not a string \(expected str") as refusal:
        MAKERS[kind](name)
    assert isinstance(refusal.value, aidge_nb.AidgeError)
    assert "Pass the other arguments by their names" in str(refusal.value)
