"""Fuse zero padding with the convolution after it."""

from __future__ import annotations

from collections.abc import Iterable

from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView
from aidge_nb.ops.convolution import CONVS, DEPTHWISE_CONVS
from aidge_nb.ops.padded import padded
from aidge_nb.recipes.edit import Edit, editing
from aidge_nb.recipes.registry import recipe

_SPECS = {spec.type: spec for spec in (*CONVS, *DEPTHWISE_CONVS)}


@recipe()
def fuse_pad_with_conv(view: GraphView) -> Iterable[str]:
    """Make padded convolutions of Pad and the convolution that alone reads it.

    The border is of zeros, on spatial axes, and nothing is cut off.

    Examples
    --------
    >>> import aidge_nb
    >>> layers = [aidge_nb.Pad([1, 1, 1, 1]), aidge_nb.Conv2D(1, 2, [3, 3], name="conv")]
    >>> model = aidge_nb.sequential(layers)
    >>> fuse_pad_with_conv(model), [node for node in model if node.type() != "Producer"]
    (1, [Node(conv, PaddedConv2D)])
    """
    with editing(view) as edit:
        for pad in edit.nodes("Pad"):
            reader = edit.only_reader(Port(pad, 0))
            if reader is None or reader.node.type() not in _SPECS or reader.index != 0:
                continue
            border = _border(edit, pad, len(reader.node.get_operator().attr.kernel_dims))
            if border is not None:
                yield pad.label
                _replace(edit, pad, reader.node, border)


def _border(edit: Edit, pad: Node, rank: int) -> list[int] | None:
    """Return the zeros added before, then after, each spatial axis; None for other padding."""
    names = ("pads", "constant_value", "axes")
    pads, value, axes = (edit.given(pad, *each) for each in enumerate(names, 1))
    if pads is None or value != [0] or axes is None or pad.get_operator().attr.mode != "constant":
        return None
    count = len(axes) or len(pads) // 2
    if len(pads) != 2 * count or count > rank + 2:
        return None
    where = [axis % (rank + 2) for axis in axes or range(rank + 2 - count, rank + 2)]
    border = [0] * (2 * (rank + 2))
    for position, axis in enumerate(where):
        border[axis] = int(pads[position])
        border[axis + rank + 2] = int(pads[count + position])
    batch_and_channels = border[:2] + border[rank + 2 : rank + 4]
    if any(batch_and_channels) or min(border) < 0:
        return None
    return border[2 : rank + 2] + border[rank + 4 :]


def _replace(edit: Edit, pad: Node, conv: Node, border: list[int]) -> None:
    windows = conv.get_operator().attr.dict()
    kernel = windows.pop("kernel_dims")
    new = padded(_SPECS[conv.type()], conv.name(), "conv", kernel, border, **windows)
    edit.add(new, conv)
    edit.feed_like(new, 0, pad, 0)
    for index in (1, 2):
        if conv.get_operator().get_input(index) is not None:
            edit.feed_like(new, index, conv, index)
    edit.redirect(Port(conv, 0), Port(new, 0))
