"""Graph queries in the live view: what lights up, and what becomes of a fusion."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import aidge_nb
from aidge_nb.graph import GraphView, SinglePassGraphMatching
from aidge_nb.widgets import QueryBench, query_bench


@pytest.fixture
def graph() -> GraphView:
    layers = [aidge_nb.FC(4, 4, name="fc"), aidge_nb.Tanh(name="a"), aidge_nb.ReLU(name="b")]
    return aidge_nb.sequential([*layers, aidge_nb.Tanh(name="c"), aidge_nb.ReLU(name="d")])


@pytest.fixture
def bench(graph: GraphView) -> Iterator[QueryBench]:
    made = query_bench(graph, "Tanh->ReLU")
    yield made
    made.close()


def _answer(bench: QueryBench, key: str) -> object:
    return bench._found[key] if bench._found else None


def _lit(bench: QueryBench) -> list[str]:
    return [bench.scene.nodes[place].name for place in bench._found["nodes"]]


def test_what_a_query_matches_is_lit(bench: QueryBench) -> None:
    assert _lit(bench) == ["a", "b", "c", "d"]
    assert _answer(bench, "text") == "2 matches"
    assert [len(match) for match in bench.matches] == [2, 2]


def test_typing_lights_other_nodes(bench: QueryBench) -> None:
    bench.set_state({"query": "FC->Tanh"})
    assert _lit(bench) == ["fc", "a"]
    assert _answer(bench, "text") == "1 match"


def test_half_a_query_keeps_what_was_lit_and_says_what_is_missing(bench: QueryBench) -> None:
    bench.query = "Tanh->ReLU->"
    assert _lit(bench) == ["a", "b", "c", "d"]
    where = str(_answer(bench, "hint")).splitlines()
    assert where[0].startswith("query: is malformed here")
    assert where[2].index("^") - where[1].index("T") == len("Tanh->ReLU->")


def test_a_type_that_is_not_there_is_said(bench: QueryBench) -> None:
    bench.query = "Tanh->Relu"
    assert bench._found == {
        "nodes": [],
        "text": "0 matches",
        "hint": "the graph has no node of type Relu; did you mean ReLU?",
    }


def test_without_a_query_there_is_no_answer(graph: GraphView) -> None:
    """The browser takes an empty one for an answer without nodes, and stops."""
    assert query_bench(graph)._found is None


def test_words_are_left_to_the_browser(bench: QueryBench) -> None:
    bench.query = "tanh"
    assert (_answer(bench, "nodes"), bench.matches) == (None, ())


def test_weights_light_the_node_that_is_drawn(graph: GraphView) -> None:
    bench = query_bench(graph, "FC<1-Producer")
    assert _lit(bench) == ["fc"]


def test_predicates_of_a_matching(graph: GraphView) -> None:
    matching = SinglePassGraphMatching(graph)
    matching.add_node_lambda("late", lambda node: node.name() == "c")
    assert _lit(query_bench(matching, "Tanh[late]->ReLU")) == ["c", "d"]


def test_a_fusion_collapses_into_its_block(bench: QueryBench, graph: GraphView) -> None:
    assert bench.fuse("Act") == 2
    assert [node.type for node in bench.scene.nodes] == ["FC", "Act", "Act"]
    assert bench.query == "Act"
    assert len(graph) == 5
    bench.query = "FC->Act"
    assert len(bench.matches) == 1


def test_the_picture_fades_what_does_not_match(bench: QueryBench) -> None:
    bundle, _ = bench._repr_mimebundle_()
    assert bundle["image/svg+xml"].count('opacity="0.25"') == len(["fc", "input", "output"])
    assert bundle["text/plain"].endswith("; 2 matches")
    bench.query = ""
    assert 'opacity="0.25"' not in bench._repr_mimebundle_()[0]["image/svg+xml"]


def test_the_picture_begins_where_something_matches() -> None:
    layers = [aidge_nb.Exp(name=f"e{number}") for number in range(40)]
    graph = aidge_nb.sequential([*layers, aidge_nb.Tanh(name="a"), aidge_nb.ReLU(name="b")])
    picture = query_bench(graph, "Tanh->ReLU")._repr_mimebundle_()[0]["image/svg+xml"]
    assert ">a</text>" in picture
    assert ">e0</text>" not in picture
    assert ">e0</text>" in query_bench(graph, "Exp->Exp")._repr_mimebundle_()[0]["image/svg+xml"]
