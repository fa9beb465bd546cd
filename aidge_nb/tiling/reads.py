"""How outputs lie on inputs along rows and columns, as far as costs of tilings are concerned."""

from __future__ import annotations

from aidge_nb.core.errors import GraphError
from aidge_nb.graph.node import Node
from aidge_nb.tiling.layers import can_tile, spreads_of, whole_axes, windows_of
from aidge_nb.tiling.padding import padding_around
from aidge_nb.tiling.ranges import Spread, Window

Reads = Window | Spread | None
"""A window along an axis; None where outputs lie where inputs do."""

WHOLE = Window(1 << 30, stride=0)
"""The window of what reads all of an axis for each output."""


def reads_of(node: Node) -> tuple[Reads, Reads]:
    """Give the windows of a node along rows and columns.

    Examples
    --------
    >>> import aidge_nb
    >>> reads_of(aidge_nb.MaxPooling2D([3, 2], "pool", [2, 2]))[1]
    Window(kernel=2, stride=2, dilation=1, before=0, after=0)
    """
    found: list[Reads] = [*windows_of(node), *spreads_of(node)]
    if node.type() in ("FC", "GlobalAveragePooling", "GlobalMaxPooling"):
        found = [WHOLE, WHOLE]
    elif node.type() == "Pad" and can_weigh(node):
        around = padding_around(node).around
        found = [Window(before=before, after=after) for before, after in around[2:]]
    both = [*found, None, None]
    return both[0], both[1]


def uncut_of(node: Node) -> tuple[bool, bool]:
    """Tell whether rows and columns of a node cannot be cut."""
    axes = whole_axes(node)
    return 2 in axes, 3 in axes


def can_weigh(node: Node) -> bool:
    """Whether costs of tiles of a node, alone or in a chain, are known."""
    operator = node.get_operator()
    if not can_tile(node) or node.type() == "MatMul":
        return False
    if node.type() == "Pad":
        return _is_constant_pad(node)
    if node.type() in ("FC", "Gemm"):
        bias = operator.get_input(2)
        return bias is None or bias.ndim == 1
    data = []
    for index in range(node.get_nb_inputs()):
        port, tensor = node.input(index), operator.get_input(index)
        if tensor is not None and (port is None or port.node.type() != "Producer"):
            data.append(tensor)
    rank = operator.get_output(0).ndim
    return all(tensor.undefined or tensor.ndim == rank or tensor.size == 1 for tensor in data)


def _is_constant_pad(node: Node) -> bool:
    try:
        padding_around(node)
    except GraphError:
        return False
    return True
