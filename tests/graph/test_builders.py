"""Building graphs: chains, rows, shortcuts, and whatever is connected to a node."""

from __future__ import annotations

import logging
from typing import Any

import pytest

import aidge_nb
from aidge_nb.core.errors import GraphError
from aidge_nb.graph import GraphView, get_connected_graph_view, parallel, residual, sequential
from tests.graph.nodes import edges_of, names_of, optional, ports_of, source, unit


class TestSequential:
    def test_chains_nodes_and_views(self) -> None:
        inner = sequential([unit("b"), unit("c")])
        view = sequential([unit("a"), inner, unit("d")], "net")
        assert edges_of(view) == {"a.0>b.0", "b.0>c.0", "c.0>d.0"}
        assert view.name() == "net"
        assert ports_of(view.get_ordered_inputs()) == [("a", 0)]
        assert ports_of(view.get_ordered_outputs()) == [("d", 0)]

    def test_all_outputs_feed_the_free_data_inputs(self) -> None:
        view = sequential([unit("split", outputs=2), unit("join", inputs=2)])
        assert edges_of(view) == {"split.0>join.0", "split.1>join.1"}

    def test_a_row_then_a_join(self) -> None:
        view = sequential([unit("a"), parallel([unit("b"), unit("c")]), unit("join", 2)])
        assert edges_of(view) == {"a.0>b.0", "a.0>c.0", "b.0>join.0", "c.0>join.1"}
        assert ports_of(view.get_ordered_inputs()) == [("a", 0)]

    def test_one_output_feeds_each_node_of_a_row_once(self) -> None:
        view = sequential([unit("a"), parallel([unit("b", 2), unit("c")])])
        assert edges_of(view) == {"a.0>b.0", "a.0>c.0"}
        assert ports_of(view.get_ordered_inputs()) == [("a", 0), ("b", 1)]

    def test_outputs_too_many_are_left_with_a_warning(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        with caplog.at_level(logging.WARNING, "aidge_nb"):
            view = sequential([unit("split", outputs=2), unit("b")])
        assert edges_of(view) == {"split.0>b.0"}
        assert "2 outputs before it, 1 free data inputs; the last outputs stay free" in caplog.text

    def test_parameters_are_not_fed(self) -> None:
        view = sequential([unit("a"), optional("b")])
        assert edges_of(view) == {"a.0>b.0"}

    def test_a_block_that_takes_nothing(self) -> None:
        with pytest.raises(GraphError) as refusal:
            sequential([unit("a"), unit("b", inputs=0)])
        message = "Node(b, Unit): has no free data input (found ['a (Unit)'])"
        assert str(refusal.value) == message

    def test_empty(self) -> None:
        assert len(sequential([])) == 0


class TestParallel:
    def test_ports_in_order(self) -> None:
        view = parallel([unit("b"), unit("a", 2, 2)], "row")
        assert ports_of(view.get_ordered_inputs()) == [("b", 0), ("a", 0), ("a", 1)]
        assert ports_of(view.get_ordered_outputs()) == [("b", 0), ("a", 0), ("a", 1)]
        assert edges_of(view) == set()


class TestResidual:
    def test_the_last_joins_the_first(self) -> None:
        view = residual([unit("fork"), unit("a"), unit("join", 2)])
        assert edges_of(view) == {"fork.0>a.0", "a.0>join.0", "fork.0>join.1"}

    def test_around_views(self) -> None:
        body = sequential([unit("a"), unit("b")])
        view = residual([unit("fork"), body, unit("join", 2)])
        assert edges_of(view) == {"fork.0>a.0", "a.0>b.0", "b.0>join.0", "fork.0>join.1"}

    def test_needs_two_blocks(self) -> None:
        with pytest.raises(
            GraphError, match=r"residual: too few blocks \(expected at least 2, found 1\)"
        ):
            residual([unit("a")])

    def test_the_last_needs_a_second_input(self) -> None:
        with pytest.raises(GraphError, match=r"Node\(b, Unit\): has no free data input"):
            residual([unit("a"), unit("b")])


def test_connected_view_holds_all_that_is_connected() -> None:
    weights, node, after, alone = source([2], "w"), optional("fc"), unit("after"), unit("alone")
    weights.add_child(node, 0, 1)
    node.add_child(after)
    view = get_connected_graph_view(after)
    assert names_of(list(view)) == ["w", "fc", "after"]
    assert alone not in view
    assert isinstance(view, GraphView)


@pytest.mark.parametrize("builder", [aidge_nb.sequential, aidge_nb.parallel, aidge_nb.residual])
def test_what_is_no_list_of_blocks(builder: Any) -> None:
    name = builder.__name__
    with pytest.raises(GraphError, match=rf"{name}: needs a list .*Write {name}\(\[\.\.\.\]\)"):
        builder(unit("a"))
    with pytest.raises(GraphError, match=rf"{name}: needs a list of nodes or views .found 1\)"):
        builder([unit("a"), 1])
    with pytest.raises(GraphError, match="found 'ab'"):
        builder("ab")
