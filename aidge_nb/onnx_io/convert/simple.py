"""Convert operators with few variants: matrices, normalisation, activations, constants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from aidge_nb.core.dtype import as_dtype
from aidge_nb.core.errors import ShapeError
from aidge_nb.graph.node import Node, Port
from aidge_nb.onnx_io.convert.call import OnnxCall, Unsupported, converts
from aidge_nb.onnx_io.convert.rename import renamed
from aidge_nb.onnx_io.element_types import EXOTIC
from aidge_nb.onnx_io.tensors import element_type


@converts("Constant")
def constant(call: OnnxCall) -> Node:
    """Convert Constant to a constant Producer with the node's name."""
    kinds = ("value", "value_float", "value_floats", "value_int", "value_ints", "value_string")
    for kind in (*kinds, "value_strings", "sparse_value"):
        if kind in call.node.attributes:
            value = np.asarray(call.attr(kind))
            if kind.startswith("value_float"):
                value = value.astype(np.float32)
            elif kind.startswith("value_string"):
                value = value.astype(object)
            call.conversion.constants[call.node.outputs[0]] = value
            return call.conversion.producer(call.name, value, call.node.outputs[0], constant=True)
    raise Unsupported("a constant without a value")


@converts("Identity")
def identity(call: OnnxCall) -> Node:
    """Convert Identity; the Identity of a constant is constant."""
    value = call.constant(0)
    if value is not None:
        call.conversion.constants[call.node.outputs[0]] = value
    return call.make("Identity")


@converts("Gemm")
def gemm(call: OnnxCall) -> Node:
    """Convert Gemm to FC if its weights are [outputs, inputs] with one bias per output."""
    weights, bias = call.dims(1), call.dims(2)
    plain = call.attr("alpha", 1.0) == 1 and call.attr("beta", 1.0) == 1
    straight = call.attr("transB", 0) and not call.attr("transA", 0)
    fits = not call.has(2) or (weights is not None and bias == tuple(weights[:1]))
    if not (plain and straight and fits):
        return renamed(call)
    node = call.make("FC")
    node.annotations["onnx.matrix"] = True  # what writing needs while dimensions are unknown
    return node


@converts("BatchNormalization")
def batch_normalization(call: OnnxCall) -> Node:
    """Convert batch normalisation with given statistics."""
    if call.attr("training_mode", 0) or not call.attr("spatial", 1):
        raise Unsupported("training, or statistics that are not per channel")
    call.need_outputs(1)
    return call.make(
        "BatchNorm2D",
        epsilon=call.attr("epsilon", 1e-5),
        momentum=call.attr("momentum", 0.9),
    )


def _softmax(call: OnnxCall) -> dict[str, Any]:
    """Return its attributes; before opset 13 it spans all axes from the given one on."""
    old = call.opset < 13
    return {"axis": call.attr("axis", 1 if old else -1), "flatten": old}


_RESPELLED: dict[str, Callable[[OnnxCall], dict[str, Any]]] = {
    **dict.fromkeys(("Softmax", "LogSoftmax", "Hardmax"), _softmax),
    "BitShift": lambda call: {"direction": call.attr("direction", "RIGHT").lower()},
    "Concat": lambda call: {"axis": call.attr("axis", 1 if call.opset < 4 else 0)},  # once optional
    "Split": lambda call: {  # into as many parts as it has outputs
        "axis": call.attr("axis", 0),
        "split": call.attr("split", ()),
        "nb_outputs": len(call.node.outputs),
    },
}
"""The attributes of operators that we have under the same names, as we spell them."""


@converts(*_RESPELLED)
def respelled(call: OnnxCall) -> Node:
    """Convert an operator whose attributes we spell in another way."""
    return call.make(call.node.op_type, **_RESPELLED[call.node.op_type](call))


@converts("Dropout")
def dropout(call: OnnxCall) -> Node:
    """Convert Dropout to inference form; its mask differs before opset 12."""
    if call.opset < 12 and call.reads_output(1):
        raise Unsupported("its mask of before opset 12 is read")
    seed = {"seed": call.attr("seed")} if "seed" in call.node.attributes else {}
    probability = call.attr("ratio", 0.5)
    return call.make("Dropout", probability=probability, training_mode=False, **seed)


@converts("SpaceToDepth")
def space_to_depth(call: OnnxCall) -> Node:
    """Convert SpaceToDepth, which has one block order before opset 28."""
    if call.attr("mode", "DCR") != "DCR":
        raise Unsupported(f"mode {call.attr('mode')}")
    return call.make("SpaceToDepth", block_size=call.attr("blocksize"))


@converts("GroupNormalization")
def group_normalization(call: OnnxCall) -> Node:
    """Convert group normalisation; before opset 21 scale and bias are per group."""
    if call.opset < 21:
        raise Unsupported("scale and bias per group, as before opset 21")
    return renamed(call)


