"""8-bit products for microcontrollers: packed weights give the bits of NumPy, of every shape."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import helper

import aidge_nb
from aidge_nb.kernels.c import CCall, c_calls
from aidge_nb.kernels.c.adapters.packed_codes import PAIRS
from aidge_nb.kernels.c.compiling import Program
from tests.kernels.c.machine import differing
from tests.kernels.c.test_quantized import Array, f32, model_of, numbers

MULTIPLE = [np.uint8, np.int8]


def calls_and_arrays(
    model: Any, x: Array, target: str
) -> tuple[tuple[CCall, ...], list[Array | None], Array]:
    """Give the calls for the only node, its inputs, and what NumPy makes of them."""
    view = aidge_nb.load_onnx(model)
    view.set_backend("exact")
    view.forward_dims([list(x.shape)])
    expected = aidge_nb.SequentialScheduler(view).forward(data=[aidge_nb.Tensor(x)])[0].array
    (node,) = (each for each in view.get_nodes() if each.type() != "Producer")
    operator = node.get_operator()
    tensors = [operator.get_input(index) for index in range(operator.nb_inputs)]
    inputs = [None if t is None or t.undefined() else t.array for t in tensors]
    inputs[0] = x
    return c_calls(node, target), inputs, np.asarray(expected)


def check(model: Any, x: Array, function: str) -> None:
    """Check the kernel that a microcontroller gets, and its bits."""
    calls, inputs, expected = calls_and_arrays(model, x, "cortex-m4")
    assert [call.function[:-3] for call in calls] == [function]
    found = np.full_like(expected, 77)
    Program(calls).run(inputs, [found])
    assert differing(found, expected) == 0


@st.composite
def parameters(draw: st.DrawFn, outs: int, kind: Any) -> dict[str, Array]:
    """Draw scales, zero points and, at times, a bias of extreme numbers."""
    scale = np.random.default_rng(draw(st.integers(0, 99))).uniform(0.001, 0.1, outs)
    seed = draw(st.integers(0, 99))
    limits = np.iinfo(np.int32)
    bias = np.random.default_rng(seed).integers(limits.min, limits.max, outs)
    bias = bias if draw(st.booleans()) else bias // 2**16
    return {
        "xs": f32(0.02),
        "xz": numbers(draw, kind),
        "ws": f32(scale),
        "wz": np.zeros(outs, np.int8),
        "ys": f32(draw(st.sampled_from([0.0625, 0.5, 7.3]))),
        "yz": numbers(draw, kind),
        "b": bias.astype(np.int32),
    }


@st.composite
def convolutions(draw: st.DrawFn) -> tuple[Any, Array, str]:
    """Draw a convolution: channels, kernels, strides, dilations, groups, pads."""
    is_depthwise = draw(st.booleans())
    kind = draw(st.sampled_from(MULTIPLE))
    ins = draw(st.integers(1, 6)) if is_depthwise else draw(st.sampled_from([*range(2, 9), 21, 70]))
    outs = ins * draw(st.integers(1, 2)) if is_depthwise else draw(st.integers(1, 9))
    group = ins if is_depthwise else 1
    if not is_depthwise and draw(st.booleans()):
        group, ins, outs = 3, 3 * min(ins, 9), 3 * outs
    kernel = [draw(st.integers(1, 11)) if draw(st.booleans()) else 3 for _ in range(2)]
    dilations = [draw(st.integers(1, 3)) for _ in range(2)]
    spans = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    pads = [draw(st.integers(0, 6)) for _ in range(4)]
    least = [max(1, s - a - b) for s, a, b in zip(spans, pads[:2], pads[2:], strict=True)]
    sizes = [size + draw(st.integers(0, 9)) for size in least]
    x = numbers(draw, kind, draw(st.integers(1, 2)), ins, *sizes)
    weight = numbers(draw, np.int8, outs, ins // group, *kernel)
    names = ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz", *(["b"] if draw(st.booleans()) else [])]
    attrs: dict[str, Any] = {
        "pads": pads,
        "dilations": dilations,
        "strides": [draw(st.integers(1, 4)) for _ in range(2)],
        "group": group,
    }
    constants = {**draw(parameters(outs, kind)), "w": weight}
    used = {name: array for name, array in constants.items() if name in names}
    node = helper.make_node("QLinearConv", names, ["y"], **attrs)
    name = "nb_depthwise_codes" if weight.shape[1] == 1 else "nb_conv_codes"
    return model_of([node], {"x": x}, used, ["y"]), x, name


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(convolutions())
def test_convolutions(drawn: tuple[Any, Array, str]) -> None:
    check(*drawn)


@st.composite
def products(draw: st.DrawFn) -> tuple[Any, Array, str]:
    """Draw a product of rows by a known matrix."""
    kind = draw(st.sampled_from(MULTIPLE))
    depth, columns = draw(st.integers(1, 70)), draw(st.integers(1, 19))
    x = numbers(draw, kind, *draw(st.sampled_from([(), (3,)])), draw(st.integers(1, 4)), depth)
    constants = draw(parameters(columns, kind))
    del constants["b"]
    constants["w"] = numbers(draw, np.int8, depth, columns)
    node = helper.make_node("QLinearMatMul", ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz"], ["y"])
    return model_of([node], {"x": x}, constants, ["y"]), x, "nb_conv_codes"


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(products())
def test_products(drawn: tuple[Any, Array, str]) -> None:
    check(*drawn)


@pytest.mark.parametrize(("zero", "function"), [(128, "nb_conv_codes"), (3, "nb_conv_quantized")])
def test_weights_with_zero_points_are_packed_where_they_fit(zero: int, function: str) -> None:
    x = np.arange(2 * 5 * 5, dtype=np.uint8).reshape(1, 2, 5, 5)
    weight = np.arange(18, dtype=np.uint8).reshape(1, 2, 3, 3) * 15
    constants = {
        **{name: f32(0.3) for name in ("xs", "ws", "ys")},
        **{name: np.asarray(7, np.uint8) for name in ("xz", "yz")},
        "w": weight,
        "wz": np.asarray(zero, np.uint8),
    }
    node = helper.make_node("QLinearConv", ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz"], ["y"])
    model = model_of([node], {"x": x}, constants, ["y"])
    calls, inputs, expected = calls_and_arrays(model, x, "cortex-m4")
    found = np.full_like(expected, 77)
    Program(calls).run(inputs, [found])
    assert calls[0].function.startswith(function)
    assert differing(found, expected) == 0


def test_packed_weights_lie_as_they_are_read() -> None:
    weight = np.arange(3 * 2 * 5, dtype=np.int8).reshape(3, 2, 5)
    runs = PAIRS.packed(weight, 1).reshape(2, 3, 2, 4)[..., [0, 2, 1, 3]]
    rows = runs.transpose(0, 2, 1, 3).reshape(4, 12)
    assert np.array_equal(rows[:3, :10], weight.reshape(3, 10))
    assert not rows[3].any()
    assert not rows[:, 10:].any()
