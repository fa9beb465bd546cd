"""What a part of a convolution or pooling is computed from: windows that slide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aidge_nb.errors import GraphError, ShapeError, explain
from aidge_nb.graph.node import Node
from aidge_nb.tiling.ranges import Range, Reach, Region, Window
from aidge_nb.tiling.steps import Step, dims_of, inside, is_padded, parameters_of

__all__ = ["sliding", "sliding_windows"]


def sliding(node: Node, output: Region) -> Step:
    """Find how a part is computed: it carries its own padding."""
    inner = inside(node)[1] if is_padded(node) else node
    attr = inner.get_operator().attr
    data = dims_of(node, 0)
    _refuse_other_outputs(node)
    reaches = [
        window.reach(out, size, f"{node.label}, axis {axis}")
        for axis, (window, out, size) in enumerate(
            zip(sliding_windows(node), output[2:], data[2:], strict=True), 2
        )
    ]
    space = tuple(reach.data for reach in reaches)
    pads = (*(reach.before for reach in reaches), *(reach.after for reach in reaches))
    changes: dict[str, Any] = {}
    if "ceil_mode" in attr:
        changes, pads = _rounded_up(node, inner, reaches, pads, data[2:])
    if "Pooling" in inner.type():
        return Step(output, {0: (output[0], output[1], *space)}, changes, pads)
    channels, group = _channels(node, inner, output[1])
    if "group" in attr:
        changes["group"] = group
    inputs = {0: (output[0], channels, *space), **parameters_of(node, output[1], (1, 2))}
    return Step(output, inputs, changes, pads)


def _rounded_up(
    node: Node,
    inner: Node,
    reaches: Sequence[Reach],
    pads: tuple[int, ...],
    sizes: Sequence[int],
) -> tuple[dict[str, Any], tuple[int, ...]]:
    """Turn what windows of a pooling reach beyond the data into padding that does not count."""
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
        if inner is node and any(attr.ignore_pads):  # the data begin and end with padding
            ends = zip(reaches, attr.ignore_pads[:rank], strict=True)
            before = [max(count - reach.data.start, 0) for reach, count in ends]
            rest = zip(reaches, sizes, attr.ignore_pads[rank:], strict=True)
            after = [max(count - (size - reach.data.stop), 0) for reach, size, count in rest]
            border = (*before, *after)
        changes["ignore_pads"] = tuple(a + b for a, b in zip(pads, border, strict=True))
    return changes, pads


def sliding_windows(node: Node) -> list[Window]:
    """Give the windows along the spatial axes."""
    inner = inside(node)[1] if is_padded(node) else node
    attr = inner.get_operator().attr
    rank = len(attr.kernel_dims)
    dilations = attr.dilation_dims if "dilation_dims" in attr else attr.dilations
    pads = (0,) * (2 * rank)
    if inner is not node:
        pads = node.get_operator().attr.padding_dims
        if any(node.input(index) for index in range(inner.get_nb_inputs(), node.get_nb_inputs())):
            cure = "Give them as attributes."
            raise GraphError(explain(node.label, "pads that come as tensors", cure=cure))
    return [
        Window(*each)
        for each in zip(
            attr.kernel_dims, attr.stride_dims, dilations, pads[:rank], pads[rank:], strict=True
        )
    ]


def _channels(node: Node, inner: Node, out: Range) -> tuple[Range, int]:
    """Give the input channels of some output channels, and the number of their groups."""
    inputs, weights = dims_of(node, 0)[1], dims_of(node, 1)
    attr = inner.get_operator().attr
    groups = int(attr.group) if "group" in attr else inputs
    if groups == 1:
        return Range(0, inputs), 1
    each, read = weights[0] // groups, inputs // groups
    if out.start % each or out.stop % each:
        raise ShapeError(
            explain(
                f"{node.label}, axis 1",
                "a group of channels would be cut",
                expected=f"multiples of {each} channels",
                found=str(out),
                cure="Choose a number of slices that divides the number of groups.",
            )
        )
    return Range(out.start // each * read, out.stop // each * read), out.size // each


def _refuse_other_outputs(node: Node) -> None:
    if any(node.output(index) for index in range(1, node.get_nb_outputs())):
        raise GraphError(
            explain(node.label, "cannot be tiled while its second output (indices) is read")
        )
