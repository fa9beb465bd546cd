"""Parse graph queries; errors mark the position in the text."""

from __future__ import annotations

import re

from aidge_nb.core.errors import GraphError, explain
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
    patterns,
)

_MOST_NESTED = 50
"""Groups in groups are read by recursion, which ends somewhere."""

_NODE = re.compile(r"(?P<type>\w+|\.)(?P<anchor>#\w*)?(?:\[(?P<predicate>\w+)\])?")
_FORWARD = re.compile(r"(?P<kind>[-~])(?:(?:(?P<output>\d+|\*)-)?(?P<input>\d+|\*))?>")
_BACKWARD = re.compile(r"<(?:(?P<input>\d+|\*)-(?P<output>\d+|\*)|(?P<only>\d+|\*))?(?P<kind>[-~])")
_TIMES = re.compile(r"\{(?P<times>[1-9]\d*)\}")
_QUANTIFIERS: dict[str, tuple[int, int | None]] = {"?": (0, 1), "*": (0, None), "+": (1, None)}


def query_error(
    text: str,
    position: int,
    problem: str,
    *,
    expected: object = None,
    found: object = None,
    cure: str = "",
) -> GraphError:
    """Make an error that shows the query with a mark under the place where it goes wrong."""
    message = explain("query", problem, expected=expected, found=found, cure=cure)
    line = re.sub(r"\s", " ", text)
    return GraphError(f"{message}\n    {line}\n    {' ' * position}^")


def parse_query(text: str) -> Query:
    """Read a query.

    Raise GraphError when it is malformed: the message shows where, and what was expected.

    Examples
    --------
    >>> query = parse_query("Conv2D->ReLU?;")
    >>> [edge for edge, _ in query.parts[0].rest]
    [Edge(forward=True, output=0, input=0, exclusive=True)]
    """
    return _Parser(text).query()


