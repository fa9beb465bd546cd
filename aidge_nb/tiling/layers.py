"""What a part of an operator's output is computed from.

Operators fall in families: windows that slide (convolutions, poolings, Pad), windows that spread
(transposed convolutions), products of matrices, element-wise operators, and those that need some
axes as a whole (Softmax, normalisations). Whatever is in none of them cannot be tiled.
"""

from __future__ import annotations

from collections.abc import Callable

from aidge_nb.errors import GraphError, ShapeError, explain
from aidge_nb.graph.node import Node
from aidge_nb.tiling.matrices import PRODUCTS, fitted, product_inputs
from aidge_nb.tiling.ranges import Range, Reach, Region, Spread, Window, elements, whole
from aidge_nb.tiling.sliding import sliding, sliding_windows
from aidge_nb.tiling.steps import Step, dims_of, inside, is_padded, parameters_of

__all__ = [
    "TILED",
    "Step",
    "can_tile",
    "inside",
    "is_padded",
    "spreads_of",
    "step",
    "whole_axes",
    "windows_of",
]

TILED = (
    "a convolution, pooling, product of matrices, Pad, an element-wise operator or a normalisation"
)
"""What can be tiled, in words."""

_WHOLE_FROM_AXIS = ("LayerNorm", "RMSNormalization")
_WHOLE_AXIS = ("Softmax", "LogSoftmax", "LpNormalization", "Hardmax")
_WHOLE_SPACE = ("InstanceNorm", "GlobalAveragePooling", "GlobalMaxPooling")
_VIEWS = ("Identity", "Dropout")


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
                expected=TILED,
                cure="Leave it out of the nodes to tile: end the chain before it.",
            )
        )
    found = family(node, output)
    operator = node.get_operator()
    macs = operator.macs() or 0
    if "ConvTranspose" in node.type():
        counted = macs * elements(found.inputs[0]) // elements(whole(dims_of(node, 0)))
        counted = counted * output[1].size // operator.get_output(0).dims[1]
    else:
        counted = macs * elements(output) // max(1, operator.get_output(0).size)
    return Step(found.output, found.inputs, found.changes, found.pads, counted)


def windows_of(node: Node) -> list[Window]:
    """Give the windows along the spatial axes; none where outputs lie where inputs do."""
    if _family(node) is not sliding:
        return []
    return sliding_windows(node)


def spreads_of(node: Node) -> list[Spread]:
    """Give the windows of a transposed convolution along the spatial axes; none for others."""
    if _family(node) is not _spreading:
        return []
    attr = node.get_operator().attr
    rank = len(attr.kernel_dims)
    befores = tuple(attr.pads[:rank]) or (0,) * rank
    ends = zip(attr.kernel_dims, attr.stride_dims, attr.dilation_dims, befores, strict=True)
    return [Spread(*each) for each in ends]


def whole_axes(node: Node) -> tuple[int, ...]:
    """List the axes of the output along which a node cannot be cut."""
    rank, attr = node.get_operator().get_output(0).ndim, node.get_operator().attr
    kind = node.type()
    if kind in _WHOLE_AXIS:
        axis = int(attr.axis) % rank
        return tuple(range(axis, rank)) if attr.get("flatten") else (axis,)
    if kind in _WHOLE_FROM_AXIS:
        return tuple(range(int(attr.axis) % rank, rank))
    if kind == "Concat":
        return (int(attr.axis) % rank,)
    by_type = {"LRN": (1,), "InstanceNorm": range(2, rank), "GroupNormalization": range(1, rank)}
    return tuple(by_type.get(kind, ()))


# --- families ---------------------------------------------------------------------------------


def _family(node: Node) -> Callable[[Node, Region], Step] | None:
    base = node.type().removeprefix("Padded")
    if base.startswith(("Conv1D", "Conv2D", "Conv3D", "ConvDepthWise", "MaxPooling", "AvgPooling")):
        return sliding
    if base.startswith("ConvTranspose"):
        return _spreading
    if node.type() in _FAMILIES:
        return _FAMILIES[node.type()]
    spec = node.get_operator().spec
    overwrites = spec.overwrites and not spec.is_view and node.type() != "Trilu"
    if overwrites or node.type() in _VIEWS:
        return _elementwise
    return None


