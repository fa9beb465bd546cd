"""Quantized numbers: C and NumPy agree in every bit, in single operators and in whole models."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import DTypeLike, NDArray
from onnx import TensorProto, helper, numpy_helper

import aidge_nb
from aidge_nb.core.errors import ExportError
from aidge_nb.kernels.c import c_calls, has_c_kernel
from tests.kernels.c.machine import differing

pytestmark = pytest.mark.usefixtures("no_fallback")

Array = NDArray[Any]


def f32(values: Any) -> Array:
    """Make an array of float32."""
    return np.asarray(values, np.float32)


def model_of(
    nodes: list[onnx.NodeProto],
    inputs: dict[str, Array],
    constants: dict[str, Array],
    outputs: list[str],
) -> onnx.ModelProto:
    """Make a model; the types of its outputs are inferred."""
    graph = helper.make_graph(
        nodes,
        "quantized",
        [
            helper.make_tensor_value_info(
                name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape
            )
            for name, array in inputs.items()
        ],
        [helper.make_empty_tensor_value_info(name) for name in outputs],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)])
    inferred = onnx.shape_inference.infer_shapes(model)
    known = {value.name: value for value in inferred.graph.value_info}
    for index, value in enumerate(inferred.graph.output):
        if value.name in known:
            inferred.graph.output[index].CopyFrom(known[value.name])
    return inferred


def run(model: onnx.ModelProto, inputs: dict[str, Array], backend: str) -> list[Array]:
    """Load a model and run it on a backend."""
    view = aidge_nb.load_onnx(model)
    view.set_backend(backend)
    data = [aidge_nb.Tensor(array) for array in inputs.values()]
    found = aidge_nb.SequentialScheduler(view).forward(data=data)
    return [tensor.array for tensor in found]


def check(model: onnx.ModelProto, inputs: dict[str, Array]) -> None:
    """Check that C computes every node, and gives the bits of both NumPy backends."""
    view = aidge_nb.load_onnx(model)
    view.set_backend("exact")
    view.forward_dims([list(array.shape) for array in inputs.values()])
    scheduler = aidge_nb.SequentialScheduler(view)
    scheduler.forward(data=[aidge_nb.Tensor(array) for array in inputs.values()])
    for node in view.get_nodes():
        if node.type() != "Producer":
            c_calls(node)
    exact = run(model, inputs, "exact")
    for ours, theirs in zip(run(model, inputs, "c"), exact, strict=True):
        assert differing(ours, theirs) == 0


def numbers(draw: st.DrawFn, kind: DTypeLike, *dims: int) -> Array:
    """Draw whole numbers of a type, extremes among them."""
    seed = draw(st.integers(0, 2**32 - 1))
    limits = np.iinfo(np.dtype(kind))
    found = np.random.default_rng(seed).integers(limits.min, limits.max + 1, dims)
    return np.asarray(found, kind)


@st.composite
def convolutions(draw: st.DrawFn) -> tuple[onnx.ModelProto, dict[str, Array]]:
    """Draw a QLinearConv or a ConvInteger."""
    group = draw(st.sampled_from([1, 1, 2]))
    ins, outs = group * draw(st.integers(1, 3)), group * draw(st.integers(1, 4))
    kernel = [draw(st.integers(1, 3)) for _ in range(2)]
    sizes = [k + draw(st.integers(0, 20)) for k in kernel]
    left = draw(st.sampled_from([np.uint8, np.int8]))
    right = draw(st.sampled_from([np.uint8, np.int8]))
    pads = [draw(st.integers(0, 2)) for _ in range(4)]
    attrs: dict[str, Any] = {
        "pads": pads,
        "strides": [draw(st.integers(1, 3)) for _ in range(2)],
        "group": group,
    }
    x = numbers(draw, left, draw(st.integers(1, 2)), ins, *sizes)
    constants = {
        "w": numbers(draw, right, outs, ins // group, *kernel),
        "xz": numbers(draw, left),
        "wz": numbers(draw, right) if draw(st.booleans()) else np.zeros((), right),
    }
    if draw(st.booleans()):
        node = helper.make_node("ConvInteger", ["x", "w", "xz", "wz"], ["y"], **attrs)
        return model_of([node], {"x": x}, constants, ["y"]), {"x": x}
    per_channel = draw(st.booleans())
    if per_channel:
        constants["wz"] = numbers(draw, right, outs)
    scale = np.random.default_rng(draw(st.integers(0, 99))).uniform(0.001, 0.1, outs)
    constants |= {
        "xs": f32(0.02),
        "ws": f32(scale if per_channel else scale[0]),
        "ys": f32(draw(st.sampled_from([0.1, 0.5, 7.3]))),
        "yz": numbers(draw, left),
        "b": np.asarray(numbers(draw, np.int16, outs), np.int32),
    }
    names = ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz", *(["b"] if draw(st.booleans()) else [])]
    node = helper.make_node("QLinearConv", names, ["y"], **attrs)
    used = {name: array for name, array in constants.items() if name in names}
    return model_of([node], {"x": x}, used, ["y"]), {"x": x}


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(convolutions())
def test_convolutions(drawn: tuple[onnx.ModelProto, dict[str, Array]]) -> None:
    check(*drawn)


@st.composite
def products(draw: st.DrawFn) -> tuple[onnx.ModelProto, dict[str, Array]]:
    """Draw a QLinearMatMul or a MatMulInteger."""
    rows, depth, columns = (draw(st.integers(1, 9)) for _ in range(3))
    left = draw(st.sampled_from([np.uint8, np.int8]))
    right = draw(st.sampled_from([np.uint8, np.int8]))
    stack = draw(st.sampled_from([(), (3,), (2, 2)]))
    a, b = numbers(draw, left, *stack, rows, depth), numbers(draw, right, depth, columns)
    if draw(st.booleans()):
        constants = {"b": b, "az": numbers(draw, left), "bz": numbers(draw, right, columns)}
        node = helper.make_node("MatMulInteger", ["a", "b", "az", "bz"], ["y"])
        return model_of([node], {"a": a}, constants, ["y"]), {"a": a}
    constants = {
        "b": b,
        "as": f32(0.03),
        "az": numbers(draw, left),
        "bs": np.linspace(0.01, 0.2, columns, dtype=np.float32),
        "bz": numbers(draw, right, columns),
        "ys": f32(0.7),
        "yz": numbers(draw, left),
    }
    names = ["a", "as", "az", "b", "bs", "bz", "ys", "yz"]
    node = helper.make_node("QLinearMatMul", names, ["y"])
    return model_of([node], {"a": a}, constants, ["y"]), {"a": a}


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(products())
def test_products(drawn: tuple[onnx.ModelProto, dict[str, Array]]) -> None:
    check(*drawn)


SPECIAL = f32([[0, -0.0, 0.5, 1.5, 2.5, -0.5, np.inf, -np.inf, np.nan, 1e30, -1e-30, 127.5]])


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.uint16, np.int16])
@pytest.mark.parametrize("per_axis", [False, True])
def test_quantizing_and_scaling_back(kind: DTypeLike, per_axis: bool) -> None:
    random = np.random.default_rng(0).standard_normal((4, 12))
    x = f32(np.concatenate([SPECIAL, 0.3 * np.iinfo(kind).max * random]))
    scale = np.linspace(0.1, 2, 12, dtype=np.float32) if per_axis else f32(0.25)
    zero = np.arange(12, dtype=kind) if per_axis else np.asarray(3, kind)
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"], axis=1),
        helper.make_node("DequantizeLinear", ["q", "s", "z"], ["y"], axis=1),
    ]
    check(model_of(nodes, {"x": x}, {"s": scale, "z": zero}, ["q", "y"]), {"x": x})


@pytest.mark.parametrize("x", [f32([[0.0, 0.0]]), f32([[1.5, 2, 9]]), SPECIAL[:, :5]])
def test_scales_that_follow_the_data(x: Array) -> None:
    nodes = [
        helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"]),
        helper.make_node("MatMulInteger", ["q", "w", "z"], ["y"]),
    ]
    weight = np.arange(2 * x.shape[1], dtype=np.int8).reshape(x.shape[1], 2)
    check(model_of(nodes, {"x": x}, {"w": weight}, ["y", "s", "z"]), {"x": x})


def test_a_network_of_quantized_layers() -> None:
    generator = np.random.default_rng(1)
    x = generator.standard_normal((1, 3, 17, 17)).astype(np.float32)
    constants: dict[str, Array] = {
        "s": f32(0.05),
        "z": np.asarray(128, np.uint8),
        "w": generator.integers(-127, 128, (8, 3, 3, 3)).astype(np.int8),
        "ws": generator.uniform(0.001, 0.01, 8).astype(np.float32),
        "wz": np.zeros(8, np.int8),
        "b": generator.integers(-900, 900, 8).astype(np.int32),
        "d": generator.integers(-127, 128, (8, 1, 3, 3)).astype(np.int8),
        "f": generator.integers(-127, 128, (8, 5)).astype(np.int8),
        "fs": f32(0.02),
        "fz": np.asarray(0, np.int8),
    }
    conv: dict[str, Any] = {"pads": [1, 1, 1, 1], "strides": [2, 2]}
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"]),
        helper.make_node(
            "QLinearConv", ["q", "s", "z", "w", "ws", "wz", "s", "z", "b"], ["c"], **conv
        ),
        helper.make_node("MaxPool", ["c"], ["p"], kernel_shape=[2, 2]),
        helper.make_node(
            "QLinearConv",
            ["p", "s", "z", "d", "ws", "wz", "s", "z"],
            ["e"],
            pads=[1, 1, 1, 1],
            group=8,
        ),
        helper.make_node("DequantizeLinear", ["e", "s", "z"], ["u"]),
        helper.make_node("GlobalAveragePool", ["u"], ["g"]),
        helper.make_node("Flatten", ["g"], ["h"]),
        helper.make_node("QuantizeLinear", ["h", "s", "z"], ["k"]),
        helper.make_node("QLinearMatMul", ["k", "s", "z", "f", "fs", "fz", "s", "z"], ["m"]),
        helper.make_node("DequantizeLinear", ["m", "s", "z"], ["y"]),
    ]
    check(model_of(nodes, {"x": x}, constants, ["y"]), {"x": x})


def test_four_bits_kept_in_eight_are_not_taken_for_eight() -> None:
    x = np.ones((2, 4), np.float32)
    node = helper.make_node("QuantizeLinear", ["x", "s"], ["y"], output_dtype=TensorProto.INT4)
    graph = helper.make_graph(
        [node],
        "four",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 4])],
        [helper.make_tensor_value_info("y", TensorProto.INT4, [2, 4])],
        [numpy_helper.from_array(f32(1), "s")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)])
    view = aidge_nb.load_onnx(model)
    view.forward_dims([list(x.shape)])
    quantize = next(n for n in view.get_nodes() if n.type() == "QuantizeLinear")
    assert not has_c_kernel(quantize)


def test_what_has_no_kernel_says_so() -> None:
    x = np.ones((2, 4), np.float32)
    node = helper.make_node("QuantizeLinear", ["x", "s", "z"], ["y"])
    view = aidge_nb.load_onnx(
        model_of([node], {"x": x}, {"s": f32(1), "z": np.asarray(0, np.int32)}, ["y"])
    )
    view.forward_dims([[2, 4]])
    quantize = next(n for n in view.get_nodes() if n.type() == "QuantizeLinear")
    assert has_c_kernel(quantize)
    with pytest.raises(ExportError, match=r"QuantizeLinear.*no C kernel quantizes to this type"):
        c_calls(quantize)
