"""Convert layers with weights: convolutions, fully connected layers, products of matrices."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from aidge_nb.kernels.standard import TFLITE
from aidge_nb.ops.rules import same_pads
from aidge_nb.tflite_io.convert.build import (
    FILE,
    IMAGE,
    Build,
    NotConverted,
    bounds,
    converts,
    is_coded,
    put_activated,
)
from aidge_nb.tflite_io.model import TfliteOperator, TfliteTensor

_INT32 = 2  # element type of a bias that is not there


def window(
    b: Build, operator: TfliteOperator, sizes: tuple[int, int], kernel: tuple[int, int]
) -> dict[str, Any]:
    """Return how a window slides, as ONNX says it."""
    options = operator.options
    strides = (options["stride_h"], options["stride_w"])
    dilations = (options.get("dilation_h", 1), options.get("dilation_w", 1))
    if min(*strides, *dilations, *kernel) < 1:
        found = f"kernel {kernel}, strides {strides}, dilations {dilations}"
        raise b.refuse(operator, "cannot slide", expected="from 1 on", found=found)
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    same = options["padding"] == "SAME"
    return {
        "kernel_shape": kernel,
        "strides": strides,
        "dilations": dilations,
        "pads": same_pads(sizes, reach, strides, upper=True) if same else (0, 0, 0, 0),
    }


def _weights(b: Build, operator: TfliteOperator, index: int, rank: int) -> Any:
    found = b.known(operator, index)
    if found.ndim != rank:
        problem = "weights have another number of axes"
        raise b.refuse(operator, problem, expected=rank, found=list(found.shape))
    return found


def _weight_coding(b: Build, operator: TfliteOperator, index: int, outs: int) -> list[str]:
    """Return scales and zero points of weights: one, or one per output channel."""
    tensor = b.tensor(operator.inputs[index])
    if tensor.dtype not in ("int8", "int4") or tensor.scale.size not in (1, outs):
        raise NotConverted(f"{tensor.dtype} weights with {tensor.scale.size} scales")
    return b.coding(operator.inputs[index])


_SUMS = {"float32": ("float32",), "int8": ("int32",), "int16": ("int64", "int32")}
"""Types of the bias by those of the data; 16-bit codes are summed in the type of their bias."""


def _bias(b: Build, operator: TfliteOperator, index: int, outs: int) -> list[str]:
    given = b.tensor(operator.outputs[0]).dtype
    if not b.has(operator, index):
        narrow = given == "int16" and operator.options.get("bias_type") == _INT32
        return [b.constant("bias", np.zeros(outs, np.int32))] if narrow else []
    bias = b.tensor(operator.inputs[index])
    if bias.dtype not in _SUMS[given]:
        raise NotConverted(f"a bias of {bias.dtype}")
    if prod(bias.dims) != outs:
        raise b.refuse(operator, "the bias has another size", expected=outs, found=list(bias.dims))
    data = b.known(operator, index)
    return [b.constant(bias.name.split(";")[0] or "bias", data.reshape(-1))]


def _ends(b: Build, operator: TfliteOperator, index: int) -> tuple[TfliteTensor, TfliteTensor]:
    return b.tensor(operator.inputs[index]), b.tensor(operator.outputs[0])


@converts("CONV_2D", "DEPTHWISE_CONV_2D", inputs=2)
def convolution(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert convolutions; weights are out, rows, columns, in."""
    given, result = _ends(b, operator, 0)
    coded = is_coded(given, result)
    weights = _weights(b, operator, 1, 4)
    image = b.image(operator.inputs[0])
    channels = given.dims[3]
    if operator.kind == "CONV_2D":
        weights = weights.transpose(0, 3, 1, 2)
        group = channels // weights.shape[1] if weights.shape[1] else 0
    else:
        weights = weights.transpose(3, 0, 1, 2)
        group = channels
    outs = weights.shape[0]
    if not group or weights.shape[1] * group != channels or outs % group:
        problem = "weights do not fit the channels"
        found = list(b.tensor(operator.inputs[1]).dims)
        raise b.refuse(operator, problem, expected=channels, found=found)
    sizes, kernel = given.dims[1:3], weights.shape[2:]
    options = window(b, operator, (sizes[0], sizes[1]), (kernel[0], kernel[1]))
    _put_layer(b, operator, coded, "Conv", image, weights, (0, 1, 2), group=group, **options)


def _put_layer(
    b: Build,
    operator: TfliteOperator,
    coded: bool,
    kind: str,
    data: str,
    weights: Any,
    at: tuple[int, int, int],
    **options: Any,
) -> None:
    """Add a convolution on codes or numbers; ``at`` are the inputs data, weights, bias."""
    number, activation = operator.outputs[0], operator.options.get("activation", "NONE")
    outs = weights.shape[1 if kind == "ConvTranspose" else 0]
    named = b.tensor(operator.inputs[at[1]]).name.split(";")[0] or "weights"
    if not coded:
        if weights.dtype != np.float32:
            raise NotConverted(f"{weights.dtype} weights of a layer on numbers")
        inputs = [data, b.constant(named, weights), *_bias(b, operator, at[2], outs)]
        put_activated(b, kind, inputs, number, activation, IMAGE, **options)
        return
    coding = _weight_coding(b, operator, at[1], outs)
    limits = bounds(activation, b.tensor(number))
    inputs = [data, *b.coding(operator.inputs[at[0]]), b.constant(named, weights), *coding]
    inputs += [*b.coding(number), *_bias(b, operator, at[2], outs)]
    b.put(f"QLinear{kind}", inputs, number, IMAGE, TFLITE, **options, **limits)


