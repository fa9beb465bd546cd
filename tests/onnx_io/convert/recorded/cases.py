"""Small models on which runtimes have gone wrong, and quantized ones: operators and seeded data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from onnx import ModelProto, helper, numpy_helper

__all__ = ["RecordedCase", "cases"]

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class RecordedCase:
    """A model of one operator, or of some in a row, and data to run it on.

    Attributes
    ----------
    name
        What it is called; one record for each.
    nodes
        The operators; values are called as they call them.
    data
        Inputs of the model.
    constants
        Initializers.
    opset
        Version of the operators.
    exact
        Whether ONNX Runtime's result is right to the last bit, and so must ours be.
    """

    name: str
    nodes: tuple[Any, ...]
    data: dict[str, Array]
    constants: dict[str, Array] = field(default_factory=dict)
    opset: int = 13
    exact: bool = False

    @property
    def outputs(self) -> list[str]:
        """Name the values that no operator reads."""
        read = {name for node in self.nodes for name in node.input}
        return [name for node in self.nodes for name in node.output if name and name not in read]

    def model(self) -> ModelProto:
        """Build the model."""
        graph = helper.make_graph(
            list(self.nodes),
            "recorded",
            [
                helper.make_tensor_value_info(
                    name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape
                )
                for name, array in self.data.items()
            ],
            [helper.make_empty_tensor_value_info(name) for name in self.outputs],
            [numpy_helper.from_array(array, name) for name, array in self.constants.items()],
        )
        opsets = [helper.make_opsetid("", self.opset)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def node(kind: str, inputs: str, outputs: str = "y", **attributes: Any) -> Any:
    """Make an operator; names are separated by spaces, a missing input is ``_``."""
    names = ["" if name == "_" else name for name in inputs.split()]
    return helper.make_node(kind, names, outputs.split(), **attributes)


def normal(*dims: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(dims).astype(np.float32)


def codes(dtype: DTypeLike, *dims: int, seed: int = 0) -> Array:
    """Make quantized numbers over the whole range."""
    limits = np.iinfo(np.dtype(dtype))
    random = np.random.default_rng(seed)
    return random.integers(limits.min, limits.max + 1, dims).astype(dtype)


def single(value: float) -> Array:
    return np.array(value, np.float32)


def cases() -> Iterator[RecordedCase]:
    """List all of them."""
    yield from _normalizations()
    yield from _softmax_and_its_kin()
    yield from _dropouts()
    yield from _slices()
    yield from _global_poolings()
    yield from _conversions()
    yield from _products_of_integers()
    yield from _convolutions_of_integers()
    yield from _chains()
    yield from _sequences()
    yield from _sizes()


def _normalizations() -> Iterator[RecordedCase]:
    statistics = {
        "scale": np.abs(normal(3, seed=1)) + single(0.5),
        "bias": normal(3, seed=2),
        "mean": normal(3, seed=3),
        "variance": np.abs(normal(3, seed=4)) + single(0.1),
    }
    for opset in (7, 9, 13, 14, 15):
        for dims in ((2, 3), (2, 3, 5), (2, 3, 4, 5), (1, 3, 2, 3, 4)):
            batch_norm = node("BatchNormalization", "x scale bias mean variance", epsilon=1e-3)
            name = f"batch_normalization_{opset}_of_{len(dims)}_dims"
            yield RecordedCase(name, (batch_norm,), {"x": normal(*dims)}, statistics, opset)


def _softmax_and_its_kin() -> Iterator[RecordedCase]:
    for kind in ("Softmax", "LogSoftmax", "Hardmax"):
        for opset in (11, 13):
            for axis in (None, 0, 1, -1, -2):
                attributes: dict[str, Any] = {} if axis is None else {"axis": axis}
                name = f"{kind.lower()}_{opset}_axis_{axis}"
                x = {"x": normal(2, 3, 4, 5, seed=5)}
                yield RecordedCase(name, (node(kind, "x", **attributes),), x, {}, opset)


def _dropouts() -> Iterator[RecordedCase]:
    x = {"x": normal(3, 7, seed=6)}
    for opset in (7, 10):
        for outputs in ("y", "y mask"):
            dropout = node("Dropout", "x", outputs, ratio=0.75)
            name = f"dropout_{opset}_{outputs.replace(' ', '_')}"
            yield RecordedCase(name, (dropout,), x, {}, opset)
    for opset in (12, 13):
        ratio = {"ratio": single(0.75)}
        yield RecordedCase(f"dropout_{opset}", (node("Dropout", "x ratio"),), x, ratio, opset)
        told: dict[str, Array] = {**ratio, "training": np.array(False)}
        dropout = node("Dropout", "x ratio training", "y mask")
        yield RecordedCase(f"dropout_{opset}_no_training", (dropout,), x, told, opset)


def _slices() -> Iterator[RecordedCase]:
    tried: dict[str, tuple[list[int], list[int], list[int], list[int]]] = {
        "reversed": ([-1], [-(2**31)], [1], [-1]),
        "backwards_by_two": ([8], [1], [1], [-2]),
        "backwards_from_beyond": ([99], [0], [1], [-3]),
        "backwards_to_before": ([3], [-99], [1], [-1]),
        "backwards_twice": ([-1, 4], [-(2**31), 0], [0, -1], [-1, -2]),
        "nothing": ([2], [5], [1], [-1]),
        "ends_beyond": ([2], [2**31 - 1], [-1], [3]),
        "from_the_end": ([-3], [-1], [1], [1]),
    }
    for name, (starts, ends, axes, steps) in tried.items():
        parts = ("starts", starts), ("ends", ends), ("axes", axes), ("steps", steps)
        constants = {key: np.array(value, np.int64) for key, value in parts}
        for data in (normal(3, 9, seed=7), np.arange(27).reshape(3, 9)):
            kind = data.dtype.name
            slices = (node("Slice", "x starts ends axes steps"),)
            yield RecordedCase(f"slice_{name}_{kind}", slices, {"x": data}, constants, 11, True)


def _global_poolings() -> Iterator[RecordedCase]:
    for kind in ("GlobalMaxPool", "GlobalAveragePool"):
        for dims in ((2, 3, 7), (2, 3, 4, 5), (1, 2, 3, 4, 5)):
            x = {"x": normal(*dims, seed=8) - single(3)}
            name = f"{kind.lower()}_of_{len(dims)}_dims"
            yield RecordedCase(name, (node(kind, "x"),), x, {}, 13, kind == "GlobalMaxPool")


def _conversions() -> Iterator[RecordedCase]:
    for opset in (10, 13, 19):
        for dtype in (np.uint8, np.int8, np.int32):
            q = {"x": codes(dtype, 2, 3, 50)}
            zero = {} if dtype == np.int32 else {"zero": np.array(7, dtype)}
            inputs = "x scale zero" if zero else "x scale"
            name = f"dequantize_{opset}_{np.dtype(dtype).name}"
            constants: dict[str, Array] = {"scale": single(0.0173), **zero}
            yield RecordedCase(name, (node("DequantizeLinear", inputs),), q, constants, opset, True)
    for dtype in (np.uint8, np.int8):
        kind = np.dtype(dtype).name
        halves = np.arange(-300, 300, dtype=np.float32).reshape(2, 3, 100) / 2
        zero = {"zero": np.array(3, dtype)}
        quantize = node("QuantizeLinear", "x scale zero")
        for name, data, scale in (
            ("halves", halves, 1.0),
            ("any", normal(2, 3, 100), 0.0173),
            ("wide", 100 * normal(2, 3, 100, seed=9), 0.11),
        ):
            constants = {"scale": single(scale), **zero}
            yield RecordedCase(
                f"quantize_{name}_{kind}", (quantize,), {"x": data}, constants, 13, True
            )
        per_axis: dict[str, Array] = {
            "scale": np.array([0.01, 0.02, 0.5], np.float32),
            "zero": np.array([1, 0, 9], dtype),
        }
        for what, data in (("Quantize", normal(2, 3, 40)), ("Dequantize", codes(dtype, 2, 3, 40))):
            each = node(f"{what}Linear", "x scale zero", axis=1)
            name = f"{what.lower()}_per_channel_{kind}"
            yield RecordedCase(name, (each,), {"x": data}, per_axis, 13, True)
    for seed, data in enumerate((normal(5, 60), np.abs(normal(5, 60)), 1e-3 * normal(5, 60) - 2)):
        dynamic = node("DynamicQuantizeLinear", "x", "y scale zero")
        x = {"x": np.asarray(data, np.float32)}
        yield RecordedCase(f"dynamic_quantize_{seed}", (dynamic,), x, {}, 11, True)


def _products_of_integers() -> Iterator[RecordedCase]:
    for number, (left, right) in enumerate(
        ((np.uint8, np.uint8), (np.uint8, np.int8), (np.int8, np.int8))
    ):
        for depth in (5, 300, 1200):
            a, b = codes(left, 2, 7, depth, seed=number), codes(right, depth, 11, seed=depth)
            name = f"{np.dtype(left).name}_{np.dtype(right).name}_{depth}"
            zeros = {"b": b, "a_zero": np.array(3, left), "b_zero": np.array(5, right)}
            product = node("MatMulInteger", "a b a_zero b_zero")
            yield RecordedCase(f"matmul_integer_{name}", (product,), {"a": a}, zeros, 10, True)
            scales = {
                "a_scale": single(0.02),
                "b_scale": single(0.005),
                "y_scale": single(0.004 * depth**0.5),
                "y_zero": np.array(4, left),
            }
            inputs = "a a_scale a_zero b b_scale b_zero y_scale y_zero"
            linear = node("QLinearMatMul", inputs)
            yield RecordedCase(
                f"qlinear_matmul_{name}", (linear,), {"a": a}, {**zeros, **scales}, 10, True
            )
    without = node("MatMulInteger", "a b")
    data = {"a": codes(np.uint8, 4, 9), "b": codes(np.int8, 9, 5, seed=1)}
    yield RecordedCase("matmul_integer_without_zeros", (without,), data, {}, 10, True)


def _convolutions_of_integers() -> Iterator[RecordedCase]:
    shapes: tuple[tuple[Any, ...], ...] = (
        # channels, outs, kernel, group, attributes
        (3, 8, (3, 3), 1, {"pads": [1, 1, 1, 1]}),
        (6, 6, (3, 3), 6, {"pads": [1, 0, 0, 1], "strides": [2, 2]}),
        (8, 4, (1, 1), 2, {}),
        (4, 5, (2, 3), 1, {"dilations": [2, 1]}),
        (4, 5, (2, 3), 1, {"strides": [2, 1], "auto_pad": "SAME_UPPER"}),
        (70, 3, (3, 3), 1, {}),
    )
    for number, (channels, outs, kernel, group, attributes) in enumerate(shapes):
        for kinds in ((np.uint8, np.uint8), (np.uint8, np.int8), (np.int8, np.int8)):
            data_kind, weight_kind = map(np.dtype, kinds)
            x = {"x": codes(data_kind, 2, channels, 9, 10, seed=number)}
            weights = {"w": codes(weight_kind, outs, channels // group, *kernel, seed=number + 50)}
            name = f"{number}_{data_kind.name}_{weight_kind.name}"
            if data_kind == np.uint8:
                zeros = {**weights, "x_zero": np.array(9, data_kind)}
                integer = node("ConvInteger", "x w x_zero", group=group, **attributes)
                yield RecordedCase(f"conv_integer_{name}", (integer,), x, zeros, 10, True)
            scales = {
                **weights,
                "x_scale": single(0.021),
                "x_zero": np.array(9, data_kind),
                "w_scale": np.linspace(0.001, 0.02, outs, dtype=np.float32),
                "w_zero": np.zeros(outs, weight_kind),
                "y_scale": single(0.9),
                "y_zero": np.array(11, data_kind),
                "bias": codes(np.int16, outs, seed=3).astype(np.int32),
            }
            inputs = "x x_scale x_zero w w_scale w_zero y_scale y_zero bias"
            linear = node("QLinearConv", inputs, group=group, **attributes)
            yield RecordedCase(f"qlinear_conv_{name}", (linear,), x, scales, 10, True)


def _chains() -> Iterator[RecordedCase]:
    """What quantization tools write: QuantizeLinear and DequantizeLinear around operators."""
    scales = {
        "x_scale": single(0.02),
        "x_zero": np.array(128, np.uint8),
        "w": codes(np.int8, 6, 3, 3, 3, seed=1),
        "w_scale": single(0.01),
        "w_zero": np.array(0, np.int8),
        "y_scale": single(0.3),
        "y_zero": np.array(120, np.uint8),
    }
    nodes = (
        node("QuantizeLinear", "x x_scale x_zero", "q"),
        node("DequantizeLinear", "q x_scale x_zero", "d"),
        node("DequantizeLinear", "w w_scale w_zero", "v"),
        node("Conv", "d v", "c", pads=[1, 1, 1, 1]),
        node("Relu", "c", "r"),
        node("QuantizeLinear", "r y_scale y_zero", "p"),
        node("DequantizeLinear", "p y_scale y_zero", "y"),
    )
    yield RecordedCase("qdq_conv", nodes, {"x": normal(1, 3, 12, 12)}, scales, 13, True)
    weights = {"b": codes(np.int8, 40, 8, seed=2), "b_zero": np.array(0, np.int8)}
    weights["b_scale"] = single(0.015)
    dynamic = (
        node("DynamicQuantizeLinear", "x", "q scale zero"),
        node("MatMulInteger", "q b zero b_zero", "t"),
        node("Cast", "t", "f", to=1),
        node("Mul", "scale b_scale", "s"),
        node("Mul", "f s"),
    )
    yield RecordedCase("dynamic_matmul", dynamic, {"x": normal(3, 40)}, weights, 13, True)


def _sequences() -> Iterator[RecordedCase]:
    """Recurrent layers of sequences of which one has no element, and of no element at all."""
    gates = {"RNN": 1, "GRU": 3, "LSTM": 4}
    for kind, count in gates.items():
        for direction in ("forward", "reverse", "bidirectional"):
            turns = 2 if direction == "bidirectional" else 1
            given = {
                "w": normal(turns, 3 * count, 2, seed=10),
                "r": normal(turns, 3 * count, 3, seed=11),
                "h": normal(turns, 3, 3, seed=12),
                "c": normal(turns, 3, 3, seed=13),
            }
            names, outputs = (
                ("x w r _ n h c", "y h1 c1") if kind == "LSTM" else ("x w r _ n h", "y h1")
            )
            if kind != "LSTM":
                del given["c"]
            layer = node(kind, names, outputs, hidden_size=3, direction=direction)
            name = f"{kind.lower()}_{direction}"
            some = given | {"n": np.array([4, 0, 2], np.int32)}
            yield RecordedCase(f"{name}_of_nothing_too", (layer,), {"x": normal(4, 3, 2)}, some, 14)
            none = given | {"n": np.zeros(3, np.int32)}
            yield RecordedCase(f"{name}_of_nothing", (layer,), {"x": normal(0, 3, 2)}, none, 14)


def _sizes() -> Iterator[RecordedCase]:
    scales: dict[str, tuple[float, ...]] = {
        "shrunk": (1, 0.6, 0.7),
        "grown": (1, 1.7, 2.3),
        "both": (1, 0.6, 1.5),
    }
    resize = node("Resize", "x scales", mode="nearest")
    for name, values in scales.items():
        x = {"x": normal(1, 7, 6)}
        factors = {"scales": np.array(values, np.float32)}
        yield RecordedCase(f"nearest_{name}", (resize,), x, factors, 10, True)
        yield RecordedCase(f"nearest_{name}_when_run", (resize,), x | factors, {}, 10, True)
    for mode in ("reflect", "edge", "wrap"):
        pads = {"pads": np.array([2, -1, -2, 3])}
        padding = node("Pad", "x pads", mode=mode)
        yield RecordedCase(f"pad_{mode}_and_cut", (padding,), {"x": normal(6, 7)}, pads, 19, True)
    for start, end in ((0, 0), (None, 0), (2, 1), (-1, None), (-9, -1), (1, 9)):
        given = {"start": start, "end": end}
        part: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
        x = {"x": normal(2, 3, 4)}
        yield RecordedCase(f"shape_{start}_{end}", (node("Shape", "x", **part),), x, {}, 15)
    for size in (2, 5):
        crop = node("CenterCropPad", "x size", axes=[1])
        constants = {"size": np.array([size])}
        yield RecordedCase(f"center_crop_to_{size}", (crop,), {"x": normal(2, 3)}, constants, 18)