def _spreading(node: Node, output: Region) -> Step:
    attr, data = node.get_operator().attr, dims_of(node, 0)
    if int(attr.group) > 1 and output[1].size < node.get_operator().get_output(0).dims[1]:
        raise ShapeError(explain(f"{node.label}, axis 1", "its groups cannot be cut"))
    spreads = spreads_of(node)
    space, cuts = [], []
    for spread, out, size in zip(spreads, output[2:], data[2:], strict=True):
        space.append(spread.reach(out, size))
        cuts.append(spread.cut(out, space[-1]))
    changes = {
        "pads": (*(cut[0] for cut in cuts), *(cut[1] for cut in cuts)),
        "output_padding": tuple(cut[2] for cut in cuts),
    }
    inputs: dict[int, Region] = {0: (output[0], Range(0, data[1]), *space)}
    weights = list(whole(dims_of(node, 1)))
    if int(attr.group) == 1:
        weights[1] = output[1]
    inputs[1] = tuple(weights)
    if node.get_operator().get_input(2) is not None:
        inputs[2] = (output[1],)
    return Step(output, inputs, changes)


def _pad(node: Node, output: Region) -> Step:
    from aidge_nb.ops.slicing import padding_of

    attr, data = node.get_operator().attr, dims_of(node, 0)
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
    _need_whole(node, output)
    inputs = {}
    for index in range(node.get_nb_inputs()):
        size = dims_of(node, index)[axis]
        inputs[index] = (*output[:axis], Range(0, size), *output[axis + 1 :])
    return Step(output, inputs)


def _product(node: Node, output: Region) -> Step:
    given = map(node.get_operator().get_input, range(node.get_nb_inputs()))
    dims = [dims_of(node, index) for index, tensor in enumerate(given) if tensor is not None]
    return Step(output, product_inputs(node, output, dims))


def _per_channel(node: Node, output: Region) -> Step:
    _need_whole(node, output)
    if "training_mode" in node.get_operator().attr and node.get_operator().attr.training_mode:
        raise GraphError(explain(node.label, "cannot be tiled in training mode"))
    return Step(
        output, {0: output, **parameters_of(node, output[1], range(1, node.get_nb_inputs()))}
    )


def _elementwise(node: Node, output: Region) -> Step:
    """Tile an operator whose outputs lie where its inputs do, but for axes that it needs whole."""
    _need_whole(node, output)
    if node.type() == "Dropout" and node.get_nb_inputs() > 2 and node.input(2) is not None:
        cure = "Remove it with remove_dropout()."
        raise GraphError(explain(node.label, "may be in training mode", cure=cure))
    inputs: dict[int, Region] = {}
    for index in range(node.get_nb_inputs()):
        tensor = node.get_operator().get_input(index)
        if tensor is None:
            continue
        dims = dims_of(node, index)
        if node.type() in _WHOLE_SPACE:
            inputs[index] = (*output[:2], *whole(dims[2:]))
        elif node.type() in (*_WHOLE_FROM_AXIS, "Dropout") and index:
            inputs[index] = whole(dims)
        else:
            inputs[index] = fitted(output, dims)
    return Step(output, inputs)


_FAMILIES: dict[str, Callable[[Node, Region], Step]] = {
    **dict.fromkeys(PRODUCTS, _product),
    **dict.fromkeys((*_WHOLE_AXIS, *_WHOLE_FROM_AXIS, *_WHOLE_SPACE, "LRN"), _elementwise),
    "Pad": _pad,
    "Concat": _concat,
    "BatchNorm2D": _per_channel,
    "InstanceNorm": _per_channel,
    "GroupNormalization": _per_channel,
}

# --- helpers ------------------------------------------------------------------------------------


def _need_whole(node: Node, output: Region) -> None:
    """Refuse parts along axes that the node needs as a whole."""
    dims, axes = node.get_operator().get_output(0).dims, whole_axes(node)
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
