"""Rounds of the scheduling algorithm as values: consumers, missing data, firings."""

from __future__ import annotations

from enum import Enum

from aidge_nb.core.values import dataclass
from aidge_nb.graph.meta import MetaOperatorOp
from aidge_nb.graph.node import Node


class AvailableDataStatus(Enum):
    """Source of the data of an input.

    The *upper node* is the meta-operator whose micro-graph is scheduled.
    """

    Connected = 0
    """A node of the graph."""
    UpperNodeInputFound = 1
    """An unconnected input of the upper node."""
    UpperNodeInputConnected = 2
    """A connected input of the upper node."""
    ValidTensor = 3
    """A tensor set on the input, available once."""
    NotConnected = 4
    """None."""


class TraceEnd(Enum):
    """Why the trace ends."""

    Done = "no consumer is left"
    Stuck = "no consumer can run"
    CutOff = "more rounds would follow than were asked for"


@dataclass(frozen=True, slots=True)
class Lack:
    """An input with too little data for the next execution.

    Attributes
    ----------
    consumer, input
        The node and the number of its input.
    source
        The node that feeds it; empty without one.
    status
        Source of its data.
    needed, available
        Amount since the start that the input must have been given, and was given, in ``unit``.
    unit
        ``"elements"`` or ``"tokens"``.
    """

    consumer: str
    input: int
    source: str
    status: AvailableDataStatus
    needed: int
    available: int
    unit: str

    def __str__(self) -> str:
        source = f" from {self.source}" if self.source else ""
        return (
            f"{self.consumer}, input#{self.input}: needs {self.needed} {self.unit}{source}, "
            f"has {self.available}"
        )


@dataclass(frozen=True, slots=True)
class Round:
    """One round of the algorithm; nodes by unique name.

    Attributes
    ----------
    number
        The round, from 0.
    consumers
        Nodes that the round begins with.
    lacks
        Their inputs with too little data.
    priors
        Nodes that replace consumers that lack data.
    producers
        Producers that fired, in order.
    fired
        Other nodes that fired, in order.
    still
        Nodes with data left, which wait to be asked again.
    asked_again
        Nodes of ``still`` that become consumers because no other node could run.
    following
        Consumers of the next round.
    end
        Why no round follows; None where one does.
    """

    number: int
    consumers: tuple[str, ...]
    lacks: tuple[Lack, ...]
    priors: tuple[str, ...]
    producers: tuple[str, ...]
    fired: tuple[str, ...]
    still: tuple[str, ...]
    asked_again: tuple[str, ...]
    following: tuple[str, ...]
    end: TraceEnd | None

    @property
    def firings(self) -> tuple[str, ...]:
        """Nodes that fired, Producers first."""
        return self.producers + self.fired

    def __str__(self) -> str:
        lines = [f"round {self.number}: {_names(self.consumers)} asked"]
        lines += [f"  {lack}" for lack in self.lacks]
        if self.priors:
            lines.append(f"  priors: {_names(self.priors)}")
        if self.producers:
            lines.append(f"  Producers give: {_names(self.producers)}")
        lines.append(f"  fired: {_names(self.fired)}")
        if self.still:
            lines.append(f"  still has data: {_names(self.still)}")
        if self.end is not None:
            lines.append(f"  the end: {self.end.value}")
        return "\n".join(lines)


def _names(nodes: tuple[str, ...]) -> str:
    return ", ".join(nodes) or "nobody"


def find_status(node: Node, index: int, upper: Node | None = None) -> AvailableDataStatus:
    """Return the source of the data of an input.

    Examples
    --------
    >>> import aidge_nb
    >>> a, b = aidge_nb.ReLU(), aidge_nb.ReLU()
    >>> a.add_child(b)
    >>> find_status(a, 0), find_status(b, 0)
    (<AvailableDataStatus.NotConnected: 4>, <AvailableDataStatus.Connected: 0>)
    """
    if node.source(index) is not None:
        return AvailableDataStatus.Connected
    outer = None if upper is None else _outer_input(upper, node, index)
    if upper is not None and outer is not None:
        if upper.source(outer) is not None:
            return AvailableDataStatus.UpperNodeInputConnected
        return AvailableDataStatus.UpperNodeInputFound
    tensor = node.get_operator().get_input(index)
    if tensor is None or tensor.undefined():
        return AvailableDataStatus.NotConnected
    return AvailableDataStatus.ValidTensor


def _outer_input(upper: Node, node: Node, index: int) -> int | None:
    operator = upper.get_operator()
    ports = operator.input_ports if isinstance(operator, MetaOperatorOp) else []
    for outer, inner in enumerate(ports):
        if any(port.node is node and port.index == index for port in inner):
            return outer
    return None
