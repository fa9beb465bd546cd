"""Nodes taken out by type and by query."""

from __future__ import annotations

import pytest

import aidge_nb
from aidge_nb.core.errors import GraphError
from aidge_nb.recipes import remove_node, remove_nodes
from tests.graph.nodes import chain, edges_of


def test_by_type() -> None:
    layers = [aidge_nb.FC(2, 3), aidge_nb.ReLU(), aidge_nb.Tanh(), aidge_nb.ReLU()]
    view = aidge_nb.sequential(layers)
    assert remove_node(view, "ReLU") == 2
    assert remove_node(view, "FC", incProducers=True) == 1
    assert [node.type() for node in view] == ["Tanh"]
    assert remove_node(view, "Conv2D") == 0


def test_by_query() -> None:
    view = chain("a", "b", "c", "d", "e")
    assert remove_nodes(view, "Unit#1->Unit->Unit;Unit#1<-$") == 3
    assert edges_of(view) == {"d.0>e.0"}


def test_the_last_one_stays() -> None:
    view = chain("a", "b")
    assert remove_nodes(view, "Unit->Unit") == 1
    assert len(view) == 1


def test_malformed_queries_change_nothing() -> None:
    view = chain("a", "b")
    with pytest.raises(GraphError, match="query: is malformed here"):
        remove_nodes(view, "Unit->")
    assert edges_of(view) == {"a.0>b.0"}
