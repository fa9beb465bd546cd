"""The syntax tree of a graph query.

::

    query    := part (';' part)* ';'?        later parts start with an anchor set before
    part     := sequence
    sequence := item (edge item)*
    item     := (node | '$' | '(' block ')') ('?' | '*' | '+' | '{' n '}')?
    block    := sequence | item ('&' item)+ | item ('|' item)+
    edge     := ('-' | '~') (output '-' input | input)? '>'
              | '<' (input '-' output | input)? ('-' | '~')
    node     := (type | '.') ('#' anchor?)? ('[' predicate ']')?

The grammar is that of aidge_core 0.10.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NodePattern:
    """One node: its type (``.`` for any), an anchor and a predicate.

    ``position`` is where it stands in the query; ``anchor`` is ``""`` when there is none, and
    starts with ``#`` otherwise.
    """

    type: str
    anchor: str = ""
    predicate: str = ""
    position: int = 0


@dataclass(frozen=True, slots=True)
class Nothing:
    """The absence of a node: ``$``."""

    position: int = 0


@dataclass(frozen=True, slots=True)
class Edge:
    """The edge from the node matched last to the next node.

    ``output`` and ``input`` are the ports of the producer and of the consumer, whichever of them is
    the next node; None is any port, written ``*``. An exclusive edge is the only one of its output.
    """

    forward: bool = True
    output: int | None = 0
    input: int | None = 0
    exclusive: bool = True


@dataclass(frozen=True, slots=True)
class Item:
    """A node or a group with its repetition: ``most`` is None for no upper bound."""

    what: NodePattern | Nothing | Sequence | Parallel | Alternatives
    least: int = 1
    most: int | None = 1
    position: int = 0

    @property
    def repeats(self) -> bool:
        """True when it may come more than once."""
        return self.most is None or self.most > 1


@dataclass(frozen=True, slots=True)
class Sequence:
    """An item, and further items connected by edges."""

    first: Item
    rest: tuple[tuple[Edge, Item], ...] = ()


@dataclass(frozen=True, slots=True)
class Parallel:
    """Branches from one node, all of which must match: ``(A&B)``."""

    branches: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Alternatives:
    """Items of which one must match: ``(A|B)``."""

    choices: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Query:
    """A whole query: its text and its parts, separated by ``;``."""

    text: str
    parts: tuple[Sequence, ...]


def first_pattern(
    what: Item | NodePattern | Nothing | Sequence | Parallel | Alternatives,
) -> NodePattern | Nothing:
    """Find the node that something starts with."""
    match what:
        case Item():
            return first_pattern(what.what)
        case Sequence():
            return first_pattern(what.first)
        case Parallel():
            return first_pattern(what.branches[0])
        case Alternatives():
            return first_pattern(what.choices[0])
    return what


def patterns(
    what: Query | Item | NodePattern | Nothing | Sequence | Parallel | Alternatives,
) -> Iterator[NodePattern]:
    """Yield all nodes of a query in written order."""
    match what:
        case NodePattern():
            yield what
        case Item():
            yield from patterns(what.what)
        case Sequence():
            yield from patterns(what.first)
            for _, item in what.rest:
                yield from patterns(item)
        case Parallel(items) | Alternatives(items):
            for item in items:
                yield from patterns(item)
        case Query():
            for part in what.parts:
                yield from patterns(part)
