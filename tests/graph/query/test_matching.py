"""Graph queries: what errors say, in which order matches come, and when matching ends."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aidge_nb
from aidge_nb.core.errors import GraphError
from aidge_nb.graph import GraphView, Node
from aidge_nb.graph.query import MatchingResult, SinglePassGraphMatching, matcher, parse_query
from tests.graph.nodes import chain, names_of, unit


def _names(matches: list[MatchingResult]) -> list[str]:
    return [" ".join(names_of(match.nodes)) for match in matches]


def _ladder(steps: int) -> GraphView:
    """Make ``steps`` diamonds one after the other: two ways through each."""
    view = GraphView()
    end = unit("start")
    view.add(end)
    for step in range(steps):
        left, right = unit(f"left{step}"), unit(f"right{step}")
        join = unit(f"join{step}", 2)
        for side in (left, right):
            end.add_child(side)
            side.add_child(join)
        view.add([left, right, join])
        end = join
    return view


class TestMalformedQueries:
    @pytest.mark.parametrize(
        ("query", "position", "message"),
        [
            ("A->", 3, "expected a type such as Conv2D, '.' for any, '$' for none, or '(', found"),
            ("A->J K", 5, "expected an edge such as -> or <1-, ';' or the end, found 'K'"),
            ("A-J", 1, "expected an edge such as ->, ~>, -1-0>, <- or <1~, found '-'"),
            ("A-1->B", 1, "expected an edge such as"),
            ("(A->B", 5, "expected ')', '&', '|' or an edge, found the end"),
            ("A->B)", 4, "found ')'"),
            ("A~>(B->C|D)", 8, "Put parentheses around a branch of several nodes: ((A->B)|C)"),
            ("A~>(B|C&D)", 7, "expected ')', '&', '|' or an edge, found '&'"),
            ("A->B{0}", 4, "expected how often at most, from 1 on, as in {2}"),
            ("A->B??", 5, "found '?'"),
            ("A->B[", 4, "expected the name of a predicate and ']', as in Conv2D[wide]"),
            ("A?->B", 0, "the root node cannot be optional"),
            ("((A)*)->B", 1, "the root node cannot be optional"),
            ("(A&B)", 0, "parallel branches have no node to start from"),
            ("(A->B)+", 0, "expected an anchor at its first node, as in (Add#<*-.)+"),
            ("A->B;B->C", 5, "a later part does not start with a known anchor"),
            ("A#1->B#;A#2->C", 8, "expected A#1 or B#"),
            ("A;;", 2, "found ';'"),
            (";", 0, "found ';'"),
            ("A[f]->B", 0, "unknown predicate 'f'"),
        ],
    )
    def test_show_where_and_what_was_expected(
        self, query: str, position: int, message: str
    ) -> None:
        view = chain("a", "b")
        with pytest.raises(GraphError) as refusal:
            SinglePassGraphMatching(view).match(query)
        text, line, mark = str(refusal.value).rsplit("\n", 2)
        assert message in text
        assert line.strip() == query
        assert mark.index("^") - 4 == position

    def test_predicates_that_cannot_be_asked(self) -> None:
        matching = SinglePassGraphMatching(chain("a"))
        with pytest.raises(GraphError, match=r"no query can write .* found 'is wide'"):
            matching.add_node_lambda("is wide", lambda node: True)
        with pytest.raises(GraphError, match=r"predicate 'wide': cannot be called .* found True"):
            matching.add_node_lambda("wide", True)  # type: ignore[arg-type]

    def test_groups_in_groups(self) -> None:
        matching = SinglePassGraphMatching(chain("a", "b"))
        assert len(matching.match("(" * 50 + "Unit->Unit" + ")" * 50)) == 1
        with pytest.raises(GraphError, match="expected at most 50 groups in each other"):
            matching.match("(" * 5000)

    def test_predicates_that_are_close(self) -> None:
        matching = SinglePassGraphMatching(chain("a"))
        matching.add_node_lambda("wide", lambda node: True)
        with pytest.raises(GraphError, match=r"unknown predicate 'wid' \(expected wide\)"):
            matching.match("Unit[wid]")

    @pytest.mark.parametrize("ask", [SinglePassGraphMatching, aidge_nb.fuse_to_metaops])
    def test_what_is_no_graph(self, ask: Callable[..., object]) -> None:
        arguments = () if ask is SinglePassGraphMatching else ("A->B",)
        with pytest.raises(GraphError, match=r"queries: is not a graph .* found list\)"):
            ask([], *arguments)

    def test_what_is_no_text(self) -> None:
        with pytest.raises(GraphError, match="query: must be a text"):
            parse_query(None)  # type: ignore[arg-type]

    @given(st.text(alphabet="AB.#1[]()->~<*+?{}&|;$ ", max_size=12))
    def test_any_text_is_a_query_or_an_error(self, text: str) -> None:
        matching = SinglePassGraphMatching(chain("a", "b"))
        refusal = None
        try:
            matching.match(text)
        except GraphError as error:
            refusal = str(error)
        assert refusal is None or refusal.endswith("^")


class TestResults:
    def test_come_in_the_order_of_the_graph(self) -> None:
        nodes = [unit(name) for name in "dcba"]
        for parent, child in zip(nodes[::-1], nodes[-2::-1], strict=False):
            parent.add_child(child)
        view = GraphView()
        view.add(nodes)
        assert _names(SinglePassGraphMatching(view).match("Unit->Unit")) == ["a b", "b c", "c d"]

    def test_have_what_aidge_gives(self) -> None:
        view = chain("a", "b", "c")
        (found,) = SinglePassGraphMatching(view).match("Unit#1->Unit->Unit#2->$")
        a, b, c = found.nodes
        assert (found.root_node, found.start_node, found.startNode) == (a, c, c)
        assert found.anchors == {"Unit": {"#1": a, "#2": c}}
        assert list(found.graph) == [a, b, c]
        assert repr(found) == "MatchingResult(a (Unit), b (Unit), c (Unit))"

    def test_show_themselves(self) -> None:
        view = chain("a", "b", "c")
        (found,) = SinglePassGraphMatching(view).match("Unit->Unit->$")
        bundle = found._repr_mimebundle_()
        assert bundle["text/plain"] == "MatchingResult(b (Unit), c (Unit))"
        assert any(len(value) > 100 for kind, value in bundle.items() if kind != "text/plain")
        nothing = SinglePassGraphMatching(view).match_from(view.get_node("a"), "Unit->$")
        assert nothing._repr_mimebundle_() == {"text/plain": "MatchingResult(nothing)"}

    def test_disjoint_ones_prefer_the_longest(self) -> None:
        view = chain(*"abcdefg")
        matching = SinglePassGraphMatching(view)
        found = matching.match("Unit->Unit{2}", disjoint=True)
        assert _names(found) == ["a b c", "d e f"]

    def test_from_one_node(self) -> None:
        view = chain("a", "b", "c")
        matching = SinglePassGraphMatching(view)
        node = view.get_node("b")
        assert names_of(matching.match_from(node, "Unit->Unit").nodes) == ["b", "c"]
        nothing = matching.match_from(view.get_node("c"), "Unit->Unit")
        assert (nothing.nodes, nothing.root_node, bool(nothing)) == ((), None, False)
        assert repr(nothing) == "MatchingResult(nothing)"
        with pytest.raises(GraphError, match=r"x \(Unit\): is not in the graph"):
            matching.match_from(unit("x"), "Unit")

    def test_nodes_outside_the_view_are_not_met(self) -> None:
        whole = chain("a", "b", "c")
        part = GraphView()
        part.add([whole.get_node("a"), whole.get_node("b")])
        matching = SinglePassGraphMatching(part)
        assert _names(matching.match("Unit->Unit")) == ["a b"]
        assert _names(matching.match("Unit->$")) == ["b"]

    def test_an_unknown_type_is_reported(self, caplog: pytest.LogCaptureFixture) -> None:
        layers = [aidge_nb.Conv2D(1, 1, [1, 1]), aidge_nb.ReLU()]
        with caplog.at_level(logging.WARNING):
            assert SinglePassGraphMatching(aidge_nb.sequential(layers)).match("Conv2d->ReLU") == []
        assert "the graph has no node of type Conv2d; did you mean Conv2D?" in caplog.text

    def test_cycles(self) -> None:
        a, b = unit("a"), unit("b")
        a.add_child(b)
        b.add_child(a)
        view = GraphView()
        view.add([a, b])
        matching = SinglePassGraphMatching(view)
        assert _names(matching.match("Unit->Unit")) == ["a b", "b a"]
        assert _names(matching.match("Unit#->Unit->Unit#")) == ["a b", "b a"]
        assert _names(matching.match("Unit->Unit+")) == ["a b", "b a"]


class TestRepetitions:
    def test_collect_all_readers(self) -> None:
        """Here aidge_core 0.10.1 does not end."""
        view = GraphView()
        start, left, right = unit("start"), unit("left"), unit("right")
        start.add_child(left)
        start.add_child(right)
        view.add([start, left, right])
        matching = SinglePassGraphMatching(view)
        assert _names(matching.match("(Unit#~>.)+")) == ["start left right"]

    def test_follow_all_paths(self) -> None:
        found = SinglePassGraphMatching(_ladder(3)).match("Unit~*>.+->$")
        whole = [match for match in found if len(match) == 7]
        assert len(whole) == 2**3

    def test_are_given_up_when_there_are_too_many(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(matcher, "MOST_PARTIAL_MATCHES", 50)
        with pytest.raises(GraphError, match="matches in too many ways"):
            SinglePassGraphMatching(_ladder(9)).match("Unit~*>.+")


def test_a_predicate_sees_the_node() -> None:
    seen: list[Node] = []

    def is_big(node: Node) -> bool:
        seen.append(node)
        return node.get_operator().get_output(0).size > 8

    small, big = aidge_nb.Producer([2, 3], name="small"), aidge_nb.Producer([3, 3], name="big")
    view = GraphView()
    view.add([small, big])
    matching = SinglePassGraphMatching(view)
    matching.add_node_lambda("big", is_big)
    assert _names(matching.match("Producer[big]")) == ["big"]
    assert seen == [small, big]


class TestQueriesOfGraphs:
    @given(picks=st.lists(st.integers(0, 40), min_size=12, max_size=12))
    def test_find_the_graph(self, picks: list[int]) -> None:
        nodes = [unit("start", 1, 2, "A")]
        for number in range(0, 12, 2):
            node = unit(f"n{number}", 2, 1, "BC"[picks[number] % 2])
            for index in range(2):
                parent = nodes[picks[number + index] % len(nodes)]
                output = picks[number] % parent.get_nb_outputs()
                parent.add_child(node, output, index)
            nodes.append(node)
        view = GraphView()
        view.add(nodes)
        matching = SinglePassGraphMatching(view)
        found = matching.match(matching.build_query_from(view))
        assert set(nodes) in [set(match.nodes) for match in found]

    def test_of_one_node(self) -> None:
        assert SinglePassGraphMatching.build_query_from(chain("a")) == "Unit#0"

    @pytest.mark.parametrize("names", [[], ["a", "b"]])
    def test_of_what_is_not_one_piece(self, names: list[str]) -> None:
        view = GraphView()
        view.add([unit(name) for name in names])
        with pytest.raises(GraphError, match="query: the graph must be one connected piece"):
            SinglePassGraphMatching.build_query_from(view)
