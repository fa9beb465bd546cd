"""Match a query: partial matches grow node by node, without backtracking.

A partial match is a value; a step of the query turns each into all that it may grow to. Repetitions
take as much as they can (per root: when one continuation of a root can take an optional item, those
that cannot are dropped), and no step is undone when a later one fails. This is how aidge_core
matches, but for what it does by accident: here equal matches count once, the order of results
follows the graph, an edge is there whenever the query says so, and repetitions end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aidge_nb.graph.query.parser import query_error
from aidge_nb.graph.query.syntax import (
    Alternatives,
    Edge,
    Item,
    NodePattern,
    Nothing,
    Parallel,
    Query,
    Sequence,
    first_pattern,
)

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node, Port

MOST_PARTIAL_MATCHES = 100_000
"""Where a query is given up: ``.~>.+`` follows every path of a graph, and there may be too many."""

Predicate = Callable[["Node"], bool]


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    """A partial match; ``root`` is None before the first node."""

    nodes: dict[Node, None] = field(default_factory=dict)
    anchors: dict[tuple[str, str], Node] = field(default_factory=dict)
    root: Node | None = None
    current: Node | None = None

    def at(self, node: Node | None) -> Partial:
        """Return the match continued from another node."""
        return Partial(self.nodes, self.anchors, self.root, node)

    def grown(self, node: Node, pattern: NodePattern) -> Partial:
        """Add a node that fits a pattern."""
        anchors = self.anchors
        if pattern.anchor and (pattern.type, pattern.anchor) not in anchors:
            anchors = {**anchors, (pattern.type, pattern.anchor): node}
        nodes = self.nodes if node in self.nodes else {**self.nodes, node: None}
        return Partial(nodes, anchors, self.root or node, node)

    def key(self) -> tuple[object, ...]:
        """Return whether two matches are equal for all that can follow."""
        return self.root, frozenset(self.nodes), self.current, frozenset(self.anchors.items())


Partials = list[Partial]


class Matcher:
    """Matcher of one query against the nodes of a graph.

    Roots come in the order of ``nodes``; ``predicates`` are those that ``Type[name]`` asks.
    """

    def __init__(
        self, query: Query, nodes: Iterable[Node], predicates: Mapping[str, Predicate]
    ) -> None:
        self._query = query
        self._rank = {node: rank for rank, node in enumerate(nodes)}
        self._predicates = predicates
        self._position = 0

    def run(self, start: Node | None = None) -> Partials:
        """Return all matches, by root in graph order; with ``start``, those rooted there."""
        if not self._query.parts:
            return []
        partials = [Partial(current=start)]
        for part in self._query.parts:
            partials = self._sequence(partials, None, part)
        distinct = {(each.root, frozenset(each.nodes)): each for each in reversed(partials)}
        found = [each for each in reversed(distinct.values()) if each.root is not None]
        return sorted(found, key=lambda each: self._rank[each.root] if each.root else 0)

    # --- parts of the query -------------------------------------------------------------------

    def _sequence(self, partials: Partials, edge: Edge | None, sequence: Sequence) -> Partials:
        partials = self._item(partials, edge, sequence.first)
        for between, item in sequence.rest:
            partials = self._item(partials, between, item)
        return partials

    def _item(self, partials: Partials, edge: Edge | None, item: Item) -> Partials:
        self._position = item.position
        found = self._once(partials, edge, item)
        if item.least == 0:
            found = _or_as_before(partials, found)
        if not item.repeats:
            return found
        turns, growing = 1, found
        while growing and (item.most is None or turns < item.most):
            turns += 1
            growing = self._again(growing, edge, item)
            found = _or_as_before(found, growing)
        return found

    def _again(self, partials: Partials, edge: Edge | None, item: Item) -> Partials:
        """Match an item once more, and keep the matches that grew."""
        first = first_pattern(item)
        if edge is None and not (isinstance(first, NodePattern) and first.anchor):
            edge = Edge()
        grown = []
        for each in partials:
            grown += [
                more for more in self._once([each], edge, item) if len(more.nodes) > len(each.nodes)
            ]
        return self._checked(_distinct(grown))

    def _once(self, partials: Partials, edge: Edge | None, item: Item) -> Partials:
        match item.what:
            case NodePattern() as pattern:
                found = [new for each in partials for new in self._node(each, edge, pattern)]
            case Nothing():
                found = [each for each in partials if edge and self._is_nothing_there(each, edge)]
            case Sequence() as sequence:
                found = self._sequence(partials, edge, sequence)
            case Alternatives(choices):
                found = [new for item in choices for new in self._item(partials, edge, item)]
            case Parallel(branches):
                found = [new for each in partials for new in self._parallel(each, edge, branches)]
        return self._checked(_distinct(found))

    def _parallel(self, partial: Partial, edge: Edge | None, branches: Iterable[Item]) -> Partials:
        """Match all branches from the same node, and continue at the end of the last."""
        partials = [partial]
        for branch in branches:
            fork = [each.at(partial.current) for each in partials]
            partials = self._item(fork, edge, branch)
        return partials

    def _checked(self, partials: Partials) -> Partials:
        if len(partials) > MOST_PARTIAL_MATCHES:
            raise query_error(
                self._query.text,
                self._position,
                "matches in too many ways",
                expected=f"at most {MOST_PARTIAL_MATCHES} partial matches",
                cure="Follow - instead of ~, or types instead of '.'.",
            )
        return partials

    # --- nodes --------------------------------------------------------------------------------

    def _node(self, partial: Partial, edge: Edge | None, pattern: NodePattern) -> Partials:
        if edge is None:
            return self._start(partial, pattern)
        if partial.current is None:
            return []
        step = self._forward if edge.forward else self._backward
        return [
            partial.grown(node, pattern) for node in step(partial, partial.current, edge, pattern)
        ]

    def _start(self, partial: Partial, pattern: NodePattern) -> Partials:
        """Match the first node: the root, or an anchor in later parts."""
        if partial.root is not None:
            node = partial.anchors.get((pattern.type, pattern.anchor))
            fits = node is not None and self._fits(node, pattern)
            return [partial.at(node)] if fits else []
        nodes = self._rank if partial.current is None else [partial.current]
        return [partial.grown(node, pattern) for node in nodes if self._fits(node, pattern)]

    def _forward(
        self, partial: Partial, node: Node, edge: Edge, pattern: NodePattern
    ) -> list[Node]:
        """List the readers of the first output that has any that fit."""
        for ports in _outputs(node, edge):
            if edge.exclusive and len(ports) != 1:
                continue
            fitting = dict.fromkeys(
                port.node
                for port in ports
                if edge.input in (None, port.index) and self._accepts(partial, port.node, pattern)
            )
            if fitting:
                return list(fitting)
        return []

    def _backward(
        self, partial: Partial, node: Node, edge: Edge, pattern: NodePattern
    ) -> list[Node]:
        """Return what feeds the first input that a fitting node feeds."""
        for port in _inputs(node, edge):
            if edge.output not in (None, port.index):
                continue
            if edge.exclusive and len(port.node.output(port.index)) != 1:
                continue
            if self._accepts(partial, port.node, pattern):
                return [port.node]
        return []

    def _is_nothing_there(self, partial: Partial, edge: Edge) -> bool:
        """Return whether an edge leaves the graph or leads only to matched nodes."""
        node = partial.current
        if node is None:
            return False
        if edge.forward:
            readers = [port for ports in _outputs(node, edge) for port in ports]
            near = [port.node for port in readers if edge.input in (None, port.index)]
        else:
            near = [port.node for port in _inputs(node, edge) if edge.output in (None, port.index)]
        return all(each in partial.nodes or each not in self._rank for each in near)

    def _accepts(self, partial: Partial, node: Node, pattern: NodePattern) -> bool:
        """Return whether a node may come next: a known anchor again, or a new node."""
        known = partial.anchors.get((pattern.type, pattern.anchor)) if pattern.anchor else None
        if known is None:
            return node not in partial.nodes and self._fits(node, pattern)
        return node is known and self._fits(node, pattern)

    def _fits(self, node: Node, pattern: NodePattern) -> bool:
        if node not in self._rank or pattern.type not in (".", node.type()):
            return False
        return not pattern.predicate or bool(self._predicates[pattern.predicate](node))


def _outputs(node: Node, edge: Edge) -> list[list[Port]]:
    outputs = node.outputs()
    return outputs if edge.output is None else outputs[edge.output : edge.output + 1]


def _inputs(node: Node, edge: Edge) -> list[Port]:
    inputs = node.sources()
    chosen = inputs if edge.input is None else inputs[edge.input : edge.input + 1]
    return [port for port in chosen if port is not None]


def _distinct(partials: Iterable[Partial]) -> Partials:
    first: dict[tuple[object, ...], Partial] = {}
    for each in partials:
        first.setdefault(each.key(), each)
    return list(first.values())


def _or_as_before(before: Partials, after: Partials) -> Partials:
    """Return the grown matches, plus the earlier ones of roots from which none has grown."""
    roots = {each.root for each in after}
    return after + [each for each in before if each.root not in roots]
