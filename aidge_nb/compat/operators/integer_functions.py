"""GELU, SiLU, Softmax and LayerNorm on integers of 32 bits: shifts stand for exponentials.

Sources: Z. Li and Q. Gu, I-ViT: Integer-only Quantization for Efficient Vision Transformer
Inference, 2023; where it leaves a choice, the headers of aidge_backend_cpu 0.10.1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.compat.operators.declare import node_of, operator
from aidge_nb.graph.node import Node

__all__ = ["SDLayerNorm", "SDShiftGELU", "SDShiftSiLU", "SDShiftmax"]

Array = NDArray[Any]
Integers = NDArray[np.int64]

LEAST, MOST = -(2**31), 2**31 - 1
STEEPNESS = {"GELU": 1.702, "SiLU": 1.0}
"""GELU is about x · sigmoid(1.702 x), SiLU is x · sigmoid(x)."""


def _on_codes(x: Array, given: Array, made: Array | float, run: Callable[[Any], Any]) -> Array:
    """Run a function on codes; floating-point numbers are such codes times a scale."""
    if x.dtype.kind in "iu":
        bounds = np.iinfo(x.dtype)
        narrow: Array = np.clip(run(x.astype(np.int64)), bounds.min, bounds.max).astype(x.dtype)
        return narrow
    codes = np.clip(np.rint(x / given.astype(np.float32)), LEAST, MOST).astype(np.int64)
    outputs = run(codes).astype(np.float32) * np.float32(made)
    result: Array = outputs.astype(x.dtype)
    return result


def _times(a: Integers, b: Integers | int, shift: int = 0) -> Integers:
    """Return the floor of a · b / 2**shift, which stays in 32 bits."""
    product: Integers = np.clip((a * b) >> shift, LEAST, MOST)
    return product


def _exponential(x: Integers, unit: Integers | int, steps: int) -> Integers:
    """Return about e**(x / unit) · unit · 2**steps for x ≤ 0: e**x is near 2**(x (1 + 1/2 - 1/16)).

    Between two powers of two, 2**-r is taken as 1 - r / 2.
    """
    shifted = np.maximum(x + x // 2 - x // 16, -steps * unit)
    whole = shifted // -unit
    rest = (shifted + whole * unit) // 2 + unit
    grown: Integers = np.clip(np.maximum(rest, 0) << (steps - whole), 0, MOST)
    return grown


def _unit(scale: Array | float, steps: int) -> Integers:
    """Return the code of 1, which times ``steps`` stays in 32 bits."""
    found: Integers = np.minimum(MOST // steps, np.ceil(1.0 / np.float64(scale))).astype(np.int64)
    return found


def _gated(x: Array, input_scale: float, output_scale: float, steepness: float) -> Array:
    """Return x · sigmoid(steepness · x)."""
    given, made = float(np.float32(input_scale)), float(np.float32(output_scale))
    unit, bits = int(_unit(given * steepness, 23)), round(1.0 - log2(made / given))

    def run(codes: Integers) -> Integers:
        above = np.maximum(codes, 0)
        power = _exponential(codes - above, unit, 23)
        total = np.clip(power + _exponential(-above, unit, 23), 1, MOST)
        return _times(codes, _times(power, MOST // total, 32 - bits))

    return _on_codes(x, np.array(given), made, run)


def _declare(kind: str) -> Callable[..., Node]:
    """Declare a gated operator, and return what makes its nodes."""
    type_name = f"SDShift{kind}"

    @operator(type_name, "data_input")
    def run(x: Array, *, input_scale: float, output_scale: float) -> Array:
        return _gated(x, input_scale, output_scale, STEEPNESS[kind])

    def make(input_scale: float, output_scale: float, name: str = "") -> Node:
        given, made = float(np.float32(input_scale)), float(np.float32(output_scale))
        return node_of(type_name, name, input_scale=given, output_scale=made)

    make.__name__ = make.__qualname__ = type_name
    make.__doc__ = f"Make {kind} on integers; the scales are those of input and output."
    return make


SDShiftGELU, SDShiftSiLU = _declare("GELU"), _declare("SiLU")


@operator("SDShiftmax", "data_input")
def shiftmax(
    x: Array, *, input_scale: Sequence[float], output_scale: float, shift: int, axis: int = -1
) -> Array:
    """Return each exponential along an axis, over their sum."""
    place = axis % x.ndim
    rows = int(np.prod(x.shape[:place]))
    scales = np.resize(np.array(input_scale), rows).reshape(
        *x.shape[:place], *[1] * (x.ndim - place)
    )
    bits = round(1.0 - log2(np.float32(output_scale)))

    def run(codes: Integers) -> Integers:
        highest = codes.max(place, keepdims=True)
        powers = _exponential(codes - highest, _unit(scales, 15), 15)
        low = powers & ((1 << shift) - 1)
        sums = [np.clip(each.sum(place, keepdims=True), 0, MOST) for each in (powers >> shift, low)]
        total = np.clip(sums[0] + (sums[1] >> shift), 1, MOST)
        return _times(powers, MOST // total, 32 - bits + shift)

    return _on_codes(x, scales, output_scale, run)


def SDShiftmax(
    input_scale: Sequence[float], output_scale: float, shift: int, axis: int = -1, name: str = ""
) -> Node:
    """Make Softmax on integers.

    Parameters
    ----------
    input_scale
        Scale of the inputs, or one for each row before the axis, in turn.
    output_scale
        Scale of the outputs.
    shift
        By how many bits exponentials are shorter when they are added up.
    axis, name
        The axis along which the outputs add up to 1; name of the node.
    """
    scales = [float(np.float32(each)) for each in input_scale]
    made = float(np.float32(output_scale))
    attrs = {"input_scale": scales, "output_scale": made, "shift": shift, "axis": axis}
    return node_of("SDShiftmax", name, **attrs)


@operator("SDLayerNorm", "data_input")
def integer_layer_norm(
    x: Array,
    *,
    input_scale: Sequence[float],
    output_scale: Sequence[float],
    bias: Sequence[int],
    axis: int = -1,
) -> Array:
    """Return the distance from the mean over the deviation, whose root is found in 20 steps."""
    place = axis % x.ndim
    shape = [-1 if each == place else 1 for each in range(x.ndim)]
    given, made, offset = (
        np.array(each).reshape(shape) for each in (input_scale, output_scale, bias)
    )

    def run(codes: Integers) -> Integers:
        mean = np.rint(codes.sum(place, keepdims=True) / x.shape[place]).astype(np.int64)
        centred = codes - mean
        power = np.clip(_times(centred, centred).sum(place, keepdims=True), 0, MOST)
        root = np.full_like(power, 1 << 16)
        for _ in range(20):
            root = (root + power // np.maximum(1, root)) // 2
        normal = _times(centred, MOST // np.maximum(1, root), 1)
        moved: Integers = np.clip(normal + offset, LEAST, MOST)
        return moved

    return _on_codes(x, given, made, run)


def SDLayerNorm(
    input_scale: Sequence[float],
    output_scale: Sequence[float],
    bias: Sequence[int],
    axis: int = -1,
    name: str = "",
) -> Node:
    """Make LayerNorm on integers.

    Parameters
    ----------
    input_scale, output_scale, bias
        Scale of the inputs, one or as many as channels; scale and bias of each output channel.
    axis, name
        The axis of the channels; name of the node.
    """
    scales = [[float(np.float32(each)) for each in given] for given in (input_scale, output_scale)]
    attrs = {"input_scale": scales[0], "output_scale": scales[1], "bias": list(bias), "axis": axis}
    return node_of("SDLayerNorm", name, **attrs)
