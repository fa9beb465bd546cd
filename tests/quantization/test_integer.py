"""Graphs between QuantizeLinear and DequantizeLinear become graphs of integers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray
from onnxruntime.quantization import (
    CalibrationDataReader,
    QuantFormat,
    QuantType,
    quantize_static,
)

import aidge_nb
from aidge_nb.core.errors import AidgeError
from aidge_nb.export import plan_export
from aidge_nb.graph import GraphView
from aidge_nb.onnx_io import OnnxModel
from aidge_nb.quantization import to_integer
from aidge_nb.zoo.builder import ModelBuilder

Array = NDArray[Any]
DIMS = (1, 4, 9, 8)


class Samples(CalibrationDataReader):  # type: ignore[misc]  # it has no types
    """Random images for ONNX Runtime's quantizer."""

    def __init__(self, name: str, dims: tuple[int, ...]) -> None:
        random = np.random.default_rng(0)
        self._left = [{name: random.standard_normal(dims).astype(np.float32)} for _ in range(4)]

    def get_next(self) -> dict[str, Array] | None:
        return self._left.pop() if self._left else None


def every_layer(opset: int = 13) -> OnnxModel:
    """Make a network in which each kind of layer that becomes an integer one is met."""
    b = ModelBuilder("every", 0, opset=opset)
    x = b.input("data", DIMS)
    x = b.node(
        "Conv", [x, b.weight("w", (6, 4, 3, 3), 36)], "conv", kernel_shape=(3, 3), pads=(1,) * 4
    )
    x = b.node("Relu", [x], "relu")
    deep = b.node(
        "Conv",
        [x, b.weight("d", (6, 1, 3, 3), 9), b.weight("db", (6,), 6)],
        "depthwise",
        kernel_shape=(3, 3),
        pads=(0, 1, 1, 0),
        strides=(1, 1),
        group=6,
    )
    one = b.node("Sigmoid", [x], "sigmoid")
    two = b.node("Mul", [x, one], "swish")
    two = b.node("MaxPool", [two], "pool", kernel_shape=(2, 2), strides=(1, 1))
    deep = b.node(
        "AveragePool", [deep], "mean", kernel_shape=(2, 2), strides=(1, 1), pads=(0, 0, 1, 1)
    )
    two = b.node("Pad", [two, b.constant("pads", np.array([0, 0, 1, 0, 0, 0, -1, 0]))], "pad")
    both = b.node("Concat", [two, deep], "join", axis=1)
    both = b.node("LeakyRelu", [both], "leaky", alpha=0.2)
    total = b.node("GlobalAveragePool", [both], "squeeze")
    total = b.node("Flatten", [total], "flat")
    first = b.node(
        "Gemm", [total, b.weight("g", (5, 12), 12), b.weight("gb", (5,), 5)], "fc", transB=1
    )
    second = b.node("MatMul", [total, b.weight("m", (12, 5), 12)], "product")
    total = b.node("Add", [first, second], "sum")
    return b.build({b.node("Softmax", [total], "softmax"): (1, 5)})


def quantized(model: OnnxModel, folder: Path, **options: Any) -> Path:
    """Quantize a model with ONNX Runtime's own quantizer."""
    source, target = folder / "float.onnx", folder / "quantized.onnx"
    model.save(source)
    value = model.graph.inputs[0]
    dims = tuple(dim if isinstance(dim, int) else 1 for dim in value.dims or ())
    quantize_static(source, target, Samples(value.name, dims), **options)
    return target


def results(
    path: Path,
    view: GraphView,
    x: Array,
    level: Any = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL,
) -> tuple[Array, Array]:
    """Return what ONNX Runtime and the graph give for an input."""
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 3
    settings.graph_optimization_level = level
    session = onnxruntime.InferenceSession(str(path), settings)
    wanted = session.run(None, {session.get_inputs()[0].name: x})[0]
    return wanted, run(view, x, "cpu")


def run(view: GraphView, x: Array, backend: str) -> Array:
    """Return what a graph gives for an input."""
    view.set_backend(backend)
    data = [aidge_nb.Tensor(x)]
    return aidge_nb.SequentialScheduler(view).forward(data=data)[0].array.copy()


