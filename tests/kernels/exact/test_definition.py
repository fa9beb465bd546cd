"""The exact arithmetic is what it is said to be: compared with loops over one number at a time."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import aidge_nb
from aidge_nb.core.errors import ShapeError
from aidge_nb.graph.spec import SPECS
from aidge_nb.kernels import find_kernel
from aidge_nb.kernels.exact.shared import SHARED
from tests.kernels.c.machine import differing, exact
from tests.kernels.case import Case, check_close
from tests.kernels.tables.data import normal
from tests.kernels.tables.every import CASES, IDS

Array = NDArray[Any]
F = np.float32


def slow_convolution(x: Array, w: Array, bias: Array | None, pads: int, stride: int) -> Array:
    """Convolve one image, term after term, in the order that the definition gives."""
    outs, channels, height, width = w.shape
    counts = [
        (size + 2 * pads - k) // stride + 1
        for size, k in zip(x.shape[2:], (height, width), strict=True)
    ]
    result = np.zeros((1, outs, *counts), F)
    for out, i, j in product(range(outs), *map(range, counts)):
        total = F(0) if bias is None else bias[out]
        for channel, kh, kw in product(range(channels), range(height), range(width)):
            row, column = i * stride + kh - pads, j * stride + kw - pads
            if 0 <= row < x.shape[2] and 0 <= column < x.shape[3]:
                term = F(x[0, channel, row, column] * w[out, channel, kh, kw])
                total = F(total + term)
        result[0, out, i, j] = total
    return result


@pytest.mark.parametrize(("pads", "stride"), [(0, 1), (1, 1), (1, 2), (2, 3)])
@pytest.mark.parametrize("has_bias", [True, False])
def test_convolutions_add_tap_after_tap(pads: int, stride: int, has_bias: bool) -> None:
    x, w = normal(1, 3, 6, 7), normal(4, 3, 3, 2)
    bias = normal(4) if has_bias else None
    node = aidge_nb.PaddedConv2D(
        3, 4, [3, 2], "conv", [stride] * 2, padding_dims=[pads] * 4, no_bias=not has_bias
    )
    view = aidge_nb.GraphView()
    view.add(node)
    for index, array in enumerate([x, w, *([] if bias is None else [bias])]):
        node.get_operator().associate_input(index, aidge_nb.Tensor(array))
    view.set_backend("exact")
    view.forward_dims()
    node.forward()
    found = node.get_operator().get_output(0).array
    assert differing(found, slow_convolution(x, w, bias, pads, stride)) == 0


def test_skipped_taps_leave_a_minus_zero_alone() -> None:
    """Nothing is added for a tap outside; adding a zero would make +0 of a bias of -0."""
    view = aidge_nb.GraphView()
    node = aidge_nb.PaddedConv2D(1, 1, [3, 3], "conv", padding_dims=[1, 1, 1, 1])
    view.add(node)
    arrays = np.zeros((1, 1, 1, 1), F), -np.ones((1, 1, 3, 3), F), np.array([-0.0], F)
    for index, array in enumerate(arrays):
        node.get_operator().associate_input(index, aidge_nb.Tensor(array))
    view.set_backend("exact")
    view.forward_dims()
    node.forward()
    assert np.signbit(node.get_operator().get_output(0).array).all()


def test_products_add_term_after_term_from_the_bias_on() -> None:
    x, w, bias = normal(3, 40), normal(5, 40), normal(5)
    expected = np.zeros((3, 5), F)
    for i, j in product(range(3), range(5)):
        total = bias[j]
        for k in range(40):
            total = F(total + F(x[i, k] * w[j, k]))
        expected[i, j] = total
    assert differing(exact("FC", x, w, bias)[0], expected) == 0


@pytest.mark.parametrize("size", [1, 7, 63, 64, 500])
@pytest.mark.parametrize("rows", [1, 3, 900])
def test_sums_add_one_after_the_other(rows: int, size: int) -> None:
    x = 1000 * normal(rows, size)
    expected = np.zeros(rows, F)
    for k in range(size):
        expected = expected + x[:, k]
    assert differing(exact("ReduceSum", x, axes=[1], keep_dims=False)[0], expected) == 0
    pool = exact("GlobalAveragePooling", x.reshape(rows, 1, 1, size))[0]
    assert differing(pool.reshape(-1), np.asarray(expected / F(size))) == 0


def test_sums_start_at_plus_zero() -> None:
    minus_zeros = np.full((2, 5), -0.0, F)
    assert not np.signbit(exact("ReduceSum", minus_zeros, axes=[1])[0]).any()


def test_order_matters_to_the_fast_kernels() -> None:
    """The definition says something: a BLAS gives other bits."""
    x, w = normal(1, 2000), normal(50, 2000)
    fast = find_kernel(SPECS["FC"])
    assert fast is not None
    assert differing(np.asarray(fast(x, w, None)), exact("FC", x, w, None)[0]) > 0


@pytest.mark.parametrize(
    ("type_name", "pair", "wanted"),
    [
        ("Max", (np.nan, 1.0), np.nan),
        ("Max", (1.0, np.nan), np.nan),
        ("Max", (-0.0, 0.0), -0.0),
        ("Max", (0.0, -0.0), 0.0),
        ("Min", (0.0, -0.0), 0.0),
        ("Min", (2.0, np.nan), np.nan),
    ],
)
def test_larger_and_smaller(type_name: str, pair: tuple[float, float], wanted: float) -> None:
    found = exact(type_name, *(np.array([value], F) for value in pair))[0]
    assert differing(found, np.array([wanted], F)) == 0


def test_relu_keeps_nan_and_minus_zero() -> None:
    found = exact("ReLU", np.array([np.nan, -0.0, -1, 2, -np.inf], F))[0]
    assert differing(found, np.array([np.nan, -0.0, 0, 2, 0], F)) == 0


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64, np.uint32])
def test_casts_give_the_nearest_integer_that_fits(dtype: Any) -> None:
    limits = np.iinfo(dtype)
    x = np.array([np.nan, np.inf, -np.inf, 3.99, -0.5, 1e30], F)
    found = exact("Cast", x, target_type=np.dtype(dtype))[0]
    assert found.tolist() == [0, limits.max, limits.min, 3, 0, limits.max]


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_values(case: Case) -> None:
    """Every exact kernel gives what the fast ones do, within their tolerance."""
    try:
        found = exact(case.type, *case.arrays, **case.attrs)
    except ShapeError as error:
        assert "exact arithmetic" in str(error)  # noqa: PT017  # not all cases have one
        return
    expected = case.oracle(*case.arrays)
    if not isinstance(expected, list) or not isinstance(expected[0], np.ndarray):
        expected = [expected]
    for ours, theirs in zip(found, expected, strict=True):
        check_close(ours, theirs, case.tolerance)


def test_every_operator_with_a_kernel_has_an_exact_one() -> None:
    missing = [n for n, s in SPECS.items() if find_kernel(s) and not find_kernel(s, "exact")]
    assert missing == []


def test_shared_kernels_are_those_of_cpu_and_no_others() -> None:
    shared = {spec for spec in SPECS.values() if find_kernel(spec, "exact")}
    same = {spec for spec in shared if find_kernel(spec, "exact") is find_kernel(spec)}
    assert same == set(SHARED)


def test_other_floating_point_types_are_refused() -> None:
    with pytest.raises(ShapeError, match=r"exact arithmetic is that of float32.*set_datatype"):
        exact("Exp", np.ones(3))
