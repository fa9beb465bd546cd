"""Convert pools, means, softmax and resizing."""

from __future__ import annotations

from typing import Any

import numpy as np

from aidge_nb.kernels.standard import TFLITE
from aidge_nb.tflite_io.convert.build import (
    FILE,
    IMAGE,
    TO_IMAGE,
    Build,
    NotConverted,
    bounds,
    converts,
    is_coded,
    put_activated,
)
from aidge_nb.tflite_io.convert.layers import window
from aidge_nb.tflite_io.convert.pointwise import layout_of, need_equal
from aidge_nb.tflite_io.model import TfliteOperator


@converts("AVERAGE_POOL_2D", "MAX_POOL_2D")
def pool(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert pools; those of codes keep the scale."""
    given, result = b.tensor(source), b.tensor(number)
    coded = is_coded(given, result)
    image = b.image(source)
    kernel = (operator.options["filter_h"], operator.options["filter_w"])
    options = window(b, operator, (given.dims[1], given.dims[2]), kernel)
    activation = operator.options["activation"]
    is_mean = operator.kind == "AVERAGE_POOL_2D"
    if not coded:
        kind = "AveragePool" if is_mean else "MaxPool"
        del options["dilations"]
        put_activated(b, kind, [image], number, activation, IMAGE, **options)
        return
    need_equal([given, result])
    limits = bounds(activation, result)
    if is_mean:
        b.put("QLinearAveragePool", [image], number, IMAGE, TFLITE, **options, **limits)
    elif limits == bounds("NONE", result):
        b.put("MaxPool", [image], number, IMAGE, **options)
    else:
        inner = b.then("MaxPool", [image], "pooled", **options)
        ends = [b.constant("bound", np.asarray(end, result.dtype)) for end in limits.values()]
        b.put("Clip", [inner, *ends], number, IMAGE)


_REDUCTIONS = {
    "MEAN": "ReduceMean",
    "SUM": "ReduceSum",
    "REDUCE_MAX": "ReduceMax",
    "REDUCE_MIN": "ReduceMin",
}


@converts(*_REDUCTIONS, inputs=2)
def reduction(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert means, sums and maxima along axes."""
    given, result = b.tensor(source), b.tensor(number)
    coded, rank = is_coded(given, result), len(given.dims)
    axes = sorted({int(axis) for axis in b.known(operator, 1).reshape(-1)})
    if any(not -rank <= axis < rank for axis in axes):
        raise b.refuse(operator, "has no such axes", expected=f"{rank} axes", found=axes)
    axes, keep = [axis % rank for axis in axes], int(operator.options["keep_dims"])
    layout = layout_of(b, [source])
    if layout == IMAGE:
        axes = sorted(TO_IMAGE.index(axis) for axis in axes)
        if not keep and axes != [2, 3] and axes != [1, 2, 3]:
            layout, axes = FILE, sorted(TO_IMAGE[axis] for axis in axes)
    value = b.value(source, layout)
    target = layout if keep else FILE
    if not coded or operator.kind in ("REDUCE_MAX", "REDUCE_MIN"):
        if coded:
            need_equal([given, result])
        kind = _REDUCTIONS[operator.kind]
        if kind == "ReduceSum":
            b.put(kind, [value, b.ints("axes", axes)], number, target, keepdims=keep)
        else:
            b.put(kind, [value], number, target, axes=tuple(axes), keepdims=keep)
        return
    inputs = [value, *b.coding(source), *b.coding(number)]
    options: dict[str, Any] = {"axes": tuple(axes), "keepdims": keep}
    options |= {"is_sum": 1} if operator.kind == "SUM" else {}
    b.put("QLinearReduceMean", inputs, number, target, TFLITE, **options)


@converts("SOFTMAX")
def softmax(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert the softmax along the last axis."""
    given, result = b.tensor(source), b.tensor(number)
    beta, value = float(operator.options["beta"]), b.value(source)
    if is_coded(given, result):
        steps = (2**-8, -128) if given.dtype == "int8" else (2**-15, 0)
        if (float(result.scale[0]), int(result.zero[0])) != steps:
            raise NotConverted("a softmax whose result is not in steps of 1/256, or 1/32768")
        b.put("QLinearSoftmax", [value, b.coding(source)[0]], number, FILE, TFLITE, beta=beta)
        return
    if beta != 1:
        factor = b.constant("beta", np.asarray(beta, np.float32))
        value = b.then("Mul", [value, factor], "scaled")
    b.put("Softmax", [value], number, axis=-1)


@converts("RESIZE_NEAREST_NEIGHBOR", "RESIZE_BILINEAR")
def resize(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert resized images."""
    given, result = b.tensor(source), b.tensor(number)
    coded, nearest = is_coded(given, result), operator.kind == "RESIZE_NEAREST_NEIGHBOR"
    if coded:
        need_equal([given, result])
    if len(result.dims) != 4 or min(*given.dims, *result.dims) < 1:
        raise NotConverted("a resized tensor that is no image")
    corners, half = operator.options["align_corners"], operator.options["half_pixel"]
    if coded and not nearest:
        if given.dtype != "int8":
            raise NotConverted("16-bit codes between codes")
        wanted, ways = tuple(result.dims[1:3]), (int(corners), int(half))
        names = {"sizes": wanted, "align_corners": ways[0], "half_pixel": ways[1]}
        b.put("QLinearBilinear", [b.image(source)], number, IMAGE, TFLITE, **names)
        return
    if nearest and (corners or half):
        raise NotConverted("the nearest element by corners or half pixels")
    place = "align_corners" if corners else "half_pixel" if half else "asymmetric"
    sizes = (result.dims[0], result.dims[3], *result.dims[1:3])
    options = {"nearest_mode": "floor"} if nearest else {}
    b.put(
        "Resize",
        [b.image(source), "", "", b.ints("sizes", sizes)],
        number,
        IMAGE,
        mode="nearest" if nearest else "linear",
        coordinate_transformation_mode=place,
        **options,
    )
