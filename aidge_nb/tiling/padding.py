"""What a Pad adds, be it said by attributes or, as in files, by constants that it reads."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aidge_nb.core.errors import GraphError
from aidge_nb.graph.node import Node
from aidge_nb.ops.slicing import padding_of
from aidge_nb.tiling.steps import dims_of

_PADS, _VALUE, _AXES = 1, 2, 3


class Padding(NamedTuple):
    """How much a Pad adds before and behind each axis, and which value."""

    around: list[tuple[int, int]]
    value: float


def padding_around(node: Node) -> Padding:
    """Find what a Pad adds.

    Raises
    ------
    GraphError
        When that is not known before it runs, or not the same everywhere.

    Examples
    --------
    >>> import aidge_nb
    >>> pad = aidge_nb.Pad([1, 2, 3, 4], name="pad")
    >>> aidge_nb.sequential([pad]).forward_dims([[1, 1, 8, 8]])
    True
    >>> padding_around(pad)
    Padding(around=[(0, 0), (0, 0), (1, 3), (2, 4)], value=0.0)
    """
    attr, rank = node.get_operator().attr, len(dims_of(node, 0))
    if attr.mode != "constant":
        problem = "only constant pads can be tiled"
        cure = "Leave it out of the nodes to tile: end the chain before it."
        raise GraphError.at(node.label, problem, expected="constant", found=attr.mode, cure=cure)
    pads, axes, value = (_given(node, index) for index in (_PADS, _AXES, _VALUE))
    around = padding_of(
        rank, attr.pads if pads is None else pads, attr.axes if axes is None else axes, node.label
    )
    return Padding(around, float(attr.constant_value) if not value else float(value[0]))


def _given(node: Node, index: int) -> list[int] | None:
    """Give the constant that an input reads; None where there is none."""
    port, tensor = node.input(index), node.get_operator().get_input(index)
    if port is None and tensor is None:
        return None
    is_constant = port is None or port.node.type() == "Producer"
    if tensor is None or not tensor.has_data or not is_constant:
        raise GraphError.at(
            f"{node.label}, input#{index}",
            "is not known before it runs",
            expected="a constant",
            found=port.node.label if port is not None else "no values",
            cure="Leave it out of the nodes to tile, or fold constants first.",
        )
    values: list[int] = np.ravel(tensor.array).tolist()
    return values
