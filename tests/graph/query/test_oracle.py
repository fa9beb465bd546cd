"""Queries answered as aidge_core does, but where it is wrong; see ``data/queries/README.md``."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from aidge_nb.core.errors import GraphError
from aidge_nb.graph import GenericOperator, GraphView
from aidge_nb.graph.query import SinglePassGraphMatching
from tests import oracle

_FILE = Path(__file__).parents[2] / "data" / "queries" / "aidge_queries.json.gz"
RECORDED: dict[str, Any] = json.loads(gzip.decompress(_FILE.read_bytes()))
GRAPHS = [name for name in oracle.names() if name.startswith("match_")]


def _build(described: list[Any]) -> SinglePassGraphMatching:
    nodes = {
        name: GenericOperator(kind, len(inputs), 0, outputs, name=name)
        for name, kind, inputs, outputs in described
    }
    for name, _, inputs, _ in described:
        for index, parent in enumerate(inputs):
            if parent is not None:
                nodes[parent[0]].add_child(nodes[name], parent[1], index)
    view = GraphView()
    view.add(nodes.values())
    matching = SinglePassGraphMatching(view)
    matching.add_node_lambda("odd", lambda node: int(node.name()[1:]) % 2 == 1)
    matching.add_node_lambda("first", lambda node: node.name() <= "n3")
    return matching


def _answer(matching: SinglePassGraphMatching, query: str, disjoint: bool) -> list[Any] | None:
    try:
        found = matching.match(query, disjoint)
    except GraphError:
        return None
    answers = [
        [
            sorted(node.name() for node in match),
            match.root_node and match.root_node.name(),
            {
                kind: {anchor: node.name() for anchor, node in nodes.items()}
                for kind, nodes in match.anchors.items()
            },
        ]
        for match in found
    ]
    return sorted(answers, key=json.dumps)


def test_answers_are_those_of_aidge() -> None:
    assert len(RECORDED["cases"]) > 800
    wrong = []
    for graph, query, disjoint, expected in RECORDED["cases"]:
        found = _answer(_build(RECORDED["graphs"][graph]), query, disjoint)
        if found != expected:
            wrong.append((graph, query, disjoint, expected, found))
    assert wrong == []


@pytest.mark.parametrize(
    ("graph", "query", "disjoint", "theirs", "ours", "reason"),
    RECORDED["disagreements"],
    ids=[case[1] for case in RECORDED["disagreements"]],
)
def test_answers_that_are_better(
    graph: int, query: str, disjoint: bool, theirs: Any, ours: Any, reason: str
) -> None:
    found = _answer(_build(RECORDED["graphs"][graph]), query, disjoint)
    answer = None if found is None else [[" ".join(nodes), root] for nodes, root, _ in found]
    assert answer == ours
    assert answer != theirs, reason


@pytest.mark.parametrize("name", GRAPHS)
def test_recorded_graphs(name: str) -> None:
    recorded = oracle.load(name)
    differing = set(recorded.get("cases_differ", ()))
    view, _ = oracle.build_graph(recorded | {"runs": {}})
    matching = SinglePassGraphMatching(view)
    for number, case in enumerate(recorded["cases"]):
        found = _answer(matching, case["query"], case["disjoint"])
        if "raises" in case:
            assert found is None, case["query"]
        elif number not in differing:
            assert found is not None, case["query"]
            assert sorted(nodes for nodes, _, _ in found) == case["matches"], case["query"]
            anchors = sorted(json.dumps(each[2], sort_keys=True) for each in found)
            assert [each for each in anchors if each != "{}"] == case["anchors"], case["query"]


def test_disjoint_matches_where_aidge_takes_any() -> None:
    """Where its answer depends on addresses, ours are as many, disjoint, and come in order."""
    recorded = oracle.load("match_relu_chain")
    view, _ = oracle.build_graph(recorded | {"runs": {}})
    found = SinglePassGraphMatching(view).match("ReLU->ReLU", disjoint=True)
    assert [[node.name() for node in match] for match in found] == [["r0", "r1"], ["r2", "r3"]]
