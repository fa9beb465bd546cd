"""Small models of one or two operators each, made here and drawn from a seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.tflite_io.writer import Net

CASES: dict[str, Callable[[Net, np.random.Generator], list[int]]] = {}
Drawn = np.random.Generator


def case(function: Callable[[Net, Drawn], list[int]]) -> Callable[[Net, Drawn], list[int]]:
    """Add a case under the name of its function."""
    CASES[function.__name__] = function
    return function


def net_of(name: str, seed: int = 0) -> tuple[Net, list[int]]:
    """Build a case; return its outputs, too."""
    net = Net()
    return net, CASES[name](net, np.random.default_rng(sum(name.encode()) + seed))


def built(name: str) -> bytes:
    """Return the file of a case."""
    net, outputs = net_of(name)
    return net.file(*outputs)


def weights(net: Net, r: Drawn, *dims: int, axis: int = 0, several: bool = True) -> int:
    scale: Any = r.uniform(0.002, 0.02, dims[axis]) if several else 0.01
    data = r.integers(-127, 128, dims).astype(np.int8)
    return net.tensor(dims, "int8", scale, 0, data, axis)


def bias(net: Net, r: Drawn, size: int) -> int:
    data = r.integers(-500, 500, size).astype(np.int32)
    return net.tensor([size], "int32", data=data)


def window(activation: str = "NONE", padding: str = "SAME", step: int = 1, **more: Any) -> Any:
    return {
        "padding": padding,
        "stride_w": step,
        "stride_h": step,
        "activation": activation,
        **more,
    }


@case
def conv_same_two(net: Net, r: Drawn) -> list[int]:
    x, y = net.input([1, 7, 8, 3], scale=0.05, zero=-3), net.tensor([1, 4, 4, 5], scale=0.1, zero=4)
    net.add(
        "CONV_2D",
        [x, weights(net, r, 5, 3, 3, 3), bias(net, r, 5)],
        [y],
        **window("RELU6", step=2),
    )
    return [y]


@case
def conv_dilated(net: Net, r: Drawn) -> list[int]:
    x, y = net.input([1, 9, 9, 2], scale=0.05, zero=9), net.tensor([1, 5, 5, 4], scale=0.2, zero=-9)
    more: dict[str, Any] = {"dilation_w": 2, "dilation_h": 2}
    net.add("CONV_2D", [x, weights(net, r, 4, 3, 3, 2), -1], [y], **window(padding="VALID", **more))
    return [y]


@case
def depthwise_two(net: Net, r: Drawn) -> list[int]:
    x, y = net.input([1, 6, 7, 3], scale=0.04, zero=1), net.tensor([1, 6, 7, 6], scale=0.1, zero=-8)
    w = weights(net, r, 1, 3, 3, 6, axis=3)
    net.add("DEPTHWISE_CONV_2D", [x, w, bias(net, r, 6)], [y], **window("RELU", multiplier=2))
    return [y]


@case
def transposed(net: Net, r: Drawn) -> list[int]:
    x, y = (
        net.input([1, 4, 5, 3], scale=0.04, zero=1),
        net.tensor([1, 8, 10, 4], scale=0.2, zero=-8),
    )
    shape, w = net.ints(1, 8, 10, 4), weights(net, r, 4, 3, 3, 3)
    net.add("TRANSPOSE_CONV", [shape, w, x, bias(net, r, 4)], [y], **window(step=2))
    return [y]


@case
def dense(net: Net, r: Drawn) -> list[int]:
    x, y = net.input([2, 2, 9], scale=0.05, zero=-3), net.tensor([4, 5], scale=0.09, zero=4)
    w = weights(net, r, 5, 9, several=False)
    net.add("FULLY_CONNECTED", [x, w, bias(net, r, 5)], [y], activation="RELU")
    return [y]


@case
def pools(net: Net, r: Drawn) -> list[int]:
    coding: dict[str, Any] = {"scale": 0.05, "zero": -3}
    x, y = net.input([1, 7, 6, 3], **coding), net.tensor([1, 4, 3, 3], **coding)
    z = net.tensor([1, 2, 2, 3], **coding)
    net.add("AVERAGE_POOL_2D", [x], [y], **window("RELU", step=2, filter_w=3, filter_h=3))
    net.add("MAX_POOL_2D", [y], [z], **window("NONE", step=2, filter_w=2, filter_h=2))
    return [y, z]


@case
def sums(net: Net, r: Drawn) -> list[int]:
    a, b = net.input([1, 4, 4, 3], scale=0.05, zero=-3), net.input([1, 4, 4, 3], scale=0.02, zero=7)
    y = [net.tensor([1, 4, 4, 3], scale=scale, zero=2) for scale in (0.06, 0.07, 0.03)]
    net.add("ADD", [a, b], [y[0]], activation="RELU")
    net.add("SUB", [a, b], [y[1]], activation="NONE")
    net.add("MUL", [a, b], [y[2]], activation="RELU6")
    return y


@case
def moved(net: Net, r: Drawn) -> list[int]:
    coding: dict[str, Any] = {"scale": 0.05, "zero": -3}
    x = net.input([1, 4, 6, 2], **coding)
    padded, joined = net.tensor([1, 6, 7, 2], **coding), net.tensor([1, 6, 7, 4], **coding)
    net.add("PAD", [x, net.ints(0, 0, 1, 1, 0, 1, 0, 0, dims=[4, 2])], [padded])
    net.add("CONCATENATION", [padded, padded], [joined], axis=3, activation="NONE")
    cut = net.tensor([1, 3, 7, 2], **coding)
    places = [net.ints(0, 1, 0, 1), net.ints(1, 6, 7, 4), net.ints(1, 2, 1, 2)]
    net.add(
        "STRIDED_SLICE", [joined, *places], [cut], begin=0, end=0, ellipsis=0, new_axis=0, shrink=0
    )
    halves = [net.tensor([1, 6, 7, 2], **coding) for _ in range(2)]
    net.add("SPLIT", [net.ints(3, dims=[]), joined], halves, count=2)
    stack = net.tensor([2, 1, 6, 7, 2], **coding)
    net.add("PACK", halves, [stack], count=2, axis=0)
    flat = net.tensor([2, 84], **coding)
    net.add("RESHAPE", [stack, net.ints(2, 84)], [flat])
    turned = net.tensor([84, 2], **coding)
    net.add("TRANSPOSE", [flat, net.ints(1, 0)], [turned])
    return [cut, turned]


@case
def means(net: Net, r: Drawn) -> list[int]:
    x, y = net.input([1, 5, 7, 6], scale=0.05, zero=-3), net.tensor([1, 6], scale=0.02, zero=5)
    net.add("MEAN", [x, net.ints(1, 2)], [y], keep_dims=False)
    z = net.tensor([1, 6], scale=1 / 256, zero=-128)
    net.add("SOFTMAX", [y], [z], beta=1.0)
    return [y, z]


@case
def functions(net: Net, r: Drawn) -> list[int]:
    x, dims = net.input([1, 256], scale=0.04, zero=-3), [1, 256]
    y = [net.tensor(dims, scale=1 / 256, zero=-128), net.tensor(dims, scale=1 / 128, zero=0)]
    y += [net.tensor(dims, scale=0.03, zero=-20) for _ in range(4)]
    y[3] = net.tensor(dims, scale=0.04, zero=-3)  # the interpreter's RELU6 takes equal scales
    for kind, number in zip(("LOGISTIC", "TANH", "RELU", "RELU6", "QUANTIZE"), y, strict=False):
        net.add(kind, [x], [number])
    net.add("LEAKY_RELU", [x], [y[5]], alpha=0.1)
    return y


@case
def enlarged(net: Net, r: Drawn) -> list[int]:
    coding: dict[str, Any] = {"scale": 0.05, "zero": -3}
    x, y = net.input([1, 3, 4, 2], **coding), net.tensor([1, 6, 8, 2], **coding)
    size = net.ints(6, 8)
    net.add("RESIZE_NEAREST_NEIGHBOR", [x, size], [y], align_corners=False, half_pixel=False)
    return [y]


@case
def matrices(net: Net, r: Drawn) -> list[int]:
    a, b = net.input([2, 3, 5], scale=0.05, zero=-3), net.input([2, 5, 4], scale=0.02, zero=7)
    y = net.tensor([2, 3, 4], scale=0.06, zero=2)
    net.add("BATCH_MATMUL", [a, b], [y], adj_x=False, adj_y=False)
    return [y]


@case
def from_numbers(net: Net, r: Drawn) -> list[int]:
    x, q = net.input([1, 33], "float32"), net.tensor([1, 33], scale=0.25, zero=-3)
    y = net.tensor([1, 33], "float32")
    net.add("QUANTIZE", [x], [q])
    net.add("DEQUANTIZE", [q], [y])
    return [y]


@case
def image(net: Net, r: Drawn) -> list[int]:
    x, q = net.input([1, 5, 6, 3], "float32"), net.tensor([1, 5, 6, 3], scale=0.25, zero=-3)
    y = net.tensor([1, 5, 6, 4], scale=0.1, zero=4)
    net.add("QUANTIZE", [x], [q])
    net.add("CONV_2D", [q, weights(net, r, 4, 3, 3, 3), bias(net, r, 4)], [y], **window("RELU"))
    return [y]


def inputs_of(name: str, seed: int = 0) -> list[Any]:
    """Return data for the inputs of a case; all codes at once where there are 256."""
    net, r = net_of(name, seed)[0], np.random.default_rng(7 + seed)
    found: list[Any] = []
    for number in net.inputs:
        dims = tuple(int(size) for size in net.tensors[number][0])
        if net.tensors[number][1][1] == 7:
            found.append(r.integers(-32768, 32768, dims).astype(np.int16))
        elif net.tensors[number][1][1] == 0:
            found.append((r.integers(-300, 300, dims) / 8).astype(np.float32))  # ties are exact
        elif dims == (1, 256):
            found.append(np.arange(-128, 128).astype(np.int8).reshape(dims))
        else:
            found.append(r.integers(-128, 128, dims).astype(np.int8))
    return found
