"""Rules of operators with windows: convolutions, poolings, transposed convolutions, Pad."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from aidge_nb.core.errors import GraphError, ShapeError
from aidge_nb.graph.node import Node
from aidge_nb.ops.slicing import padding_of
from aidge_nb.tiling.ranges import Range, Reach, Region, SlidingWindow, SpreadWindow, whole
from aidge_nb.tiling.tile_nodes import (
    PartFacts,
    PartRule,
    dims_of,
    inside,
    is_padded,
    parameters_of,
)


def sliding(node: Node) -> PartRule:
    """Return the rule of a convolution or pooling; parts carry their own padding."""
    inner = inside(node)[1] if is_padded(node) else node
    attr = inner.get_operator().attr
    data = dims_of(node, 0)
    if any(node.output(index) for index in range(1, node.get_nb_outputs())):
        raise GraphError.at(node.label, "cannot be tiled while its second output (indices) is read")
    windows = sliding_windows(node)
    axes = [f"{node.label}, axis {axis}" for axis in range(2, 2 + len(windows))]
    is_pooling, is_rounded, is_grouped = (
        "Pooling" in inner.type(),
        "ceil_mode" in attr,
        "group" in attr,
    )
    channels_of = None if is_pooling else _channels(node, inner)
    parameters = parameters_of(node, () if is_pooling else (1, 2))

    def rule(output: Region) -> PartFacts:
        around = zip(windows, output[2:], data[2:], axes, strict=True)
        reaches = [window.reach(out, size, where) for window, out, size, where in around]
        space = [reach.data for reach in reaches]
        pads = (*[reach.before for reach in reaches], *[reach.after for reach in reaches])
        changes: dict[str, Any] = {}
        if is_rounded:
            changes, pads = _rounded_up(node, inner, reaches, pads, data[2:])
        if channels_of is None:
            return {0: (output[0], output[1], *space)}, changes, pads
        channels, group = channels_of(output[1])
        if is_grouped:
            changes["group"] = group
        return {0: (output[0], channels, *space), **parameters(output[1])}, changes, pads

    return rule


def _rounded_up(
    node: Node, inner: Node, reaches: Sequence[Reach], pads: tuple[int, ...], sizes: Sequence[int]
) -> tuple[dict[str, Any], tuple[int, ...]]:
    """Replace rounding up of a pooling by padding that is not counted."""
    attr = inner.get_operator().attr
    counts_pads = "ignore_pads" in attr and not any(attr.ignore_pads) and inner is not node
    beyond = any(reach.beyond for reach in reaches)
    if beyond and counts_pads and any(node.get_operator().attr.padding_dims):
        return {"ceil_mode": True}, pads
    changes: dict[str, Any] = {"ceil_mode": False}
    rank = len(reaches)
    pads = (*pads[:rank], *(reach.after + reach.beyond for reach in reaches))
    if "ignore_pads" in attr and not counts_pads:
        border = (0,) * (2 * rank)
        if inner is node and any(attr.ignore_pads):  # padding is part of the data
            ends = zip(reaches, attr.ignore_pads[:rank], strict=True)
            before = [max(count - reach.data.start, 0) for reach, count in ends]
            rest = zip(reaches, sizes, attr.ignore_pads[rank:], strict=True)
            after = [max(count - (size - reach.data.stop), 0) for reach, size, count in rest]
            border = (*before, *after)
        changes["ignore_pads"] = tuple(a + b for a, b in zip(pads, border, strict=True))
    return changes, pads


def sliding_windows(node: Node) -> list[SlidingWindow]:
    """Return the sliding windows along the spatial axes."""
    inner = inside(node)[1] if is_padded(node) else node
    attr = inner.get_operator().attr
    rank = len(attr.kernel_dims)
    dilations = attr.dilation_dims if "dilation_dims" in attr else attr.dilations
    pads = (0,) * (2 * rank)
    if inner is not node:
        pads = node.get_operator().attr.padding_dims
        if any(node.source(index) for index in range(inner.get_nb_inputs(), node.get_nb_inputs())):
            cure = "Give them as attributes."
            raise GraphError.at(node.label, "pads that come as tensors", cure=cure)
    return [
        SlidingWindow(*each)
        for each in zip(
            attr.kernel_dims, attr.stride_dims, dilations, pads[:rank], pads[rank:], strict=True
        )
    ]


def _channels(node: Node, inner: Node) -> Callable[[Range], tuple[Range, int]]:
    """Return a function from output channels to input channels and number of groups."""
    inputs, weights = dims_of(node, 0)[1], dims_of(node, 1)
    attr = inner.get_operator().attr
    groups = int(attr.group) if "group" in attr else inputs
    if groups == 1:
        return lambda out: (Range(0, inputs), 1)
    each, read = weights[0] // groups, inputs // groups
    legal = ", ".join(str(count) for count in range(1, groups + 1) if groups % count == 0)

    def find(out: Range) -> tuple[Range, int]:
        if out.start % each or out.stop % each:
            raise ShapeError.at(
                f"{node.label}, axis 1",
                "a group of channels would be cut",
                expected=f"multiples of {each} channels",
                found=str(out),
                cure=f"Choose a number of slices that divides the number of groups: {legal}.",
            )
        return Range(out.start // each * read, out.stop // each * read), out.size // each

    return find


def spreading(node: Node) -> PartRule:
    """Return the rule of a transposed convolution."""
    attr, data = node.get_operator().attr, dims_of(node, 0)
    made, read = node.get_operator().get_output(0).dims, whole(dims_of(node, 1))
    spreads, groups = spread_windows(node), int(attr.group)
    has_bias = node.get_operator().get_input(2) is not None

    def rule(output: Region) -> PartFacts:
        if groups > 1 and output[1].size < made[1]:
            raise ShapeError.at(f"{node.label}, axis 1", "its groups cannot be cut")
        space, cuts = [], []
        for spread, out, size in zip(spreads, output[2:], data[2:], strict=True):
            space.append(spread.reach(out, size))
            cuts.append(spread.cut(out, space[-1]))
        changes = {
            "pads": (*(cut[0] for cut in cuts), *(cut[1] for cut in cuts)),
            "output_padding": tuple(cut[2] for cut in cuts),
        }
        weights = (read[0], output[1], *read[2:]) if groups == 1 else read
        inputs: dict[int, Region] = {0: (output[0], Range(0, data[1]), *space), 1: weights}
        if has_bias:
            inputs[2] = (output[1],)
        return inputs, changes, ()

    return rule


def spread_windows(node: Node) -> list[SpreadWindow]:
    """Return the windows of a transposed convolution along the spatial axes."""
    attr = node.get_operator().attr
    rank = len(attr.kernel_dims)
    befores = tuple(attr.pads[:rank]) or (0,) * rank
    ends = zip(attr.kernel_dims, attr.stride_dims, attr.dilation_dims, befores, strict=True)
    return [SpreadWindow(*each) for each in ends]


def padding(node: Node) -> PartRule:
    """Return the rule of a Pad."""
    (around, value), data = padding_around(node), dims_of(node, 0)
    windows = [SlidingWindow(before=before, after=after) for before, after in around]

    def rule(output: Region) -> PartFacts:
        reaches: list[Reach] = [
            window.reach(out, size, f"{node.label}, axis {axis}")
            for axis, (window, out, size) in enumerate(zip(windows, output, data, strict=True))
        ]
        pads = (*(reach.before for reach in reaches), *(reach.after for reach in reaches))
        changes = {"pads": pads, "axes": (), "constant_value": value}
        return {0: tuple(each.data for each in reaches)}, changes, ()

    return rule


_PADS, _VALUE, _AXES = 1, 2, 3


class Padding(NamedTuple):
    """Rows that a Pad adds before and after each axis, and their value."""

    around: list[tuple[int, int]]
    value: float


def padding_around(node: Node) -> Padding:
    """Return what a Pad adds, from attributes or constant inputs.

    Raise GraphError when it is unknown before the run, or not constant.

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
    """Return the constant of an input, or None if nothing is connected."""
    port, tensor = node.source(index), node.get_operator().get_input(index)
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
