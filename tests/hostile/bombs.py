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
