"""Small models of further operators, and of 16-bit activations; scales are drawn, too."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.tflite_io.cases import Drawn, case, weights, window
from tests.tflite_io.writer import Net

NEAR = ("lstm_of_numbers", "numbers", "running_sums", "truths")
"""Cases on numbers, whose results may differ in the last bits."""


def _scale(r: Drawn, about: float) -> float:
    return float(np.float32(about * r.uniform(0.5, 1.5)))


@case
def quotients(net: Net, r: Drawn) -> list[int]:
    """The interpreter shifts by more than 31 places, unless results are much finer than terms."""
    x, found = net.input([1, 256], scale=_scale(r, 0.08), zero=-3), []
    data = r.choice([*range(-128, -40), *range(-36, 128)], (1, 256)).astype(np.int8)
    divisor = net.tensor([1, 256], "int8", _scale(r, 0.05), -38, data)
    for activation, scale in (("RELU6", 0.008), ("NONE", 0.005)):
        found.append(net.tensor([1, 256], scale=scale, zero=9))
        net.add("DIV", [x, divisor], found[-1:], activation=activation)
    return found


@case
def more_functions(net: Net, r: Drawn) -> list[int]:
    x, dims = net.input([1, 256], scale=_scale(r, 0.06), zero=-11), [1, 256]
    y = [net.tensor(dims, scale=_scale(r, 0.06), zero=-20) for _ in range(3)]
    y[0] = net.tensor(dims, scale=0.1, zero=-20)
    for kind, number in zip(("HARD_SWISH", "ABS", "ELU"), y, strict=True):
        net.add(kind, [x], [number])
    return y


@case
def more_sums(net: Net, r: Drawn) -> list[int]:
    a = net.input([1, 4, 4, 3], scale=_scale(r, 0.05), zero=-3)
    b = net.input([1, 4, 4, 3], scale=_scale(r, 0.02), zero=7)
    slopes = net.tensor(
        [1, 1, 3], "int8", 0.01, 4, r.integers(-128, 128, (1, 1, 3)).astype(np.int8)
    )
    y = [net.tensor([1, 4, 4, 3], scale=_scale(r, 0.06), zero=2) for _ in range(3)]
    net.add("SQUARED_DIFFERENCE", [a, b], [y[0]])
    net.add("PRELU", [a, slopes], [y[1]])
    net.add("SUB", [a, b], [y[2]], activation="NONE")
    total = net.tensor([1, 3], scale=_scale(r, 0.4), zero=5)
    net.add("SUM", [a, net.ints(1, 2)], [total], keep_dims=False)
    ends = [net.tensor([1, 1, 1, 3], scale=net_scale(net, a), zero=-3) for _ in range(2)]
    net.add("REDUCE_MAX", [a, net.ints(1, 2)], [ends[0]], keep_dims=True)
    net.add("REDUCE_MIN", [a, net.ints(1, 2)], [ends[1]], keep_dims=True)
    return [*y, total, *ends]


def net_scale(net: Net, number: int) -> float:
    return float(net.tensors[number][4][2][0])


@case
def bilinear(net: Net, r: Drawn) -> list[int]:
    coding: dict[str, Any] = {"scale": 0.05, "zero": -3}
    x, found = net.input([1, 3, 5, 2], **coding), []
    for corners, half, size in (
        (False, False, (7, 8)),
        (True, False, (5, 9)),
        (False, True, (6, 4)),
    ):
        found.append(net.tensor([1, *size, 2], **coding))
        options = {"align_corners": corners, "half_pixel": half}
        net.add("RESIZE_BILINEAR", [x, net.ints(*size)], found[-1:], **options)
    return found


def _lstm(net: Net, r: Drawn, dtype: str, **options: Any) -> list[int]:
    batch, steps, inputs, units = 1, 5, 6, 4
    is_number = dtype == "float32"
    state: dict[str, Any] = {} if is_number else {"scale": 2.0**-7 if dtype == "int8" else 2.0**-15}
    zero = -4 if dtype == "int8" else 0
    dims = (steps, batch, inputs) if options["time_major"] else (batch, steps, inputs)
    x = net.input(dims, dtype, *(() if is_number else (_scale(r, 0.02), zero)))

    def weight(*dims: int) -> int:
        if is_number:
            return net.tensor(dims, "float32", data=r.normal(0, 0.5, dims).astype(np.float32))
        data = r.integers(-127, 128, dims).astype(np.int8)
        return net.tensor(dims, "int8", _scale(r, 0.008 if dtype == "int8" else 0.01), 0, data)

    def bias() -> int:
        if is_number:
            return net.tensor([units], "float32", data=r.normal(0, 0.3, units).astype(np.float32))
        kind = np.int32 if dtype == "int8" else np.int64
        data = r.integers(-3000, 3000, units).astype(kind)
        return net.tensor([units], np.dtype(kind).name, 1e-4, 0, data)

    given = [weight(units, inputs) for _ in range(4)]
    fed = [weight(units, units) for _ in range(4)]
    biases = [bias() for _ in range(4)]
    cell_kind = "float32" if is_number else "int16"
    cell: dict[str, Any] = {} if is_number else {"scale": 2.0**-11}
    hidden = net.tensor([batch, units], dtype, **state, zero=zero, is_variable=True)
    cells = net.tensor([batch, units], cell_kind, **cell, is_variable=True)
    y = net.tensor([*dims[:2], units], dtype, **state, zero=zero)
    none = [-1] * 3
    inputs_of_all = [x, *given, *fed, *none, *biases, -1, -1, hidden, cells, *none, -1]
    options = {"activation": "TANH", "cell_clip": 0.0, "projection_clip": 0.0, **options}
    net.add("UNIDIRECTIONAL_SEQUENCE_LSTM", inputs_of_all, [y], **options)
    return [y]


@case
def lstm(net: Net, r: Drawn) -> list[int]:
    return _lstm(net, r, "int8", time_major=False)


@case
def lstm_bounded(net: Net, r: Drawn) -> list[int]:
    return _lstm(net, r, "int8", time_major=True, cell_clip=0.4)


@case
def lstm_wide(net: Net, r: Drawn) -> list[int]:
    return _lstm(net, r, "int16", time_major=False)


@case
def lstm_of_numbers(net: Net, r: Drawn) -> list[int]:
    return _lstm(net, r, "float32", time_major=False)


def _long_bias(net: Net, r: Drawn, size: int, kind: str = "int64") -> int:
    data = r.integers(-500_000, 500_000, size).astype(kind)
    return net.tensor([size], kind, data=data)


def _wide(net: Net, r: Drawn, dims: list[int], about: float) -> int:
    return net.tensor(dims, "int16", scale=_scale(r, about))


@case
def wide_conv(net: Net, r: Drawn) -> list[int]:
    x, found = net.input([1, 6, 7, 4], "int16", _scale(r, 2e-4)), []
    for kind in ("int64", "int32", None):
        found.append(_wide(net, r, [1, 3, 4, 5], 4e-4))
        added = -1 if kind is None else _long_bias(net, r, 5, kind)
        inputs = [x, weights(net, r, 5, 3, 3, 4), added]
        net.add("CONV_2D", inputs, found[-1:], **window("RELU", step=2))
    found.append(_wide(net, r, [1, 6, 7, 8], 3e-4))
    inputs = [x, weights(net, r, 1, 3, 3, 8, axis=3), _long_bias(net, r, 8)]
    net.add("DEPTHWISE_CONV_2D", inputs, found[-1:], **window(multiplier=2))
    return found


@case
def wide_transposed(net: Net, r: Drawn) -> list[int]:
    x, y = net.input([1, 4, 5, 3], "int16", _scale(r, 2e-4)), _wide(net, r, [1, 8, 10, 4], 4e-4)
    inputs = [net.ints(1, 8, 10, 4), weights(net, r, 4, 3, 3, 3), x, _long_bias(net, r, 4)]
    net.add("TRANSPOSE_CONV", inputs, [y], **window(step=2))
    return [y]


@case
def wide_products(net: Net, r: Drawn) -> list[int]:
    x, found = net.input([3, 9], "int16", _scale(r, 2e-4)), []
    for several in (False, True):
        found.append(_wide(net, r, [3, 5], 4e-4))
        inputs = [x, weights(net, r, 5, 9, several=several), _long_bias(net, r, 5)]
        net.add("FULLY_CONNECTED", inputs, found[-1:], activation="RELU")
    other = net.input([9, 4], "int16", _scale(r, 3e-4))
    found.append(_wide(net, r, [3, 4], 2e-3))
    net.add("BATCH_MATMUL", [x, other], found[-1:], adj_x=False, adj_y=False)
    return found


@case
def wide_sums(net: Net, r: Drawn) -> list[int]:
    dims = [1, 4, 4, 3]
    a, b = net.input(dims, "int16", _scale(r, 2e-4)), net.input(dims, "int16", _scale(r, 3e-4))
    y = [_wide(net, r, dims, 3e-4) for _ in range(4)]
    net.add("ADD", [a, b], [y[0]], activation="RELU")
    net.add("SUB", [a, b], [y[1]], activation="NONE")
    net.add("MUL", [a, b], [y[2]], activation="RELU6")
    net.add("SQUARED_DIFFERENCE", [a, b], [y[3]])
    return y


@case
def wide_functions(net: Net, r: Drawn) -> list[int]:
    x, dims = net.input([1, 200], "int16", _scale(r, 2e-4)), [1, 200]
    even = net.input(dims, "int16", 2.0**-12)
    ends = [net.tensor(dims, "int16", scale=2.0**-15) for _ in range(4)]
    for number, (kind, source) in zip(
        ends, [(k, s) for k in ("LOGISTIC", "TANH") for s in (x, even)], strict=True
    ):
        net.add(kind, [source], [number])
    y = [_wide(net, r, dims, 2e-4) for _ in range(3)]
    net.add("RELU", [x], [y[0]])
    net.add("LEAKY_RELU", [x], [y[1]], alpha=0.3)
    net.add("QUANTIZE", [x], [y[2]])
    narrow = net.tensor(dims, scale=0.05, zero=3)
    net.add("QUANTIZE", [x], [narrow])
    again = _wide(net, r, dims, 2e-4)
    net.add("QUANTIZE", [narrow], [again])
    return [*ends, *y, narrow, again]


@case
def wide_pools(net: Net, r: Drawn) -> list[int]:
    scale = _scale(r, 2e-4)
    x = net.input([1, 7, 6, 3], "int16", scale)
    y, z = (net.tensor([1, 4, 3, 3], "int16", scale=scale) for _ in range(2))
    net.add("AVERAGE_POOL_2D", [x], [y], **window("RELU", step=2, filter_w=3, filter_h=3))
    net.add("MAX_POOL_2D", [x], [z], **window("NONE", step=2, filter_w=3, filter_h=3))
    mean, total = _wide(net, r, [1, 3], 1e-4), _wide(net, r, [1, 3], 2e-3)
    net.add("MEAN", [x, net.ints(1, 2)], [mean], keep_dims=False)
    net.add("SUM", [x, net.ints(1, 2)], [total], keep_dims=False)
    return [y, z, mean, total]


@case
def wide_softmax(net: Net, r: Drawn) -> list[int]:
    x, y = (
        net.input([4, 11], "int16", _scale(r, 3e-4)),
        net.tensor([4, 11], "int16", scale=2.0**-15),
    )
    net.add("SOFTMAX", [x], [y], beta=1.0)
    return [y]


@case
def wide_numbers(net: Net, r: Drawn) -> list[int]:
    x, q = net.input([1, 33], "float32"), _wide(net, r, [1, 33], 2e-4)
    y = net.tensor([1, 33], "float32")
    net.add("QUANTIZE", [x], [q])
    net.add("DEQUANTIZE", [q], [y])
    return [q, y]


@case
def wide_moved(net: Net, r: Drawn) -> list[int]:
    scale: Any = {"scale": 2e-4}
    x = net.input([1, 4, 6, 2], "int16", **scale)
    padded, joined = (net.tensor([1, 6, 7, n], "int16", **scale) for n in (2, 4))
    net.add("PAD", [x, net.ints(0, 0, 1, 1, 0, 1, 0, 0, dims=[4, 2])], [padded])
    net.add("CONCATENATION", [padded, padded], [joined], axis=3, activation="NONE")
    turned = net.tensor([1, 4, 6, 7], "int16", **scale)
    net.add("TRANSPOSE", [joined, net.ints(0, 3, 1, 2)], [turned])
    return [turned]


@case
def numbers(net: Net, r: Drawn) -> list[int]:
    x, found = net.input([1, 4, 4, 2], "float32"), []

    def add(kind: str, *inputs: int, dims: Any = (1, 4, 4, 2), **options: Any) -> int:
        found.append(net.tensor(dims, "float32"))
        net.add(kind, list(inputs), found[-1:], **options)
        return found[-1]

    size = add("ABS", x)
    small = add("LOGISTIC", x)
    for kind in ("LOG", "SQRT", "RSQRT", "SIN", "COS", "SQUARE"):
        add(kind, size)
    add("EXP", small)
    for kind in ("FLOOR", "CEIL", "ROUND", "NEG", "ELU"):
        add(kind, x)
    add("SQUARED_DIFFERENCE", x, size)
    add("ADD_N", x, size, small)
    add("DIV", small, size, activation="NONE")
    add("LOG_SOFTMAX", small)
    add("SPACE_TO_DEPTH", x, dims=(1, 2, 2, 8), block_size=2)
    add("MIRROR_PAD", x, net.ints(0, 0, 1, 2, 0, 1, 0, 0, dims=[4, 2]), dims=(1, 7, 5, 2), mode=0)
    slopes = net.tensor([1, 1, 2], "float32", data=np.asarray([[[0.25, -2]]], np.float32))
    add("PRELU", x, slopes)
    return found


@case
def truths(net: Net, r: Drawn) -> list[int]:
    a, b = net.input([2, 7], "float32"), net.input([2, 7], "float32")
    kinds = ("LESS", "GREATER", "LESS_EQUAL", "GREATER_EQUAL", "EQUAL", "NOT_EQUAL")
    found = [net.tensor([2, 7], "bool") for _ in range(9)]
    for kind, number in zip(kinds, found, strict=False):
        net.add(kind, [a, b], [number])
    net.add("LOGICAL_AND", found[:2], [found[6]])
    net.add("LOGICAL_OR", found[:2], [found[7]])
    net.add("LOGICAL_NOT", found[:1], [found[8]])
    chosen, place = net.tensor([2, 7], "float32"), net.tensor([2], "int32")
    net.add("SELECT_V2", [found[0], a, b], [chosen])
    net.add("ARG_MIN", [a, net.ints(1, dims=[])], [place])
    return [*found, chosen, place]


@case
def dilated(net: Net, r: Drawn) -> list[int]:
    """Blocks become a batch and come back, as converters write dilated convolutions.

    Nothing is padded: the interpreter does not say with what (its memory is not initialized).
    """
    coding: dict[str, Any] = {"scale": _scale(r, 0.05), "zero": -3}
    x, spread = net.input([1, 8, 12, 3], **coding), net.tensor([6, 4, 4, 3], **coding)
    block, around = net.ints(2, 3), net.ints(0, 0, 0, 0, dims=[2, 2])
    net.add("SPACE_TO_BATCH_ND", [x, block, around], [spread])
    y: dict[str, Any] = {"scale": _scale(r, 0.1), "zero": 4}
    small, large = net.tensor([6, 2, 2, 4], **y), net.tensor([1, 3, 4, 4], **y)
    w = weights(net, r, 4, 3, 3, 3)
    net.add("CONV_2D", [spread, w, -1], [small], **window(padding="VALID"))
    net.add("BATCH_TO_SPACE_ND", [small, block, net.ints(0, 1, 1, 1, dims=[2, 2])], [large])
    rows, wide = net.tensor([6, 2, 8], **y), net.tensor([2, 6, 8], **y)
    net.add("RESHAPE", [small, net.ints(6, 2, 8)], [rows])
    net.add("BATCH_TO_SPACE_ND", [rows, net.ints(3), net.ints(0, 0, dims=[1, 2])], [wide])
    return [spread, large, wide]


@case
def picked(net: Net, r: Drawn) -> list[int]:
    coding: dict[str, Any] = {"scale": 0.05, "zero": -3}
    x, rows = net.input([4, 5, 3], **coding), net.tensor([2, 2, 3], **coding)
    places = net.ints(3, 0, 1, 4, 0, 0, 2, 2, dims=[2, 2, 2])
    net.add("GATHER_ND", [x, places], [rows])
    return [rows]


@case
def running_sums(net: Net, r: Drawn) -> list[int]:
    x, found = net.input([2, 5, 3], "float32"), []
    for axis, exclusive, reverse in ((1, False, False), (-1, True, False), (0, True, True)):
        found.append(net.tensor([2, 5, 3], "float32"))
        options = {"exclusive": exclusive, "reverse": reverse}
        net.add("CUMSUM", [x, net.ints(axis, dims=[])], found[-1:], **options)
    return found