@converts("TRANSPOSE_CONV", inputs=3)
def transposed(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert transposed convolutions; weights are out, rows, columns, in."""
    given, result = _ends(b, operator, 2)
    coded = is_coded(given, result)
    weights = _weights(b, operator, 1, 4).transpose(3, 0, 1, 2)
    image, sizes = b.image(operator.inputs[2]), result.dims[1:3]
    if len(result.dims) != 4 or weights.shape[0] != given.dims[3]:
        problem, found = "weights do not fit the channels", list(weights.shape)
        raise b.refuse(operator, problem, expected=given.dims[3], found=found)
    options = window(b, operator, (sizes[0], sizes[1]), weights.shape[2:])
    del options["dilations"]
    if not coded:
        full = [
            (n - 1) * step + k
            for n, step, k in zip(
                given.dims[1:3], options["strides"], weights.shape[2:], strict=True
            )
        ]
        pads, size = options["pads"][:2], zip(full, sizes, strict=True)
        after = [whole - wanted - pad for (whole, wanted), pad in zip(size, pads, strict=True)]
        if min(after) < 0:
            raise NotConverted("an output that is larger than what is spread")
        options["pads"] = (*pads, *after)
        _put_layer(b, operator, coded, "ConvTranspose", image, weights, (2, 1, 3), **options)
        return
    shape = {"output_shape": tuple(sizes)}
    _put_layer(b, operator, coded, "ConvTranspose", image, weights, (2, 1, 3), **options, **shape)


@converts("FULLY_CONNECTED", inputs=2)
def fully_connected(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert fully connected layers; weights are out, in, and data are lines."""
    given, result = _ends(b, operator, 0)
    coded = is_coded(given, result)
    if operator.options["weights_format"]:
        raise NotConverted("shuffled weights")
    weights = _weights(b, operator, 1, 2)
    outs, depth = weights.shape
    if not depth or prod(given.dims) % depth:
        problem = "weights do not fit the data"
        raise b.refuse(operator, problem, expected=list(given.dims), found=list(weights.shape))
    lines, number = (prod(given.dims) // depth, depth), operator.outputs[0]
    data = b.value(operator.inputs[0])
    if given.dims != lines:
        data = b.reshaped(data, lines, f"{data}_lines")
    named = b.tensor(operator.inputs[1]).name.split(";")[0] or "weights"
    limits = bounds(operator.options["activation"], result) if coded else {}
    if coded:
        coding = _weight_coding(b, operator, 1, outs)
        inputs = [data, *b.coding(operator.inputs[0]), b.constant(named, weights), *coding]
        inputs += [*(_bias(b, operator, 2, outs) or [""]), *b.coding(number)]
    else:
        if weights.dtype != np.float32:
            raise NotConverted(f"{weights.dtype} weights of a layer on numbers")
        inputs = [data, b.constant(named, weights), *_bias(b, operator, 2, outs)]
    if result.dims == (lines[0], outs):
        if coded:
            b.put("QGemm", inputs, number, FILE, TFLITE, transB=1, **limits)
        else:
            put_activated(b, "Gemm", inputs, number, operator.options["activation"], transB=1)
        return
    wanted = f"{result.name.split(';')[0]}_lines"
    if coded:
        inner = b.then("QGemm", inputs, wanted, TFLITE, transB=1, **limits)
    elif operator.options["activation"] == "NONE":
        inner = b.then("Gemm", inputs, wanted, transB=1)
    else:
        raise NotConverted("lines of numbers along several axes, with an activation")
    b.put("Reshape", [inner, b.ints("shape", result.dims)], number)


@converts("BATCH_MATMUL", inputs=2)
def matrices(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert products of stacks of matrices."""
    left, result = _ends(b, operator, 0)
    coded = is_coded(left, b.tensor(operator.inputs[1]), result)
    values = []
    for index, turn in enumerate(("adj_x", "adj_y")):
        value = b.value(operator.inputs[index])
        if operator.options[turn]:
            axes = list(range(len(b.tensor(operator.inputs[index]).dims)))
            perm = (*axes[:-2], axes[-1], axes[-2])
            value = b.then("Transpose", [value], f"{value}_turned", perm=perm)
        values.append(value)
    if not coded:
        b.put("MatMul", values, number)
        return
    inputs = [part for i in (0, 1) for part in (values[i], *b.coding(operator.inputs[i]))]
    b.put("QLinearMatMul", [*inputs, *b.coding(number)], number, FILE, TFLITE)
