"""Layers of 8-bit codes of random shapes: odd channels, wide kernels, groups, extreme numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper

from tests.kernels.c.test_quantized import f32, model_of

Array = NDArray[Any]
KINDS = ("conv", "depthwise", "product")


@dataclass(frozen=True)
class CodedLayer:
    """One node, its data, and the parameters that are known."""

    node: onnx.NodeProto
    x: Array
    constants: dict[str, Array]

    def model(self) -> onnx.ModelProto:
        """Make a model of the layer alone."""
        return model_of([self.node], {"x": self.x}, self.constants, ["y"])


def codes(random: np.random.Generator, kind: Any, *dims: int) -> Array:
    """Draw codes; at times all are among the least and the largest."""
    limits = np.iinfo(kind)
    if random.random() < 0.2:
        return np.asarray(random.choice([limits.min, limits.max], dims), kind)
    return np.asarray(random.integers(limits.min, limits.max + 1, dims), kind)


def _parameters(
    random: np.random.Generator, kind: Any, outs: int, depth: int, has_bias: bool
) -> dict[str, Array]:
    """Draw scales that spread the results, and zero points; one of data is left out at times."""
    per_channel = random.random() < 0.5
    scale = random.uniform(0.001, 0.1, outs if per_channel else 1)
    made = {
        "xs": f32(0.02),
        "xz": codes(random, kind),
        "ws": f32(scale if per_channel else scale[0]),
        "wz": np.zeros(outs if per_channel else (), np.int8),
        "ys": f32(random.choice([0.01, 0.0625, 0.5]) * depth**0.5),
        "yz": codes(random, kind),
    }
    if has_bias:
        room = 2**31 - 1 - depth * 255**2
        made["b"] = random.integers(-room, room, outs).astype(np.int32)
        if random.random() < 0.7:
            made["b"] //= 2**16
    return made


def _convolution(random: np.random.Generator, kind: Any, *, depthwise: bool) -> CodedLayer:
    ins = int(
        random.integers(1 if depthwise else 2, 71 if depthwise or random.random() < 0.4 else 9)
    )
    outs = ins * int(random.integers(1, 3)) if depthwise else int(random.integers(1, 71))
    groups = ins if depthwise else 1
    if not depthwise and random.random() < 0.25:
        groups = int(random.integers(2, 5))
        ins, outs = groups * min(ins, 9), groups * min(outs, 19)
    wide = random.random() < 0.3
    kernel = [int(random.integers(1, 12)) if wide else int(random.choice([1, 3])) for _ in "hw"]
    strides = [int(random.integers(1, 5)) for _ in "hw"]
    dilations = [int(random.integers(1, 4)) if random.random() < 0.3 else 1 for _ in "hw"]
    pads = [int(random.integers(0, 1 + k)) for k in (*kernel, *kernel)]
    sizes = []
    for axis in range(2):
        span = (kernel[axis] - 1) * dilations[axis] + 1
        least = max(1, span - pads[axis] - pads[2 + axis])
        sizes.append(least + int(random.integers(0, 30 if axis and random.random() < 0.5 else 8)))
    weight = codes(random, np.int8, outs, ins // groups, *kernel)
    depth = weight[0].size
    constants = _parameters(random, kind, outs, depth, random.random() < 0.5) | {"w": weight}
    names = ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz", *(["b"] if "b" in constants else [])]
    node = helper.make_node(
        "QLinearConv", names, ["y"], pads=pads, strides=strides, dilations=dilations, group=groups
    )
    batch = int(random.choice([0, 1, 1, 1, 1, 1, 2, 3]))
    return CodedLayer(node, codes(random, kind, batch, ins, *sizes), constants)


def _product(random: np.random.Generator, kind: Any) -> CodedLayer:
    depth, columns = int(random.integers(1, 141)), int(random.integers(1, 71))
    rows = int(random.choice([0, 1, 1, 2, 3, 4, 5, 9]))
    dims = [(rows, depth), (3, rows, depth)][int(random.random() < 0.3)]
    constants = _parameters(random, kind, columns, depth, has_bias=False)
    constants["w"] = codes(random, np.int8, depth, columns)
    names = ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz"]
    node = helper.make_node("QLinearMatMul", names, ["y"])
    return CodedLayer(node, codes(random, kind, *dims), constants)


def layer_of(kind: str, seed: int) -> CodedLayer:
    """Draw a layer of a kind; every seed has one."""
    random = np.random.default_rng([KINDS.index(kind), seed])
    data = (np.int8, np.uint8)[seed % 2]
    if kind == "product":
        return _product(random, data)
    return _convolution(random, data, depthwise=kind == "depthwise")
