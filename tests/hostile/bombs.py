"""Small files that ask for much: memory, nodes, levels, dimensions, turns."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper

from tests.hostile.seeds import loop, model_of, nested_functions

Constants = dict[str, NDArray[np.generic]]
ONE = np.ones(1, np.float32)


def ints(*values: int) -> NDArray[np.int64]:
    return np.array(values, np.int64)


def grown(op_type: str, constants: Constants, *left_out: str, **attributes: Any) -> onnx.ModelProto:
    """Make a model that adds to its input what one operator makes of constants."""
    names = list(constants)
    names[1:1] = left_out
    nodes = [
        helper.make_node(op_type, names, ["large"], "bomb", **attributes),
        helper.make_node("Cast", ["large"], ["floats"], "cast", to=1),
        helper.make_node("Add", ["x", "floats"], ["y"], "add"),
    ]
    return model_of(nodes, {"x": ("float32", [1])}, constants, ["y"])


def doubled(times: int, first: NDArray[np.generic], last: str) -> onnx.ModelProto:
    """Make a model that appends a constant to itself, again and again."""
    nodes = [
        helper.make_node("Concat", [f"v{n}", f"v{n}"], [f"v{n + 1}"], f"double{n}", axis=0)
        for n in range(times)
    ]
    nodes.append(helper.make_node(last, ["x", f"v{times}"], ["y"], "last"))
    return model_of(nodes, {"x": ("float32", [1])}, {"v0": first}, ["y"])


FOLDED = {
    "fill": grown("ConstantOfShape", {"d": ints(1 << 16, 1 << 16)}),
    "expand": grown("Expand", {"o": ONE, "d": ints(1 << 32)}),
    "tile": grown("Tile", {"o": ONE, "d": ints(1 << 32)}),
    "pad": grown("Pad", {"o": ONE, "d": ints(1 << 31, 1 << 31)}),
    "resize": grown(
        "Resize", {"o": ONE.reshape(1, 1, 1, 1), "d": ints(1, 1, 1 << 16, 1 << 16)}, "", ""
    ),
    "range": grown("Range", {"a": np.array(0), "b": np.array(1 << 32), "c": np.array(1)}),
    "double": doubled(33, ONE, "Add"),
}
"""Models whose constants are larger than they may be; each runs without folding."""

TRIED = {
    "random": grown("RandomNormal", {}, shape=[1 << 16, 1 << 16]),
    "windows": model_of(
        [helper.make_node("LpPool", ["x"], ["y"], "bomb", kernel_shape=[1], pads=[1 << 32] * 2)],
        {"x": ("float32", [1, 1, 4])},
        {},
        ["y"],
    ),
    "grid": model_of(
        [helper.make_node("GridSample", ["x", "g"], ["y"], "bomb")],
        {"x": ("float32", [1, 1 << 14, 2, 2])},
        {"g": np.zeros((1, 300, 300, 2), np.float32)},
        ["y"],
    ),
    "input": model_of(
        [helper.make_node("LpPool", ["x"], ["y"], "bomb", kernel_shape=[1])],
        {"x": ("float32", [1, 1 << 16, 1 << 16])},
        {},
        ["y"],
    ),
    "regions": model_of(
        [helper.make_node("RoiAlign", ["x", "r", "b"], ["y"], "bomb", output_height=1 << 30)],
        {"x": ("float32", [1, 1, 4, 4])},
        {"r": np.ones((1, 4), np.float32), "b": ints(0)},
        ["y"],
    ),
}
"""Models with an operator whose dimensions are found by running it, which would take too much."""

REFUSED = {
    "functions": (nested_functions(26), "expanded_nodes", 1 << 26),
    "levels": (nested_functions(300, 1), "depth", 300),
    "dimensions": (
        model_of(
            [helper.make_node("Unsqueeze", ["x", "axes"], ["y"], "bomb")],
            {"x": ("float32", [1])},
            {"axes": np.arange(40)},
            ["y"],
        ),
        "rank",
        41,
    ),
}
"""Models that are refused, with the limit and the value that they need."""


def endless_loop() -> onnx.ModelProto:
    return loop(1 << 62)


def huge(op_type: str, *shapes: list[int], **constants: NDArray[np.generic]) -> onnx.ModelProto:
    """Make a model of one operator that reads graph inputs of these dimensions, and constants."""
    fed = {f"x{number}": ("float32", dims) for number, dims in enumerate(shapes)}
    node = helper.make_node(op_type, [*fed, *constants], ["y"], "bomb")
    return model_of([node], fed, constants, ["y"])


SQUARE = [1 << 20, 1 << 20]

EXPORTED = {
    "fill": FOLDED["fill"],
    "range": FOLDED["range"],
    "resize": model_of(
        [helper.make_node("Resize", ["x", "", "", "d"], ["y"], "bomb")],
        {"x": ("float32", [1, 1, 4, 4])},
        {"d": ints(1, 1, *SQUARE)},
        ["y"],
    ),
    "slice": huge("Slice", SQUARE, a=ints(0), b=ints(4), c=ints(0)),
    "expand": huge("Expand", [1], d=ints(1 << 40)),
    "addresses": huge("Expand", [1], d=ints(1 << 40, 1 << 40)),
    "pad": huge("Pad", [1, 1, 4, 4], d=ints(0, 0, 0, 0, 0, 0, *SQUARE)),
    "convolution": huge("Conv", [1, 1, *SQUARE], w=np.ones((1, 1, 3, 3), np.float32)),
    "product": huge("MatMul", [1 << 20, 1], [1, 1 << 20]),
    "sum": huge("Add", [1 << 20, 1], [1, 1 << 20]),
    "softmax": huge("Softmax", SQUARE),
    "transpose": huge("Transpose", SQUARE),
    "input": huge("Relu", SQUARE),
}
"""Models with tensors of gigabytes and more, whose node ``bomb`` an export refuses."""
