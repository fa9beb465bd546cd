"""Operators on codes of our own: C gives the bits of NumPy, and NumPy what numbers give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import aidge_nb
from aidge_nb.core.errors import AidgeError
from aidge_nb.graph.spec import InputCategory
from aidge_nb.kernels.c import c_calls
from aidge_nb.kernels.registry import find_standard_kernel
from aidge_nb.kernels.standard import OURS, NodeContext
from aidge_nb.onnx_io.convert.operator import onnx_node
from aidge_nb.zoo.builder import ModelBuilder

pytestmark = pytest.mark.usefixtures("no_fallback")

Array = NDArray[Any]
OFTEN = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])


def codes(kind: Any, seed: int, *dims: int) -> Array:
    """Draw codes, extremes among them."""
    limits = np.iinfo(kind)
    return np.random.default_rng(seed).integers(limits.min, limits.max + 1, dims).astype(kind)


def numbers(op_type: str, inputs: list[Array], attributes: dict[str, Any]) -> Array:
    """Compute an operator of the standard in float64."""
    kernel = find_standard_kernel(op_type)
    assert kernel is not None
    return kernel([each.astype(np.float64) for each in inputs], attributes, NodeContext(17))[0]


def results(op_type: str, inputs: list[Array], attributes: dict[str, Any]) -> Array:
    """Run one node on all backends; check that they agree, and give the result."""
    found = []
    for backend in ("cpu", "exact", "c"):
        categories = [InputCategory.Data, *[InputCategory.Param] * (len(inputs) - 1)]
        operator = onnx_node(op_type, categories, attributes, name="node", domain=OURS)
        for index, each in enumerate(inputs[1:], 1):
            aidge_nb.Producer(each, name=f"c{index}", constant=True).add_child(operator, 0, index)
        view = aidge_nb.sequential([operator])
        view.set_backend(backend)
        found.append(aidge_nb.SequentialScheduler(view).forward(data=[inputs[0]])[0].array)
    for node in view.get_nodes():
        if node.type() != "Producer":
            c_calls(node)
    for other in found[1:]:
        np.testing.assert_array_equal(found[0], other)
    return np.asarray(found[0])


@OFTEN
@given(st.data())
def test_windows_that_are_added_up(data: st.DataObject) -> None:
    draw = data.draw
    rank, group, seed = (
        draw(st.integers(1, 3)),
        draw(st.sampled_from([1, 1, 2])),
        draw(st.integers(0, 99)),
    )
    left, right = (draw(st.sampled_from([np.int8, np.uint8])) for _ in range(2))
    ins, outs = group * draw(st.integers(1, 3)), draw(st.integers(1, 3))
    kernel = [draw(st.integers(1, 4)) for _ in range(rank)]
    strides = [draw(st.integers(1, 3)) for _ in range(rank)]
    x = codes(left, seed, draw(st.integers(1, 2)), ins, *(draw(st.integers(2, 5)) for _ in kernel))
    w = codes(right, seed + 1, ins, outs, *kernel)
    attributes: dict[str, Any] = {
        "group": group,
        "kernel_shape": kernel,
        "strides": strides,
        "dilations": [draw(st.integers(1, 2)) for _ in kernel],
        "pads": [draw(st.integers(0, k - 1)) for k in (*kernel, *kernel)],
        "output_padding": [draw(st.integers(0, step - 1)) for step in strides],
    }
    channels = group * outs
    scale = np.linspace(0.01, 0.03, channels if draw(st.booleans()) else 1, dtype=np.float32)
    x_zero, y_zero = codes(left, seed + 2), codes(left, seed + 3)
    w_zero = codes(right, seed + 4, len(scale)) if draw(st.booleans()) else np.zeros(1, right)
    bias = codes(np.int16, seed + 5, channels).astype(np.int32)
    one = np.float32(0.05)
    inputs = [x, one, x_zero, w, scale, w_zero, np.float32(1.5), y_zero, bias]
    found = results("QLinearConvTranspose", [np.asarray(each) for each in inputs], attributes)

    offsets = np.broadcast_to(w_zero.astype(float), (channels,)).reshape(
        group, 1, outs, *[1] * rank
    )
    grouped = w.astype(float).reshape(group, -1, outs, *kernel) - offsets
    total = numbers(
        "ConvTranspose", [x - float(x_zero), grouped.reshape(w.shape), bias], attributes
    )
    factor = (one * scale / np.float32(1.5)).reshape(-1, *[1] * rank)
    whole = np.rint(total.astype(np.float32) * factor) + float(y_zero)
    limits = np.iinfo(left)
    np.testing.assert_array_equal(found, np.clip(whole, limits.min, limits.max).astype(left))


@OFTEN
@given(st.data())
def test_means_along_axes(data: st.DataObject) -> None:
    draw, seed = data.draw, data.draw(st.integers(0, 99))
    kind = draw(st.sampled_from([np.int8, np.uint8]))
    dims = [draw(st.integers(1, 6)) for _ in range(draw(st.integers(1, 4)))]
    chosen = draw(st.lists(st.integers(0, len(dims) - 1), unique=True, max_size=2))
    wanted = [
        draw(st.integers(1, 11)) if axis in chosen else size for axis, size in enumerate(dims)
    ]
    modes = ["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"]
    attributes: dict[str, Any] = {"coordinate_transformation_mode": draw(st.sampled_from(modes))}
    if draw(st.booleans()):
        attributes["antialias"] = 1
    x = codes(kind, seed, *dims)
    found = results(
        "ResizeCodes", [x], {**attributes, "sizes": wanted, "zero": draw(st.integers(0, 127))}
    )
    builder = ModelBuilder("resize", 0, opset=19)
    names = [builder.input("x", dims), "", "", builder.constant("sizes", np.array(wanted))]
    value = builder.node("Resize", names, "resize", mode="linear", **attributes)
    view = aidge_nb.load_onnx(builder.build({value: ()}))
    view.set_backend("cpu")
    (exact,) = aidge_nb.SequentialScheduler(view).forward(data=[x.astype(np.float32)])
    assert found.shape == exact.array.shape
    assert np.abs(found - exact.array).max() <= 0.5 + 255 / 2**10


def test_codes_are_resampled_along_two_axes_at_most() -> None:
    x = codes(np.int8, 0, 2, 2, 2)
    with pytest.raises(AidgeError, match="along two axes at most"):
        results("ResizeCodes", [x], {"sizes": [3, 3, 3]})
