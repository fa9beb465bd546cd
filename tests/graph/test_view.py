"""Graph views: nodes, ordered inputs and outputs, names, independent copies."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aidge_nb.core.errors import GraphError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import GraphView, Port
from tests import oracle
from tests.graph.nodes import chain, edges_of, loop, names_of, optional, ports_of, source, unit


class TestNodes:
    def test_keep_the_order_of_addition(self) -> None:
        a, b = unit("a"), unit("b")
        view = GraphView("net")
        view.add([b, a])
        view.add(b)
        assert list(view) == list(view.get_nodes()) == [b, a]
        assert len(view) == 2
        assert a in view
        assert view.get_nodes() == {a, b}
        assert repr(view) == "GraphView(net, 2 nodes)"
        assert repr(GraphView()) == "GraphView((unnamed), 0 nodes)"

    def test_the_set_of_nodes_is_a_copy(self) -> None:
        view = chain("a", "b")
        for node in view.get_nodes():
            view.remove(node)
        assert len(view) == 0

    def test_adding_a_node_brings_its_producers(self) -> None:
        weights, node, before = source([2], "w"), optional("fc"), unit("before")
        before.add_child(node)
        weights.add_child(node, 0, 1)
        view = GraphView()
        view.add(node)
        assert names_of(list(view)) == ["fc", "w"]
        bare = GraphView()
        bare.add(node, include_learnable_params=False)
        assert names_of(list(bare)) == ["fc"]

    def test_removing_a_node_takes_the_producers_it_alone_reads(self) -> None:
        shared, own, a, b = source([2], "shared"), source([2], "own"), unit("a", 2), unit("b")
        shared.add_child(a)
        own.add_child(a)
        shared.add_child(b)
        view = GraphView()
        view.add([a, b])
        view.remove(a)
        assert names_of(list(view)) == ["shared", "b"]
        view.remove(b, include_learnable_params=False)
        assert names_of(list(view)) == ["shared"]
        view.remove(b)

    def test_find_by_name(self) -> None:
        view = chain("conv0", "relu0")
        assert view.get_node("relu0").name() == "relu0"
        assert view.in_view("relu0")
        assert view.in_view(view.get_node("conv0"))
        assert not view.in_view("relu1")
        assert not view.in_view(unit("relu0"))

    def test_a_name_that_is_not_there(self) -> None:
        view = chain("conv0", "conv1", "relu0")
        with pytest.raises(GraphError) as refusal:
            view.get_node("conv2")
        assert str(refusal.value) == (
            "graph chain: no node is called 'conv2'. Did you mean conv1, conv0?"
        )
        with pytest.raises(GraphError, match=r"no node is called 'x'$"):
            GraphView().get_node("x")


class TestAddChild:
    def test_behind_the_only_output(self) -> None:
        view = chain("a", "b")
        view.add_child(unit("c"))
        assert edges_of(view) == {"a.0>b.0", "b.0>c.0"}
        view.add_child(unit("d"), "a")
        with pytest.raises(GraphError) as refusal:
            view.add_child(unit("e"))
        assert "cannot choose the node to add after (expected one output node" in str(refusal.value)
        assert "Pass from_node=" in str(refusal.value)

    def test_a_view_behind_a_port(self) -> None:
        view = GraphView()
        view.add(unit("a", outputs=2))
        view.add_child(chain("b", "c"), "a", 1, 0)
        assert edges_of(view) == {"a.1>b.0", "b.0>c.0"}

    def test_a_view_without_inputs(self) -> None:
        view, other = chain("a"), GraphView("other")
        other.add(source([2], "w"))
        with pytest.raises(GraphError, match=r"graph other: has no free input"):
            view.add_child(other)


class TestPorts:
    def test_mandatory_inputs_first(self) -> None:
        a, b = optional("a"), unit("b")
        view = GraphView()
        view.add([a, b])
        assert ports_of(view.get_ordered_inputs()) == [("a", 0), ("a", 1), ("b", 0), ("a", 2)]
        assert names_of(view.get_input_nodes()) == ["a", "b"]

    def test_set_inputs_come_first(self) -> None:
        a, b = unit("a", 2), unit("b")
        view = GraphView()
        view.add([a, b])
        view.set_ordered_inputs([(b, 0), (a, 1)])
        assert ports_of(view.get_ordered_inputs()) == [("b", 0), ("a", 1), ("a", 0)]

    def test_inputs_fed_from_outside_count(self) -> None:
        view = chain("a", "b", "c")
        inner = GraphView()
        inner.add(view.get_node("b"))
        assert ports_of(inner.get_ordered_inputs()) == [("b", 0)]
        assert ports_of(inner.get_ordered_outputs()) == [("b", 0)]

    def test_outputs_that_are_read_in_and_outside(self) -> None:
        view = chain("a", "b", "c")
        view.add_child(unit("d"), "a")
        inner = GraphView()
        inner.add([view.get_node("a"), view.get_node("b")])
        assert ports_of(inner.get_ordered_outputs()) == [("a", 0), ("b", 0)]

    def test_the_last_value_of_a_loop_is_a_result(self) -> None:
        memory, body = loop("m"), unit("body")
        memory.add_child(body, 1, 0)
        body.add_child(memory, 0, 0)
        view = GraphView()
        view.add([memory, body])
        assert ports_of(view.get_ordered_outputs()) == [("m", 0)]

    def test_set_outputs_are_the_outputs(self) -> None:
        view = chain("a", "b", "c")
        c, a = view.get_node("c"), view.get_node("a")
        view.set_ordered_outputs([(c, 0), (a, 0)])
        assert ports_of(view.get_ordered_outputs()) == [("c", 0), ("a", 0)]
        assert names_of(view.get_output_nodes()) == ["c", "a"]
        view.remove(c)
        assert ports_of(view.get_ordered_outputs()) == [("a", 0)]

    def test_inputs_that_share_a_tensor_are_one_group(self) -> None:
        view = GraphView()
        a, b, c = unit("a"), unit("b"), unit("c")
        view.add([a, b, c])
        shared = Tensor()
        for node in (a, c):
            node.get_operator().associate_input(0, shared)
        assert [ports_of(g) for g in view.get_input_groups()] == [[("a", 0), ("c", 0)], [("b", 0)]]

    @pytest.mark.parametrize("kind", ["input", "output"])
    def test_ports_that_cannot_be_chosen(self, kind: str) -> None:
        view = chain("a")
        choose = view.set_ordered_inputs if kind == "input" else view.set_ordered_outputs
        with pytest.raises(GraphError, match=rf"b \(Unit\), {kind}#0: is not in this graph"):
            choose([(unit("b"), 0)])
        with pytest.raises(GraphError, match=rf"a \(Unit\), {kind}#3: no such {kind}"):
            choose([(view.get_node("a"), 3)])

    @pytest.mark.parametrize(
        "name", ["diamond_nested", "split_concat", "skip_to_join", "shared_producers", "dense_2"]
    )
    def test_are_those_of_aidge(self, name: str) -> None:
        recorded = oracle.load(name)
        built, _ = oracle.build_graph(recorded)
        view = GraphView()
        view.add(built.get_nodes())
        graph = recorded["graph"]
        assert {(n, i) for n, i in graph["ordered_inputs"]} == set(
            ports_of(view.get_ordered_inputs())
        )
        assert {(n, i) for n, i in graph["ordered_outputs"]} == set(
            ports_of(view.get_ordered_outputs())
        )


class TestNames:
    def test_ranks(self) -> None:
        view = GraphView()
        fc = [unit(name, kind="FC") for name in ("", "x", "")]
        view.add([*fc, unit("r", kind="ReLU")])
        assert list(view.get_ranked_nodes_name("{0}|{1}|{2}|{3}").values()) == [
            "|FC|0|0",
            "x|FC|1|1",
            "|FC|2|2",
            "r|ReLU|3|0",
        ]

    def test_the_unnamed_and_the_namesakes_are_told_apart(self) -> None:
        view = GraphView()
        view.add([unit(n, kind="FC") for n in ("", "same", "own", "same", "")])
        assert list(view.unique_names().values()) == [
            "(FC#0)",
            "same (FC#1)",
            "own",
            "same (FC#3)",
            "(FC#4)",
        ]

    @given(st.lists(st.sampled_from(["", "(FC#0)", "(FC#1)", "a", "a (FC#0)", "a (FC#2)"])))
    def test_names_are_unique_whatever_they_are(self, names: list[str]) -> None:
        view = GraphView()
        view.add([unit(name, kind="FC") for name in names])
        unique = view.unique_names()
        assert len(set(unique.values())) == len(names)
        for node, name in unique.items():
            if node.name() and names.count(node.name()) == 1:
                assert name == node.name()


class TestClones:
    def test_same_graph_other_objects(self) -> None:
        view = chain("a", "b", "c")
        view.add_child(unit("d", kind="Other"), "a")
        view.set_ordered_outputs([(view.get_node("d"), 0), (view.get_node("c"), 0)])
        view.annotations["x"] = 1
        view.get_node("a").annotations["y"] = 2
        copy = view.clone()
        assert edges_of(copy) == edges_of(view)
        assert names_of(list(copy)) == names_of(list(view))
        assert ports_of(copy.get_ordered_outputs()) == [("d", 0), ("c", 0)]
        assert copy.name() == view.name()
        assert not set(copy.get_nodes()) & set(view.get_nodes())
        assert copy.annotations == {"x": 1}
        copy.get_node("a").annotations["y"] = 3
        assert view.get_node("a").attributes() == {"y": 2}

    def test_tensors_are_independent(self) -> None:
        view = chain("a", "b")
        view.forward_dims([[2]])
        view.get_node("a").get_operator().get_output(0).set_array(np.zeros(2))
        copy = view.clone()
        output = copy.get_node("a").get_operator().get_output(0)
        assert output is copy.get_node("b").get_operator().get_input(0)
        output.array[0] = 1
        assert view.get_node("a").get_operator().get_output(0)[0] == 0

    def test_direct_tensors_are_copied_and_stay_shared(self) -> None:
        a, b = unit("a"), unit("b")
        view = GraphView()
        view.add([a, b])
        shared = Tensor([1.0])
        for node in (a, b):
            node.get_operator().associate_input(0, shared)
        copy = view.clone()
        inputs = [node.get_operator().get_input(0) for node in copy]
        assert inputs[0] is inputs[1]
        assert inputs[0] is not shared
        assert len(copy.get_input_groups()) == 1

    def test_parents_outside_are_left_behind(self) -> None:
        view = chain("a", "b")
        part = GraphView()
        part.add(view.get_node("b"))
        assert part.clone().get_node("b").get_parents() == [None]

    def test_the_map_says_which_became_which(self) -> None:
        view = chain("a", "b")
        copy, twin = view.clone_with_map()
        assert [twin[node] for node in view] == list(copy)


def test_a_port_knows_its_node() -> None:
    node = unit("a")
    assert Port(node, 1) == (node, 1)


def test_nodes_of_a_set_are_added_as_they_were_made() -> None:
    nodes = [unit(str(i)) for i in range(50)]
    view = GraphView()
    view.add(set(nodes))
    assert list(view) == nodes


def test_facts_follow_changes_of_the_view_alone() -> None:
    view = GraphView()
    view.add(chain("a", "b"))
    found = view.unique_names()
    before = view.edits
    chain("x", "y")  # another graph
    assert view.edits == before
    first, second = found
    first.set_name("other")
    assert list(view.unique_names().values()) == ["other", "b"]
    second.remove_parent(0)
    assert [port.node for port in view.get_ordered_inputs()] == [first, second]
    assert [port.node for port in view.get_ordered_outputs()] == [first, second]