def step_of(view: GraphView) -> float:
    """Return the scale of the only output."""
    (last,) = view.get_ordered_outputs()
    port = last.node.input(1)
    assert last.node.type() == "DequantizeLinear"
    assert port is not None
    return float(port.node.get_operator().get_output(0).array.reshape(()))


@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("kind", [QuantType.QInt8, QuantType.QUInt8], ids=["int8", "uint8"])
@pytest.mark.parametrize("make", [every_layer, lambda: aidge_nb.zoo.build("lenet")])
def test_integers_give_what_onnx_runtime_gives(
    make: Any, kind: QuantType, per_channel: bool, tmp_path: Path
) -> None:
    options = {"activation_type": kind, "per_channel": per_channel}
    model = make()
    path = quantized(model, tmp_path, weight_type=QuantType.QInt8, **options)
    view = aidge_nb.load_onnx(path)
    dims = [dim if isinstance(dim, int) else 1 for dim in model.graph.inputs[0].dims]
    view.forward_dims([dims], allow_data_dependency=True)
    report = to_integer(view)
    left = {node.type() for node in view.get_nodes() if not node.type().startswith("QLinear")}
    assert left <= {
        *("Producer", "QuantizeLinear", "DequantizeLinear", "QGemm", "LookUp"),
        *("MaxPooling2D", "Flatten", "Pad", "Identity", "Concat"),
    }, report
    assert sum(node.type() == "QuantizeLinear" for node in view.get_nodes()) == 1
    assert sum(node.type() == "DequantizeLinear" for node in view.get_nodes()) == 1
    x = np.random.default_rng(1).standard_normal(dims).astype(np.float32)
    wanted, found = results(path, view, x)
    steps = np.abs(found - wanted) / step_of(view)
    assert steps.max() < 1.01
    exact, compiled = (run(view, x, backend) for backend in ("exact", "c"))
    np.testing.assert_array_equal(exact, compiled)


@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("signed", [True, False], ids=["int4", "uint4"])
@pytest.mark.parametrize("opset", [13, 21])
def test_weights_of_four_bits_are_codes_of_eight(
    opset: int, signed: bool, per_channel: bool, tmp_path: Path
) -> None:
    model = every_layer(opset)
    kinds = (QuantType.QInt8, QuantType.QInt4) if signed else (QuantType.QUInt8, QuantType.QUInt4)
    options = dict(zip(("activation_type", "weight_type"), kinds, strict=True))
    path = quantized(model, tmp_path, per_channel=per_channel, **options)
    view = aidge_nb.load_onnx(path)
    view.forward_dims([list(DIMS)], allow_data_dependency=True)
    assert not to_integer(view).float_
    convolution = next(n for n in view.get_nodes() if n.type() == "QLinearConv")
    weights = convolution.get_operator().get_input(3)
    assert weights is not None
    assert weights.array.dtype == (np.int8 if signed else np.uint8)
    assert np.ptp(weights.array.astype(int)) <= 15
    x = np.random.default_rng(1).standard_normal(DIMS).astype(np.float32)
    wanted, found = results(path, view, x)
    assert np.abs(found - wanted).max() / step_of(view) < 1.01
    np.testing.assert_array_equal(run(view, x, "c"), run(view, x, "exact"))
    plan_export(view)


def test_both_formats_of_the_quantizer_give_the_same_program(tmp_path: Path) -> None:
    model = aidge_nb.zoo.build("lenet")
    x = np.random.default_rng(1).standard_normal((1, 1, 32, 32)).astype(np.float32)
    found = []
    for kind in (QuantFormat.QDQ, QuantFormat.QOperator):
        path = quantized(model, tmp_path, quant_format=kind, weight_type=QuantType.QInt8)
        view = aidge_nb.load_onnx(path)
        view.forward_dims([list(x.shape)])
        to_integer(view)
        found.append(results(path, view, x))
    np.testing.assert_array_equal(found[0][1], found[1][1])
    np.testing.assert_array_equal(*found[0])


def coded(
    builder: ModelBuilder,
    value: str,
    name: str,
    scale: float,
    kind: type[np.integer[Any]] = np.int8,
) -> str:
    """Quantize a value and make numbers of it again."""
    parameters = [
        builder.constant(f"{name}_s", np.float32(scale)),
        builder.constant(f"{name}_z", kind(3)),
    ]
    codes = builder.node("QuantizeLinear", [value, *parameters], f"{name}_q")
    return builder.node("DequantizeLinear", [codes, *parameters], f"{name}_dq")


