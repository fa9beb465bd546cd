"""Meta-operators: ports shared with what is inside, copies, and their expansion."""

from __future__ import annotations

import numpy as np
import pytest

import aidge_nb
from aidge_nb.core.errors import DataDependencyError, ShapeError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import (
    GraphView,
    MetaOperator,
    MetaOperatorOp,
    Node,
    Port,
    expand_metaop,
    expand_metaops,
    get_connected_graph_view,
    parallel,
    sequential,
)
from tests.graph.nodes import chain, edges_of, names_of, ports_of, unit


def _twice(name: str, inner: str = "i") -> Node:
    return MetaOperator("Twice", chain(f"{inner}0", f"{inner}1"), name)


def _operator(node: Node) -> MetaOperatorOp:
    operator = node.get_operator()
    assert isinstance(operator, MetaOperatorOp)
    return operator


class TestPorts:
    def test_tensors_are_those_inside(self) -> None:
        node = _twice("m")
        inner = _operator(node).micro_graph
        assert node.get_operator().get_output(0) is inner.get_node("i1").get_operator().get_output(
            0
        )
        given = Tensor([1.0])
        node.get_operator().set_input(0, given)
        assert inner.get_node("i0").get_operator().get_input(0) is given
        node.get_operator().set_input(0, Tensor([1.0, 2.0]))
        assert given.dims == [2]
        node.get_operator().reset_input(0)
        assert inner.get_node("i0").get_operator().get_input(0) is None

    def test_an_edge_reaches_inside(self) -> None:
        a, node = unit("a"), _twice("m")
        a.add_child(node)
        inner = _operator(node).micro_graph.get_node("i0").get_operator()
        assert inner.get_input(0) is a.get_operator().get_output(0)
        node.remove_parent(0)
        assert inner.get_input(0) is None

    def test_one_outer_input_may_feed_several_inner_ones(self) -> None:
        a, b, join = unit("a"), unit("b"), unit("join", 2)
        a.add_child(join)
        b.add_child(join)
        inner = GraphView()
        inner.add([a, b, join])
        node = MetaOperator("Both", inner, "m", input_ports=[[Port(a, 0), Port(b, 0)]])
        assert node.get_nb_inputs() == 1
        node.get_operator().set_input(0, Tensor.of_dims([3]))
        assert a.get_operator().get_input(0) is b.get_operator().get_input(0)
        view = GraphView()
        view.add(node)
        assert view.forward_dims()
        expand_metaops(view)
        assert len(view.get_input_groups()) == 1

    def test_what_it_is(self) -> None:
        node = _twice("m")
        assert (node.type(), node.label) == ("Twice", "m (Twice)")
        assert not node.get_operator().is_atomic()
        assert _operator(node).get_micro_graph() is node.get_operator().micro_graph


class TestDims:
    def test_through_the_micro_graph(self) -> None:
        view = sequential([unit("a"), _twice("m")])
        assert view.forward_dims([[2, 3]])
        assert view.get_node("m").get_operator().get_output(0).dims == [2, 3]

    def test_missing_inside(self) -> None:
        node = MetaOperator("Join", sequential([unit("i", 2)]), "m")
        node.get_operator().associate_input(0, Tensor.of_dims([2]))
        with pytest.raises(ShapeError, match=r"m \(Join\): Missing mandatory input#1 for node \[i"):
            node.get_operator().infer_dims(lambda index: None)

    def test_unknown_inside(self) -> None:
        inner = sequential([aidge_nb.GenericOperator("Odd", 1, 0, 1, name="odd")])
        node = MetaOperator("Wrap", inner, "m")
        node.get_operator().associate_input(0, Tensor.of_dims([2]))
        with pytest.raises(DataDependencyError) as refusal:
            node.get_operator().infer_dims(lambda index: None)
        assert str(refusal.value).startswith("m (Wrap): dims inside stay unknown (found odd (Odd))")

    def test_macs_are_those_inside(self) -> None:
        conv = aidge_nb.PaddedConv2D(1, 2, [3, 3], name="c", padding_dims=[1, 1, 1, 1])
        view = get_connected_graph_view(conv)
        assert conv.get_operator().macs() is None
        assert view.forward_dims([[1, 1, 4, 4]])
        assert conv.get_operator().macs() == 16 * 2 * 9

    def test_macs_of_a_loop_are_those_of_all_its_steps(self) -> None:
        view = aidge_nb.zoo.load("lstm_classifier")
        assert view.forward_dims([[7, 1, 4]], True)
        (layer,) = (node for node in view if node.type() == "LSTM_ONNX")
        gates, read, hidden = 4, 4, 8
        assert layer.get_operator().macs() == 7 * gates * hidden * (read + hidden)


