"""Rules of operators: the inputs from which a part of an output is computed.

Families: sliding windows (convolutions, poolings, Pad), spreading windows (transposed
convolutions), matrix products, element-wise operators, and operators that need some axes whole
(Softmax, normalisations). Other operators cannot be tiled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aidge_nb.core.errors import GraphError, ShapeError
from aidge_nb.graph.node import Node
from aidge_nb.ops.coded import as_numbers, twin_of
from aidge_nb.tiling.coded import rule_of_twin
from aidge_nb.tiling.ranges import Range, Region, SlidingWindow, SpreadWindow, elements, whole
from aidge_nb.tiling.tile_nodes import PartFacts, PartRule, PartStep, dims_of, parameters_of
from aidge_nb.tiling.windows import padding, sliding, sliding_windows, spread_windows, spreading

TILED = (
    "a convolution, pooling, product of matrices, Pad, an element-wise operator or a normalisation"
)
"""The operators that can be tiled, in words."""

_PRODUCTS = ("FC", "Gemm", "MatMul")
_WHOLE_FROM_AXIS = ("LayerNorm", "RMSNormalization")
_WHOLE_AXIS = ("Softmax", "LogSoftmax", "LpNormalization", "Hardmax")
_WHOLE_SPACE = ("InstanceNorm", "GlobalAveragePooling", "GlobalMaxPooling")
_VIEWS = ("Identity", "Dropout")


def can_tile(node: Node) -> bool:
    """Return whether a node can be tiled."""
    return _family(node) is not None


def step(node: Node, output: Region) -> PartStep:
    """Return how a part of the output of a node, with known dimensions, is computed.

    Raise GraphError when the operator cannot be tiled. Raise ShapeError when it cannot be cut like
    this.

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
    return steps_of(node)(output)


def steps_of(node: Node) -> Callable[[Region], PartStep]:
    """Return the :func:`step` function of a node, for many parts; the node must not change.

    Raise GraphError, ShapeError as :func:`step`.
    """
    family = _family(node)
    if family is None:
        raise GraphError.at(
            node.label,
            "cannot be tiled",
            expected=TILED,
            cure="Leave it out of the nodes to tile: end the chain before it.",
        )
    twin = twin_of(node)
    rule = family(node) if twin is None else rule_of_twin(node, twin, family)
    operator = node.get_operator()
    macs, made = operator.macs() or 0, operator.get_output(0)
    spreads, count = "ConvTranspose" in as_numbers(node).type(), max(1, made.size)
    read = elements(whole(dims_of(node, 0))) if spreads else 0

    def find(output: Region) -> PartStep:
        inputs, changes, pads = rule(output)
        if spreads:  # count what is read, spread over the channels
            counted = macs * elements(inputs[0]) // read * output[1].size // made.dims[1]
        else:
            counted = macs * elements(output) // count
        return PartStep(output, inputs, changes, pads, counted)

    return find


def windows_of(node: Node) -> list[SlidingWindow]:
    """Return the sliding windows along the spatial axes, [] for other operators."""
    return sliding_windows(as_numbers(node)) if _family(node) is sliding else []


def spreads_of(node: Node) -> list[SpreadWindow]:
    """Return the windows of a transposed convolution along the spatial axes, [] for others."""
    return spread_windows(as_numbers(node)) if _family(node) is spreading else []


def whole_axes(node: Node) -> tuple[int, ...]:
    """List the output axes along which a node cannot be cut."""
    node = as_numbers(node)
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


def _family(node: Node) -> Callable[[Node], PartRule] | None:
    node = as_numbers(node)
    base = node.type().removeprefix("Padded")
    if base.startswith(("Conv1D", "Conv2D", "Conv3D", "ConvDepthWise", "MaxPooling", "AvgPooling")):
        return sliding
    if base.startswith("ConvTranspose"):
        return spreading
    if node.type() in _FAMILIES:
        return _FAMILIES[node.type()]
    spec = node.get_operator().spec
    overwrites = spec.overwrites and not spec.is_view and node.type() != "Trilu"
    if overwrites or node.type() in _VIEWS:
        return _elementwise
    return None


def _concat(node: Node) -> PartRule:
    axis = int(node.get_operator().attr.axis) % node.get_operator().get_output(0).ndim
    sizes = [dims_of(node, index)[axis] for index in range(node.get_nb_inputs())]
    check = _check_of(node)

    def rule(output: Region) -> PartFacts:
        check(output)
        before, behind = output[:axis], output[axis + 1 :]
        read = {i: (*before, Range(0, size), *behind) for i, size in enumerate(sizes)}
        return read, {}, ()

    return rule


def _product(node: Node) -> PartRule:
    given = map(node.get_operator().get_input, range(node.get_nb_inputs()))
    dims = [dims_of(node, index) for index, tensor in enumerate(given) if tensor is not None]

    def rule(output: Region) -> PartFacts:
        return product_inputs(node, output, dims), {}, ()

    return rule


