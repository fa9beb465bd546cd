"""Recognizing an operator with a sliding window after a Pad, to be computed without padding.

A tap that falls outside of the data is skipped: nothing is added for it, and it is never the
largest. That gives what padding with zeros, or with the lowest number, would give (but for the
sign of a zero that a bias of -0.0 makes), and needs no padded copy.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from aidge_nb.core.values import dataclass
from aidge_nb.graph.meta import MetaOperatorOp
from aidge_nb.graph.node import Node
from aidge_nb.graph.operator import Operator
from aidge_nb.graph.spec import OpSpec
from aidge_nb.ops.convolution import CONVS, DEPTHWISE_CONVS
from aidge_nb.ops.pooling import AVG_POOLINGS, MAX_POOLINGS
from aidge_nb.ops.slicing import PAD

_MODE_OF = {
    **dict.fromkeys((*CONVS, *DEPTHWISE_CONVS, *AVG_POOLINGS), "constant"),
    **dict.fromkeys(MAX_POOLINGS, "constant_lowest"),
}
"""Operators with a sliding window, and how they are padded."""


@dataclass(frozen=True)
class Window:
    """The operator after a Pad."""

    node: Node  # in the micro-graph
    spec: OpSpec
    attrs: Mapping[str, Any]  # its own, and ``pads``: before each spatial axis, then after
    nb_inputs: int  # the first ones of the meta-operator


def inner_window(operator: Operator) -> Window | None:
    """Find the operator after the Pad of a padded meta-operator; None for what is none.

    Examples
    --------
    >>> import aidge_nb
    >>> padded = aidge_nb.PaddedConv2D(3, 4, [3, 3], padding_dims=[1, 1, 0, 0])
    >>> inner_window(padded.get_operator()).attrs["pads"]
    (1, 1, 0, 0)
    >>> inner_window(aidge_nb.Conv2D(3, 4, [3, 3]).get_operator()) is None
    True
    """
    if not isinstance(operator, MetaOperatorOp):
        return None
    inside = [node for node in operator.micro_graph.get_nodes() if node.type() != "Producer"]
    pads = [node for node in inside if node.get_operator().spec is PAD]
    windows = [node for node in inside if node.get_operator().spec in _MODE_OF]
    if len(inside) != 2 or len(pads) != 1 or len(windows) != 1:
        return None
    return _joined(operator, pads[0], windows[0])


def _joined(outer: MetaOperatorOp, pad: Node, window: Node) -> Window | None:
    operator, attr = window.get_operator(), pad.get_operator().attr
    rank = len(operator.attr["kernel_dims"])
    ports = outer.input_ports
    expected = [(pad, 0), *((window, index) for index in range(1, operator.nb_inputs))]
    in_order = [(group[0].node, group[0].index) for group in ports[: operator.nb_inputs]]
    given = any(outer.get_input(index) is not None for index in range(len(expected), len(ports)))
    feeds = [(index, port.node) for index, port in window.edges_in()]
    if (
        in_order != expected
        or any(len(group) != 1 for group in ports)
        or given
        or feeds != [(0, pad)]
        or attr.mode != _MODE_OF[operator.spec]
        or (attr.mode == "constant" and attr.constant_value != 0)
        or tuple(attr.axes) not in ((), tuple(range(-rank, 0)), tuple(range(2, 2 + rank)))
        or min(attr.pads) < 0
    ):
        return None
    found = tuple(map(int, attr.pads))
    if not attr.axes:  # of all axes, batch and channels among them
        half = len(found) // 2
        if any(found[:2] + found[half : half + 2]):
            return None
        found = found[2:half] + found[half + 2 :]
    attrs = MappingProxyType({**operator.attr.dict(), "pads": found})
    return Window(window, operator.spec, attrs, operator.nb_inputs)