class TestInPlace:
    """In the place of which inputs the output of a meta-operator may be written."""

    @staticmethod
    def _in_place(*nodes: Node) -> tuple[int, ...]:
        """Ask a meta-operator of nodes in a row, times a further input."""
        product = aidge_nb.Mul(name="product")
        view = sequential([*nodes, product])
        return MetaOperator("Gated", view).get_operator().spec.in_place

    def test_those_that_are_read_element_by_element(self) -> None:
        assert self._in_place(aidge_nb.Tanh(), aidge_nb.Sigmoid()) == (0, 1)

    @pytest.mark.parametrize("node", [aidge_nb.Softmax(-1), aidge_nb.Transpose([1, 0])], ids=str)
    def test_not_those_of_which_elements_are_read_together(self, node: Node) -> None:
        assert self._in_place(aidge_nb.Tanh(), node.clone()) == (1,)

    def test_inside_each_other(self) -> None:
        inner = MetaOperator("Inner", sequential([aidge_nb.Tanh(), aidge_nb.Exp()]))
        assert self._in_place(inner) == (0, 1)
        rows = sequential([aidge_nb.Tanh(), aidge_nb.Softmax(-1)])
        assert self._in_place(MetaOperator("Rows", rows)) == (1,)

    def test_not_with_two_outputs(self) -> None:
        """One of them may be written before the other has read what it needs."""
        fork = aidge_nb.get_connected_graph_view(aidge_nb.Tanh(name="start"))
        for name in ("left", "right"):
            fork.add_child(aidge_nb.Exp(name=name), "start")
        assert MetaOperator("Fork", fork).get_operator().spec.in_place == ()


class TestClone:
    def test_is_independent(self) -> None:
        node = _twice("m")
        node.get_operator().set_input(0, Tensor([1.0]))
        twin = node.clone()
        assert twin.type() == "Twice"
        assert not set(_operator(twin).micro_graph) & set(_operator(node).micro_graph)
        twin.get_operator().associate_input(0, Tensor([1.0, 2.0]))
        inner = _operator(node).micro_graph.get_node("i0").get_operator().get_input(0)
        assert inner is not None
        assert inner.dims == [1]

    def test_in_a_view(self) -> None:
        view = sequential([unit("a"), _twice("m"), unit("b")])
        copy = view.clone()
        assert edges_of(copy) == edges_of(view)
        assert copy.forward_dims([[4]])
        assert view.get_node("b").get_operator().get_output(0).undefined()
        expand_metaops(copy)
        assert "m" in names_of(list(view))
        assert edges_of(copy) == {"a.0>i0.0", "i0.0>i1.0", "i1.0>b.0"}

    def test_direct_tensors_stay_shared_with_the_inside(self) -> None:
        view = sequential([_twice("m")])
        view.get_node("m").get_operator().set_input(0, Tensor([1.0]))
        copy = view.clone().get_node("m")
        inner = _operator(copy).micro_graph.get_node("i0").get_operator()
        assert inner.get_input(0) is copy.get_operator().get_input(0)


