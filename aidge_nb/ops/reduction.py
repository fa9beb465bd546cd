"""Operators that make one number of many along some axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from aidge_nb.core.dims import axis_of
from aidge_nb.core.dtype import DType
from aidge_nb.core.errors import ShapeError
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import CpModel, OpSpec, ShapeContext
from aidge_nb.ops import ports
from aidge_nb.ops.build import declare, factory, make_node
from aidge_nb.ops.rules import axes_of, float_result, integers, port


def reduced_axes(
    axes: Sequence[int], rank: int, *, noop_with_empty_axes: bool, where: str = ""
) -> tuple[int, ...]:
    """Return the axes that a reduction goes over: all of them when none is named.

    Examples
    --------
    >>> reduced_axes([-1], 3, noop_with_empty_axes=False)
    (2,)
    """
    if not axes:
        return () if noop_with_empty_axes else tuple(range(rank))
    return axes_of(axes, rank, where)


def _without(dims: Sequence[int], axes: Sequence[int], keep: bool) -> tuple[int, ...]:
    return tuple(
        1 if axis in axes else size for axis, size in enumerate(dims) if keep or axis not in axes
    )


def _reduced_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    data, attrs = context.dim(0), context.attrs
    axes = reduced_axes(
        integers(context, 1, attrs.axes),
        len(data),
        noop_with_empty_axes=attrs.noop_with_empty_axes,
        where=context.where,
    )
    return [_without(data, axes, attrs.keep_dims)]


def _declare(
    name: str,
    dtypes: Callable[[ShapeContext], Sequence[DType]] | None = None,
    **extra: Any,
) -> OpSpec:
    return declare(
        f"Reduce{name}",
        (*ports.DATA, *ports.optional("axes")),
        _reduced_dims,
        attrs={"axes": (), "keep_dims": True, "noop_with_empty_axes": False, **extra},
        dtypes=dtypes,
        cp=CpModel.IN_PLACE,
    )


REDUCE_MEAN = _declare("Mean", rounding_mode="half_away_from_zero")
REDUCE_SUM = _declare("Sum")
REDUCE_MAX = _declare("Max")
REDUCE_MIN = _declare("Min")
REDUCE_PROD = _declare("Prod")
REDUCE_L1 = _declare("L1")
REDUCE_L2 = _declare("L2")
REDUCE_SUM_SQUARE = _declare("SumSquare")
REDUCE_LOG_SUM = _declare("LogSum", dtypes=float_result)
REDUCE_LOG_SUM_EXP = _declare("LogSumExp", dtypes=float_result)


def _arg_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    data = context.dim(0)
    axis = axis_of(int(context.attrs.axis), len(data), context.where)
    if data[axis] == 0:
        raise ShapeError.at(
            port(context.where, 0),
            f"there is nothing to choose from along axis {axis}",
            expected="a size of 1 or more",
            found=list(data),
        )
    return [_without(data, (axis,), context.attrs.keep_dims)]


def _declare_arg(type_name: str) -> OpSpec:
    return declare(
        type_name,
        ports.DATA,
        _arg_dims,
        attrs={"axis": 0, "keep_dims": True, "select_last_index": False},
        dtypes=lambda context: [DType.int64],
    )


ARG_MAX = _declare_arg("ArgMax")
ARG_MIN = _declare_arg("ArgMin")

CUM_SUM = declare(
    "CumSum",
    (*ports.DATA, *ports.optional("axis")),
    lambda context: [context.dim(0)],
    attrs={"axis": 0, "exclusive": False, "reverse": False},
    onnx=("CumSum",),
)


def _top_k_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    data, where = list(context.dim(0)), context.where
    axis = axis_of(int(context.attrs.axis), len(data), where)
    (count,) = integers(context, 1, (context.attrs.k,))
    if not 0 <= count <= data[axis]:
        raise ShapeError.at(
            port(where, 1),
            f"cannot take so many elements along axis {axis}",
            expected=f"k from 0 to {data[axis]}",
            found=count,
        )
    data[axis] = count
    return [data, data]


TOP_K = declare(
    "TopK",
    (*ports.data("x"), *ports.optional("k")),
    _top_k_dims,
    outputs=("values", "indices"),
    attrs={"axis": -1, "largest": True, "sorted": True, "k": 0},
    dtypes=lambda context: [context.dtypes[0] or DType.float32, DType.int64],
    cp=CpModel.IN_PLACE,
    onnx=("TopK",),
)


def ReduceMean(
    axes: Sequence[int] = (),
    keep_dims: bool = True,
    noop_with_empty_axes: bool = False,
    rounding_mode: str = "half_away_from_zero",
    name: str = "",
) -> Node:
    """Make a node that computes the mean along some axes.

    Parameters
    ----------
    axes
        The axes, all when there are none; they may also come as a tensor at input 1.
    keep_dims
        Whether these axes stay, with size 1.
    noop_with_empty_axes
        Whether nothing is done when there are no axes.
    rounding_mode
        How means of integers become integers; see :func:`~aidge_nb.ops.Round`.
    name
        Name of the node.

    Examples
    --------
    >>> from aidge_nb import ops
    >>> ops.ReduceMean([2, 3], keep_dims=False).get_operator().attr.axes
    (2, 3)
    """
    return make_node(
        REDUCE_MEAN,
        name,
        axes=tuple(axes),
        keep_dims=keep_dims,
        noop_with_empty_axes=noop_with_empty_axes,
        rounding_mode=rounding_mode,
    )


def _reduce(
    spec: OpSpec,
    axes: Sequence[int] = (),
    keep_dims: bool = True,
    noop_with_empty_axes: bool = False,
    name: str = "",
) -> Node:
    """Make a node that computes {what} along some axes.

    Parameters
    ----------
    axes
        The axes, all when there are none; they may also come as a tensor at input 1.
    keep_dims
        Whether these axes stay, with size 1.
    noop_with_empty_axes
        Whether nothing is done when there are no axes.
    name
        Name of the node.

    Examples
    --------
    >>> from aidge_nb import ops
    >>> ops.{type}([2, 3], keep_dims=False).get_operator().attr.axes
    (2, 3)
    """
    return make_node(
        spec,
        name,
        axes=tuple(axes),
        keep_dims=keep_dims,
        noop_with_empty_axes=noop_with_empty_axes,
    )


ReduceSum = factory(REDUCE_SUM, _reduce, what="the sum")
ReduceMax = factory(REDUCE_MAX, _reduce, what="the largest element")
ReduceMin = factory(REDUCE_MIN, _reduce, what="the smallest element")
ReduceProd = factory(REDUCE_PROD, _reduce, what="the product")
ReduceL1 = factory(REDUCE_L1, _reduce, what="the sum of absolute values")
ReduceL2 = factory(REDUCE_L2, _reduce, what="the root of the sum of squares")
ReduceSumSquare = factory(REDUCE_SUM_SQUARE, _reduce, what="the sum of squares")
ReduceLogSum = factory(REDUCE_LOG_SUM, _reduce, what="the logarithm of the sum")
ReduceLogSumExp = factory(REDUCE_LOG_SUM_EXP, _reduce, what="ln Σ exp(x)")


def _position(
    spec: OpSpec,
    axis: int = 0,
    keep_dims: bool = True,
    select_last_index: bool = False,
    name: str = "",
) -> Node:
    """Make a node that finds the index of the {which} element along an axis.

    Parameters
    ----------
    axis
        The axis; negative ones count from the end.
    keep_dims
        Whether the axis stays, with size 1.
    select_last_index
        Whether the last of equal elements is taken; otherwise the first.
    name
        Name of the node.
    """
    return make_node(
        spec, name, axis=axis, keep_dims=keep_dims, select_last_index=select_last_index
    )


ArgMax = factory(ARG_MAX, _position, which="largest")
ArgMin = factory(ARG_MIN, _position, which="smallest")


def CumSum(axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str = "") -> Node:
    """Make a node that adds up along ``axis``, each element with all before it.

    With ``exclusive`` without the element itself, with ``reverse`` from the end.

    Parameters
    ----------
    axis
        The axis; negative ones count from the end.
    exclusive
        Whether an element is left out of its own sum.
    reverse
        Whether sums begin at the end of the axis.
    name
        Name of the node.
    """
    return make_node(CUM_SUM, name, axis=axis, exclusive=exclusive, reverse=reverse)


def TopK(
    k: int = 0, axis: int = -1, largest: bool = True, sorted: bool = True, name: str = ""
) -> Node:
    """Make a node that computes the ``k`` largest (or smallest) elements along ``axis``, and where.

    The number may also come as a tensor at input 1. Of equal elements the first come first.

    Parameters
    ----------
    k
        Number of elements that are kept.
    axis
        The axis; negative ones count from the end.
    largest
        Whether the largest elements are kept; otherwise the smallest.
    sorted
        Whether they come in order.
    name
        Name of the node.
    """
    return make_node(TOP_K, name, k=k, axis=axis, largest=largest, sorted=sorted)
