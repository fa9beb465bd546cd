"""Operators on codes refuse sums that int32 may not hold, and zero points that are no codes."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import helper, numpy_helper

import aidge_nb
from aidge_nb.core.errors import AidgeError, ExportError
from aidge_nb.export import plan_export
from aidge_nb.quantization import to_integer
from aidge_nb.zoo.builder import ModelBuilder
from tests.quantization.test_integer import coded, run

Array = NDArray[Any]
_MATRICES = ("a", "as", "az", "b", "bs", "bz", "ys", "yz")
_OPERATORS: dict[str, tuple[str, tuple[str, ...]]] = {
    "QLinearMatMul": ("", _MATRICES),
    "QLinearConv": ("", (*_MATRICES, "c")),
    "MatMulInteger": ("", ("a", "b", "az", "bz")),
    "ConvInteger": ("", ("a", "b", "az", "bz")),
    "QGemm": ("com.microsoft", (*_MATRICES[:6], "c", *_MATRICES[6:])),
    "MatMulIntegerToFloat": ("com.microsoft", ("a", "b", "as", "bs", "az", "bz")),
    "DynamicQuantizeMatMul": ("com.microsoft", ("a", "b", "bs", "bz")),
}
_PLAIN = {
    **dict.fromkeys(("as", "bs"), np.float32(0.1)),
    "ys": np.float32(9e5),
    **dict.fromkeys(("az", "bz", "yz"), np.int8(0)),
}


def one_operator(op_type: str, dims: tuple[int, ...], **changed: Any) -> aidge_nb.GraphView:
    """Make a graph of one operator on int8 codes, with some of its inputs changed."""
    domain, order = _OPERATORS[op_type]
    values = {name: np.asarray(value) for name, value in {**_PLAIN, **changed}.items()}
    kind = np.float32 if op_type.startswith("Dynamic") else np.int8
    given = helper.make_tensor_value_info(
        "a", helper.np_dtype_to_tensor_dtype(np.dtype(kind)), dims
    )
    names = [name if name == "a" or name in values else "" for name in order]
    node = helper.make_node(op_type, names, ["y"], "one", domain=domain)
    constants = [numpy_helper.from_array(values[name], name) for name in order if name in values]
    result = helper.make_empty_tensor_value_info("y")
    graph = helper.make_graph([node], "one", [given], [result], constants)
    opsets = [helper.make_opsetid(name, version) for name, version in (("", 19), (domain, 1))]
    model = helper.make_model(graph, opset_imports=opsets[: 1 + bool(domain)])
    view = aidge_nb.load_onnx(onnx.load_from_string(model.SerializeToString()))
    view.forward_dims([list(dims)])
    return view


@pytest.mark.parametrize("op_type", _OPERATORS)
def test_sums_that_int32_may_not_hold_have_no_c_kernel(op_type: str) -> None:
    depth = 40_000
    is_conv = "Conv" in op_type
    wide = np.full((2, depth, 1) if is_conv else (depth, 2), -128, np.int8)
    dims = (1, depth, 1) if is_conv else (1, depth)
    with pytest.raises(AidgeError, match=r"one .*int32"):
        plan_export(one_operator(op_type, dims, b=wide, bz=np.int8(127)))
    plan_export(one_operator(op_type, dims, b=np.ones_like(wide)))
    if "c" in _OPERATORS[op_type][1]:
        bias = np.full(2, 2**31 - 1, np.int32)
        with pytest.raises(AidgeError, match=r"one .*int32"):
            plan_export(one_operator(op_type, dims, b=np.ones_like(wide), c=bias))


@pytest.mark.parametrize("zero", [np.uint8(200), np.int32(-129), np.array([0, 300], np.int16)])
@pytest.mark.parametrize(
    ("op_type", "name"),
    [(op, name) for op, (_, order) in _OPERATORS.items() for name in ("az", "bz") if name in order],
)
def test_zero_points_that_codes_cannot_have_are_refused(
    op_type: str, name: str, zero: Array
) -> None:
    order = _OPERATORS[op_type][1]
    is_conv = "Conv" in op_type
    weights = np.ones((2, 3, 1) if is_conv else (3, 2), np.int8)
    dims = (1, 3, 1) if is_conv else (1, 3)
    where = rf"one \({op_type}\): input#{order.index(name)}.*-128 to 127"
    view = one_operator(op_type, dims, b=weights, **{name: zero})
    with pytest.raises(AidgeError, match=where):
        run(view, np.ones(dims, np.float32 if op_type.startswith("Dynamic") else np.int8), "cpu")
    with pytest.raises(AidgeError, match="one"):
        plan_export(view)


@pytest.mark.parametrize("scale", [0, -0.5, np.nan, np.inf])
@pytest.mark.parametrize(
    ("op_type", "name"),
    [
        (op, name)
        for op, (_, order) in _OPERATORS.items()
        for name in ("as", "bs", "ys")
        if name in order
    ],
)
def test_scales_that_codes_cannot_have_are_refused(op_type: str, name: str, scale: float) -> None:
    order = _OPERATORS[op_type][1]
    is_conv = "Conv" in op_type
    weights = np.ones((2, 3, 1) if is_conv else (3, 2), np.int8)
    dims = (1, 3, 1) if is_conv else (1, 3)
    view = one_operator(op_type, dims, b=weights, **{name: np.float32(scale)})
    x = np.ones(dims, np.float32 if op_type.startswith("Dynamic") else np.int8)
    if name != "ys" and not scale:  # numbers that are all 0 may have it
        for backend in ("cpu", "exact", "c"):
            assert not run(view, x, backend).any()
        return
    where = rf"one \({op_type}\).*input#{order.index(name)}: .*this scale.*found {scale:g}"
    for backend in ("cpu", "c"):
        with pytest.raises(AidgeError, match=where):
            run(view, x, backend)
    with pytest.raises(ExportError, match=where):
        plan_export(view)


def test_numbers_are_not_quantized_by_a_scale_of_0() -> None:
    builder = ModelBuilder("zero", 0, opset=17)
    model = builder.build({coded(builder, builder.input("data", (1, 3)), "x", 0.0): (1, 3)})
    view = aidge_nb.load_onnx(model)
    view.forward_dims([[1, 3]])
    for backend in ("cpu", "c"):
        with pytest.raises(AidgeError, match=r"QuantizeLinear\).*input#1: .*this scale.*found 0"):
            run(view, np.ones((1, 3), np.float32), backend)


def test_a_zero_point_of_other_codes_is_left_as_it_is_and_refused_when_it_runs() -> None:
    builder = ModelBuilder("zero", 0, opset=17)
    scale = builder.constant("s", np.float32(0.1))
    zeros = [builder.constant("z", np.int8(0)), builder.constant("w", np.uint8(200))]
    codes = builder.node("QuantizeLinear", [builder.input("data", (1, 3)), scale, zeros[0]], "q")
    value = builder.node("DequantizeLinear", [codes, scale, zeros[1]], "d")
    value = coded(builder, builder.node("Relu", [value], "relu"), "y", 0.1)
    view = aidge_nb.load_onnx(builder.build({value: (1, 3)}))
    view.forward_dims([[1, 3]])
    assert "not made of codes" in to_integer(view).float_["relu (ReLU)"]
    with pytest.raises(AidgeError, match=r"DequantizeLinear\): input#2.*found 200"):
        run(view, np.ones((1, 3), np.float32), "cpu")


_OF_ONE = ("x", "xs", "xz", "ys", "yz")
_OF_TWO = (*_MATRICES[:6], "ys", "yz")
_ON_CODES: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "QLinearAdd": (_OF_TWO, {}),
    "QLinearMul": (_OF_TWO, {}),
    "QLinearSigmoid": (_OF_ONE, {}),
    "QLinearLeakyRelu": (_OF_ONE, {}),
    "QLinearGlobalAveragePool": (_OF_ONE, {}),
    "QLinearAveragePool": (_OF_ONE, {"kernel_shape": (2, 2)}),
    "QLinearSoftmax": (_OF_ONE, {"opset": 13}),
    "QLinearConcat": (("ys", "yz", "x", "xs", "xz"), {"axis": 1}),
}


@pytest.mark.parametrize("zero", [np.uint8(200), np.int32(-129)])
@pytest.mark.parametrize("op_type", _ON_CODES)
def test_zero_points_that_results_cannot_have_are_refused(op_type: str, zero: Array) -> None:
    order, attributes = _ON_CODES[op_type]
    values: dict[str, Any] = {"yz": zero, "b": np.ones((1, 2, 3, 3), np.int8)}
    constants = {
        name: np.asarray(values.get(name, np.float32(0.1) if "s" in name else np.int8(0)))
        for name in order
        if name not in "ax"
    }
    dims = (1, 2, 3, 3)
    given = helper.make_tensor_value_info("in", onnx.TensorProto.INT8, dims)
    names = ["in" if name in "ax" else name for name in order]
    node = helper.make_node(op_type, names, ["y"], "one", domain="com.microsoft", **attributes)
    graph = helper.make_graph(
        [node],
        "one",
        [given],
        [helper.make_empty_tensor_value_info("y")],
        [numpy_helper.from_array(each, name) for name, each in constants.items()],
    )
    opsets = [helper.make_opsetid("", 19), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets)
    view = aidge_nb.load_onnx(onnx.load_from_string(model.SerializeToString()))
    view.forward_dims([list(dims)])
    with pytest.raises(AidgeError, match=rf"one \({op_type}\).*zero point.*-128 to 127"):
        run(view, np.ones(dims, np.int8), "cpu")
    with pytest.raises(AidgeError, match=rf"one.*input#{order.index('yz')}.*zero point"):
        plan_export(view)


WITHOUT: dict[str, tuple[int, dict[str, Any]]] = {
    "LayerNormalization": (1, {"axis": -1}),
    "CumSum": (1, {}),
    "Sub": (2, {}),
    "Max": (2, {}),
    "ReduceSum": (1, {"keepdims": 1}),
    "InstanceNormalization": (1, {}),
}
"""Operators without an integer form: how many tensors they take, and their attributes."""


@pytest.mark.parametrize("op_type", WITHOUT)
def test_operators_without_an_integer_form_are_named_and_compute_numbers(op_type: str) -> None:
    count, attributes = WITHOUT[op_type]
    builder = ModelBuilder("without", 0, opset=17)
    data = builder.input("data", (2, 3, 8))
    inputs = [coded(builder, data, f"x{index}", 0.05 + 0.01 * index) for index in range(count)]
    more: dict[str, list[Any]] = {
        "LayerNormalization": [np.ones(8, np.float32)],
        "CumSum": [np.int64(1)],
        "ReduceSum": [np.array([1])],
        "InstanceNormalization": [np.ones(3, np.float32), np.zeros(3, np.float32)],
    }
    inputs += [builder.constant(f"c{i}", each) for i, each in enumerate(more.get(op_type, []))]
    value = coded(builder, builder.node(op_type, inputs, "layer", **attributes), "y", 0.05)
    model = builder.build({value: ()})
    x = np.random.default_rng(0).uniform(-5, 5, (2, 3, 8)).astype(np.float32)
    found = []
    for is_changed in (False, True):
        view = aidge_nb.load_onnx(model)
        view.forward_dims([[2, 3, 8]], allow_data_dependency=True)
        if is_changed:
            report = to_integer(view)
            assert not report.integer
            ((label, why),) = report.float_.items()
            assert label.startswith("layer (")
            assert "no integer operator for" in why
            assert "layer" in str(report)
        view.set_backend("cpu")
        found.append(aidge_nb.SequentialScheduler(view).forward(data=[x])[0].array.copy())
    np.testing.assert_array_equal(found[0], found[1])