class TestExpansion:
    def test_takes_the_place_of_the_node(self) -> None:
        view = sequential([unit("a"), _twice("m"), unit("b")])
        expand_metaops(view)
        assert edges_of(view) == {"a.0>i0.0", "i0.0>i1.0", "i1.0>b.0"}
        assert set(names_of(list(view))) == {"a", "i0", "i1", "b"}

    def test_ports_of_the_graph_keep_their_order(self) -> None:
        view = parallel([_twice("m", "x"), unit("a"), _twice("n", "y")])
        expand_metaops(view)
        assert ports_of(view.get_ordered_inputs()) == [("x0", 0), ("a", 0), ("y0", 0)]
        assert ports_of(view.get_ordered_outputs()) == [("x1", 0), ("a", 0), ("y1", 0)]

    def test_ports_keep_their_order_although_nobody_set_it(self) -> None:
        view = GraphView()
        view.add([_twice("m"), unit("a")])
        expand_metaops(view)
        assert ports_of(view.get_ordered_inputs()) == [("i0", 0), ("a", 0)]
        assert ports_of(view.get_ordered_outputs()) == [("i1", 0), ("a", 0)]

    def test_direct_tensors_stay(self) -> None:
        view = sequential([_twice("m")])
        given = Tensor([1.0])
        view.get_node("m").get_operator().set_input(0, given)
        expand_metaops(view)
        assert view.get_node("i0").get_operator().get_input(0) is given

    @pytest.mark.parametrize("recursive", [False, True])
    def test_metas_inside(self, recursive: bool) -> None:
        outer = MetaOperator("Outer", sequential([_twice("in"), unit("last")]), "m")
        view = sequential([unit("a"), outer, unit("b")])
        expand_metaops(view, recursive=recursive)
        if recursive:
            assert edges_of(view) == {"a.0>i0.0", "i0.0>i1.0", "i1.0>last.0", "last.0>b.0"}
        else:
            assert edges_of(view) == {"a.0>in.0", "in.0>last.0", "last.0>b.0"}

    def test_names(self) -> None:
        view = sequential([_twice("m"), _twice("n")])
        expand_metaops(view, name_format="{2}.{3}.{0}.{1}")
        assert set(names_of(list(view))) == {
            f"{meta}.Twice.{inner}.Unit" for meta in "mn" for inner in ("i0", "i1")
        }

    def test_unique_names(self) -> None:
        view = sequential([_twice("m"), _twice("n"), unit("i0")])
        expand_metaops(view, unique_name=True)
        names = names_of(list(view))
        assert sorted(names) == ["i0", "i0_0", "i0_1", "i1", "i1_0"]
        same = sequential([_twice("m"), _twice("n")])
        expand_metaops(same)
        assert sorted(names_of(list(same))) == ["i0", "i0", "i1", "i1"]

    def test_one_of_several(self) -> None:
        view = sequential([_twice("m"), _twice("n")])
        assert expand_metaop(view.get_node("m"), "{2}_{0}", unique_name=True)
        assert edges_of(view) == {"m_i0.0>m_i1.0", "m_i1.0>n.0"}
        assert not expand_metaop(view.get_node("m_i0"))

    def test_the_lstm_of_the_tutorial(self) -> None:
        lstm = aidge_nb.LSTM(in_channels=4, hidden_channels=8, seq_length=5)
        model = get_connected_graph_view(lstm)
        expand_metaops(model)
        kinds = [node.type() for node in model]
        assert len(kinds) == 40
        counts = {kind: kinds.count(kind) for kind in sorted(set(kinds))}
        assert counts == {
            "Add": 5,
            "FC": 8,
            "Identity": 1,
            "Memorize": 2,
            "Mul": 3,
            "Producer": 16,
            "Sigmoid": 3,
            "Tanh": 2,
        }
        assert {node.name() for node in model} == {""}
        inputs = [port.node.type() for port in model.get_ordered_inputs()]
        assert inputs == ["Identity", "Memorize", "Memorize"]
        outputs = [port.node.type() for port in model.get_ordered_outputs()]
        assert outputs == ["Mul", "Memorize", "Memorize"]
        assert model.forward_dims([[2, 4], [2, 8], [2, 8]])


def test_dtype_and_backend_reach_inside() -> None:
    node = aidge_nb.PaddedConv2D(1, 2, [3, 3], padding_dims=[1, 1, 1, 1])
    view = get_connected_graph_view(node)
    view.compile("cpu", "float16", dims=[[1, 1, 4, 4]])
    micro = node.get_operator().micro_graph
    assert micro is not None
    assert {inner.get_operator().backend() for inner in micro} == {"cpu"}
    assert node.get_operator().get_output(0).dtype.numpy == np.float16