@pytest.mark.parametrize(
    ("op_type", "is_table"),
    [
        *((name, True) for name in ("Celu", "Elu", "HardSwish", "Tanh", "Softplus", "Abs", "Sin")),
        *((name, False) for name in ("LayerNormalization", "CumSum")),
    ],
)
def test_functions_of_one_number_become_tables(op_type: str, is_table: bool) -> None:
    builder = ModelBuilder("function", 0, opset=17)
    value = coded(builder, builder.input("data", (4, 64)), "x", 0.05)
    more: dict[str, list[Any]] = {
        "CumSum": [np.int64(1)],
        "LayerNormalization": [np.ones(64, np.float32)],
    }
    others = [builder.constant("more", each) for each in more.get(op_type, [])]
    value = coded(builder, builder.node(op_type, [value, *others], "function"), "y", 0.04)
    model = builder.build({value: (4, 64)})
    x = np.random.default_rng(0).uniform(-7, 7, (4, 64)).astype(np.float32)
    wanted = run(aidge_nb.load_onnx(model), x, "cpu")
    view = aidge_nb.load_onnx(model)
    view.forward_dims([[4, 64]], allow_data_dependency=True)
    report = to_integer(view)
    assert ("LookUp" in {node.type() for node in view.get_nodes()}) == is_table
    assert bool(report.float_) != is_table, "what stays is named"
    assert np.abs(run(view, x, "cpu") - wanted).max() < 0.041


@pytest.mark.parametrize("op_type", ["BatchNormalization", "Resize", "Concat"])
def test_layers_without_an_operator_on_codes_become_others(op_type: str) -> None:
    dims, random = (1, 6, 5, 7), np.random.default_rng(0)
    builder = ModelBuilder("layers", 0, opset=17)
    inputs = [coded(builder, builder.input("data", dims), "x", 0.05)]
    options: dict[str, Any] = {}
    if op_type == "BatchNormalization":
        values = [random.standard_normal((3, 6)), random.random((1, 6)) + 0.5]
        values[0][0, 2] = 0  # a channel that is constant
        inputs += [
            builder.constant(f"p{i}", v)
            for i, v in enumerate(np.concatenate(values).astype(np.float32))
        ]
    elif op_type == "Resize":
        inputs += ["", builder.constant("scales", np.array([1, 1, 2, 2], np.float32))]
        options = {"mode": "nearest"}
    else:
        inputs.append(coded(builder, builder.node("Relu", inputs, "relu"), "r", 0.02))
        options = {"axis": 1}
    value = coded(builder, builder.node(op_type, inputs, "layer", **options), "y", 0.05)
    model = builder.build({value: ()})
    x = random.uniform(-7, 7, dims).astype(np.float32)
    view = aidge_nb.load_onnx(model)
    view.forward_dims([list(dims)], allow_data_dependency=True)
    wanted = run(aidge_nb.load_onnx(model), x, "cpu")
    report = to_integer(view)
    assert not report.float_, report
    coders = [node.type() for node in view.get_nodes() if "quantizeLinear" in node.type()]
    assert coders == ["DequantizeLinear"]
    found = run(view, x, "cpu")
    assert np.abs(found - wanted).max() <= (0.0501 if op_type == "BatchNormalization" else 0)
    np.testing.assert_array_equal(run(view, x, "c"), found)


def test_tables_are_written_as_onnx(tmp_path: Path) -> None:
    for kind in (np.int8, np.uint8):
        builder = ModelBuilder("tables", 0, opset=17)
        value = coded(builder, builder.input("data", (4, 64)), "x", 0.05, kind)
        value = coded(builder, builder.node("HardSwish", [value], "function"), "y", 0.04, kind)
        view = aidge_nb.load_onnx(builder.build({value: (4, 64)}))
        view.forward_dims([[4, 64]])
        to_integer(view)
        assert "LookUp" in {node.type() for node in view.get_nodes()}
        aidge_nb.save_onnx(view, tmp_path / "table.onnx")
        x = np.random.default_rng(0).uniform(-7, 7, (4, 64)).astype(np.float32)
        wanted, found = results(tmp_path / "table.onnx", view, x)
        np.testing.assert_array_equal(found, wanted)
        again = aidge_nb.load_onnx(tmp_path / "table.onnx")
        np.testing.assert_array_equal(run(again, x, "cpu"), wanted)


