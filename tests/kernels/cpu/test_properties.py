"""Kernels against slow, obvious formulas, on arrays of any size."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from aidge_nb.kernels.cpu.common.arrays import index
from tests.kernels.case import Array, Case, check_close, declared, run, run_one
from tests.kernels.tables.data import array, normal

FEW = settings(max_examples=60, deadline=None)


def slow_windows(
    x: Array, kernel: list[int], strides: list[int], dilations: list[int], counts: list[int]
) -> dict[tuple[int, ...], Array]:
    """Give the data under the kernel at each place; taps beyond the data are left out."""
    found = {}
    for place in product(*map(range, counts)):
        taps = []
        for tap in product(*map(range, kernel)):
            at = [p * s + t * d for p, s, t, d in zip(place, strides, tap, dilations, strict=True)]
            if all(i < size for i, size in zip(at, x.shape[2:], strict=True)):
                taps.append(x[index(..., *at)])
        found[place] = np.stack(taps, axis=-1)
    return found


@st.composite
def sliding(draw: st.DrawFn) -> tuple[list[int], list[int], list[int], list[int]]:
    """Give sizes, kernel, strides and dilations such that the kernel fits."""
    rank = draw(st.integers(1, 3))
    few = st.lists(st.integers(1, 3), min_size=rank, max_size=rank)
    kernel, strides, dilations, more = draw(few), draw(few), draw(few), draw(few)
    sizes = [d * (k - 1) + m for k, d, m in zip(kernel, dilations, more, strict=True)]
    return sizes, kernel, strides, dilations


@FEW
@given(sliding(), st.integers(1, 2), st.integers(1, 3), st.integers(1, 2), st.booleans())
def test_convolution_is_a_sum_over_taps(
    windows: tuple[list[int], ...], batch: int, group: int, each: int, bias: bool
) -> None:
    sizes, kernel, strides, dilations = windows
    x = normal(batch, group * each, *sizes)
    weight = normal(2 * group, each, *kernel)
    shift = normal(2 * group) if bias else None
    attrs = {
        "kernel_dims": kernel,
        "stride_dims": strides,
        "dilation_dims": dilations,
        "group": group,
    }
    found = run_one(f"Conv{len(sizes)}D", x, weight, shift, **attrs)
    (dims,), _ = declared(Case(f"Conv{len(sizes)}D", [x, weight, shift], list, attrs), 1)
    assert found.shape == dims
    expected = np.empty(dims)
    flat = weight.reshape(group, 2, each, -1).astype(np.float64)
    for place, taps in slow_windows(x, kernel, strides, dilations, list(dims[2:])).items():
        grouped = taps.reshape(batch, group, each, -1)
        sums = np.einsum("goct,ngct->ngo", flat, grouped).reshape(batch, -1)
        expected[index(..., *place)] = sums + (0 if shift is None else shift)
    check_close(found, expected)


@FEW
@given(sliding(), st.booleans())
def test_pooling_is_a_reduction_of_windows(windows: tuple[list[int], ...], ceil: bool) -> None:
    sizes, kernel, strides, dilations = windows
    x = normal(2, 2, *sizes)
    attrs = {
        "kernel_dims": kernel,
        "stride_dims": strides,
        "dilations": dilations,
        "ceil_mode": ceil,
    }
    largest, indices = run(f"MaxPooling{len(sizes)}D", x, **attrs)
    mean = run_one(f"AvgPooling{len(sizes)}D", x, **attrs)
    (dims, _), _ = declared(Case(f"MaxPooling{len(sizes)}D", [x], list, attrs), 2)
    assert largest.shape == mean.shape == indices.shape == dims
    for place, taps in slow_windows(x, kernel, strides, dilations, list(dims[2:])).items():
        at = index(..., *place)
        check_close(largest[at], taps.max(axis=-1))
        check_close(mean[at], taps.astype(np.float64).mean(axis=-1))
    np.testing.assert_array_equal(x.ravel()[indices], largest)


@FEW
@given(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, max_side=3))
def test_broadcasting(shapes: hnp.BroadcastableShapes) -> None:
    a, b = (normal(*dims, salt=index) for index, dims in enumerate(shapes.input_shapes))
    expected = np.empty(shapes.result_shape)
    for place in np.ndindex(*shapes.result_shape):
        one, two = (np.broadcast_to(x, shapes.result_shape)[place] for x in (a, b))
        expected[place] = float(one) - float(two)
    check_close(run_one("Sub", a, b), expected)


@FEW
@given(hnp.array_shapes(max_dims=3, max_side=6), st.data())
def test_slices_are_those_of_python(dims: tuple[int, ...], data: st.DataObject) -> None:
    x = normal(*dims)
    bounds = st.lists(st.integers(-9, 9), min_size=len(dims), max_size=len(dims))
    starts, ends = data.draw(bounds), data.draw(bounds)
    steps = data.draw(
        st.lists(st.integers(-3, 3).filter(bool), min_size=len(dims), max_size=len(dims))
    )
    taken = tuple(map(slice, starts, ends, steps))
    inputs = [np.array(each, np.int64) for each in (starts, ends, range(len(dims)), steps)]
    found = run_one("Slice", x, *inputs)
    # Python counts a start or end below -size as 0 where the step is positive, as ONNX does.
    np.testing.assert_array_equal(found, x[taken])


@FEW
@given(hnp.array_shapes(max_dims=4, max_side=4), st.data())
def test_reshape_keeps_the_order(dims: tuple[int, ...], data: st.DataObject) -> None:
    x = normal(*dims)
    cut = data.draw(st.integers(0, len(dims)))
    shape = np.array([*dims[:cut], -1], np.int64)
    found = run_one("Reshape", x, shape)
    assert found.shape == (*dims[:cut], prod(dims[cut:]))
    np.testing.assert_array_equal(found.ravel(), x.ravel())


@FEW
@given(
    hnp.arrays(np.float32, 8, elements=st.floats(-50, 50, width=32)),
    st.sampled_from(["half_away_from_zero", "half_to_even", "half_up", "half_down", "up", "down"]),
)
def test_rounding_moves_by_less_than_one(x: Array, mode: str) -> None:
    found = run_one("Round", x, rounding_mode=mode)
    assert (found == np.trunc(found)).all()
    assert (np.abs(found - x) <= (0.5 if mode.startswith("half") else 1)).all()


def test_halves_go_where_the_mode_says() -> None:
    x = array(np.float32, [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5])
    expected = {
        "half_away_from_zero": [-3, -2, -1, 1, 2, 3],
        "half_toward_zero": [-2, -1, 0, 0, 1, 2],
        "half_to_even": [-2, -2, 0, 0, 2, 2],
        "half_to_odd": [-3, -1, -1, 1, 1, 3],
        "half_up": [-2, -1, 0, 1, 2, 3],
        "half_down": [-3, -2, -1, 0, 1, 2],
        "up": [-2, -1, 0, 1, 2, 3],
        "down": [-3, -2, -1, 0, 1, 2],
        "toward_zero": [-2, -1, 0, 0, 1, 2],
        "away_from_zero": [-3, -2, -1, 1, 2, 3],
    }
    for mode, rounded in expected.items():
        np.testing.assert_array_equal(run_one("Round", x, rounding_mode=mode), rounded, mode)
