"""Float products and convolutions: vectors of every size give the bits of NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import aidge_nb
from aidge_nb.kernels.c import c_calls
from aidge_nb.kernels.c.compiling import FLAGS, Program
from tests.kernels.c.machine import compiled, differing, exact
from tests.kernels.c.test_fuzz import SEEDS, Array, convolutions, numbers, run

ALL_SIZES: list[int | None] = [None, 1, 4, 8, 16]
"""Numbers of a vector: as many as this machine has, or as others have; 1 is the portable code."""
SIZES = st.sampled_from(ALL_SIZES)


def flags_of(size: int | None) -> tuple[str, ...]:
    """Give the flags of the compiler for vectors of some size."""
    return (*FLAGS, *(() if size is None else (f"-DNB_VL={size}",)))


def check(kind: str, arrays: list[Array], *sizes: int | None, **attrs: Any) -> None:
    """Check the bits of an operator whose weights are known, with vectors of some sizes."""
    expected = exact(kind, *arrays, **attrs)
    for size in sizes:
        found = compiled(kind, arrays, expected, (1, 2), flags_of(size), **attrs)
        assert differing(found[0], expected[0]) == 0, size


Convolution = tuple[str, dict[str, Any], list[Array]]


@settings(max_examples=60)
@given(convolutions(), SIZES)
def test_convolutions(drawn: Convolution, size: int | None) -> None:
    check_convolution(drawn, size)


@pytest.mark.slow
@settings(max_examples=2000)
@given(convolutions())
def test_convolutions_of_many_shapes(drawn: Convolution) -> None:
    check_convolution(drawn, *ALL_SIZES)


def check_convolution(drawn: Convolution, *many: int | None) -> None:
    """Check a convolution without its padding, which must then fit."""
    kind, options, arrays = drawn
    names = ("kernel_dims", "stride_dims", "dilation_dims", "group")
    attrs = {name: options[name] for name in names if name in options}
    window = zip(options["kernel_dims"], options["dilation_dims"], strict=True)
    sizes = zip(arrays[0].shape[2:], window, strict=True)
    if all(size > (kernel - 1) * dilation for size, (kernel, dilation) in sizes):
        check(kind.removeprefix("Padded"), arrays, *many, **attrs)


@st.composite
def windows(draw: st.DrawFn) -> tuple[list[Array], dict[str, Any], list[int]]:
    """Draw a depthwise convolution with wide kernels and strides, and padding around it."""
    kernel = [draw(st.sampled_from([1, 2, 3, 3, 3, 5, 11])) for _ in range(2)]
    pads = [draw(st.integers(0, k)) for k in (*kernel, *kernel)]
    least = [max(1, k - a - b) for k, a, b in zip(kernel, pads[:2], pads[2:], strict=True)]
    rows, columns = (
        low + draw(st.integers(0, most)) for low, most in zip(least, (9, 70), strict=True)
    )
    channels, seed = draw(st.integers(2, 5)), draw(SEEDS)
    odd = draw(st.booleans())
    arrays = [
        numbers(seed, draw(st.integers(1, 2)), channels, rows, columns, odd=odd),
        numbers(seed + 1, channels, 1, *kernel, odd=odd),
        numbers(seed + 2, channels, odd=odd),
    ]
    strides = [draw(st.integers(1, 4)) for _ in range(2)]
    return arrays, {"kernel_dims": kernel, "stride_dims": strides}, pads


Windowed = tuple[list[Array], dict[str, Any], list[int]]


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(windows(), SIZES)
def test_depthwise(drawn: Windowed, size: int | None) -> None:
    check_depthwise(drawn, size)


@pytest.mark.slow
@settings(max_examples=2000, suppress_health_check=[HealthCheck.too_slow])
@given(windows())
def test_depthwise_of_many_shapes(drawn: Windowed) -> None:
    check_depthwise(drawn, *ALL_SIZES)


def check_depthwise(drawn: Windowed, *sizes: int | None) -> None:
    """Check a depthwise convolution with padding."""
    arrays, attrs, pads = drawn
    node = aidge_nb.PaddedConvDepthWise2D(arrays[0].shape[1], padding_dims=pads, **attrs)
    expected = run(node, arrays, "exact")
    (call,) = c_calls(node)
    assert call.function == "nb_conv_depthwise_f32"
    for size in sizes:
        found = np.full_like(expected, np.nan)
        Program((call,), flags_of(size)).run(arrays, [found])
        assert differing(found, expected) == 0, size


SHAPES = (st.integers(1, 19), st.integers(1, 40), st.integers(1, 150), SEEDS)


@settings(max_examples=60)
@given(*SHAPES, SIZES)
def test_products(rows: int, depth: int, columns: int, seed: int, size: int | None) -> None:
    check_products(rows, depth, columns, seed, size)


@pytest.mark.slow
@settings(max_examples=2000)
@given(*SHAPES)
def test_products_of_many_shapes(rows: int, depth: int, columns: int, seed: int) -> None:
    check_products(rows, depth, columns, seed, *ALL_SIZES)


def check_products(rows: int, depth: int, columns: int, seed: int, *sizes: int | None) -> None:
    """Check products of matrices, with and without a bias."""
    left = numbers(seed, rows, depth, odd=seed % 2 == 0)
    check("MatMul", [left, numbers(seed, depth, columns)], *sizes)
    check("FC", [left, numbers(seed, columns, depth), numbers(seed + 1, columns)], *sizes)
    check("FC", [left, numbers(seed, columns, depth)], *sizes)


FUNCTIONS = ("Exp", "Ln", "Erf", "Tanh", "Sigmoid", "Swish", "Softplus", "Mish", "Gelu", "Sqrt")
EVERY = np.arange(0, 2**32, 40_009, dtype=np.uint32).view(np.float32)
"""Numbers of every size and sign, and NaN, some hundred of each exponent."""


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_functions_of_all_numbers(kind: str) -> None:
    check(kind, [EVERY], *ALL_SIZES)


@pytest.mark.parametrize("count", [1, 3, 5, 15, 17, 33])
def test_functions_of_a_few_numbers(count: int) -> None:
    """Check that results that do not fill a vector are written, and nothing behind them."""
    for kind in FUNCTIONS:
        check(kind, [numbers(count, count)], *ALL_SIZES)


ROWS = ("Softmax", "LogSoftmax", "ReduceMax", "ReduceMin")
LINES = (st.sampled_from(ROWS), st.integers(1, 19), st.integers(1, 150), SEEDS)


@settings(max_examples=60)
@given(*LINES, SIZES)
def test_rows(kind: str, rows: int, width: int, seed: int, size: int | None) -> None:
    check_rows(kind, rows, width, seed, size)


@pytest.mark.slow
@settings(max_examples=2000)
@given(*LINES)
def test_rows_of_many_shapes(kind: str, rows: int, width: int, seed: int) -> None:
    check_rows(kind, rows, width, seed, *ALL_SIZES)


def check_rows(kind: str, rows: int, width: int, seed: int, *sizes: int | None) -> None:
    """Check rows of numbers; in some, zeros of both signs are the largest or the smallest."""
    array = numbers(seed, rows, width, odd=seed % 3 == 0)
    if seed % 3 == 1:
        zeros = np.random.default_rng(seed).choice(np.array([0.0, -0.0], np.float32), array.shape)
        array = np.where(array < 1, zeros, -np.abs(array) if kind == "ReduceMax" else array)
    check(kind, [array], *sizes, **({"axes": [-1]} if "Reduce" in kind else {"axis": -1}))


@pytest.mark.parametrize("beta", [0.75, -0.5, 2.0, 0.0, 150.0])
def test_normalization_by_neighbours(beta: float) -> None:
    """Powers of many channels at once, but where one has a way of its own: 0, NaN, subnormal."""
    for bias, alpha, channels in ((1.0, 1e-2, 37), (0.0, 1e-38, 16), (-0.5, 1.0, 5)):
        array = numbers(channels, 2, channels, 3, 5, odd=True)
        array[0] = np.abs(np.nan_to_num(array[0], posinf=1.0, neginf=2.0)) % 1e3
        check("LRN", [array], *ALL_SIZES, size=4, alpha=alpha, beta=beta, bias=bias)


@pytest.mark.parametrize("mode", ["linear", "floor", "cubic"])
@pytest.mark.parametrize("scales", [[1.0, 1.0, 2.0, 2.0], [1.0, 1.0, 1.5, 0.7]])
def test_resizing(mode: str, scales: list[float]) -> None:
    """Rows are made of rows, and a row that comes again is copied."""
    options = {"scales": scales, "interpolation_mode": mode}
    check("Resize", [numbers(0, 2, 3, 7, 19, odd=True)], None, 1, **options)
