"""Operators that change dimensions or element type and leave the elements alone."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from numpy.typing import DTypeLike

from aidge_nb.core.dtype import DType, as_dtype
from aidge_nb.core.errors import ShapeError
from aidge_nb.graph.attributes import REQUIRED
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import CpModel, OpSpec, ShapeContext
from aidge_nb.ops import ports
from aidge_nb.ops.build import declare, factory, make_node, plain
from aidge_nb.ops.rules import axes_of, broadcast, integers, port, reshaped, same_dims


def _reshape_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    attrs = context.attrs
    shape = integers(context, 1, attrs.shape)
    return [reshaped(context.dim(0), shape, allow_zero=attrs.allow_zero, where=context.where)]


RESHAPE = declare(
    "Reshape",
    (*ports.DATA, *ports.optional("shape")),
    _reshape_dims,
    attrs={"shape": (), "allow_zero": False},
    cp=CpModel.IDENTITY,
    overwrites=(0,),
    is_view=True,
)


def flattened(dims: Sequence[int], axis: int, where: str = "") -> tuple[int, int]:
    """Return the two dimensions that Flatten makes: all before ``axis``, and all from it on.

    Examples
    --------
    >>> flattened((2, 3, 4), 1)
    (2, 12)
    """
    rank = len(dims)
    if not -rank <= axis <= rank:
        raise ShapeError.at(where, "no such axis", expected=f"{-rank} to {rank}", found=axis)
    cut = axis + rank if axis < 0 else axis
    return prod(dims[:cut]), prod(dims[cut:])


FLATTEN = declare(
    "Flatten",
    ports.DATA,
    lambda context: [flattened(context.dim(0), int(context.attrs.axis), context.where)],
    attrs={"axis": 1},
    cp=CpModel.IDENTITY,
    overwrites=(0,),
    is_view=True,
    onnx=("Flatten",),
)


def squeezed(dims: Sequence[int], axes: Sequence[int], where: str = "") -> tuple[int, ...]:
    """Return the dimensions without ``axes`` of size 1; without all of these when none is named.

    Raise ShapeError when an axis has another size.

    Examples
    --------
    >>> squeezed((1, 3, 1), [0]), squeezed((1, 3, 1), [])
    ((3, 1), (3,))
    """
    if not axes:
        return tuple(size for size in dims if size != 1)
    gone = axes_of(axes, len(dims), where)
    wrong = [axis for axis in gone if dims[axis] != 1]
    if wrong:
        raise ShapeError.at(
            port(where, 0),
            f"cannot squeeze axes {wrong}",
            expected="a size of 1 there",
            found=list(dims),
        )
    return tuple(size for axis, size in enumerate(dims) if axis not in gone)


def unsqueezed(dims: Sequence[int], axes: Sequence[int], where: str = "") -> tuple[int, ...]:
    """Return the dimensions with new ones of size 1, which are ``axes`` of the result.

    Examples
    --------
    >>> unsqueezed((3, 4), [0, -1])
    (1, 3, 4, 1)
    """
    rank = len(dims) + len(axes)
    new = axes_of(axes, rank, where)
    rest = iter(dims)
    return tuple(1 if axis in new else next(rest) for axis in range(rank))


SQUEEZE = declare(
    "Squeeze",
    (*ports.DATA, *ports.optional("axes_to_squeeze")),
    lambda context: [
        squeezed(context.dim(0), integers(context, 1, context.attrs.axes), context.where)
    ],
    outputs=("squeezed",),
    attrs={"axes": ()},
    cp=CpModel.IDENTITY,
    overwrites=(0,),
    is_view=True,
    onnx=("Squeeze",),
)
UNSQUEEZE = declare(
    "Unsqueeze",
    (*ports.DATA, *ports.optional("axes_to_unsqueeze")),
    lambda context: [
        unsqueezed(context.dim(0), integers(context, 1, context.attrs.axes), context.where)
    ],
    outputs=("unsqueezed",),
    attrs={"axes": ()},
    cp=CpModel.IDENTITY,
    overwrites=(0,),
    is_view=True,
    onnx=("Unsqueeze",),
)


def _transpose_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    data, order = context.dim(0), tuple(context.attrs.output_dims_order)
    if not order:
        return [data[::-1]]
    axes = axes_of(order, len(data), context.where)
    if len(axes) != len(data):
        raise ShapeError.at(
            context.where,
            "output_dims_order names too few axes",
            expected=f"all {len(data)} axes of {list(data)}",
            found=list(order),
        )
    return [tuple(data[axis] for axis in axes)]


TRANSPOSE = declare("Transpose", ports.DATA, _transpose_dims, attrs={"output_dims_order": ()})
IDENTITY = declare(
    "Identity",
    ports.DATA,
    same_dims,
    attrs={"producer": False},
    cp=CpModel.IDENTITY,
    overwrites=(0,),
    is_view=True,
    onnx=("Identity",),
)
DROPOUT = declare(
    "Dropout",
    (*ports.DATA, *ports.optional("probability", "training_mode")),
    same_dims,
    outputs=("data_output", "mask"),
    attrs={"probability": 0.5, "training_mode": True, "seed": -(2**63)},
    dtypes=lambda context: [context.dtypes[0] or DType.float32, DType.boolean],
    overwrites=(0,),
    optional_outputs=(1,),
    is_view=True,
)
CAST = declare(
    "Cast",
    ports.DATA,
    same_dims,
    attrs={"target_type": REQUIRED},
    dtypes=lambda context: [as_dtype(context.attrs.target_type)],
    overwrites=(0,),
)
CAST_LIKE = declare(
    "CastLike",
    (*ports.data("data_input_1"), *ports.attr("target_type")),
    same_dims,
    dtypes=lambda context: [context.dtypes[1] or DType.float32],
    overwrites=(0,),
    onnx=("CastLike",),
)
EXPAND = declare(
    "Expand",
    (*ports.data("data"), *ports.attr("shape")),
    lambda context: [broadcast([context.dim(0), tuple(integers(context, 1, ()))], context.where)],
    outputs=("output",),
    cp=CpModel.IN_PLACE,
    onnx=("Expand",),
)


def shape_part(rank: int, start: int, end: int) -> slice:
    """Return which of ``rank`` dimensions Shape gives; unlike in ONNX, ``end`` is among them.

    Examples
    --------
    >>> (2, 3, 4)[shape_part(3, 0, -1)], (2, 3, 4)[shape_part(3, 1, 1)]
    ((2, 3, 4), (3,))
    """
    first = max(0, start + rank if start < 0 else start)
    last = max(0, (end + rank if end < 0 else end) + 1)
    return slice(min(first, rank), min(last, rank))


def _shape_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    data, attrs = context.dim(0), context.attrs
    return [(len(data[shape_part(len(data), int(attrs.start), int(attrs.end))]),)]


SHAPE = declare(
    "Shape",
    ports.attr("data_input"),
    _shape_dims,
    attrs={"start": 0, "end": -1},
    dtypes=lambda context: [DType.int64],
)
SIZE = declare(
    "Size",
    ports.attr("data_input"),
    lambda context: [()],
    dtypes=lambda context: [DType.int64],
    onnx=("Size",),
)


def Reshape(shape: Sequence[int] = (), allowzero: bool = False, name: str = "") -> Node:
    """Make a node that reshapes data.

    Parameters
    ----------
    shape
        The new dimensions: -1 is the size that is left over, 0 copies that of the data unless
        ``allowzero``. They may also come as a tensor at input 1.
    allowzero
        Whether 0 means a size of 0.
    name
        Name of the node.

    Examples
    --------
    >>> from aidge_nb import ops
    >>> ops.Reshape([0, -1]).get_operator().attr.shape
    (0, -1)
    """
    return make_node(RESHAPE, name, shape=tuple(shape), allow_zero=allowzero)


def Flatten(axis: int = 1, name: str = "") -> Node:
    """Make a node that merges all dimensions before ``axis``, and all from it on.

    Parameters
    ----------
    axis
        The axis; negative ones count from the end.
    name
        Name of the node.
    """
    return make_node(FLATTEN, name, axis=axis)


def _of_size_1(spec: OpSpec, axes: Sequence[int] = (), name: str = "") -> Node:
    """Make a node that {does} dimensions of size 1.

    Parameters
    ----------
    axes
        {which}; negative ones count from the end. They may also come at input 1.
    name
        Name of the node.
    """
    return make_node(spec, name, axes=tuple(axes))


Squeeze = factory(SQUEEZE, _of_size_1, does="drops", which="The axes; all of size 1 by default")
Unsqueeze = factory(UNSQUEEZE, _of_size_1, does="adds", which="Axes of the output")


def Transpose(output_dims_order: Sequence[int] = (), name: str = "") -> Node:
    """Make a node that changes the order of dimensions; reverses them when none is given.

    Parameters
    ----------
    output_dims_order
        For each axis of the output the number of the input's, from 0.
    name
        Name of the node.
    """
    return make_node(TRANSPOSE, name, output_dims_order=tuple(output_dims_order))


def Identity(name: str = "", producer: bool = False) -> Node:
    """Make a node that outputs its input.

    Parameters
    ----------
    name
        Name of the node.
    producer
        Whether it stands for a Producer, so that scheduling treats it as one.
    """
    return make_node(IDENTITY, name, producer=producer)


def Dropout(
    probability: float = 0.5, training_mode: bool = True, seed: int = -(2**63), name: str = ""
) -> Node:
    """Make a node that drops elements at random in training; forward passes leave all of them.

    Parameters
    ----------
    probability
        Probability that an element becomes 0, in training.
    training_mode
        Whether elements are dropped when training runs.
    seed
        Seed of the random choice.
    name
        Name of the node.
    """
    return make_node(DROPOUT, name, probability=probability, training_mode=training_mode, seed=seed)


def Cast(target_type: DType | DTypeLike, name: str = "") -> Node:
    """Make a node that converts elements to another type.

    Parameters
    ----------
    target_type
        Element type to convert to: one of ``aidge_nb.dtype``, its name, or NumPy's.
    name
        Name of the node.

    Raises
    ------
    ShapeError
        When tensors cannot have such elements.
    """
    return make_node(CAST, name, target_type=as_dtype(target_type))


CastLike = factory(CAST_LIKE, plain, does="converts elements to the type of input 1")
Expand = factory(
    EXPAND, plain, does="repeats data along axes of size 1, to the dimensions that input 1 gives"
)


def Shape(start: int = 0, end: int = -1, name: str = "") -> Node:
    """Make a node that computes the dims of its input from ``start`` to ``end``, both included.

    Parameters
    ----------
    start, end
        First axis, and the one before which to stop, from 0.
    name
        Name of the node.
    """
    return make_node(SHAPE, name, start=start, end=end)


Size = factory(SIZE, plain, does="returns the number of elements of its input")
