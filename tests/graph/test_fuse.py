"""Fusing: what becomes of edges, ports, order and dimensions, and that the numbers stay."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aidge_nb
from aidge_nb.graph import (
    GraphView,
    MetaOperatorOp,
    Node,
    SinglePassGraphMatching,
    expand_metaops,
    fuse_nodes,
    fuse_to_metaops,
    parallel,
    sequential,
)
from tests import oracle
from tests.graph.nodes import chain, edges_of, names_of, optional, ports_of, source, unit

CASES = oracle.load("fuse_to_metaops_a")["cases"]


def _micro(node: Node) -> GraphView:
    operator = node.get_operator()
    assert isinstance(operator, MetaOperatorOp)
    return operator.get_micro_graph()


def _only(view: GraphView, kind: str) -> Node:
    (node,) = [node for node in view if node.type() == kind]
    return node


class TestAsAidge:
    @staticmethod
    def _rebuild(case: dict[str, Any]) -> GraphView:
        description = case["nodes_before"]
        recorded = next(
            oracle.load(name)
            for name in oracle.names()
            if name.startswith("match_")
            and {n["name"] for n in oracle.load(name)["graph"]["nodes"]}
            == {n["name"] for n in description["nodes"]}
        )
        return oracle.build_graph(recorded | {"runs": {}})[0]

    @staticmethod
    def _described(view: GraphView) -> list[Any]:
        """Describe a graph as the recording does; nodes without name go by their type."""
        described = [
            [
                node.name(),
                node.type(),
                [p and [p.node.name() or p.node.type(), p.index] for p in node.inputs()],
            ]
            for node in view
        ]
        return sorted(described, key=repr)

    @pytest.mark.parametrize("case", CASES, ids=[case["query"] for case in CASES])
    def test_graphs_and_micro_graphs(self, case: dict[str, Any]) -> None:
        view = self._rebuild(case)
        assert fuse_to_metaops(view, case["query"], case["type"]) == case["fused"]
        after = case["after"]["nodes"]
        assert self._described(view) == sorted(
            ([n["name"], n["op"], n["inputs"]] for n in after), key=repr
        )
        for key, ports in (
            ("ordered_inputs", view.get_ordered_inputs()),
            ("ordered_outputs", view.get_ordered_outputs()),
        ):
            named = [[port.node.name() or port.node.type(), port.index] for port in ports]
            assert named == case["after"][key]
        micros = [_micro(node) for node in view if node.type() == case["type"]]
        recorded = [each for each in after if "inside" in each]
        found = [
            (
                self._described(micro),
                list(map(list, ports_of(micro.get_ordered_inputs()))),
                list(map(list, ports_of(micro.get_ordered_outputs()))),
            )
            for micro in micros
        ]
        expected = [
            (
                sorted(([n["name"], n["op"], n["inputs"]] for n in each["inside"]), key=repr),
                each["inside_inputs"],
                each["inside_outputs"],
            )
            for each in recorded
        ]
        assert sorted(found, key=repr) == sorted(expected, key=repr)

    @pytest.mark.parametrize("case", CASES, ids=[case["query"] for case in CASES])
    def test_expansion_gives_the_graph_back(self, case: dict[str, Any]) -> None:
        view = self._rebuild(case)
        before = self._described(view)
        fuse_to_metaops(view, case["query"], case["type"])
        expand_metaops(view)
        assert self._described(view) == before == sorted(case["after_expand"], key=repr)


class TestOverlaps:
    def test_a_chain_stays_connected(self) -> None:
        """aidge_core 0.10.1 reports 3 here, and leaves the graph in pieces."""
        view = chain("a", "b", "c", "d")
        assert fuse_to_metaops(view, "Unit->Unit", "Pair") == 2
        first, second = view.topological_order()
        assert names_of(list(_micro(first))) == ["a", "b"]
        assert names_of(list(_micro(second))) == ["c", "d"]
        assert first.get_children() == [second]

    def test_what_is_left_out_is_logged(self, caplog: pytest.LogCaptureFixture) -> None:
        with caplog.at_level(logging.WARNING):
            fuse_to_metaops(chain("a", "b", "c", "d", "e"), "Unit->Unit", "Pair")
        assert "fusing [b (Unit), c (Unit)] into 'Pair', and 1 more: nodes are in another" in (
            caplog.text
        )
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            fuse_to_metaops(chain("a", "b", "c", "d"), "Unit->Unit->Unit->Unit", "Four")
        assert caplog.text == ""

    def test_matches_may_share_producers(self) -> None:
        weight = source([2], "w")
        first, second = unit("first", 2, kind="Mul"), unit("second", 2, kind="Mul")
        first.add_child(second)
        weight.add_child(first, 0, 1)
        weight.add_child(second, 0, 1)
        view = GraphView()
        view.add([first, second])
        assert fuse_to_metaops(view, "Mul<1~Producer", "Scale") == 2
        assert [node.type() for node in view] == ["Scale", "Scale"]
        tensors = [_micro(node).get_node("w").get_operator().get_output(0) for node in view]
        assert tensors[0] is tensors[1]
        expand_metaops(view)
        assert edges_of(view) == {"first.0>second.0", "w.0>first.1", "w.0>second.1"}
        assert len(view) == 3

    def test_a_producer_that_others_read_stays_for_them(self) -> None:
        weight = source([2], "w")
        scale, other = unit("scale", 2, kind="Mul"), unit("other", 2)
        for node in (scale, other):
            weight.add_child(node, 0, 1)
        view = GraphView()
        view.add([scale, other])
        assert fuse_to_metaops(view, "Mul<1~Producer", "Scale") == 1
        assert edges_of(view) == {"w.0>other.1"}
        expand_metaops(view)
        assert edges_of(view) == {"w.0>scale.1", "w.0>other.1"}


class TestPorts:
    def test_an_inner_output_that_is_read_outside_is_an_output(self) -> None:
        view = chain("a", "b", "c")
        view.add_child(unit("d"), "b")
        pair = [view.get_node("b"), view.get_node("c")]
        fused = fuse_nodes(pair, "Two", "two", inner_outputs=True)
        assert ports_of(_micro(fused).get_ordered_outputs()) == [("c", 0), ("b", 0)]
        assert edges_of(view) == {"a.0>two.0", "two.1>d.0"}
        expand_metaops(view)
        assert edges_of(view) == {"a.0>b.0", "b.0>c.0", "b.0>d.0"}

    def test_an_inner_output_of_the_graph_stays_one(self) -> None:
        view = chain("a", "b", "c")
        a, b, c = view
        view.set_ordered_outputs([(b, 0), (c, 0)])
        fuse_nodes([b, c], "Two", "two", inner_outputs=True)
        assert ports_of(view.get_ordered_outputs()) == [("two", 1), ("two", 0)]
        expand_metaops(view)
        assert ports_of(view.get_ordered_outputs()) == [("b", 0), ("c", 0)]
        assert a in view

    def test_of_the_graph_keep_their_order(self) -> None:
        view = parallel([chain("a", "b"), chain("c", "d"), unit("e")])
        fuse_nodes([view.get_node("a"), view.get_node("b")], "Two", "two")
        assert ports_of(view.get_ordered_inputs()) == [("two", 0), ("c", 0), ("e", 0)]
        assert ports_of(view.get_ordered_outputs()) == [("two", 0), ("d", 0), ("e", 0)]

    def test_without_anything_behind_them(self) -> None:
        last = optional("last")
        view = sequential([unit("a"), last])
        fused = fuse_nodes([last], "One", "one")
        categories = [fused.input_category(index).name for index in range(3)]
        assert categories == ["Data", "Param", "OptionalParam"]
        assert ports_of(view.get_ordered_inputs()) == [("a", 0), ("one", 1), ("one", 2)]

    def test_direct_tensors_stay(self) -> None:
        view = chain("a", "b")
        given_ = aidge_nb.Tensor([1.0])
        view.get_node("a").get_operator().set_input(0, given_)
        fused = fuse_nodes(list(view), "Two")
        assert fused.get_operator().get_input(0) is given_
        assert _micro(fused).get_node("a").get_operator().get_input(0) is given_

    def test_every_view_that_holds_the_nodes_is_changed(self) -> None:
        view = chain("a", "b", "c")
        part = GraphView("part")
        part.add([view.get_node("b"), view.get_node("c")])
        fuse_nodes(list(part), "Two", "two")
        assert names_of(list(view)) == ["a", "two"]
        assert names_of(list(part)) == ["two"]

    def test_the_new_node_is_where_the_last_one_was(self) -> None:
        view = chain("a", "b", "c", "d")
        fuse_nodes([view.get_node("b"), view.get_node("c")], "Two", "two")
        assert names_of(list(view)) == ["a", "two", "d"]


class TestDimensions:
    @staticmethod
    def _reshaped() -> GraphView:
        shape = aidge_nb.Producer(
            aidge_nb.Tensor(np.array([3, 2], np.int64)), name="shape", constant=True
        )
        relu, reshape = aidge_nb.ReLU(name="relu"), aidge_nb.Reshape(name="reshape")
        relu.add_child(reshape, 0, 0)
        shape.add_child(reshape, 0, 1)
        view = GraphView()
        view.add([relu, reshape])
        return view

    def test_follow_from_constants_around_the_node(self) -> None:
        view = self._reshaped()
        assert fuse_to_metaops(view, "ReLU->Reshape", "Shaped") == 1
        assert view.forward_dims([[2, 3]])
        assert _only(view, "Shaped").get_operator().get_output(0).dims == [3, 2]

    def test_follow_from_constants_inside(self) -> None:
        view = self._reshaped()
        assert fuse_to_metaops(view, "ReLU->Reshape#;Reshape#<1-Producer", "Shaped") == 1
        assert len(view) == 1
        assert view.forward_dims([[2, 3]])


class TestGraphFunction:
    def test_sees_each_match(self) -> None:
        view = chain("a", "b", "c", "d")
        seen = []
        matching = SinglePassGraphMatching(view)
        matching.add_node_lambda("late", lambda node: node.name() > "b")

        def rename(graph: GraphView) -> None:
            seen.append(names_of(list(graph)))
            for node in graph:
                node.set_name(f"inner_{node.name()}")

        assert fuse_to_metaops(matching, "Unit[late]->Unit", "Two", rename) == 1
        assert seen == [["c", "d"]]
        assert names_of(list(_micro(_only(view, "Two")))) == ["inner_c", "inner_d"]

    def test_may_replace_nodes(self) -> None:
        view = chain("a", "b", "c")

        def shorten(graph: GraphView) -> None:
            GraphView.replace(set(graph), {unit("x")})

        assert fuse_to_metaops(view, "Unit->Unit", "One", shorten) == 1
        assert names_of(list(_micro(_only(view, "One")))) == ["x"]
        assert [node.type() for node in view.topological_order()] == ["One", "Unit"]

    def test_the_backend_is_that_of_the_nodes_inside(self) -> None:
        view = sequential([aidge_nb.ReLU(), aidge_nb.Tanh()])
        view.set_backend("cpu")
        fuse_to_metaops(view, "ReLU->Tanh", "Act")
        (result,) = aidge_nb.SequentialScheduler(view).forward(data=[np.zeros(2, np.float32)])
        assert result.array.tolist() == [0, 0]


UNARY = {"ReLU": aidge_nb.ReLU, "Tanh": aidge_nb.Tanh, "Abs": aidge_nb.Abs}


@given(
    kinds=st.lists(st.sampled_from([*UNARY, "Add", "Mul"]), min_size=1, max_size=12),
    picks=st.lists(st.integers(0, 50), min_size=24, max_size=24),
    inner_outputs=st.booleans(),
    query=st.sampled_from(
        [".~>.", ".~>.->.", ".~>(.&.)", "Add<*~.", ".~>.#;.#<*~.", "(.#~>.)+", ".~>.?->.", ".->.+"]
    ),
)
def test_random_graphs_compute_the_same(
    kinds: list[str], picks: list[int], query: str, inner_outputs: bool
) -> None:
    start = aidge_nb.Abs(name="start")
    nodes = [start]
    for number, kind in enumerate(kinds):
        ports = 2 if kind in ("Add", "Mul") else 1
        make = UNARY.get(kind) or getattr(aidge_nb, kind)
        node = make(name=f"n{number}")
        for index in range(ports):
            nodes[picks[2 * number + index] % len(nodes)].add_child(node, 0, index)
        nodes.append(node)
    view = GraphView()
    view.add(nodes)
    view.set_backend("cpu")
    data = np.linspace(-1, 1, 5, dtype=np.float32)

    def results() -> list[np.ndarray]:
        outputs = aidge_nb.SequentialScheduler(view).forward(data=[data])
        return [np.asarray(output).copy() for output in outputs]

    expected, edges = results(), edges_of(view)
    fuse_to_metaops(view, query, "Fused", inner_outputs=inner_outputs)
    found = results()
    assert len(found) == len(expected)
    for new, old in zip(found, expected, strict=True):
        np.testing.assert_array_equal(new, old)
    scheduler = aidge_nb.SequentialScheduler(view)
    scheduler.generate_scheduling()
    aidge_nb.runtime.check_execution(view, scheduler.plan_memory(), [data])  # blocks in place
    expand_metaops(view)
    assert edges_of(view) == edges
