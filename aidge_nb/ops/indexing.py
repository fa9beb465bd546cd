"""Operators that read or write elements at given places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from aidge_nb.core.dims import axis_of
from aidge_nb.core.dtype import DType, as_dtype
from aidge_nb.core.errors import ShapeError
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import CpModel, OpSpec, ShapeContext
from aidge_nb.ops import ports
from aidge_nb.ops.build import declare, factory, make_node, plain
from aidge_nb.ops.rules import integers, port

_INPUTS = (*ports.DATA, *ports.optional("indices"))
_ATTRS = {"indices": (), "gathered_shape": ()}
REDUCTIONS = ("none", "add", "mul", "max", "min")


def _index_dims(context: ShapeContext) -> tuple[int, ...]:
    """Return the dims of the indices: those of input 1, else of the attribute."""
    if context.present(1):
        return tuple(context.dim(1))
    indices, shape = context.attrs.indices, tuple(context.attrs.gathered_shape)
    return shape if shape or np.ndim(indices) == 0 else np.shape(indices)


def _gather_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    data = context.dim(0)
    axis = axis_of(int(context.attrs.axis), len(data), context.where)
    return [(*data[:axis], *_index_dims(context), *data[axis + 1 :])]


GATHER = declare("Gather", _INPUTS, _gather_dims, attrs={"axis": 0, **_ATTRS}, onnx=("Gather",))


def _gather_elements_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    data, indices = context.dim(0), _index_dims(context)
    axis = axis_of(int(context.attrs.axis), len(data), context.where)
    fits = len(indices) == len(data) and all(
        i == axis or count <= size
        for i, (count, size) in enumerate(zip(indices, data, strict=False))
    )
    if not fits:
        raise ShapeError.at(
            port(context.where, 1),
            "indices do not fit the data",
            expected=f"no more than {list(data)} but along axis {axis}",
            found=list(indices),
        )
    return [indices]


GATHER_ELEMENTS = declare(
    "GatherElements",
    _INPUTS,
    _gather_elements_dims,
    attrs={"axis": 0, **_ATTRS},
    onnx=("GatherElements",),
)


def _gather_nd_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    data, indices = context.dim(0), _index_dims(context)
    batch = int(context.attrs.batch_dims)
    depth = batch + (indices[-1] if indices else 0)
    if not indices or depth > len(data) or indices[:batch] != data[:batch]:
        raise ShapeError.at(
            port(context.where, 1),
            f"indices do not fit the data (batch_dims {batch})",
            expected=f"[..., n] with n up to {len(data) - batch} for {list(data)}",
            found=list(indices),
        )
    return [(*indices[:-1], *data[depth:])]


GATHER_ND = declare(
    "GatherND",
    (*ports.DATA, *ports.optional_data("indices")),
    _gather_nd_dims,
    attrs={"batch_dims": 0, **_ATTRS},
    onnx=("GatherND",),
)

_SCATTER_INPUTS = (*ports.DATA, *ports.attr("indices"), *ports.data("updates"))


def _scatter_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    data, indices, updates = context.dim(0), context.dim(1), context.dim(2)
    axis_of(int(context.attrs.axis), len(data), context.where)
    if indices != updates or len(indices) != len(data):
        raise ShapeError.at(
            port(context.where, 2),
            "indices and updates do not fit",
            expected=f"equal dims, of rank {len(data)}",
            found=f"{list(indices)} and {list(updates)}",
        )
    return [data]


SCATTER = declare(
    "Scatter",
    _SCATTER_INPUTS,
    _scatter_dims,
    attrs={"axis": 0, "reduction": "none"},
    cp=CpModel.IN_PLACE,
    onnx=("ScatterElements", "Scatter"),
)


def _scatter_nd_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    data, indices, updates = context.dim(0), context.dim(1), context.dim(2)
    depth = indices[-1] if indices else 0
    if not indices or depth > len(data) or updates != (*indices[:-1], *data[depth:]):
        raise ShapeError.at(
            port(context.where, 2),
            "indices and updates do not fit",
            expected=f"updates {[*indices[:-1], *data[depth:]]} for indices {list(indices)}",
            found=list(updates),
        )
    return [data]


SCATTER_ND = declare(
    "ScatterND",
    _SCATTER_INPUTS,
    _scatter_nd_dims,
    attrs={"reduction": "none"},
    cp=CpModel.IN_PLACE,
    onnx=("ScatterND",),
)


def _one_hot_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    indices = list(context.dim(0))
    (depth,) = integers(context, 1, (context.attrs.depth,))
    indices.insert(axis_of(int(context.attrs.axis), len(indices) + 1, context.where), depth)
    return [indices]


def _one_hot_types(context: ShapeContext) -> Sequence[DType]:
    given = context.dtypes[2] if len(context.dtypes) > 2 else None
    return [given or as_dtype(np.asarray(context.attrs["values"]).dtype)]


ONE_HOT = declare(
    "OneHot",
    (*ports.attr("indices"), *ports.optional("depth", "values")),
    _one_hot_dims,
    outputs=("output",),
    attrs={"axis": -1, "depth": 0, "values": np.array([0, 1], np.float32)},
    dtypes=_one_hot_types,
    onnx=("OneHot",),
)
NON_ZERO = declare(
    "NonZero",
    ports.data("X"),
    lambda context: [(len(context.dim(0)) or 1, int(np.count_nonzero(context.value(0))))],
    outputs=("Y",),
    dtypes=lambda context: [DType.int64],
    onnx=("NonZero",),
)


def _compress_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    data, axis = context.dim(0), context.attrs.axis
    size = data.size if axis is None else data[axis_of(int(axis), len(data), context.where)]
    kept = int(np.count_nonzero(np.ravel(context.value(1))[:size]))
    if axis is None:
        return [(kept,)]
    axis = axis_of(int(axis), len(data), context.where)
    return [(*data[:axis], kept, *data[axis + 1 :])]


COMPRESS = declare(
    "Compress",
    (*ports.DATA, *ports.attr("condition")),
    _compress_dims,
    attrs={"axis": None},
    onnx=("Compress",),
)


def _along(
    spec: OpSpec,
    axis: int = 0,
    indices: Sequence[int] = (),
    gathered_shape: Sequence[int] = (),
    name: str = "",
) -> Node:
    """Make a node that takes {what}.

    Parameters
    ----------
    axis
        The axis along which to choose; negative ones count from the end.
    indices
        What to choose; negative ones count from the end. Without them input 1 gives them.
    gathered_shape
        Dimensions of the indices; one dimension when there are none.
    name
        Name of the node.

    Examples
    --------
    >>> from aidge_nb import ops
    >>> ops.{type}(axis=1, indices=[0, 2]).get_operator().attr.indices
    (0, 2)
    """
    shape = tuple(gathered_shape)
    return make_node(spec, name, axis=axis, indices=tuple(indices), gathered_shape=shape)


Gather = factory(GATHER, _along, what="slices along ``axis``, at indices that may come at input 1")
GatherElements = factory(
    GATHER_ELEMENTS, _along, what="single elements: the indices replace the place along ``axis``"
)


def GatherND(
    batch_dims: int = 0,
    indices: Sequence[int] = (),
    gathered_shape: Sequence[int] = (),
    name: str = "",
) -> Node:
    """Make a node that takes slices at places given by several coordinates each.

    Parameters
    ----------
    batch_dims
        Number of axes in front that data and indices have in common.
    indices
        The indices, from 0; without them input 1 gives them.
    gathered_shape
        Dimensions of the indices, in elements.
    name
        Name of the node.
    """
    return make_node(
        GATHER_ND,
        name,
        batch_dims=batch_dims,
        indices=tuple(indices),
        gathered_shape=tuple(gathered_shape),
    )


def Scatter(axis: int = 0, reduction: str = "none", name: str = "") -> Node:
    """Make a node that copies input 0, and writes the elements of input 2 at indices, input 1.

    ``reduction`` says how they join what is there: ``none``, ``add``, ``mul``, ``max``, ``min``.

    Parameters
    ----------
    axis
        The axis; negative ones count from the end.
    reduction
        How an element is combined with what is in its place: ``"none"`` replaces it;
        ``"add"``, ``"mul"``, ``"min"``, ``"max"``.
    name
        Name of the node.
    """
    return make_node(SCATTER, name, axis=axis, reduction=reduction)


def ScatterND(reduction: str = "none", name: str = "") -> Node:
    """Make a node that writes slices at places with several coordinates; see :func:`Scatter`.

    Parameters
    ----------
    reduction
        How an element is combined with what is in its place: ``"none"`` replaces it;
        ``"add"``, ``"mul"``, ``"min"``, ``"max"``.
    name
        Name of the node.
    """
    return make_node(SCATTER_ND, name, reduction=reduction)


def OneHot(
    depth: int = 0, name: str = "", values: Sequence[Any] = (0.0, 1.0), axis: int = -1
) -> Node:
    """Make a node that turns indices into vectors of ``depth``, one element of which is different.

    ``values`` are those of the other elements and of the one. Both may come at inputs 1 and 2.

    Parameters
    ----------
    depth
        Number of classes: the size of the new axis, in elements.
    name
        Name of the node.
    values
        The values off and on.
    axis
        Where the new axis is put, from 0; negative ones count from the end.
    """
    pair = np.asarray(values)
    if pair.dtype == np.float64:
        pair = pair.astype(np.float32)
    return make_node(ONE_HOT, name, depth=depth, values=pair, axis=axis)


NonZero = factory(NON_ZERO, plain, does="finds the indices of all elements but 0, one row per axis")


def Compress(axis: int | None = None, name: str = "") -> Node:
    """Make a node that keeps the slices for which input 1 is true; of all elements without axis.

    Parameters
    ----------
    axis
        The axis; negative ones count from the end.
    name
        Name of the node.
    """
    return make_node(COMPRESS, name, axis=axis)
