"""Check BatchNorm, Add, ReLU and Clip done before sums are stored, bit by bit against NumPy."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import aidge_nb
from aidge_nb.graph.node import Node
from aidge_nb.kernels.c import c_calls, describe_site
from aidge_nb.kernels.c.adapters.channels_last import FINISHED, Finish, channel_axis, finished
from aidge_nb.kernels.c.compiling import Program
from tests.kernels.c.machine import differing
from tests.kernels.c.test_fuzz import SEEDS, Array, numbers, run
from tests.kernels.c.test_vectors import ALL_SIZES, SIZES, flags_of


@st.composite
def sums(draw: st.DrawFn) -> tuple[Node, list[Array]]:
    """Draw a product of matrices, or a convolution that one of FINISHED computes."""
    seed, odd = draw(SEEDS), draw(st.booleans())
    kind = draw(st.sampled_from(["FC", "MatMul", "1x1", "conv", "depthwise"]))
    outs = draw(st.integers(2, 70))
    if kind in ("FC", "MatMul"):
        rows, depth = draw(st.integers(1, 19)), draw(st.integers(1, 30))
        data = numbers(seed, rows, depth, odd=odd)
        if kind == "MatMul":
            return aidge_nb.MatMul(), [data, numbers(seed + 1, depth, outs, odd=odd)]
        weights = [numbers(seed + 1, outs, depth, odd=odd), numbers(seed + 2, outs, odd=odd)]
        return aidge_nb.FC(depth, outs), [data, *weights]
    sizes = [draw(st.integers(5, 22)) for _ in range(2)]
    ins = outs if kind == "depthwise" else draw(st.integers(2, 9))
    kernel = [1, 1] if kind == "1x1" else [draw(st.integers(1, 4)) for _ in range(2)]
    stride = 1 if kind == "1x1" else draw(st.integers(1, 3))
    window: dict[str, Any] = {"stride_dims": [stride] * 2, "padding_dims": [0] * 4}
    if kind != "1x1":
        window["padding_dims"] = [draw(st.integers(0, k - 1)) for k in (*kernel, *kernel)]
    bias = numbers(seed + 2, outs, odd=odd)
    data = numbers(seed, draw(st.integers(1, 2)), ins, *sizes, odd=odd)
    if kind == "depthwise":
        weight = numbers(seed + 1, outs, 1, *kernel, odd=odd)
        return aidge_nb.PaddedConvDepthWise2D(outs, kernel, **window), [data, weight, bias]
    weight = numbers(seed + 1, outs, ins, *kernel, odd=odd)
    return aidge_nb.PaddedConv2D(ins, outs, kernel, **window), [data, weight, bias]


FINISHES = st.tuples(
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from([(-inf, inf), (0.0, inf), (0.0, 6.0), (-inf, 0.5)]),
)


def check(drawn: tuple[Node, list[Array]], how: tuple[Any, ...], sizes: list[int | None]) -> None:
    """Compare with vectors of some sizes."""
    node, arrays = drawn
    is_normed, plus_first, has_more, (low, high) = how
    expected = run(node, arrays, "exact")
    known = {index: array for index, array in enumerate(arrays) if index}
    site = describe_site(node, known)
    axis = channel_axis(site)
    shape = [-1 if at == axis else 1 for at in range(expected.ndim)]
    norm = numbers(7, 2 * expected.shape[axis], odd=True) if is_normed else None
    more = numbers(8, *expected.shape, odd=True) if has_more else None
    with np.errstate(all="ignore"):
        if norm is not None:
            factor, offset = (each.reshape(shape) for each in np.split(norm, 2))
            expected = (expected + offset) * factor if plus_first else expected * factor + offset
        if more is not None:
            expected = expected + more
        expected = np.where(expected < low, np.float32(low), expected)
        expected = np.where(expected > high, np.float32(high), expected)
    (call,) = c_calls(node, known=known)
    assert call.function in FINISHED
    made = finished(site, call, Finish(norm, has_more, low, high, plus_first))
    given = [*arrays, *[None] * (3 - len(arrays)), more]
    for size in sizes:
        found = np.full_like(expected, np.nan)
        Program((made,), flags_of(size)).run(given, [found])
        assert differing(found, expected) == 0, size


_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


@settings(max_examples=20, suppress_health_check=_SLOW)
@given(sums(), FINISHES, SIZES)
def test_what_follows(drawn: tuple[Node, list[Array]], how: Any, size: int | None) -> None:
    check(drawn, how, [size])


@pytest.mark.slow
@settings(max_examples=2000, suppress_health_check=_SLOW)
@given(sums(), FINISHES)
def test_what_follows_in_many_shapes(drawn: tuple[Node, list[Array]], how: Any) -> None:
    check(drawn, how, ALL_SIZES)
