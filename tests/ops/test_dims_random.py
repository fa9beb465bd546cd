"""Dims that operators declare, against those that their kernels give, on random inputs."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from aidge_nb.core.dtype import as_dtype
from aidge_nb.core.errors import ShapeError
from aidge_nb.kernels import find_kernel
from tests.ops.shapes import infer, ints, operator

Array = NDArray[Any]
SIZES = st.integers(0, 5)
SHAPES = st.lists(SIZES, max_size=4)
few = settings(max_examples=40)


def agree(type_name: str, *inputs: Array | None, **attributes: Any) -> None:
    """Check that declaration and kernel give the same dims and types, or both refuse."""
    made = operator(type_name, inputs, attributes.pop("nb_outputs", None), **attributes)
    kernel = find_kernel(made.spec)
    assert kernel is not None
    arrays = [*inputs, *[None] * (made.nb_inputs - len(inputs))]
    try:
        dims = infer(made)
    except ShapeError:
        dims = None
    if dims is None:
        return
    with np.errstate(all="ignore"):
        result = kernel(*arrays, **made.attr)
    found = result if isinstance(result, tuple) else (result,)
    assert [array.shape for array in found] == dims
    types = [made.get_output(index).dtype for index in range(made.nb_outputs)]
    assert [as_dtype(array.dtype) for array in found] == types


def array(dims: Any, dtype: Any = np.float32) -> Array:
    count = int(np.prod(dims, dtype=int))
    return np.arange(count).reshape(dims).astype(dtype)


@given(SHAPES, st.data())
@few
def test_broadcasting(dims: list[int], data: st.DataObject) -> None:
    other = [data.draw(st.sampled_from([size, 1])) for size in dims]
    cut = data.draw(st.integers(0, len(dims)))
    dtype = data.draw(st.sampled_from([np.float32, np.int64, np.float16]))
    agree("Add", array(dims, dtype), array(other[cut:], dtype))
    agree("Less", array(other, dtype), array(dims[cut:], dtype))
    agree("Where", array(other, bool), array(dims, dtype), array(other[cut:], dtype))


@st.composite
def windows(draw: st.DrawFn) -> tuple[list[int], dict[str, tuple[int, ...]]]:
    rank = draw(st.integers(1, 3))

    def each(low: int, high: int) -> tuple[int, ...]:
        numbers = st.integers(low, high)
        return tuple(draw(st.lists(numbers, min_size=rank, max_size=rank)))

    sizes = list(each(1, 7))
    window = {"kernel_dims": each(1, 3), "stride_dims": each(1, 4), "dilations": each(1, 2)}
    return sizes, window


@given(windows(), st.integers(0, 2), st.integers(1, 2), st.integers(1, 3), st.booleans())
@settings(max_examples=80)
def test_convolutions(
    drawn: tuple[list[int], dict[str, tuple[int, ...]]],
    batch: int,
    group: int,
    channels: int,
    has_bias: bool,
) -> None:
    sizes, window = drawn
    window["dilation_dims"] = window.pop("dilations")
    x = array((batch, group * channels, *sizes))
    weights = array((group * 2, channels, *window["kernel_dims"]))
    bias = array(group * 2) if has_bias else None
    agree(f"Conv{len(sizes)}D", x, weights, bias, group=group, **window)
    depthwise = array((group * channels, 1, *window["kernel_dims"]))
    agree(f"ConvDepthWise{len(sizes)}D", x, depthwise, **window)
    transposed = array((group * channels, 2, *window["kernel_dims"]))
    agree(f"ConvTranspose{len(sizes)}D", x, transposed, bias, group=group, **window)


@given(windows(), st.integers(0, 2), st.booleans(), st.booleans())
@settings(max_examples=80)
def test_pooling(
    drawn: tuple[list[int], dict[str, tuple[int, ...]]], batch: int, ceil: bool, padded: bool
) -> None:
    sizes, window = drawn
    pads = (1,) * (2 * len(sizes)) if padded and min(sizes) > 2 else (0,) * (2 * len(sizes))
    x = array((batch, 2, *sizes))
    agree(f"MaxPooling{len(sizes)}D", x, ceil_mode=ceil, **window)
    agree(f"AvgPooling{len(sizes)}D", x, ceil_mode=ceil, ignore_pads=pads, **window)


@given(SHAPES, st.data())
@settings(max_examples=80)
def test_slices(dims: list[int], data: st.DataObject) -> None:
    axes = data.draw(st.permutations(range(len(dims))))
    axes = axes[: data.draw(st.integers(0, len(dims)))]
    bounds = st.lists(st.integers(-8, 8), min_size=len(axes), max_size=len(axes))
    steps = data.draw(bounds.map(lambda values: [value or 1 for value in values]))
    starts, ends = data.draw(bounds), data.draw(bounds)
    agree("Slice", array(dims), ints(*starts), ints(*ends), ints(*axes), ints(*steps))


@given(SHAPES, st.data())
@settings(max_examples=80)
def test_pads(dims: list[int], data: st.DataObject) -> None:
    axes = tuple(data.draw(st.permutations(range(len(dims))))[: data.draw(st.integers(0, 3))])
    pads = data.draw(st.lists(st.integers(-2, 3), min_size=2 * len(axes), max_size=2 * len(axes)))
    mode = data.draw(st.sampled_from(["constant", "edge", "reflect", "wrap", "constant_lowest"]))
    agree("Pad", array(dims), pads=tuple(pads), axes=axes, mode=mode)


@given(SHAPES, st.data())
@few
def test_reductions(dims: list[int], data: st.DataObject) -> None:
    axes = data.draw(st.permutations(range(len(dims))))[: data.draw(st.integers(0, 3))]
    keep, noop = data.draw(st.booleans()), data.draw(st.booleans())
    kind = st.sampled_from(["Mean", "Sum", "Max", "Min", "Prod", "L1", "L2", "LogSumExp"])
    name = f"Reduce{data.draw(kind)}"
    agree(name, array(dims), ints(*axes), keep_dims=keep, noop_with_empty_axes=noop)
    if dims:
        axis = data.draw(st.integers(-len(dims), len(dims) - 1))
        agree("ArgMax", array(dims), axis=axis, keep_dims=keep)
        agree("CumSum", array(dims), axis=axis, exclusive=keep, reverse=noop)
        agree("TopK", array(dims), k=min(2, dims[axis]), axis=axis)
        agree("Softmax", array(dims), axis=axis, flatten=keep)
        agree("Split", array(dims), axis=axis, nb_outputs=3)
        agree("Concat", array(dims), array(dims), axis=axis)


@given(SHAPES, st.data())
@few
def test_shapes(dims: list[int], data: st.DataObject) -> None:
    x = array(dims)
    order = data.draw(st.permutations(range(len(dims))))
    agree("Transpose", x, output_dims_order=tuple(order))
    agree("Reshape", x, ints(*(dims[axis] for axis in order)), allow_zero=True)
    agree("Flatten", x, axis=data.draw(st.integers(-len(dims), len(dims))))
    agree("Squeeze", x)
    agree("Unsqueeze", x, axes=tuple(sorted(data.draw(st.sets(st.integers(0, 3), max_size=2)))))
    start, end = data.draw(st.integers(-5, 5)), data.draw(st.integers(-5, 5))
    agree("Shape", x, start=start, end=end)
    agree("Tile", x, ints(*data.draw(st.lists(SIZES, min_size=len(dims), max_size=len(dims)))))


@given(SHAPES, SHAPES, SHAPES, SIZES, SIZES, SIZES)
@few
def test_products(
    batch: list[int], left: list[int], right: list[int], rows: int, inner: int, columns: int
) -> None:
    agree("MatMul", array([*batch, rows, inner]), array([inner, columns]))
    agree("MatMul", array([*batch, rows, inner]), array([inner]))
    agree("MatMul", array([inner]), array([*batch, inner, columns]))
    agree("MatMul", array([*left, rows, inner]), array([*right, inner, columns]))
    agree("FC", array([rows, inner]), array([columns, inner]), array(columns))
    agree("Gemm", array([inner, rows]), array([inner, columns]), array(columns), transA=True)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=3), st.data())
@few
def test_given_places(dims: list[int], data: st.DataObject) -> None:
    axis = data.draw(st.integers(0, len(dims) - 1))
    count = data.draw(SHAPES)
    indices = np.full(count, -1, np.int64)
    agree("Gather", array(dims), indices, axis=axis)
    agree("GatherElements", array(dims), np.zeros(dims, np.int64), axis=axis)
    agree("GatherND", array(dims), np.zeros([*count, len(dims)], np.int64))
    agree("Scatter", array(dims), np.zeros(dims, np.int64), array(dims), axis=axis)
    agree("OneHot", indices, ints(3), axis=-1)


@given(st.lists(st.integers(1, 5), min_size=2, max_size=2), st.data())
@few
def test_resolution(sizes: list[int], data: st.DataObject) -> None:
    x = array((1, 2, *sizes))
    mode = data.draw(st.sampled_from(["round_prefer_floor", "linear", "cubic"]))
    factors = data.draw(st.lists(st.sampled_from([0.5, 1.0, 1.7, 2.0]), min_size=2, max_size=2))
    wanted = data.draw(st.lists(st.integers(1, 7), min_size=2, max_size=2))
    agree("Resize", x, scales=tuple(factors), axes=(2, 3), interpolation_mode=mode)
    agree("Resize", x, sizes=tuple(wanted), axes=(2, 3), interpolation_mode=mode)
    agree("SpaceToDepth", x, block_size=2)
    agree("Unfold2D", x, kernel_dims=(2, 2), stride_dims=(1, 2))
