"""Drawn sizes, strides, pads, dilations, groups and axes: C and NumPy agree in every bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import aidge_nb
from aidge_nb.core.errors import ExportError
from aidge_nb.graph.node import Node
from tests.kernels.c.machine import check, differing

Array = NDArray[Any]
SEEDS = st.integers(0, 2**32 - 1)
SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -3e38, 3e38], np.float32)


def numbers(seed: int, *dims: int, odd: bool = False) -> Array:
    """Give random numbers; odd ones have zeros, infinities and NaN among them."""
    generator = np.random.default_rng(seed)
    found = np.asarray(generator.standard_normal(dims), np.float32)
    if odd and found.size:
        where = generator.random(dims) < 0.2
        found = np.where(where, generator.choice(SPECIAL, dims), found)
    return found


def along(draw: Callable[..., Any], rank: int, least: int, most: int) -> list[int]:
    """Draw a number per dimension."""
    return [draw(st.integers(least, most)) for _ in range(rank)]


def drawn_window(draw: st.DrawFn, rank: int) -> tuple[list[int], dict[str, list[int]]]:
    """Draw sizes, and a window that fits when they are padded."""
    kernel, dilations = along(draw, rank, 1, 4), along(draw, rank, 1, 2)
    pads = along(draw, 2 * rank, 0, 3) if draw(st.booleans()) else [0] * (2 * rank)
    sizes = []
    for axis in range(rank):
        reach = (kernel[axis] - 1) * dilations[axis] + 1
        least = max(1, reach - pads[axis] - pads[rank + axis])
        most = {1: 90, 2: 40, 3: 8}[rank]
        sizes.append(least + draw(st.integers(0, most)))
    return sizes, {
        "kernel": kernel,
        "strides": along(draw, rank, 1, 3),
        "dilations": dilations,
        "pads": pads,
    }


def run(node: Node, arrays: list[Array], backend: str) -> Array:
    """Run one node on a backend."""
    view = aidge_nb.GraphView()
    view.add(node)
    for index, array in enumerate(arrays):
        node.get_operator().associate_input(index, aidge_nb.Tensor(array))
    view.set_backend(backend)
    view.forward_dims()
    with np.errstate(all="ignore"):
        node.forward()
    return np.array(node.get_operator().get_output(0).array)


@st.composite
def convolutions(draw: st.DrawFn) -> tuple[str, dict[str, Any], list[Array]]:
    """Draw a convolution, padded or not, grouped, depthwise or neither."""
    rank = draw(st.sampled_from([1, 2, 2, 2, 3]))
    sizes, window = drawn_window(draw, rank)
    seed, odd = draw(SEEDS), draw(st.booleans())
    depthwise = draw(st.booleans())
    group = 1 if depthwise else draw(st.sampled_from([1, 1, 2, 3]))
    ins = draw(st.integers(1, 5)) * group
    outs = ins if depthwise else draw(st.integers(1, 45)) * group
    weights = (outs, 1 if depthwise else ins // group, *window["kernel"])
    arrays = [numbers(seed, draw(st.integers(1, 2)), ins, *sizes, odd=odd), numbers(seed, *weights)]
    if draw(st.booleans()):
        arrays.append(numbers(seed + 1, outs))
    options = {
        "kernel_dims": window["kernel"],
        "stride_dims": window["strides"],
        "dilation_dims": window["dilations"],
        "padding_dims": window["pads"],
        "no_bias": len(arrays) == 2,
    }
    if depthwise:
        return f"PaddedConvDepthWise{rank}D", {"nb_channels": ins, **options}, arrays
    return (
        f"PaddedConv{rank}D",
        {"in_channels": ins, "out_channels": outs, "group": group, **options},
        arrays,
    )


@pytest.mark.usefixtures("no_fallback")
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(convolutions())
def test_padded_convolutions(drawn: tuple[str, dict[str, Any], list[Array]]) -> None:
    kind, options, arrays = drawn
    found = [run(getattr(aidge_nb, kind)(**options), arrays, name) for name in ("c", "exact")]
    assert differing(*found) == 0


@settings(max_examples=60)
@given(convolutions(), st.booleans())
def test_convolutions(drawn: tuple[str, dict[str, Any], list[Array]], known: bool) -> None:
    kind, options, arrays = drawn
    attrs = {name: options[name] for name in ("kernel_dims", "stride_dims", "dilation_dims")}
    if "group" in options:
        attrs["group"] = options["group"]
    pads = options["padding_dims"]
    rank = len(pads) // 2
    widths = [(0, 0), (0, 0), *zip(pads[:rank], pads[rank:], strict=True)]
    arrays = [np.pad(arrays[0], widths), *arrays[1:]]
    check(kind.removeprefix("Padded"), *arrays, known={1, 2} if known else (), **attrs)


@settings(max_examples=40)
@given(st.data())
def test_transposed_convolutions(data: st.DataObject) -> None:
    draw = data.draw
    rank = draw(st.sampled_from([1, 2, 3]))
    kernel, strides = (
        [draw(st.integers(1, 3)) for _ in range(rank)],
        [draw(st.integers(1, 3)) for _ in range(rank)],
    )
    group, ins, outs = (
        draw(st.sampled_from([1, 2])),
        draw(st.integers(1, 3)),
        draw(st.integers(1, 3)),
    )
    sizes = [draw(st.integers(2, 7)) for _ in range(rank)]
    seed = draw(SEEDS)
    arrays = [
        numbers(seed, 2, ins * group, *sizes),
        numbers(seed + 1, ins * group, outs, *kernel),
        numbers(seed + 2, outs * group) if draw(st.booleans()) else None,
    ]
    attrs: dict[str, Any] = {
        "kernel_dims": kernel,
        "stride_dims": strides,
        "dilation_dims": [draw(st.integers(1, 2)) for _ in range(rank)],
        "output_padding": [draw(st.integers(0, 1)) for _ in range(rank)],
        "pads": [draw(st.integers(0, 1)) for _ in range(2 * rank)] if min(sizes) > 2 else [],
        "group": group,
    }
    check(f"ConvTranspose{rank}D", *arrays, **attrs)


@st.composite
def poolings(draw: st.DrawFn) -> tuple[int, dict[str, Any], Array]:
    """Draw a padded pooling; pads are smaller than the kernel."""
    rank = draw(st.sampled_from([1, 2, 2, 3]))
    sizes, window = drawn_window(draw, rank)
    pads = [min(pad, k - 1) for pad, k in zip(window["pads"], window["kernel"] * 2, strict=True)]
    sizes = [
        max(size, (k - 1) * dilation + 1)
        for size, k, dilation in zip(sizes, window["kernel"], window["dilations"], strict=True)
    ]
    options = {
        "kernel_dims": window["kernel"],
        "stride_dims": window["strides"],
        "dilations": window["dilations"],
        "padding_dims": pads,
        "ceil_mode": draw(st.booleans()),
    }
    x = numbers(draw(SEEDS), draw(st.integers(1, 2)), draw(st.integers(1, 3)), *sizes, odd=True)
    return rank, options, x


@pytest.mark.usefixtures("no_fallback")
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(poolings())
def test_padded_pooling(drawn: tuple[int, dict[str, Any], Array]) -> None:
    rank, options, x = drawn
    for kind, more in (
        ("Max", [{}]),
        ("Avg", [{"count_include_pad": True}, {"count_include_pad": False}]),
    ):
        for extra in more:
            make = getattr(aidge_nb, f"Padded{kind}Pooling{rank}D")
            found = [run(make(**options, **extra), [x], name) for name in ("c", "exact")]
            assert differing(*found) == 0


@settings(max_examples=40)
@given(poolings(), st.booleans())
def test_pooling(drawn: tuple[int, dict[str, Any], Array], column_major: bool) -> None:
    rank, options, x = drawn
    attrs = {name: value for name, value in options.items() if name != "padding_dims"}
    check(f"MaxPooling{rank}D", x, storage_order=column_major, **attrs)
    check(f"AvgPooling{rank}D", x, **attrs)


@settings(max_examples=60)
@given(st.data())
def test_products_of_matrices(data: st.DataObject) -> None:
    draw = data.draw
    rows, depth, columns = (draw(st.integers(0, 70)) for _ in range(3))
    seed, odd = draw(SEEDS), draw(st.booleans())
    left = draw(st.sampled_from([(), (3,), (1,), (2, 3), (2, 1)]))
    right = draw(st.sampled_from([(), (1,), (3,), (1, 3), (2, 3)]))
    check(
        "MatMul",
        numbers(seed, *left, rows, depth, odd=odd),
        numbers(seed + 1, *right, depth, columns),
    )


@settings(max_examples=60)
@given(st.data())
def test_gemm_and_fully_connected(data: st.DataObject) -> None:
    draw = data.draw
    rows, depth, columns = (draw(st.integers(1, 70)) for _ in range(3))
    seed, known = draw(SEEDS), draw(st.sampled_from([(), {1, 2}]))
    over, under = draw(st.booleans()), draw(st.booleans())
    x = numbers(seed, *((depth, rows) if over else (rows, depth)))
    w = numbers(seed + 1, *((columns, depth) if under else (depth, columns)))
    dims = draw(st.sampled_from([(), (1,), (columns,), (rows, 1), (1, columns), (rows, columns)]))
    bias = numbers(seed + 2, *dims) if draw(st.booleans()) else None
    alpha, beta = draw(st.sampled_from([1.0, 0.5])), draw(st.sampled_from([1.0, 0.0, 3.0]))
    check("Gemm", x, w, bias, known=known, transA=over, transB=under, alpha=alpha, beta=beta)
    bias = numbers(seed + 3, columns) if draw(st.booleans()) else None
    check("FC", numbers(seed, rows, depth), numbers(seed, columns, depth), bias, known=known)


BINARY = ("Add", "Sub", "Mul", "Div", "Mod", "Pow", "Max", "Min", "Greater", "LessOrEqual", "Equal")


@settings(max_examples=60)
@given(st.data())
def test_broadcasting(data: st.DataObject) -> None:
    draw = data.draw
    target = [draw(st.integers(0, 5)) for _ in range(draw(st.integers(0, 5)))]
    arrays = []
    for number in range(2):
        dims = [size if draw(st.booleans()) else 1 for size in target]
        first = next((i for i, size in enumerate(dims) if size != 1), len(dims))
        dims = dims[draw(st.integers(0, first)) :]
        arrays.append(numbers(draw(SEEDS) + number, *dims, odd=True))
    check(draw(st.sampled_from(BINARY)), *arrays)


REDUCTIONS = ("Sum", "Mean", "Max", "Min", "Prod", "L1", "L2", "SumSquare", "LogSum", "LogSumExp")


@settings(max_examples=60)
@given(st.data())
def test_reductions(data: st.DataObject) -> None:
    draw = data.draw
    dims = [draw(st.integers(0, 12)) for _ in range(draw(st.integers(1, 5)))]
    axes = draw(st.lists(st.integers(0, len(dims) - 1), unique=True))
    x = numbers(draw(SEEDS), *dims, odd=draw(st.booleans()))
    name = draw(st.sampled_from(REDUCTIONS))
    check(f"Reduce{name}", x, axes=axes, keep_dims=draw(st.booleans()))


@settings(max_examples=60)
@given(st.data())
def test_along_an_axis(data: st.DataObject) -> None:
    draw = data.draw
    dims = [draw(st.integers(1, 20)) for _ in range(draw(st.integers(1, 4)))]
    axis = draw(st.integers(-len(dims), len(dims) - 1))
    x = numbers(draw(SEEDS), *dims, odd=draw(st.booleans()))
    check("Softmax", x, axis=axis, flatten=draw(st.booleans()))
    check("LogSoftmax", x, axis=axis)
    check("ArgMax", x, axis=axis, select_last_index=draw(st.booleans()))
    check("CumSum", x, axis=axis, exclusive=draw(st.booleans()), reverse=draw(st.booleans()))
    check("TopK", np.nan_to_num(x), axis=axis, k=draw(st.integers(0, dims[axis])))
    check("LayerNorm", x, numbers(draw(SEEDS), *dims[axis % len(dims) :]), None, axis=axis)


@settings(max_examples=60)
@given(st.data())
def test_moves(data: st.DataObject) -> None:
    draw = data.draw
    rank = draw(st.integers(1, 5))
    dims = [draw(st.integers(1, 6)) for _ in range(rank)]
    kind = draw(st.sampled_from([np.float32, np.int64, np.int8, np.int16, np.bool_]))
    x: Array = np.asarray(np.random.default_rng(draw(SEEDS)).integers(0, 99, dims), kind)
    check("Transpose", x, output_dims_order=draw(st.permutations(range(rank))))
    steps = [draw(st.sampled_from([1, 2, -1, -2])) for _ in range(rank)]
    starts, ends = along(draw, rank, -7, 7), along(draw, rank, -7, 7)
    check("Slice", x, starts=starts, ends=ends, axes=list(range(rank)), steps=steps)
    pads = along(draw, 2 * rank, -1, 3) if min(dims) > 2 else along(draw, 2 * rank, 0, 3)
    mode = draw(st.sampled_from(["constant", "edge", "reflect", "wrap"]))
    check("Pad", x, pads=pads, mode=mode)
    # Each repeated axis is walked as two, and the kernels walk through eight.
    repeated = rank if rank <= 4 else 3
    repeats = [1] * (rank - repeated) + along(draw, repeated, 0, 3)
    check("Tile", x, np.asarray(repeats, np.int64))
    check("Concat", x, x, axis=draw(st.integers(0, rank - 1)))


def test_more_axes_than_kernels_walk_through_are_refused() -> None:
    x = np.ones((2,) * 5, np.float32)
    with pytest.raises(ExportError, match=r"Tile: too many dimensions \(expected at most 8"):
        check("Tile", x, np.full(5, 2, np.int64))
