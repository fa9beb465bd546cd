"""Where the data of an input come from."""

from __future__ import annotations

from enum import Enum

from aidge_nb.graph.meta import MetaOperatorOp
from aidge_nb.graph.node import Node


class AvailableDataStatus(Enum):
    """Where the data of an input come from.

    The *upper node* is the one whose operator is made of the graph that is looked at.
    """

    Connected = 0
    """From a node."""
    UpperNodeInputFound = 1
    """Through an input of the upper node, which no node feeds."""
    UpperNodeInputConnected = 2
    """Through an input of the upper node, which a node feeds."""
    ValidTensor = 3
    """From a tensor that was set on the input: all of it, once."""
    NotConnected = 4
    """From nowhere."""


def find_status(node: Node, index: int, upper: Node | None = None) -> AvailableDataStatus:
    """Tell where the data of an input come from.

    Parameters
    ----------
    node, index
        The node and the number of its input.
    upper
        The node whose micro-graph ``node`` is in, if any.

    Examples
    --------
    >>> import aidge_nb
    >>> a, b = aidge_nb.ReLU(), aidge_nb.ReLU()
    >>> a.add_child(b)
    >>> find_status(a, 0), find_status(b, 0)
    (<AvailableDataStatus.NotConnected: 4>, <AvailableDataStatus.Connected: 0>)
    """
    if node.input(index) is not None:
        return AvailableDataStatus.Connected
    outer = None if upper is None else _outer_input(upper, node, index)
    if upper is not None and outer is not None:
        if upper.input(outer) is not None:
            return AvailableDataStatus.UpperNodeInputConnected
        return AvailableDataStatus.UpperNodeInputFound
    tensor = node.get_operator().get_input(index)
    if tensor is None or tensor.undefined:
        return AvailableDataStatus.NotConnected
    return AvailableDataStatus.ValidTensor


def _outer_input(upper: Node, node: Node, index: int) -> int | None:
    operator = upper.get_operator()
    ports = operator.input_ports if isinstance(operator, MetaOperatorOp) else []
    for outer, inner in enumerate(ports):
        if any(port.node is node and port.index == index for port in inner):
            return outer
    return None
