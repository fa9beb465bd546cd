"""Rules on dimensions and types that several operators share, in shape functions and kernels.

The functions take plain dimensions and say in errors where they were used (``where``; kernels
leave it empty, the runtime then adds the node). Broadcasting is that of NumPy and ONNX.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.dims import axis_of
from aidge_nb.core.dtype import DType, as_dtype
from aidge_nb.core.errors import ShapeError
from aidge_nb.graph.spec import ShapeContext


def port(where: str, index: int) -> str:
    """Name an input in a message; the name of the node may come later."""
    return f"{where}, input#{index}" if where else f"input#{index}"


def axes_of(axes: Iterable[int], rank: int, where: str = "") -> tuple[int, ...]:
    """Turn axes that may count from the end into ones that count from the start.

    Raise ShapeError for an axis that is out of range or named twice.
    """
    found = tuple(axis_of(int(axis), rank, where) for axis in axes)
    if len(set(found)) < len(found):
        raise ShapeError.at(where, "an axis is named twice", found=list(found))
    return found


def broadcast(dims: Sequence[Sequence[int]], where: str = "") -> tuple[int, ...]:
    """Return the dimensions that several inputs have together.

    Raise ShapeError when they do not fit.

    Examples
    --------
    >>> broadcast([(2, 1, 4), (3, 1)])
    (2, 3, 4)
    """
    if all(each == dims[0] for each in dims[1:]):
        return tuple(dims[0])
    rank = max(map(len, dims))
    result = []
    for position in range(-rank, 0):
        sizes = {each[position] for each in dims if -position <= len(each)} - {1}
        if len(sizes) > 1:
            raise ShapeError.at(
                where,
                f"inputs cannot be combined element by element, axis {position} differs",
                expected="equal sizes, or 1",
                found=" and ".join(str(list(each)) for each in dims),
            )
        result.append(sizes.pop() if sizes else 1)
    return tuple(result)


def broadcasts_to(dims: Sequence[int], target: Sequence[int]) -> bool:
    """Return whether an input of ``dims`` can be repeated to the dimensions ``target``.

    Examples
    --------
    >>> broadcasts_to((3, 1), (2, 3, 4)), broadcasts_to((2, 3, 4), (3, 1))
    (True, False)
    """
    ends = zip(reversed(dims), reversed(target), strict=False)
    return len(dims) <= len(target) and all(size in (1, wanted) for size, wanted in ends)


def common_dtype(dtypes: Iterable[DType | None]) -> DType:
    """Return the element type of a result of several inputs: the widest, floating-point first.

    Examples
    --------
    >>> common_dtype([DType.int64, DType.float32])
    dtype.float32
    """
    found = list(dict.fromkeys(dtype for dtype in dtypes if dtype is not None))
    if len(found) < 2:
        return found[0] if found else DType.float32
    floats = [dtype for dtype in found if dtype.is_float]
    return as_dtype(np.result_type(*(dtype.numpy for dtype in floats or found)))


def float_of(dtype: DType | None) -> DType:
    """Return the type of a floating-point result: float32 for integer inputs."""
    return dtype if dtype is not None and dtype.is_float else DType.float32


def numbers(value: NDArray[Any] | None, attribute: Iterable[Any]) -> list[Any]:
    """Return the tensor as a list if there is one, else the attribute."""
    return list(attribute) if value is None else np.ravel(value).tolist()


def integers(context: ShapeContext, index: int, attribute: Iterable[int]) -> list[int]:
    """Return the integers of input ``index`` if it is connected, else the attribute.

    Raise DataDependencyError when it comes as an input whose data are unknown.
    """
    value = context.value(index) if context.present(index) else None
    return [int(number) for number in numbers(value, attribute)]


def choice_of(value: str, choices: Sequence[str], what: str, where: str = "") -> str:
    """Check that ``value`` is one of ``choices``, and return it.

    Raise ShapeError when it is not.
    """
    if value not in choices:
        raise ShapeError.at(
            where, f"unknown {what}", expected=" or ".join(choices), found=repr(value)
        )
    return value


def need_rank(dims: Sequence[int], expected: int | range, where: str = "") -> None:
    """Check the number of dimensions.

    Raise ShapeError when there are more or fewer than ``expected``.
    """
    if len(dims) != expected if isinstance(expected, int) else len(dims) not in expected:
        wanted = expected if isinstance(expected, int) else f"at least {expected.start}"
        raise ShapeError.at(where, "wrong number of dimensions", expected=wanted, found=list(dims))


def need_dims(found: Sequence[int], expected: Sequence[int], problem: str, where: str = "") -> None:
    """Check dimensions.

    Raise ShapeError when they are not as ``expected``.
    """
    if tuple(found) != tuple(expected):
        raise ShapeError.at(where, problem, expected=list(expected), found=list(found))


def spatial(
    values: Sequence[int], rank: int, what: str, *, least: int = 1, where: str = ""
) -> tuple[int, ...]:
    """Check an attribute that has one number per spatial dimension.

    Raise ShapeError for another count, a number below ``least``, or what is no list of numbers; for
    one number the message says what to write instead.

    Examples
    --------
    >>> spatial([3, 5], 2, "kernel_dims")
    (3, 5)
    """
    try:
        found = tuple(map(int, values))
    except (TypeError, ValueError, OverflowError):
        found = ()
    if len(found) != rank or any(value < least for value in found):
        one = isinstance(values, int) and values >= least
        raise ShapeError.at(
            where,
            f"bad {what}",
            expected=f"{rank} whole numbers from {least} on",
            found=list(found) or repr(values),
            cure=f"Write {what}={[values] * rank}." if one else "",
        )
    return found


def same_pads(
    sizes: Sequence[int], reach: Sequence[int], strides: Sequence[int], *, upper: bool
) -> tuple[int, ...]:
    """Return the pads of ONNX's ``SAME_UPPER`` or ``SAME_LOWER``: begins, then ends.

    The output is then as large as the input divided by the strides. ``reach`` is the size of the
    dilated kernel.

    Examples
    --------
    >>> same_pads((7, 8), (4, 4), (1, 2), upper=True)
    (1, 1, 2, 1)
    """
    totals = [
        max(0, (-(-size // stride) - 1) * stride + span - size)
        for size, span, stride in zip(sizes, reach, strides, strict=True)
    ]
    return halves(totals, upper=upper)


def halves(totals: Sequence[int], *, upper: bool) -> tuple[int, ...]:
    """Divide padding between begins and ends; an odd element is an end if ``upper``."""
    small = [total // 2 for total in totals]
    large = [total - half for total, half in zip(totals, small, strict=True)]
    return (*small, *large) if upper else (*large, *small)


def reshaped(
    dims: Sequence[int], shape: Sequence[int], *, allow_zero: bool = False, where: str = ""
) -> tuple[int, ...]:
    """Return the dimensions that Reshape makes of ``dims``: -1 is what is left, 0 copies.

    Raise ShapeError when the number of elements would change.

    Examples
    --------
    >>> reshaped((2, 3, 4), (0, -1))
    (2, 12)
    """
    wanted = [
        dims[axis] if size == 0 and not allow_zero and axis < len(dims) else size
        for axis, size in enumerate(shape)
    ]
    rest = prod(size for size in wanted if size != -1)
    if wanted.count(-1) == 1 and rest > 0:
        wanted[wanted.index(-1)] = prod(dims) // rest
    if any(size < 0 for size in wanted) or prod(wanted) != prod(dims):
        raise ShapeError.at(
            where,
            f"cannot reshape {list(dims)}",
            expected=f"{prod(dims)} elements",
            found=list(shape),
            cure="Use at most one -1, for the size that follows from the others.",
        )
    return tuple(wanted)


def slices_of(
    dims: Sequence[int],
    starts: Sequence[int],
    ends: Sequence[int],
    axes: Sequence[int] = (),
    steps: Sequence[int] = (),
    where: str = "",
) -> list[tuple[int, int, int]]:
    """Return first index, number and step of the elements that Slice keeps, for each axis.

    Raise ShapeError for lists of different lengths, a step of 0, or a bad axis.

    Examples
    --------
    >>> slices_of((10, 8), [1, -1], [9999, 0], axes=[0, 1], steps=[3, -2])
    [(1, 3, 3), (7, 4, -2)]
    """
    axes = axes_of(axes or range(len(starts)), len(dims), where)
    steps = steps or [1] * len(starts)
    if not len(starts) == len(ends) == len(axes) == len(steps) or 0 in steps:
        raise ShapeError.at(
            where,
            "bad starts, ends, axes or steps",
            expected="as many of each, and no step of 0",
            found=f"{list(starts)}, {list(ends)}, {list(axes)}, {list(steps)}",
        )
    result = [(0, size, 1) for size in dims]
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        taken = range(*slice(int(start), int(end), int(step)).indices(dims[axis]))
        result[axis] = (taken.start, len(taken), int(step))
    return result


def split_sizes(size: int, count: int, sizes: Sequence[int], where: str = "") -> list[int]:
    """Return the sizes of the parts that Split makes of an axis.

    Without ``sizes`` the parts are equal, but for a smaller last one. Raise ShapeError when the
    parts do not make up the whole.

    Examples
    --------
    >>> split_sizes(7, 3, [])
    [3, 3, 1]
    """
    if not sizes:
        each = -(-size // count)
        return [max(0, min(each, size - part * each)) for part in range(count)]
    if len(sizes) != count or sum(sizes) != size or min(sizes) < 0:
        raise ShapeError.at(
            where,
            "the parts do not make up the whole",
            expected=f"{count} sizes that add up to {size}",
            found=list(sizes),
        )
    return list(sizes)


def same_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    """Return the dimensions of input 0 for every output."""
    return [context.dim(0)] * context.nb_outputs


def float_result(context: ShapeContext) -> Sequence[DType]:
    """Return input 0's element type if it is floating-point, else float32."""
    return [float_of(context.dtypes[0])]