def _per_channel(node: Node) -> PartRule:
    if "training_mode" in node.get_operator().attr and node.get_operator().attr.training_mode:
        raise GraphError.at(node.label, "cannot be tiled in training mode")
    check = _check_of(node)
    parameters = parameters_of(node, range(1, node.get_nb_inputs()))

    def rule(output: Region) -> PartFacts:
        check(output)
        return {0: output, **parameters(output[1])}, {}, ()

    return rule


def _elementwise(node: Node) -> PartRule:
    """Return the rule of an element-wise operator, or of one that needs some axes whole."""
    if node.type() == "Dropout" and node.get_nb_inputs() > 2 and node.source(2) is not None:
        cure = "Remove it with remove_dropout()."
        raise GraphError.at(node.label, "may be in training mode", cure=cure)
    check, kind = _check_of(node), node.type()
    given = enumerate(node.get_operator().get_inputs())
    dims = {index: dims_of(node, index) for index, tensor in given if tensor is not None}

    def rule(output: Region) -> PartFacts:
        check(output)
        inputs: dict[int, Region] = {}
        for index, size in dims.items():
            if kind in _WHOLE_SPACE:
                inputs[index] = (*output[:2], *whole(size[2:]))
            elif index and kind in (*_WHOLE_FROM_AXIS, "Dropout"):
                inputs[index] = whole(size)
            else:
                inputs[index] = fitted(output, size)
        return inputs, {}, ()

    return rule


_FAMILIES: dict[str, Callable[[Node], PartRule]] = {
    **dict.fromkeys(_PRODUCTS, _product),
    **dict.fromkeys((*_WHOLE_AXIS, *_WHOLE_FROM_AXIS, *_WHOLE_SPACE, "LRN"), _elementwise),
    "Pad": padding,
    "Concat": _concat,
    "BatchNorm2D": _per_channel,
    "InstanceNorm": _per_channel,
    "GroupNormalization": _per_channel,
}

# --- helpers ------------------------------------------------------------------------------------


def _check_of(node: Node) -> Callable[[Region], None]:
    """Return a check that refuses cuts along axes that the node needs whole."""
    dims, axes = node.get_operator().get_output(0).dims, whole_axes(node)

    def check(output: Region) -> None:
        for axis in axes:
            if output[axis] != (0, dims[axis]):
                free = [each for each in range(len(dims)) if each not in axes]
                raise ShapeError.at(
                    f"{node.label}, axis {axis}",
                    "cannot be cut along this axis",
                    expected=f"one of the axes {free}",
                    found=axis,
                )

    return check


def product_inputs(node: Node, output: Region, dims: Sequence[Sequence[int]]) -> dict[int, Region]:
    """Return the regions that a part of a product reads.

    Rows of the result need the same rows of the left factor, columns the same columns of the right
    one; the summed axis is needed whole. Raise GraphError for products with vectors. ``dims`` are
    those of its inputs.

    Examples
    --------
    >>> import aidge_nb
    >>> node = aidge_nb.FC(8, 4, name="fc")
    >>> found = product_inputs(node, (Range(0, 1), Range(2, 4)), [(1, 8), (4, 8), (4,)])
    >>> [[str(each) for each in region] for region in found.values()]
    [['0:1', '0:8'], ['2:4', '0:8'], ['2:4']]
    """
    data, weight = dims[0], dims[1]
    rows, columns = output[-2:] if len(output) > 1 else (Range(0, 1), output[-1])
    left: Region
    right: Region
    if node.type() == "FC":
        left = (rows, *whole(data[1:])) if len(data) > 1 else whole(data)
        right = (columns, *whole(weight[1:]))
        return {0: left, 1: right, **({2: (columns,)} if len(dims) > 2 else {})}
    if min(len(data), len(weight)) < 2:
        problem, cure = "a product with a vector cannot be tiled", "Give it two axes: Unsqueeze."
        raise GraphError.at(node.label, problem, found=list(map(list, dims[:2])), cure=cure)
    if node.type() == "Gemm":
        attr = node.get_operator().attr
        left = (Range(0, data[0]), rows) if attr.transA else (rows, Range(0, data[1]))
        right = (columns, Range(0, weight[1])) if attr.transB else (Range(0, weight[0]), columns)
        bias = {2: fitted(output, dims[2])} if len(dims) > 2 else {}
        return {0: left, 1: right, **bias}
    left = (*fitted(output[:-2], data[:-2]), rows, Range(0, data[-1]))
    right = (*fitted(output[:-2], weight[:-2]), Range(0, weight[-2]), columns)
    return {0: left, 1: right}


def fitted(output: Region, dims: Sequence[int]) -> Region:
    """Return the part of a broadcast input, aligned at the last axis."""
    ends = output[len(output) - len(dims) :]
    return tuple(Range(0, 1) if size == 1 else out for size, out in zip(dims, ends, strict=True))
