"""Search a graph for patterns, with the API of aidge_core's ``SinglePassGraphMatching``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING

from aidge_nb.core.errors import GraphError
from aidge_nb.core.log import logger
from aidge_nb.graph.query.build import build_query
from aidge_nb.graph.query.matcher import Matcher, Partial
from aidge_nb.graph.query.parser import parse_query, query_error
from aidge_nb.graph.query.result import MatchingResult
from aidge_nb.graph.query.syntax import Query, patterns
from aidge_nb.graph.view import GraphView, check_view

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node


class SinglePassGraphMatching:
    """Search of a graph for the matches of queries.

    A query names types joined by edges: ``Conv2D->ReLU``. ``->`` is the only edge of output 0 to
    input 0, ``~>`` leaves other readers alone, ``-1>`` is for input 1, ``-2-1>`` from output 2 to
    input 1, ``*`` for any; ``<-`` goes backwards. ``Add#1`` gives a node a name, so that a later
    part, behind ``;``, can go on from it; ``.`` is any type, ``$`` is nothing, ``Conv2D[wide]``
    asks a predicate. ``( )`` groups, ``?``, ``*``, ``+`` and ``{n}`` repeat (up to n times),
    ``(A&B)`` are branches of one node, ``(A|B)`` alternatives.

    Parameters
    ----------
    graph
        The graph; what is inside meta-operators is not looked at.

    Raises
    ------
    GraphError
        For what is no graph.

    Examples
    --------
    >>> import aidge_nb
    >>> layers = [aidge_nb.FC(4, 4, name="fc"), aidge_nb.ReLU(name="relu"), aidge_nb.Tanh(name="t")]
    >>> matching = SinglePassGraphMatching(aidge_nb.sequential(layers))
    >>> matching.match("FC->ReLU")
    [MatchingResult(fc (FC), relu (ReLU))]
    >>> matching.match("FC#<1-Producer;FC#->.+")[0].anchors
    {'FC': {'#': Node(fc, FC)}}
    """

    def __init__(self, graph: GraphView) -> None:
        check_view(graph, "queries")
        self._graph = graph
        self._predicates: dict[str, Callable[[Node], bool]] = {}

    @property
    def graph(self) -> GraphView:
        """The searched graph."""
        return self._graph

    def add_node_lambda(self, name: str, fn: Callable[[Node], bool]) -> None:
        """Register the predicate ``fn`` for queries such as ``Conv2D[name]``.

        Raises
        ------
        GraphError
            When no query could write the name, or ``fn`` cannot be called.

        Examples
        --------
        >>> import aidge_nb
        >>> layers = [aidge_nb.FC(4, 8, name="wide"), aidge_nb.FC(8, 2, name="narrow")]
        >>> matching = SinglePassGraphMatching(aidge_nb.sequential(layers))
        >>> matching.add_node_lambda("narrows", lambda node: node.name() == "narrow")
        >>> matching.match("FC[narrows]")
        [MatchingResult(narrow (FC))]
        """
        if not re.fullmatch(r"\w+", str(name)):
            raise GraphError.at(
                "predicate",
                "has a name that no query can write",
                expected="letters, digits and _",
                found=repr(name),
            )
        if not callable(fn):
            raise GraphError.at(
                f"predicate {name!r}",
                "cannot be called",
                expected="a function of a node",
                found=repr(fn),
            )
        self._predicates[name] = fn

    def match(self, query: str, disjoint: bool = False) -> list[MatchingResult]:
        """Find all matches, by root in graph order.

        Parameters
        ----------
        query
            What to look for.
        disjoint
            Whether a node may be in one match alone: long matches first, then those that start
            earlier in the graph.

        Raises
        ------
        GraphError
            When the query is malformed; shows where, and what was expected.
        """
        found = self.find(query)
        if not found:
            missing = self.missing_types(query)
            if missing:
                logger.warning("query %s: %s", query, missing)
        return keep_disjoint(found) if disjoint else found

    def find(self, query: str) -> list[MatchingResult]:
        """Find all matches like :meth:`match`, without warnings about absent types."""
        parsed = self._parse(query)
        return list(map(_result, Matcher(parsed, self._ordered(), self._predicates).run()))

    def match_from(self, node: Node, query: str) -> MatchingResult:
        """Find the first match that starts at a node; an empty match if none does.

        Raises
        ------
        GraphError
            When the query is malformed, or the node is not in the graph.
        """
        if node not in self._graph:
            raise GraphError.at(node.label, "is not in the graph", cure="Add it first.")
        parsed = self._parse(query)
        found = Matcher(parsed, self._ordered(), self._predicates).run(node)
        return _result(found[0]) if found else MatchingResult((), None, None, {})

    @staticmethod
    def build_query_from(graph: GraphView) -> str:
        """Write the query of a graph; see :func:`aidge_nb.graph.query.build_query`."""
        return build_query(graph)

    def _parse(self, query: str) -> Query:
        parsed = parse_query(query)
        for pattern in patterns(parsed):
            if pattern.predicate and pattern.predicate not in self._predicates:
                close = get_close_matches(pattern.predicate, self._predicates)
                raise query_error(
                    query,
                    pattern.position,
                    f"unknown predicate {pattern.predicate!r}",
                    expected=" or ".join(close or sorted(self._predicates)) or None,
                    cure="Register it with add_node_lambda(name, function).",
                )
        return parsed

    def _ordered(self) -> Iterable[Node]:
        try:
            return self._graph.topological_order()
        except GraphError:  # a cycle without initial value: the order of addition will do
            return self._graph.get_nodes()

    def missing_types(self, query: str) -> str:
        """Describe the types of a query that the graph lacks; empty if it has all of them.

        Examples
        --------
        >>> import aidge_nb
        >>> model = aidge_nb.sequential([aidge_nb.Tanh(), aidge_nb.ReLU()])
        >>> SinglePassGraphMatching(model).missing_types("Tanh->Relu")
        'the graph has no node of type Relu; did you mean ReLU?'
        """
        there = {node.type() for node in self._graph}
        wanted = dict.fromkeys(each.type for each in patterns(parse_query(query)))
        unknown = [each for each in wanted if each != "." and each not in there]
        if not unknown or not there:
            return ""
        small = {name.lower(): name for name in sorted(there)}
        close = (get_close_matches(each.lower(), small) for each in unknown)
        near = sorted({small[name] for names in close for name in names})
        cure = f"; did you mean {', '.join(near)}?" if near else ""
        return f"the graph has no node of type {', '.join(unknown)}{cure}"


def _result(partial: Partial) -> MatchingResult:
    anchors: dict[str, dict[str, Node]] = {}
    for (type_name, anchor), node in partial.anchors.items():
        anchors.setdefault(type_name.strip("."), {})[anchor] = node
    return MatchingResult(tuple(partial.nodes), partial.root, partial.current, anchors)


def keep_disjoint(
    matches: Iterable[MatchingResult], *, share_producers: bool = False
) -> list[MatchingResult]:
    """Choose matches that share no node: long ones first, earlier ones first among equals.

    They are given in the order in which they came. With ``share_producers`` a Producer may be in
    several matches, beside other nodes.
    """
    listed = list(matches)
    taken: set[Node] = set()
    kept: set[int] = set()
    for position in sorted(range(len(listed)), key=lambda position: -len(listed[position])):
        nodes = listed[position].nodes
        own = [node for node in nodes if not (share_producers and node.type() == "Producer")]
        own = own or list(nodes)
        if taken.isdisjoint(own):
            taken.update(own)
            kept.add(position)
    return [match for position, match in enumerate(listed) if position in kept]
