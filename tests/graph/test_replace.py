"""Replacing nodes: how ports are matched, and that a refusal leaves the graph as it was."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import pytest

from aidge_nb.core.errors import GraphError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import GraphView, Node, parallel, replace_nodes, sequential
from tests import oracle
from tests.graph.nodes import chain, edges_of, names_of, ports_of, source, unit

CASES = oracle.load("graph_replace")["cases"]
ARITY = {"Add": 2, "Mul": 2, "Producer": 0}


def _replace(view: GraphView, old: Iterable[str], new: Iterable[Node]) -> bool:
    return GraphView.replace({view.get_node(name) for name in old}, list(new))


def _recorded(described: list[dict[str, Any]]) -> GraphView:
    view = GraphView()
    view.add([unit(each["name"], len(each["inputs"]), 1, each["op"]) for each in described])
    for each in described:
        for index, parent in enumerate(each["inputs"]):
            if parent is not None:
                view.get_node(parent[0]).add_child(view.get_node(each["name"]), parent[1], index)
    return view


@pytest.mark.parametrize("case", CASES, ids=[case["title"] for case in CASES])
def test_as_aidge_does(case: dict[str, Any]) -> None:
    view = _recorded(case["before"]["nodes"])
    before = edges_of(view)
    kinds = dict(case["new"])
    new = [unit(name, ARITY.get(kind, 1), 1, kind) for name, kind in kinds.items()]
    for first, second in pairwise(new):
        first.add_child(second)
    if "after" not in case:
        with pytest.raises(GraphError, match="replace: inputs of old and new nodes do not match"):
            _replace(view, case["old"], new)
        assert edges_of(view) == before
        return
    assert _replace(view, case["old"], new) is case["returned"]
    after = _recorded(case["after"]["nodes"])
    assert edges_of(view) == edges_of(after)
    assert set(names_of(list(view))) == set(names_of(list(after)))
    found = set(ports_of(view.get_ordered_outputs()))
    assert found == {(name, index) for name, index in case["after"]["ordered_outputs"]}


class TestManyForOne:
    def test_one_input_feeds_all_tiles(self) -> None:
        view = chain("a", "conv", "b")
        tiles = [unit(f"t{i}") for i in range(3)]
        join = unit("concat", 3)
        for tile in tiles:
            tile.add_child(join)
        assert _replace(view, ["conv"], [*tiles, join])
        assert edges_of(view) == {
            *(f"a.0>t{i}.0" for i in range(3)),
            *(f"t{i}.0>concat.{i}" for i in range(3)),
            "concat.0>b.0",
        }

    def test_tiles_of_the_first_node_share_its_tensor(self) -> None:
        view = chain("conv", "b")
        given = Tensor([1.0])
        view.get_node("conv").get_operator().set_input(0, given)
        tiles = [unit("t0"), unit("t1")]
        join = unit("concat", 2)
        for tile in tiles:
            tile.add_child(join)
        assert _replace(view, ["conv"], [*tiles, join])
        assert [tile.get_operator().get_input(0) for tile in tiles] == [given, given]
        assert len(view.get_input_groups()) == 1

    def test_parameters_go_with_the_node(self) -> None:
        weights, conv = source([2], "w"), unit("conv", 2)
        a = unit("a")
        a.add_child(conv)
        weights.add_child(conv)
        view = GraphView()
        view.add([a, conv])
        w2, new = source([3], "w2"), unit("new", 2)
        w2.add_child(new, 0, 1)
        assert _replace(view, ["conv", "w"], [new, w2])
        assert edges_of(view) == {"a.0>new.0", "w2.0>new.1"}
        assert set(names_of(list(view))) == {"a", "new", "w2"}


class TestOrders:
    def test_inputs_keep_their_order(self) -> None:
        view = parallel([unit("a"), unit("b"), unit("c")])
        assert _replace(view, ["a"], [unit("x")])
        assert ports_of(view.get_ordered_inputs()) == [("x", 0), ("b", 0), ("c", 0)]

    def test_inputs_keep_their_order_although_nobody_set_it(self) -> None:
        view = GraphView()
        view.add([unit("a"), unit("b")])
        assert _replace(view, ["a"], [unit("x")])
        assert ports_of(view.get_ordered_inputs()) == [("x", 0), ("b", 0)]

    def test_a_bypassed_input_passes_its_place_on(self) -> None:
        view = parallel([sequential([unit("a"), unit("a2")]), unit("b")])
        given = Tensor([1.0])
        view.get_node("a").get_operator().set_input(0, given)
        assert _replace(view, ["a"], [])
        assert ports_of(view.get_ordered_inputs()) == [("a2", 0), ("b", 0)]
        assert view.get_node("a2").get_operator().get_input(0) is given

    def test_outputs_keep_their_order(self) -> None:
        view = parallel([unit("a"), unit("b")])
        assert _replace(view, ["a"], [unit("x")])
        assert ports_of(view.get_ordered_outputs()) == [("x", 0), ("b", 0)]

    def test_a_bypassed_output_passes_its_place_on(self) -> None:
        view = parallel([sequential([unit("a"), unit("a2")]), unit("b")])
        assert _replace(view, ["a2"], [])
        assert ports_of(view.get_ordered_outputs()) == [("a", 0), ("b", 0)]

    def test_an_inner_output_that_is_read_outside(self) -> None:
        view = chain("a", "b", "c")
        view.add_child(unit("d"), "b")
        view.set_ordered_outputs([(view.get_node(n), 0) for n in ("c", "d")])
        x, y = unit("x"), unit("y")
        x.add_child(y)
        new = GraphView()
        new.add([x, y])
        new.set_ordered_outputs([(x, 0), (y, 0)])
        assert GraphView.replace({view.get_node("b"), view.get_node("c")}, new)
        assert edges_of(view) == {"a.0>x.0", "x.0>y.0", "x.0>d.0"}
        assert ports_of(view.get_ordered_outputs()) == [("y", 0), ("d", 0)]

    def test_every_view_that_holds_the_node_is_changed(self) -> None:
        view = chain("a", "b", "c")
        part = GraphView("part")
        part.add(view.get_node("b"))
        assert _replace(view, ["b"], [unit("x")])
        assert names_of(list(part)) == ["x"]
        assert names_of(list(view)) == ["a", "c", "x"]


class TestRefusals:
    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            (["join"], [("x", 1, 1)], "inputs of old and new nodes do not match"),
            (["a"], [("x", 1, 2)], "outputs of old and new nodes do not match"),
            (["split"], [("x", 1, 1)], "outputs of old and new nodes do not match"),
            (["split"], [], "nothing to bypass to"),
            ([], [("x", 1, 1)], "no nodes to replace"),
        ],
    )
    def test_leave_the_graph_as_it_was(
        self, old: list[str], new: list[tuple[str, int, int]], message: str
    ) -> None:
        view = GraphView()
        a, split, join = unit("a"), unit("split", 1, 2), unit("join", 2)
        a.add_child(split)
        split.add_child(join, 0, 0)
        split.add_child(join, 1, 1)
        view.add([a, split, join])
        before = edges_of(view), names_of(list(view)), view.get_ordered_outputs()
        nodes = [unit(*each) for each in new]
        with pytest.raises(GraphError, match=f"replace: {message}"):
            _replace(view, old, nodes)
        assert (edges_of(view), names_of(list(view)), view.get_ordered_outputs()) == before
        assert all(port is None for node in nodes for port in node.inputs())

    def test_an_inner_output_that_is_read_outside_needs_a_successor(self) -> None:
        """aidge_core 0.10.1 leaves its reader behind, with a node that is in no graph."""
        view = chain("a", "b", "c")
        view.add_child(unit("d"), "b")
        before = edges_of(view)
        with pytest.raises(GraphError, match="outputs of old and new nodes do not match") as no:
            _replace(view, ["b", "c"], [unit("x")])
        assert "b (Unit), output#0" in str(no.value)
        assert edges_of(view) == before

    def test_ports_are_named(self) -> None:
        view = GraphView()
        view.add(unit("join", 2))
        with pytest.raises(GraphError) as refusal:
            _replace(view, ["join"], [unit("x", 3)])
        assert "'join (Unit), input#1'], found ['x (Unit), input#0'" in str(refusal.value)

    def test_more_outputs_may_be_allowed(self) -> None:
        view = chain("a", "b")
        new = unit("x", 1, 2)
        assert GraphView.replace({view.get_node("a")}, {new}, ignore_new_outputs=True)
        assert "x.0>b.0" in edges_of(view)

    def test_nodes_in_no_view(self) -> None:
        a, b = unit("a"), unit("b")
        a.add_child(b)
        assert replace_nodes([a], [unit("x")])
        assert [port.node.name() for _, port in b.edges_in()] == ["x"]