def test_conversions_from_codes_to_codes_vanish_or_become_tables() -> None:
    builder = ModelBuilder("conversions", 0, opset=17)
    first = coded(builder, builder.input("data", (4, 64)), "x", 0.05)
    same, other = coded(builder, first, "same", 0.05), coded(builder, first, "other", 0.1)
    model = builder.build({same: (4, 64), other: (4, 64)})
    x = np.random.default_rng(0).uniform(-7, 7, (4, 64)).astype(np.float32)
    view = aidge_nb.load_onnx(model)
    wanted = run(aidge_nb.load_onnx(model), x, "cpu")
    to_integer(view)
    types = [node.type() for node in view.get_nodes() if node.type() != "Producer"]
    assert sorted(types) == ["DequantizeLinear", "DequantizeLinear", "LookUp", "QuantizeLinear"]
    np.testing.assert_array_equal(run(view, x, "cpu"), wanted)


@pytest.mark.parametrize("scale", [0.0, -1.0, np.nan, np.inf])
def test_scales_that_mean_nothing_are_left_alone(scale: float) -> None:
    builder = ModelBuilder("bad", 0, opset=17)
    value = coded(builder, builder.input("data", (4, 64)), "x", scale)
    value = coded(builder, builder.node("Relu", [value], "relu"), "y", 0.1)
    view = aidge_nb.load_onnx(builder.build({value: (4, 64)}))
    report = to_integer(view)
    assert not report.integer
    assert "not made of codes" in report.float_["relu (ReLU)"]


@pytest.mark.parametrize(("axis", "count"), [(1, 6), (5, 6), (-5, 6), (0, 5)])
def test_scales_along_other_axes_or_of_other_lengths_are_named(axis: int, count: int) -> None:
    builder = ModelBuilder("axes", 0, opset=17)
    value = coded(builder, builder.input("data", (1, 6, 4, 4)), "x", 0.05)
    codes = builder.constant("w", np.ones((6, 6, 3, 3), np.int8))
    scales = builder.constant("ws", np.linspace(0.1, 0.2, count, dtype=np.float32))
    zeros = builder.constant("wz", np.zeros(count, np.int8))
    weight = builder.node("DequantizeLinear", [codes, scales, zeros], "weight", axis=axis)
    value = builder.node("Conv", [value, weight], "conv", kernel_shape=(3, 3))
    view = aidge_nb.load_onnx(builder.build({coded(builder, value, "y", 0.1): ()}))
    try:
        said = str(to_integer(view))
    except AidgeError as error:
        said = str(error)
    assert "another axis than the output channels" in said or "does not fit axis" in said


@pytest.mark.parametrize("bias", [0, 2**31 - 1])
def test_sums_that_int32_may_not_hold_stay_in_floating_point(bias: int) -> None:
    depth = 40_000 if not bias else 8
    builder = ModelBuilder("sums", 0, opset=17)
    value = coded(builder, builder.input("data", (1, depth)), "x", 0.05)
    codes = builder.constant("w", np.full((2, depth), 127 if bias else -128, np.int8))
    parameters = [builder.constant("ws", np.float32(0.1)), builder.constant("wz", np.int8(127))]
    weight = builder.node("DequantizeLinear", [codes, *parameters], "weight")
    inputs = [value, weight]
    if bias:
        weights = np.full((2, depth), -128, np.int8)
        codes = builder.constant("v", weights)
        inputs[1] = builder.node("DequantizeLinear", [codes, *parameters], "other")
        step = np.float32(0.05) * np.float32(0.1)
        inputs.append(builder.constant("b", np.full(2, step * (bias - 1000), np.float32)))
    value = builder.node("Gemm", inputs, "fc", transB=1)
    view = aidge_nb.load_onnx(builder.build({coded(builder, value, "y", 500.0): (1, 2)}))
    view.forward_dims([[1, depth]])
    report = to_integer(view)
    assert "larger than int32 holds" in report.float_["fc (FC)"]
