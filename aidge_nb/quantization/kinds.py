"""Kinds of operators, by what quantization does with them."""

from __future__ import annotations

from collections.abc import Iterable

from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import OpSpec
from aidge_nb.graph.view import GraphView
from aidge_nb.ops.convolution import CONVS, DEPTHWISE_CONVS, TRANSPOSED_CONVS
from aidge_nb.ops.pooling import AVG_POOLINGS
from aidge_nb.ops.pooling import MAX_POOLINGS as _MAX_POOLINGS
from aidge_nb.ops.rules import float_result
from aidge_nb.ops.slicing import TRILU


def _padded_or_not(specs: Iterable[OpSpec]) -> frozenset[str]:
    return frozenset(f"{pad}{spec.type}" for spec in specs for pad in ("", "Padded"))


CONVOLUTIONS = _padded_or_not((*CONVS, *DEPTHWISE_CONVS))
TRANSPOSED = frozenset(spec.type for spec in TRANSPOSED_CONVS)
AVERAGE_POOLINGS = _padded_or_not(AVG_POOLINGS)
MAX_POOLINGS = _padded_or_not(_MAX_POOLINGS)
CODERS = ("QuantizeLinear", "DequantizeLinear")
"""Operators that quantize, and that make numbers of codes."""

WEIGHTED = CONVOLUTIONS | TRANSPOSED | {"FC"}
"""Layers whose weights are at input 1, and whose bias is at input 2."""

MOVING = MAX_POOLINGS | {
    *("Reshape", "Flatten", "Transpose", "Slice", "Squeeze", "Unsqueeze", "Identity", "Dropout"),
    *("Expand", "Tile", "Gather", "DepthToSpace", "SpaceToDepth", "GlobalMaxPooling", "Pad"),
}
"""Operators that move codes or choose among them: they give a code for each number they give."""

COMBINING = frozenset(("Add", "Sub", "Mul", "Div", "Pow"))
"""Operators of two tensors; with a known number in place of one, a table holds the results."""

BALANCED = (
    MAX_POOLINGS
    | AVERAGE_POOLINGS
    | {
        *("ReLU", "LeakyReLU", "Flatten", "Reshape", "Dropout", "Identity"),
        *("GlobalAveragePooling", "GlobalMaxPooling"),
    }
)
"""Operators for which a positive factor of a channel passes through."""


def is_moving(node: Node) -> bool:
    """Return whether a result is coded as the data: moved, chosen, or means along axes.

    Examples
    --------
    >>> import aidge_nb
    >>> [is_moving(node) for node in (aidge_nb.Transpose([1, 0]), aidge_nb.ReLU())]
    [True, False]
    """
    if node.type() != "Resize":
        return node.type() in MOVING
    attributes = node.get_operator().attr
    mode, style = attributes.coordinate_transformation_mode, attributes.interpolation_mode
    return bool(mode != "tf_crop_and_resize" and style != "cubic")


def is_elementwise(node: Node) -> bool:
    """Return whether a result depends on one number alone, wherever it is: a table can hold it.

    Examples
    --------
    >>> import aidge_nb
    >>> [is_elementwise(node) for node in (aidge_nb.ReLU(), aidge_nb.Add(), aidge_nb.Softmax(1))]
    [True, False, False]
    """
    spec = node.get_operator().spec
    return (
        spec.overwrites == (0,)
        and not (spec.is_view or spec.variadic or spec is TRILU)
        and spec.dtypes in (None, float_result)  # not to another type, nor to truth values
        and node.type() not in MOVING
        and len(spec.outputs) == 1
        and all("Optional" in port.category.name for port in spec.inputs[1:])
    )


def is_quantized(view: GraphView) -> bool:
    """Return whether a graph has nodes that quantize or make numbers of codes.

    Examples
    --------
    >>> import aidge_nb
    >>> is_quantized(aidge_nb.sequential([aidge_nb.ReLU()]))
    False
    """
    return any(node.type() in CODERS for node in view.get_nodes())
