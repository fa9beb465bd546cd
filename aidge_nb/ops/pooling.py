"""Pooling over any number of spatial dimensions.

One declaration serves 1-D, 2-D and 3-D. Pad pads: see the meta-operators of
:mod:`aidge_nb.ops.padded`.
"""

from __future__ import annotations

from collections.abc import Sequence

from aidge_nb.core.dims import window_count
from aidge_nb.core.dtype import DType
from aidge_nb.core.errors import ShapeError
from aidge_nb.graph.attributes import REQUIRED
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import CpModel, OpSpec, ShapeContext
from aidge_nb.ops import ports
from aidge_nb.ops.build import declare, factory, make_node, plain
from aidge_nb.ops.rules import need_rank, port, spatial
from aidge_nb.ops.windows import make_sliding, per_rank

HALF_AWAY = "half_away_from_zero"


def pool_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    """Return the dimensions that pooling makes, for every output."""
    attrs, where, data = context.attrs, context.where, context.dim(0)
    rank = len(attrs.kernel_dims)
    need_rank(data, rank + 2, port(where, 0))
    kernel = spatial(attrs.kernel_dims, rank, "kernel_dims", where=where)
    strides = spatial(attrs.stride_dims, rank, "stride_dims", where=where)
    dilations = spatial(attrs.dilations, rank, "dilations", where=where)
    sizes = [
        window_count(size, k, stride, dilation, ceil=attrs.ceil_mode)
        for size, k, stride, dilation in zip(data[2:], kernel, strides, dilations, strict=True)
    ]
    if min(sizes) < 1:
        raise ShapeError.at(
            port(where, 0),
            "the pooling window is larger than the input",
            expected=f"a window {list(kernel)}, dilated by {list(dilations)}, that fits",
            found=list(data),
            cure="Pad the input first.",
        )
    return [(*data[:2], *sizes)] * context.nb_outputs


def _declare_max(rank: int) -> OpSpec:
    return declare(
        f"MaxPooling{rank}D",
        ports.DATA,
        pool_dims,
        outputs=("data_output", "indices"),
        attrs={
            "kernel_dims": REQUIRED,
            "stride_dims": (1,) * rank,
            "dilations": (1,) * rank,
            "ceil_mode": False,
            "storage_order": False,
        },
        dtypes=lambda context: [context.dtypes[0] or DType.float32, DType.int64],
        cp=CpModel.IN_PLACE,
        optional_outputs=(1,),
    )


def _declare_avg(rank: int) -> OpSpec:
    return declare(
        f"AvgPooling{rank}D",
        ports.DATA,
        pool_dims,
        attrs={
            "kernel_dims": REQUIRED,
            "stride_dims": (1,) * rank,
            "dilations": (1,) * rank,
            "ceil_mode": False,
            "rounding_mode": HALF_AWAY,
            # What Pad added before: begins, then ends. The mean is taken over the rest.
            "ignore_pads": (0,) * (2 * rank),
        },
        cp=CpModel.IN_PLACE,
    )


MAX_POOLINGS = tuple(map(_declare_max, (1, 2, 3)))
AVG_POOLINGS = tuple(map(_declare_avg, (1, 2, 3)))


def _global_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    data = context.dim(0)
    need_rank(data, range(3, 99), port(context.where, 0))
    return [(*data[:2], *(1 for _ in data[2:]))]


GLOBAL_AVERAGE_POOLING = declare(
    "GlobalAveragePooling",
    ports.DATA,
    _global_dims,
    attrs={"rounding_mode": HALF_AWAY},
    onnx=("GlobalAveragePool",),
)
GLOBAL_MAX_POOLING = declare("GlobalMaxPooling", ports.DATA, _global_dims, onnx=("GlobalMaxPool",))


def _max(
    spec: OpSpec,
    kernel_dims: Sequence[int],
    name: str = "",
    stride_dims: Sequence[int] | None = None,
    dilations: Sequence[int] | None = None,
    ceil_mode: bool = False,
    storage_order: bool = False,
) -> Node:
    """Make a node that finds the largest value of each window, and its index, over {dimensions}.

    {parameters}

    Examples
    --------
    >>> from aidge_nb import ops
    >>> ops.{type}([2] * {rank}, stride_dims=[2] * {rank}).outputs_names()
    ['data_output', 'indices']
    """
    extra = {"ceil_mode": ceil_mode, "storage_order": storage_order}
    return make_sliding(spec, name, kernel_dims, stride_dims, dilations, **extra)


def _average(
    spec: OpSpec,
    kernel_dims: Sequence[int],
    name: str = "",
    stride_dims: Sequence[int] | None = None,
    dilations: Sequence[int] | None = None,
    ceil_mode: bool = False,
    rounding_mode: str = HALF_AWAY,
) -> Node:
    """Make a node that computes the mean of each window, over {dimensions}.

    {parameters}

    Examples
    --------
    >>> from aidge_nb import ops
    >>> len(ops.{type}([2] * {rank}).get_operator().attr.kernel_dims)
    {rank}
    """
    extra = {"ceil_mode": ceil_mode, "rounding_mode": rounding_mode}
    return make_sliding(spec, name, kernel_dims, stride_dims, dilations, **extra)


MaxPooling1D, MaxPooling2D, MaxPooling3D = per_rank(MAX_POOLINGS, _max)
AvgPooling1D, AvgPooling2D, AvgPooling3D = per_rank(AVG_POOLINGS, _average)


def GlobalAveragePooling(name: str = "", rounding_mode: str = HALF_AWAY) -> Node:
    """Make a node that computes the mean of each channel.

    Parameters
    ----------
    name
        Name of the node.
    rounding_mode
        How means of integers are rounded; see :func:`~aidge_nb.ops.Round`.
    """
    return make_node(GLOBAL_AVERAGE_POOLING, name, rounding_mode=rounding_mode)


GlobalMaxPooling = factory(
    GLOBAL_MAX_POOLING, plain, does="finds the largest value of each channel"
)
