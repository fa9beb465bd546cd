"""What a part of an operator's output is computed from.

Operators fall in families: windows that slide (convolutions, poolings, Pad), windows that spread
(transposed convolutions), element-wise operators, and those that need some axes as a whole
(Softmax, normalisations). Whatever is in none of them cannot be tiled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aidge_nb.errors import GraphError, ShapeError, explain
from aidge_nb.graph.node import Node
from aidge_nb.tiling.ranges import Range, Reach, Region, Spread, Window, elements, whole

__all__ = ["Step", "can_tile", "inside", "is_padded", "step", "windows_of"]

_WHOLE_FROM_AXIS = ("LayerNorm", "RMSNormalization")
_WHOLE_AXIS = ("Softmax", "LogSoftmax", "LpNormalization")
_WHOLE_SPACE = ("InstanceNorm", "GlobalAveragePooling", "GlobalMaxPooling")
_VIEWS = ("Identity", "Dropout")


@dataclass(frozen=True, slots=True)
class Step:
    """How one part of a node's output is computed.

    Attributes
    ----------
    output
        The part.
    inputs
        What it reads, by the number of the input.
    changes
        Attributes that differ from those of the node.
    pads
        Padding of its own: before each spatial axis, then behind each.
    macs
        Multiply-accumulates.
    """

    output: Region
    inputs: Mapping[int, Region]
    changes: Mapping[str, Any] = field(default_factory=dict)
    pads: tuple[int, ...] = ()
    macs: int = 0


def can_tile(node: Node) -> bool:
    """Whether there is a rule for this operator."""
    return _family(node) is not None


def step(node: Node, output: Region) -> Step:
    """Find how a part of the output of a node, with known dimensions, is computed.

    Raises
    ------
    GraphError
        When the operator cannot be tiled.
    ShapeError
        When it cannot be tiled like that.

    Examples
    --------
    >>> import aidge_nb
    >>> conv = aidge_nb.Conv2D(3, 32, [3, 3], name="conv")
    >>> view = aidge_nb.sequential([conv])
    >>> view.forward_dims([[1, 3, 66, 66]])
    True
    >>> part = step(conv, (Range(0, 1), Range(0, 32), Range(16, 32), Range(0, 64)))
    >>> str(part.inputs[0][2]), part.macs
    ('16:34', 884736)
    """
    family = _family(node)
    if family is None:
        raise GraphError(
            explain(
                node.label,
                "cannot be tiled",
                expected="a convolution, pooling, Pad, an element-wise operator or a normalisation",
                cure="Leave it out of the nodes to tile: end the chain before it.",
            )
        )
    found = family(node, output)
    operator = node.get_operator()
    macs = operator.macs() or 0
    if "ConvTranspose" in node.type():
        counted = macs * elements(found.inputs[0]) // elements(whole(_dims(node, 0)))
        counted = counted * output[1].size // operator.get_output(0).dims[1]
    else:
        counted = macs * elements(output) // max(1, operator.get_output(0).size)
    return Step(found.output, found.inputs, found.changes, found.pads, counted)


def windows_of(node: Node) -> list[Window]:
    """Give the windows along the spatial axes; none where outputs lie where inputs do."""
    if _family(node) is not _sliding:
        return []
    return _windows(node, inside(node)[1] if is_padded(node) else node)


# --- families ---------------------------------------------------------------------------------


def _family(node: Node) -> Callable[[Node, Region], Step] | None:
    base = node.type().removeprefix("Padded")
    if base.startswith(("Conv1D", "Conv2D", "Conv3D", "ConvDepthWise", "MaxPooling", "AvgPooling")):
        return _sliding
    if base.startswith("ConvTranspose"):
        return _spreading
    spec = node.get_operator().spec
    families: dict[str, Callable[[Node, Region], Step]] = {
        "Pad": _pad,
        "Concat": _concat,
        "BatchNorm2D": _per_channel,
        "InstanceNorm": _per_channel,
        "LRN": _elementwise,
    }
    if node.type() in families:
        return families[node.type()]
    if node.type() in (*_WHOLE_AXIS, *_WHOLE_FROM_AXIS, *_WHOLE_SPACE):
        return _elementwise
    if (spec.overwrites and node.type() != "Trilu") or node.type() in _VIEWS:
        return _elementwise
    return None


def _sliding(node: Node, output: Region) -> Step:
    inner = inside(node)[1] if is_padded(node) else node
    attr = inner.get_operator().attr
    data = _dims(node, 0)
    _refuse_other_outputs(node)
    reaches = [
        window.reach(out, size, f"{node.label}, axis {axis}")
        for axis, (window, out, size) in enumerate(
            zip(_windows(node, inner), output[2:], data[2:], strict=True), 2
        )
    ]
    space = tuple(reach.data for reach in reaches)
    pads = (*(reach.before for reach in reaches), *(reach.after for reach in reaches))
    changes: dict[str, Any] = {}
    if "ceil_mode" in attr:
        changes, pads = _rounded_up(node, inner, reaches, pads)
    if "Pooling" in inner.type():
        return Step(output, {0: (output[0], output[1], *space)}, changes, pads)
    channels, group = _channels(node, inner, output[1])
    if "group" in attr:
        changes["group"] = group
    inputs = {0: (output[0], channels, *space), **_parameters(node, output[1], (1, 2))}
    return Step(output, inputs, changes, pads)


def _rounded_up(
    node: Node, inner: Node, reaches: Sequence[Reach], pads: tuple[int, ...]
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
        changes["ignore_pads"] = pads
    return changes, pads


def _windows(node: Node, inner: Node) -> list[Window]:
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
    inputs, weights = _dims(node, 0)[1], _dims(node, 1)
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


def _spreading(node: Node, output: Region) -> Step:
    attr, data = node.get_operator().attr, _dims(node, 0)
    rank = len(attr.kernel_dims)
    if int(attr.group) > 1 and output[1].size < node.get_operator().get_output(0).dims[1]:
        raise ShapeError(explain(f"{node.label}, axis 1", "its groups cannot be cut"))
    befores = tuple(attr.pads[:rank]) or (0,) * rank
    spreads = [
        Spread(*each)
        for each in zip(
            attr.kernel_dims, attr.stride_dims, attr.dilation_dims, befores, strict=True
        )
    ]
    space, cuts = [], []
    for spread, out, size in zip(spreads, output[2:], data[2:], strict=True):
        space.append(spread.reach(out, size))
        cuts.append(spread.cut(out, space[-1]))
    changes = {
        "pads": (*(cut[0] for cut in cuts), *(cut[1] for cut in cuts)),
        "output_padding": tuple(cut[2] for cut in cuts),
    }
    inputs: dict[int, Region] = {0: (output[0], Range(0, data[1]), *space)}
    weights = list(whole(_dims(node, 1)))
    if int(attr.group) == 1:
        weights[1] = output[1]
    inputs[1] = tuple(weights)
    if node.get_operator().get_input(2) is not None:
        inputs[2] = (output[1],)
    return Step(output, inputs, changes)


def _pad(node: Node, output: Region) -> Step:
    from aidge_nb.ops.slicing import padding_of

    attr, data = node.get_operator().attr, _dims(node, 0)
    if attr.mode != "constant" or any(port is not None for port in node.inputs()[1:]):
        problem = "only constant pads that are attributes can be tiled"
        raise GraphError(explain(node.label, problem, found=attr.mode))
    around = padding_of(len(data), attr.pads, attr.axes, node.label)
    reaches: list[Reach] = [
        Window(before=before, after=after).reach(out, size, f"{node.label}, axis {axis}")
        for axis, ((before, after), out, size) in enumerate(zip(around, output, data, strict=True))
    ]
    pads = (*(reach.before for reach in reaches), *(reach.after for reach in reaches))
    return Step(output, {0: tuple(r.data for r in reaches)}, {"pads": pads, "axes": ()})


def _concat(node: Node, output: Region) -> Step:
    axis = int(node.get_operator().attr.axis) % len(output)
    _need_whole(node, output, (axis,))
    inputs = {}
    for index in range(node.get_nb_inputs()):
        size = _dims(node, index)[axis]
        inputs[index] = (*output[:axis], Range(0, size), *output[axis + 1 :])
    return Step(output, inputs)


def _per_channel(node: Node, output: Region) -> Step:
    if node.type() == "InstanceNorm":
        _need_whole(node, output, range(2, len(output)))
    if "training_mode" in node.get_operator().attr and node.get_operator().attr.training_mode:
        raise GraphError(explain(node.label, "cannot be tiled in training mode"))
    return Step(output, {0: output, **_parameters(node, output[1], range(1, node.get_nb_inputs()))})


def _elementwise(node: Node, output: Region) -> Step:
    """Tile an operator whose outputs lie where its inputs do, but for axes that it needs whole."""
    rank, attr = len(output), node.get_operator().attr
    if node.type() in _WHOLE_AXIS:
        axis = int(attr.axis) % rank
        _need_whole(node, output, range(axis, rank) if attr.get("flatten") else (axis,))
    elif node.type() in _WHOLE_FROM_AXIS:
        _need_whole(node, output, range(int(attr.axis) % rank, rank))
    elif node.type() == "LRN":
        _need_whole(node, output, (1,))
    inputs: dict[int, Region] = {}
    for index in range(node.get_nb_inputs()):
        tensor = node.get_operator().get_input(index)
        if tensor is None:
            continue
        dims = _dims(node, index)
        if node.type() in _WHOLE_SPACE:
            inputs[index] = (*output[:2], *whole(dims[2:]))
        elif node.type() in _WHOLE_FROM_AXIS and index:
            inputs[index] = whole(dims)
        elif node.type() == "PRelu" and index == 1 and len(dims) == 1 and dims[0] > 1:
            inputs[index] = (output[1],)
        else:
            ends = output[rank - len(dims) :]
            inputs[index] = tuple(
                Range(0, 1) if size == 1 else out for size, out in zip(dims, ends, strict=True)
            )
    return Step(output, inputs)


# --- helpers ------------------------------------------------------------------------------------


def is_padded(node: Node) -> bool:
    """Whether a node pads first, and then does something else."""
    return node.type().startswith("Padded")


def inside(node: Node) -> tuple[Node, Node]:
    """Give the Pad and the operator inside a padded one."""
    micro = node.get_operator().micro_graph
    if micro is None:
        raise GraphError(explain(node.label, "has no graph inside"))
    pad, inner = (each for each in micro.topological_order() if each.type() != "Producer")
    return pad, inner


def _dims(node: Node, index: int) -> Sequence[int]:
    tensor = node.get_operator().get_input(index)
    if tensor is None or tensor.undefined:
        raise ShapeError(
            explain(
                f"{node.label}, input#{index}",
                "has no dimensions yet",
                cure="Call forward_dims(), or compile(dims=...), before tiling.",
            )
        )
    return tensor.dims


def _parameters(node: Node, channels: Range, indices: Sequence[int]) -> dict[int, Region]:
    """Cut parameters along their first axis, that of the channels."""
    return {
        index: (channels, *whole(_dims(node, index)[1:]))
        for index in indices
        if node.get_operator().get_input(index) is not None
    }


def _need_whole(node: Node, output: Region, axes: Sequence[int]) -> None:
    dims = node.get_operator().get_output(0).dims
    for axis in axes:
        if output[axis] != (0, dims[axis]):
            free = [each for each in range(len(dims)) if each not in axes]
            raise ShapeError(
                explain(
                    f"{node.label}, axis {axis}",
                    "cannot be cut along this axis",
                    expected=f"one of the axes {free}",
                    found=axis,
                )
            )


def _refuse_other_outputs(node: Node) -> None:
    if any(node.output(index) for index in range(1, node.get_nb_outputs())):
        raise GraphError(
            explain(node.label, "cannot be tiled while its second output (indices) is read")
        )
