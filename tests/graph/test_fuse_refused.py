"""What is not fused: nodes that would feed themselves, and outputs that are read outside."""

from __future__ import annotations

import logging

import pytest

import aidge_nb
from aidge_nb.core.errors import GraphError
from aidge_nb.graph import GraphView, expand_metaops, fuse_nodes, fuse_to_metaops
from tests.graph.nodes import chain, edges_of, names_of, ports_of, source, unit


class TestRefusals:
    @staticmethod
    def _around() -> GraphView:
        """Make a -> b -> d and a -> c -> d."""
        view = chain("a", "b")
        c, d = unit("c"), unit("d", 2)
        view.get_node("a").add_child(c)
        view.get_node("b").add_child(d)
        c.add_child(d)
        view.add([c, d])
        return view

    def test_a_node_that_would_feed_itself(self) -> None:
        view = self._around()
        before = edges_of(view), names_of(list(view))
        a, b, _, d = view
        with pytest.raises(GraphError, match="the new node would feed itself") as refusal:
            fuse_nodes([a, b, d], "Loop")
        assert "found a (Unit) -> c (Unit) -> d (Unit)" in str(refusal.value)
        assert (edges_of(view), names_of(list(view))) == before

    def test_such_matches_are_logged_and_left(self, caplog: pytest.LogCaptureFixture) -> None:
        view = self._around()
        before = edges_of(view)
        with caplog.at_level(logging.WARNING):
            assert fuse_to_metaops(view, "Unit~>Unit->Unit", "Loop") == 0
        assert edges_of(view) == before
        assert "fuse_to_metaops: fusing [a (Unit), b (Unit), d (Unit)] into 'Loop'" in caplog.text

    @staticmethod
    def _read_twice() -> GraphView:
        """Make a -> b -> c and b -> d."""
        view = chain("a", "b", "c")
        view.add_child(unit("d"), "b")
        return view

    def test_an_inner_output_that_is_read_outside(self) -> None:
        """aidge_core 0.10.1 fuses here, and leaves the reader outside with a node cut off."""
        view = self._read_twice()
        before = edges_of(view), names_of(list(view))
        a, b, c, _ = view
        with pytest.raises(
            GraphError, match=r"b \(Unit\), output#0 is read inside and outside"
        ) as no:
            fuse_nodes([a, b, c], "Three")
        assert "found d (Unit)" in str(no.value)
        assert (edges_of(view), names_of(list(view))) == before

    def test_an_inner_output_that_is_one_of_the_graph(self) -> None:
        view = chain("a", "b", "c")
        a, b, c = view
        view.set_ordered_outputs([(c, 0), (a, 0)])
        with pytest.raises(GraphError, match="found the outputs of the graph"):
            fuse_nodes([a, b], "Two")
        assert edges_of(view) == {"a.0>b.0", "b.0>c.0"}
        assert ports_of(view.get_ordered_outputs()) == [("c", 0), ("a", 0)]

    def test_matches_with_inner_outputs_are_logged_and_left(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        view = self._read_twice()
        before = edges_of(view)
        with caplog.at_level(logging.WARNING):
            assert fuse_to_metaops(view, "Unit->Unit~>Unit", "Three") == 0
        assert edges_of(view) == before
        assert "b (Unit), output#0 is read inside and outside" in caplog.text
        assert fuse_to_metaops(view, "Unit->Unit", "Two") == 1  # it ends where others read

    def test_matches_may_give_inner_outputs_away(self) -> None:
        view = self._read_twice()
        assert fuse_to_metaops(view, "Unit->Unit~>Unit", "Three", inner_outputs=True) == 1
        assert [port.index for port in view.get_node("d").inputs() if port] == [1]

    def test_a_reader_that_is_matched_too(self) -> None:
        view = self._read_twice()
        assert fuse_to_metaops(view, "Unit->Unit#~>Unit;Unit#~>Unit", "Four") == 1
        assert [node.type() for node in view] == ["Four"]

    def test_a_shared_producer_is_no_way_back(self) -> None:
        weight, around = source([2], "w"), unit("around")
        scale = unit("scale", 2, kind="Mul")
        weight.add_child(around)
        around.add_child(scale, 0, 0)
        weight.add_child(scale, 0, 1)
        view = GraphView()
        view.add([weight, around, scale])
        assert fuse_to_metaops(view, "Mul<1~Producer", "Scale") == 1
        (fused,) = [node for node in view if node.type() == "Scale"]
        assert [parent and parent.name() for parent in fused.get_parents()] == ["around"]
        expand_metaops(view)
        assert edges_of(view) == {"w.0>around.0", "around.0>scale.0", "w.0>scale.1"}

    def test_the_body_of_a_loop_is_no_way_back(self) -> None:
        state, add, act = aidge_nb.Memorize(3), unit("add", 2), unit("act")
        state.add_child(add, 0, 1)
        add.add_child(act)
        act.add_child(state, 0, 0)
        view = GraphView()
        view.add([state, add, act])
        body = fuse_nodes([add, act], "Body", "body")
        assert view.topological_order() == [state, body]
        assert state.get_parent(0) is body

    def test_part_of_a_loop(self) -> None:
        step, state = aidge_nb.Add(name="step"), aidge_nb.Memorize(3, name="state")
        state.add_child(step, 0, 1)
        step.add_child(state, 0, 0)
        after = unit("after")
        step.add_child(after)
        view = GraphView()
        view.add([step, state, after])
        with pytest.raises(GraphError, match="would feed itself"):
            fuse_nodes([state], "State")
        whole = fuse_nodes([step, state], "Loop", "loop", inner_outputs=True)
        assert view.topological_order()[0] is whole

    def test_nothing(self) -> None:
        with pytest.raises(GraphError, match="no nodes are given"):
            fuse_nodes([], "None")

    def test_no_match(self) -> None:
        view = chain("a", "b")
        assert fuse_to_metaops(view, "Unit->Unit->Unit", "Three") == 0
        assert edges_of(view) == {"a.0>b.0"}
