"""Convolutions with channels side by side, and what follows them: the bits of NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import aidge_nb
from aidge_nb.graph.node import Node
from aidge_nb.kernels.c import c_calls, describe_site
from aidge_nb.kernels.c.adapters.channels_last import (
    Finish,
    conv_last,
    is_conv,
    is_depthwise,
    is_mean,
    is_pool,
    mean_last,
    pool_last,
)
from aidge_nb.kernels.c.compiling import FLAGS, Program
from tests.kernels.c.machine import differing
from tests.kernels.c.test_fuzz import SEEDS, Array, numbers, run
from tests.kernels.c.test_vectors import ALL_SIZES, SIZES, flags_of


@dataclass
class Case:
    """A convolution, what follows it, and where channels lie side by side."""

    node: Node
    arrays: list[Array | None]
    finish: Finish
    more: Array | None
    x_last: bool
    y_last: bool

    def expected(self) -> Array:
        """Compute one operation after the other, in NumPy."""
        given = [array for array in self.arrays if array is not None]
        found = run(self.node, given, "exact")
        outs = found.shape[1]
        with np.errstate(all="ignore"):
            if self.finish.norm is not None:
                factor, offset = self.finish.norm[:outs], self.finish.norm[outs:]
                found = found * factor[:, None, None] + offset[:, None, None]
            if self.more is not None:
                found = found + self.more
            found = np.where(found < self.finish.low, np.float32(self.finish.low), found)
            return np.where(found > self.finish.high, np.float32(self.finish.high), found)

    def found(self, flags: tuple[str, ...]) -> Array:
        """Compute in C, compiled with some flags."""
        weight = self.arrays[1]
        assert weight is not None
        site = describe_site(self.node, _known(self.arrays))
        call = conv_last(site, self.finish, x_last=self.x_last, y_last=self.y_last)
        dims = site.outputs[0].dims
        out = np.full(_moved(np.empty(dims), self.y_last).shape, np.nan, np.float32)
        data, _, *rest = self.arrays
        assert data is not None
        bias = rest[0] if rest else None
        more = None if self.more is None else _moved(self.more, self.y_last)
        Program((call,), flags).run([_moved(data, self.x_last), None, bias, more], [out])
        return np.moveaxis(out, -1, 1) if self.y_last else out


def _known(arrays: list[Array | None]) -> dict[int, Array]:
    """Return weights and bias by their input: programs know both."""
    return {i: array for i, array in enumerate(arrays) if i and array is not None}


def _moved(array: Array, last: bool) -> Array:
    return np.ascontiguousarray(np.moveaxis(array, 1, -1) if last else array)


@st.composite
def cases(draw: st.DrawFn, *, depthwise: bool) -> Case:
    """Draw sizes up to a bit more than the blocks of the kernels."""
    kernel = [draw(st.sampled_from([1, 1, 2, 3, 3, 5])) for _ in range(2)]
    dilations = [draw(st.sampled_from([1, 1, 2])) for _ in range(2)]
    pads = [draw(st.integers(0, k)) for k in (*kernel, *kernel)] if draw(st.booleans()) else [0] * 4
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    least = [max(2, r - a - b) for r, a, b in zip(reach, pads[:2], pads[2:], strict=True)]
    sizes = [low + draw(st.integers(0, 18)) for low in least]
    seed, odd = draw(SEEDS), draw(st.booleans())
    outs = draw(st.integers(16, 150))
    ins = outs if depthwise else draw(st.integers(1, 12))
    window: dict[str, Any] = {
        "stride_dims": [draw(st.integers(1, 3)) for _ in range(2)],
        "dilation_dims": dilations,
        "padding_dims": pads,
        "no_bias": draw(st.booleans()),
    }
    node = (
        aidge_nb.PaddedConvDepthWise2D(outs, kernel, **window)
        if depthwise
        else aidge_nb.PaddedConv2D(ins, outs, kernel, **window)
    )
    data = numbers(seed, draw(st.integers(1, 2)), ins, *sizes, odd=odd)
    weight = numbers(seed + 1, outs, 1 if depthwise else ins, *kernel, odd=odd)
    arrays: list[Any] = [data, weight]
    arrays += [] if window["no_bias"] else [numbers(seed + 2, outs, odd=odd)]
    dims = run(node, arrays, "exact").shape
    low, high = draw(st.sampled_from([(-inf, inf), (0.0, inf), (0.0, 6.0), (-1.0, 0.5)]))
    norm = numbers(seed + 3, 2 * outs, odd=odd) if draw(st.booleans()) else None
    more = numbers(seed + 4, *dims, odd=odd) if draw(st.booleans()) else None
    finish = Finish(norm, more is not None, low, high)
    x_last, y_last = (depthwise or draw(st.booleans()) for _ in range(2))
    return Case(node, arrays, finish, more, x_last, y_last)


def check(case: Case, sizes: list[int | None]) -> None:
    """Compare with vectors of some sizes."""
    site = describe_site(case.node, {1: case.arrays[1]})  # type: ignore[dict-item]  # is there
    if not (is_conv(site) or is_depthwise(site)):
        return
    expected = case.expected()
    for size in sizes:
        assert differing(case.found(flags_of(size)), expected) == 0, size


_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


@settings(max_examples=30, suppress_health_check=_SLOW)
@given(cases(depthwise=False), SIZES)
def test_convolutions(case: Case, size: int | None) -> None:
    check(case, [size])


@settings(max_examples=30, suppress_health_check=_SLOW)
@given(cases(depthwise=True), SIZES)
def test_depthwise(case: Case, size: int | None) -> None:
    check(case, [size])


@pytest.mark.parametrize("depthwise", [False, True])
def test_fewer_channels_than_a_vector_has(monkeypatch: pytest.MonkeyPatch, depthwise: bool) -> None:
    """Programs have no such calls; kernels compute them all the same, number by number."""
    monkeypatch.setattr("aidge_nb.kernels.c.adapters.channels_last._LEAST", 1)
    outs = 3
    for kernel in ([3, 3], [1, 1], [2, 5]):
        given: dict[str, Any] = {} if kernel == [1, 1] else {"padding_dims": [1, 1, 1, 1]}
        node = (
            aidge_nb.PaddedConvDepthWise2D(outs, kernel, **given)
            if depthwise
            else aidge_nb.PaddedConv2D(2, outs, kernel, **given)
        )
        data = numbers(0, 1, outs if depthwise else 2, 7, 11)
        arrays: list[Any] = [data, numbers(1, outs, 1 if depthwise else 2, *kernel)]
        arrays.append(numbers(2, outs))
        run(node, arrays, "exact")
        for last in (True, depthwise):
            check(Case(node, arrays, Finish(low=0.0), None, last, True), [None, 4, 1])


@pytest.mark.slow
@settings(max_examples=2000, suppress_health_check=_SLOW)
@given(cases(depthwise=False))
def test_convolutions_of_many_shapes(case: Case) -> None:
    check(case, ALL_SIZES)


@pytest.mark.slow
@settings(max_examples=2000, suppress_health_check=_SLOW)
@given(cases(depthwise=True))
def test_depthwise_of_many_shapes(case: Case) -> None:
    check(case, ALL_SIZES)


def test_wide_convolutions_keep_their_weights_near() -> None:
    """Weights that are more than what stays near: channels go by before pixels."""
    node = aidge_nb.PaddedConv2D(64, 130, [3, 3], padding_dims=[1, 1, 1, 1])
    arrays: list[Any] = [numbers(0, 1, 64, 7, 7), numbers(1, 130, 64, 3, 3), numbers(2, 130)]
    run(node, arrays, "exact")
    for last in (False, True):
        check(Case(node, arrays, Finish(low=0.0), None, last, not last), [None, 1])
    node = aidge_nb.Conv2D(400, 200, [1, 1])
    arrays = [numbers(0, 1, 400, 9, 11), numbers(1, 200, 400, 1, 1), numbers(2, 200)]
    run(node, arrays, "exact")
    check(Case(node, arrays, Finish(), None, True, True), [None, 1])


def test_means_of_channels_side_by_side() -> None:
    node = aidge_nb.GlobalAveragePooling()
    data = numbers(0, 2, 19, 5, 7)
    expected = run(node, [data], "exact")
    site = describe_site(node)
    assert is_mean(site)
    found = np.full_like(expected, np.nan)
    Program((mean_last(site),)).run([_moved(data, True)], [found])
    assert differing(found, expected) == 0


@pytest.mark.parametrize(
    ("change", "given"),
    [({}, True), ({1: np.inf}, False), ({1: np.nan}, False), ({2: -0.0}, False), ({2: 0.0}, True)],
)
def test_edges_are_multiplied_only_where_that_keeps_the_bits(
    change: dict[int, float], given: bool
) -> None:
    """A product with 0 is NaN for an infinite weight, and -0 + 0 is 0."""
    node = aidge_nb.PaddedConv2D(2, 24, [3, 3], padding_dims=[1, 1, 1, 1])
    arrays: list[Any] = [numbers(0, 1, 2, 5, 5), numbers(1, 24, 2, 3, 3), numbers(2, 24)]
    for index, value in change.items():
        arrays[index].reshape(-1)[0] = value
    arrays[0][...] = 0.0
    run(node, arrays, "exact")
    site = describe_site(node, {1: arrays[1], 2: arrays[2]})
    call = conv_last(site, Finish(), x_last=True, y_last=True)
    assert any(getattr(arg, "name", "") == "outside" for arg in call.args) == given
    found = Case(node, arrays, Finish(), None, True, True)
    assert differing(found.found(FLAGS), found.expected()) == 0


@st.composite
def poolings(draw: st.DrawFn) -> tuple[Node, Array]:
    """Draw a pooling with its padding, and data with NaN and infinities among them."""
    kernel = [draw(st.integers(1, 5)) for _ in range(2)]
    is_max = draw(st.booleans())
    dilations = [draw(st.sampled_from([1, 1, 2])) for _ in range(2)]
    pads = [draw(st.integers(0, k - 1)) for k in (*kernel, *kernel)]
    window: dict[str, Any] = {
        "stride_dims": [draw(st.integers(1, 4)) for _ in range(2)],
        "dilations": dilations,
        "padding_dims": pads,
        "ceil_mode": draw(st.booleans()),
    }
    if not is_max:
        window["count_include_pad"] = draw(st.booleans())
    make = aidge_nb.PaddedMaxPooling2D if is_max else aidge_nb.PaddedAvgPooling2D
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    sizes = [low + draw(st.integers(0, 9)) for low in reach]
    dims = (draw(st.integers(1, 2)), draw(st.integers(16, 150)), *sizes)
    return make(kernel, **window), numbers(draw(SEEDS), *dims, odd=draw(st.booleans()))


def check_pooling(drawn: tuple[Node, Array], sizes: list[int | None]) -> None:
    """Compare with vectors of some sizes."""
    node, data = drawn
    expected = run(node, [data], "exact")
    site = describe_site(node)
    (call,) = c_calls(node)
    assert is_pool(site, call)
    for size in sizes:
        found = np.full_like(_moved(expected, True), np.nan)
        Program((pool_last(site, call),), flags_of(size)).run([_moved(data, True)], [found])
        assert differing(np.moveaxis(found, -1, 1), expected) == 0, size


@settings(max_examples=60, suppress_health_check=_SLOW)
@given(poolings(), SIZES)
def test_poolings(drawn: tuple[Node, Array], size: int | None) -> None:
    check_pooling(drawn, [size])


@pytest.mark.slow
@settings(max_examples=2000, suppress_health_check=_SLOW)
@given(poolings())
def test_poolings_of_many_shapes(drawn: tuple[Node, Array]) -> None:
    check_pooling(drawn, ALL_SIZES)