class _Parser:
    """Recursive-descent parser; each method reads one rule of the grammar."""

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise GraphError.at("query", "must be a text", found=repr(text))
        self._text = text
        self._at = 0
        self._depth = 0

    # --- characters ---------------------------------------------------------------------------

    def _peek(self) -> str:
        """Return the next non-blank character; empty at the end."""
        while self._text[self._at : self._at + 1].isspace():
            self._at += 1
        return self._text[self._at : self._at + 1]

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        self._peek()
        found = pattern.match(self._text, self._at)
        if found is not None:
            self._at = found.end()
        return found

    def _fail(self, expected: str, cure: str = "") -> GraphError:
        found = self._text[self._at : self._at + 1]
        return query_error(
            self._text,
            self._at,
            "is malformed here",
            expected=expected,
            found=repr(found) if found else "the end",
            cure=cure,
        )

    # --- grammar ------------------------------------------------------------------------------

    def query(self) -> Query:
        """Read everything."""
        parts: list[Sequence] = []
        anchored: set[tuple[str, str]] = set()
        while self._peek():
            parts.append(self._part(anchored, is_first=not parts))
            anchored |= {(each.type, each.anchor) for each in patterns(parts[-1]) if each.anchor}
            if self._peek() == ";":
                self._at += 1
            elif self._peek():
                raise self._fail("an edge such as -> or <1-, ';' or the end")
        return Query(self._text, tuple(parts))

    def _part(self, anchored: set[tuple[str, str]], *, is_first: bool) -> Sequence:
        part = self._sequence()
        first = first_pattern(part)
        if is_first:
            self._check_root(part.first)
        elif not isinstance(first, NodePattern) or (first.type, first.anchor) not in anchored:
            raise query_error(
                self._text,
                first.position,
                "a later part does not start with a known anchor",
                expected=" or ".join(sorted(map("".join, anchored)))
                or "an anchor such as Add#1 here and in an earlier part",
            )
        if not part.rest:
            self._check_alone(part.first)
        return part

    def _check_root(self, root: Item) -> None:
        inner: Item | None = root
        while inner is not None:
            if inner.least == 0:
                raise query_error(self._text, inner.position, "the root node cannot be optional")
            if isinstance(inner.what, Parallel):
                raise query_error(
                    self._text,
                    inner.position,
                    "parallel branches have no node to start from",
                    expected="a node before them, as in A~>(B&C)",
                )
            inner = inner.what.first if isinstance(inner.what, Sequence) else None

    def _check_alone(self, item: Item) -> None:
        """Check that a repetition says where its next turn starts."""
        first = first_pattern(item)
        if item.repeats and not (isinstance(first, NodePattern) and first.anchor):
            raise query_error(
                self._text,
                item.position,
                "does not say where a repetition starts",
                expected="an anchor at its first node, as in (Add#<*-.)+",
            )
        if isinstance(item.what, Sequence) and not item.what.rest:
            self._check_alone(item.what.first)

    def _sequence(self) -> Sequence:
        first = self._item()
        rest = []
        while (edge := self._edge()) is not None:
            rest.append((edge, self._item()))
        return Sequence(first, tuple(rest))

    def _edge(self) -> Edge | None:
        if self._peek() not in tuple("-~<"):
            return None
        forward = self._take(_FORWARD)
        found = forward or self._take(_BACKWARD)
        if found is None:
            raise self._fail("an edge such as ->, ~>, -1-0>, <- or <1~")
        ports = found.groupdict()
        return Edge(
            forward is not None,
            _port(ports["output"]),
            _port(ports.get("only") or ports["input"]),
            ports["kind"] == "-",
        )

    def _item(self) -> Item:
        mark = self._peek()
        position = self._at
        what: NodePattern | Nothing | Sequence | Parallel | Alternatives
        if mark == "(":
            what = self._group()
        elif mark == "$":
            self._at += 1
            what = Nothing(position)
        else:
            what = self._node()
        least, most = self._quantifier()
        return Item(what, least, most, position)

    def _quantifier(self) -> tuple[int, int | None]:
        mark = self._peek()
        if mark in _QUANTIFIERS:
            self._at += 1
            return _QUANTIFIERS[mark]
        if mark != "{":
            return 1, 1
        times = self._take(_TIMES)
        if times is None:
            raise self._fail("how often at most, from 1 on, as in {2}")
        return 1, int(times["times"])

    def _node(self) -> NodePattern:
        position = self._at
        found = self._take(_NODE)
        if found is None:
            raise self._fail("a type such as Conv2D, '.' for any, '$' for none, or '('")
        if self._text[self._at : self._at + 1] == "[":
            raise self._fail("the name of a predicate and ']', as in Conv2D[wide]")
        return NodePattern(found["type"], found["anchor"] or "", found["predicate"] or "", position)

    def _group(self) -> Sequence | Parallel | Alternatives:
        if self._depth == _MOST_NESTED:
            raise self._fail(f"at most {_MOST_NESTED} groups in each other")
        self._at += 1
        self._depth += 1
        what = self._block()
        self._depth -= 1
        return what

    def _block(self) -> Sequence | Parallel | Alternatives:
        first = self._sequence()
        mark = self._peek()
        if mark and mark in "&|":
            items = [self._branch(first)]
            while self._peek() == mark:
                self._at += 1
                items.append(self._branch(self._sequence()))
            self._close()
            return Parallel(tuple(items)) if mark == "&" else Alternatives(tuple(items))
        self._close()
        return first

    def _close(self) -> None:
        if self._peek() != ")":
            raise self._fail("')', '&', '|' or an edge")
        self._at += 1

    def _branch(self, sequence: Sequence) -> Item:
        if sequence.rest:
            raise self._fail(
                "one node or group in each branch",
                cure="Put parentheses around a branch of several nodes: ((A->B)|C).",
            )
        return sequence.first


def _port(text: str | None) -> int | None:
    if text == "*":
        return None
    return int(text or 0)