@converts("Cast")
def cast(call: OnnxCall) -> Node:
    """Convert Cast to an element type that tensors can have."""
    target = call.attr("to")
    name = target if isinstance(target, str) else element_type(int(target))
    _refuse_exotic(call)
    if name == "string":
        raise Unsupported("how numbers are spelled is a matter of ONNX")
    try:
        return call.make("Cast", target_type=as_dtype((name or "").lower()))
    except ShapeError:
        raise Unsupported(f"tensors have no elements of type {name}") from None


@converts("CastLike")
def cast_like(call: OnnxCall) -> Node:
    """Convert CastLike if tensors can have the element type of the other input."""
    _refuse_exotic(call)
    return renamed(call)


def _refuse_exotic(call: OnnxCall) -> None:
    """Raise for result types that NumPy lacks, so that a standard function computes them."""
    kind = call.conversion.types.get(call.node.outputs[0])
    if kind in EXOTIC:
        raise Unsupported(f"tensors have no elements of type {kind}")


@converts("EyeLike")
def eye_like(call: OnnxCall) -> Node:
    """Convert EyeLike with an element type that tensors can have."""
    number = call.attr("dtype")
    try:
        dtype = None if number is None else as_dtype(element_type(int(number)) or "")
    except ShapeError:
        raise Unsupported("tensors have no such elements") from None
    return call.make("EyeLike", k=call.attr("k", 0), dtype=dtype)


@converts(
    "Add", "Sub", "Mul", "Div", "Pow", "And", "Or", "Xor", "Equal", "Greater", "Less", "PRelu"
)
def elementwise(call: OnnxCall) -> Node:
    """Convert binary operators; before opset 7 input 1 could be aligned to an axis."""
    if call.opset < 7 and call.node.op_type == "PRelu":
        raise Unsupported("one slope per channel, as before opset 7")
    broadcast = call.opset < 7 and call.attr("broadcast", 0) and "axis" in call.node.attributes
    if not broadcast:
        return call.make(call.node.op_type)
    left, right = call.rank(0), call.rank(1)
    axis = call.attr("axis") % left
    trailing = left - axis - right
    if trailing <= 0:
        return call.make(call.node.op_type)
    axes = tuple(range(right, right + trailing))
    aligned = call.make("Unsqueeze", call.inputs[1:2], suffix="align", axes=axes)
    return call.make(call.node.op_type, [call.inputs[0], Port(aligned, 0)])


@converts("ReduceLogSum", "ReduceLogSumExp")
def logarithm_of_sum(call: OnnxCall) -> Node:
    """Convert sums of logarithms, which ONNX computes as integers for integer data."""
    if "int" in (call.conversion.types.get(call.inputs[0]) or ""):
        raise Unsupported("logarithms as integers")
    return renamed(call)


@converts("Shape")
def shape(call: OnnxCall) -> Node:
    """Convert Shape, or a part of it; our end is inclusive."""
    end = call.attr("end")
    if end == 0:
        whole = Port(call.make("Shape", suffix="whole"), 0)
        return call.make("Slice", [whole], starts=(0,), ends=(0,), axes=(0,), steps=(1,))
    return call.make("Shape", start=call.attr("start", 0), end=-1 if end is None else end - 1)


@converts("Resize", "Upsample")
def resize(call: OnnxCall) -> Node:
    """Convert Resize and Upsample, which is one of its modes."""
    mode = call.attr("mode", "nearest")
    old = call.opset < 11 or call.node.op_type == "Upsample"
    coordinates = call.attr("coordinate_transformation_mode", "half_pixel")
    nearest = call.attr("nearest_mode", "round_prefer_floor")
    if old:
        coordinates, nearest = "asymmetric", _old_nearest(call) if mode == "nearest" else "floor"
    data = call.inputs[0]
    inputs: Sequence[str] = (data, "", *call.inputs[1:2]) if old else call.inputs
    used = [value if _holds_something(call, value) else "" for value in inputs]
    return call.make(
        "Resize",
        used,
        coordinate_transformation_mode=coordinates,
        interpolation_mode=nearest if mode == "nearest" else mode,
        cubic_coeff_a=call.attr("cubic_coeff_a", -0.75),
        extrapolation_value=call.attr("extrapolation_value", 0.0),
        exclude_outside=bool(call.attr("exclude_outside", 0)),
        antialias=bool(call.attr("antialias", 0)),
        aspect_ratio=call.attr("keep_aspect_ratio_policy", "stretch"),
        axes=call.attr("axes", ()),
        scales=call.attr("scales", ()),
    )


def _old_nearest(call: OnnxCall) -> str:
    """Return which neighbour is meant by version 10: the next one where the data shrink.

    Raise Unsupported when it is one for some axes and another for others, or the scales are not
    known.
    """
    if call.node.op_type == "Upsample":
        return "floor"
    scales = call.need_constant(1, "the scale of nearest elements")
    if (scales >= 1).all():
        return "floor"
    if (scales <= 1).all():
        return "ceil"
    raise Unsupported("nearest elements where some axes grow and others shrink")


def _holds_something(call: OnnxCall, value: str) -> bool:
    """Return whether an input is there: an empty tensor stands for one that is not."""
    array = call.conversion.constants.get(value)
    return bool(value) and (array is None or array.size > 0)
