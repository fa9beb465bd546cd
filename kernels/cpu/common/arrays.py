"""Shared by several families: element types, broadcasting, rounding, sums, and sliding windows.

Sums are in an order that tiles keep. Windows are views.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import DTypeLike, NDArray

from aidge_nb.core.dims import axis_of, window_count
from aidge_nb.core.dtype import as_dtype
from aidge_nb.core.errors import ShapeError
from aidge_nb.ops.rules import broadcast, choice_of, common_dtype

Array = NDArray[Any]
Dtype = np.dtype[Any]


def floats(x: Array) -> Array:
    """Return ``x`` if its elements are floating-point numbers, else as float32."""
    return x if x.dtype.kind == "f" else x.astype(np.float32)


def accumulator(dtype: Dtype) -> Dtype:
    """Return the type to add up in, wider than float16 and integers."""
    if dtype.kind == "f":
        return np.dtype(np.float32) if dtype.itemsize < 4 else dtype
    return np.dtype(np.uint64 if dtype == np.uint64 else np.int64)


def lowest(dtype: Dtype) -> Any:
    """Return the lowest value of an element type."""
    if dtype.kind == "b":
        return False
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def common(arrays: Sequence[Array]) -> Sequence[Array]:
    """Bring arrays to the element type that their combination has."""
    first = arrays[0].dtype
    if all(array.dtype == first for array in arrays):
        return arrays
    target = common_dtype(as_dtype(array.dtype) for array in arrays).numpy
    return [array.astype(target, copy=False) for array in arrays]


def elementwise(function: Callable[..., Any], *arrays: Array) -> Array:
    """Apply a function of NumPy's kind; the result is an array even when it is one number.

    Raise ShapeError when the arrays cannot be combined element by element.
    """
    try:
        return np.asarray(function(*arrays))
    except ValueError:
        broadcast([array.shape for array in arrays])
        raise


def per_channel(values: Array, rank: int) -> Array:
    """Reshape one value per channel to the rank of the data, to be repeated along them."""
    return values.reshape(-1, *(1 for _ in range(rank - 2)))


def rows_from(x: Array, axis: int) -> Array:
    """View all dimensions from ``axis`` on as one."""
    cut = axis_of(int(axis), x.ndim)
    return x.reshape(*x.shape[:cut], prod(x.shape[cut:]))


def flattened(x: Array, axis: int, flatten: bool) -> tuple[Array, int]:
    """Return data and axis of Softmax, flattened as ONNX did below opset 13."""
    axis = axis_of(int(axis), x.ndim or 1)
    if x.ndim == 0:
        return x.reshape(1), 0
    if not flatten:
        return x, axis
    return x.reshape(prod(x.shape[:axis]), prod(x.shape[axis:])), 1


def optional(value: Array | None, attribute: Sequence[Any]) -> list[Any]:
    """Return the tensor if there is one, else the attribute."""
    return list(attribute) if value is None else np.ravel(value).tolist()


def _nearest(x: Array, up_on_half: Callable[[Array, Array], Any]) -> Array:
    """Round to the nearest whole number; ``up_on_half(x, floor of abs(x))`` decides on halves.

    ``abs(x) - floor(abs(x))`` is exact, ``x + 0.5`` is not.
    """
    magnitude = np.abs(x)
    whole = np.floor(magnitude)
    rest = magnitude - whole
    away = (rest > 0.5) | ((rest == 0.5) & up_on_half(x, whole))
    return np.asarray(np.copysign(whole + away, x))


_ROUNDINGS: dict[str, Callable[[Array], Array]] = {
    "half_away_from_zero": lambda x: _nearest(x, lambda x, whole: True),
    "half_toward_zero": lambda x: _nearest(x, lambda x, whole: False),
    "half_to_even": np.rint,
    "half_to_odd": lambda x: _nearest(x, lambda x, whole: whole % 2 == 0),
    "half_up": lambda x: _nearest(x, lambda x, whole: x > 0),
    "half_down": lambda x: _nearest(x, lambda x, whole: x < 0),
    "up": np.ceil,
    "down": np.floor,
    "toward_zero": np.trunc,
    "away_from_zero": lambda x: np.copysign(np.ceil(np.abs(x)), x),
}
ROUNDING_MODES = tuple(_ROUNDINGS)


def rounded(x: Array, mode: str) -> Array:
    """Round to whole numbers, of the same element type.

    Raise ShapeError for an unknown mode.

    Examples
    --------
    >>> rounded(np.array([-1.5, 0.5, 2.5]), "half_away_from_zero").tolist()
    [-2.0, 1.0, 3.0]
    """
    choice_of(mode, ROUNDING_MODES, "rounding mode")
    if x.dtype.kind != "f":
        return x.copy()
    return np.asarray(_ROUNDINGS[mode](x), x.dtype)


def narrow_gaps(shape: Sequence[int], axes: Sequence[int]) -> list[int]:
    """Find axes that stand after one that is added up, and have but one element with those beside.

    NumPy leaves them out, joins the axes around them, and then adds in another order than where
    they are longer; so that a tile of one column would have other bits than the whole.

    Examples
    --------
    >>> narrow_gaps((2, 9, 5, 1), [1]), narrow_gaps((2, 9, 1, 1), [1]), narrow_gaps((2, 9), [1])
    ([], [3], [])
    """
    found: list[int] = []
    size = 1
    for axis in range(min(axes, default=len(shape)) + 1, len(shape)):
        if axis in axes:
            size = 1
            continue
        size *= shape[axis]
        if size == 1 and (axis + 1 == len(shape) or axis + 1 in axes):
            found.append(axis)
    return found


def added_up(x: Array, axes: Sequence[int], dtype: DTypeLike | None = None) -> Array:
    """Add up along some axes, which keep one element, in an order that other sizes do not change.

    Examples
    --------
    >>> x = np.random.default_rng(0).standard_normal((50, 4), np.float32)
    >>> bool((added_up(x[:, 2:3], [0]) == added_up(x, [0])[:, 2:3]).all())
    True
    """
    for axis in narrow_gaps(x.shape, axes):
        x = np.repeat(x, 2, axis=axis)
        first = tuple(slice(0, 1) if at == axis else slice(None) for at in range(x.ndim))
        return added_up(x, axes, dtype)[first]
    return np.asarray(x.sum(axis=tuple(axes), keepdims=True, dtype=dtype))


def summed_to(grad: Array, shape: Sequence[int]) -> Array:
    """Add up along the dimensions in which ``shape`` was repeated to become that of ``grad``.

    Examples
    --------
    >>> summed_to(np.ones((2, 3)), (3,)).tolist(), summed_to(np.ones((2, 3)), (2, 1)).tolist()
    ([2.0, 2.0, 2.0], [[3.0], [3.0]])
    """
    shape = tuple(shape)
    if grad.shape == shape:
        return grad
    new = grad.ndim - len(shape)
    repeated = tuple(
        axis
        for axis, size in enumerate(grad.shape)
        if axis < new or (shape[axis - new] == 1 and size != 1)
    )
    return np.asarray(grad.sum(axis=repeated)).reshape(shape)


def given_back(grad: Array, places: Array, axis: int, size: int) -> Array:
    """Add each slice along an axis to the place, of so many, that ``take`` took it from.

    Examples
    --------
    >>> given_back(np.array([1, 2, 3]), np.array([0, 2, 2]), 0, 4).tolist()
    [1, 0, 5, 0]
    """
    result = np.zeros((size, *np.delete(grad.shape, axis)), grad.dtype)
    np.add.at(result, places, np.moveaxis(grad, axis, 0))
    return np.ascontiguousarray(np.moveaxis(result, 0, axis))


Ints = Sequence[int]


def index(*parts: Any) -> tuple[Any, ...]:
    """Make an index of numbers, slices and the ellipsis, which type checkers cannot follow."""
    return parts


def output_sizes(
    sizes: Ints, kernel: Ints, strides: Ints, dilations: Ints, *, ceil: bool = False
) -> tuple[int, ...]:
    """Count the places of a window along each spatial dimension.

    Raise ShapeError when it fits nowhere.
    """
    counts = tuple(
        window_count(size, k, stride, dilation, ceil=ceil)
        for size, k, stride, dilation in zip(sizes, kernel, strides, dilations, strict=True)
    )
    if any(count < 1 for count in counts):
        raise ShapeError.at(
            "input#0",
            "the window is larger than the input",
            expected=f"a window {list(kernel)}, dilated by {list(dilations)}, that fits",
            found=list(sizes),
            cure="Pad the input first.",
        )
    return counts


def spread_sizes(
    sizes: Ints, kernel: Ints, strides: Ints, dilations: Ints, extra: Ints
) -> tuple[int, ...]:
    """Return the size of all windows together that a transposed convolution adds up.

    ``extra`` elements follow along each dimension; where there are no data there is no result.
    """
    return tuple(
        (size - 1) * stride + (k - 1) * dilation + 1 + more if size else 0
        for size, k, stride, dilation, more in zip(
            sizes, kernel, strides, dilations, extra, strict=True
        )
    )


def windows(x: Array, kernel: Ints, counts: Ints, strides: Ints, dilations: Ints) -> Array:
    """View ``[..., *spatial]`` as ``[..., *kernel, *counts]``; nothing is copied.

    Examples
    --------
    >>> import numpy as np
    >>> windows(np.arange(5), [2], [4], [1], [1]).tolist()
    [[0, 1, 2, 3], [1, 2, 3, 4]]
    """
    rank = len(kernel)
    steps = x.strides[-rank:]
    taps = tuple(step * dilation for step, dilation in zip(steps, dilations, strict=True))
    places = tuple(step * stride for step, stride in zip(steps, strides, strict=True))
    return as_strided(
        x,
        (*x.shape[:-rank], *kernel, *counts),
        (*x.strides[:-rank], *taps, *places),
        writeable=False,
    )


def tap_slices(
    kernel: Ints, counts: Ints, strides: Ints, dilations: Ints
) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """Go over the taps of a kernel: the tap's index, and where its data lie, place by place."""
    for tap in product(*map(range, kernel)):
        yield (
            tap,
            tuple(
                slice(k * dilation, k * dilation + (count - 1) * stride + 1, stride)
                for k, count, stride, dilation in zip(tap, counts, strides, dilations, strict=True)
            ),
        )


Places = list[tuple[int, slice, slice]]
"""Taps along an axis: each tap, the windows where it lies in the data, and these data."""


def axis_taps(
    size: int, k: int, count: int, stride: int, dilation: int, low: int = 0, before: int = 0
) -> Places:
    """List, for each tap, itself, the windows where it lies in ``[low, size)``, and their data.

    The first window begins ``before`` elements before the data.
    """
    found = []
    for tap in range(k):
        offset = tap * dilation - before
        first = max(0, -(-(low - offset) // stride))
        last = min(count, (size - 1 - offset) // stride + 1)
        if first < last:
            start = first * stride + offset
            data = slice(start, start + (last - first - 1) * stride + 1, stride)
            found.append((tap, slice(first, last), data))
    return found
