"""Convolutions of any number of spatial dimensions.

One declaration serves 1-D, 2-D and 3-D. Padding is the business of Pad: see the Padded*
meta-operators of :mod:`aidge_nb.ops.padded`.

Dimensions: data ``[batch, in channels, *spatial]``, weights ``[out channels, in channels / group,
*kernel]``, bias ``[out channels]``.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from aidge_nb.core.errors import ShapeError, explain
from aidge_nb.core.tensor import Dims
from aidge_nb.graph.attributes import REQUIRED
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import CpModel, InputCategory, InputSpec, OpSpec, ShapeContext, register
from aidge_nb.ops.build import add_parameter, make_node
from aidge_nb.ops.rules import need_rank, port, spatial, window_count

INPUTS = (
    InputSpec("data_input"),
    InputSpec("weight", InputCategory.Param),
    InputSpec("bias", InputCategory.OptionalParam),
)


def check_channels(context: ShapeContext, inputs: int, outputs: int, group: int) -> None:
    """Check channels of data and bias against those that the weights stand for."""
    found = context.dim(0)[1]
    if found != inputs or inputs % group or outputs % group:
        raise ShapeError(
            explain(
                port(context.where, 0),
                "wrong number of channels",
                expected=f"{inputs} (weights {list(context.dim(1))}, {group} groups)",
                found=found,
            )
        )
    if context.present(2) and context.dim(2) != (outputs,):
        raise ShapeError(
            explain(
                port(context.where, 2),
                "wrong bias dims",
                expected=[outputs],
                found=list(context.dim(2)),
            )
        )


def check_kernel(context: ShapeContext) -> tuple[int, ...]:
    """Give the kernel dims, once ranks and weights agree with them."""
    kernel = spatial(context.attrs.kernel_dims, len(context.attrs.kernel_dims), "kernel_dims")
    rank = len(kernel)
    need_rank(context.dim(0), rank + 2, port(context.where, 0))
    need_rank(context.dim(1), rank + 2, port(context.where, 1))
    if context.dim(1)[2:] != kernel:
        raise ShapeError(
            explain(
                port(context.where, 1),
                "weights do not have the dims of the kernel",
                expected=list(kernel),
                found=list(context.dim(1)[2:]),
            )
        )
    return kernel


def conv_dims(context: ShapeContext, group: int) -> Sequence[Sequence[int]]:
    """Give the dimensions that a convolution makes."""
    kernel = check_kernel(context)
    where, rank = context.where, len(kernel)
    strides = spatial(context.attrs.stride_dims, rank, "stride_dims", where=where)
    dilations = spatial(context.attrs.dilation_dims, rank, "dilation_dims", where=where)
    data, weights = context.dim(0), context.dim(1)
    check_channels(context, weights[1] * group, weights[0], group)
    sizes = [
        window_count(size, k, stride, dilation)
        for size, k, stride, dilation in zip(data[2:], kernel, strides, dilations, strict=True)
    ]
    if min(sizes) < 1:
        raise ShapeError(
            explain(
                port(where, 0),
                "the kernel is larger than the input",
                expected=f"a kernel {list(kernel)}, dilated by {list(dilations)}, that fits",
                found=list(data),
                cure="Pad the input first.",
            )
        )
    return [(data[0], weights[0], *sizes)]


def _grouped_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    return conv_dims(context, int(context.attrs.group))


def _depthwise_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    return conv_dims(context, context.dim(1)[0])


def _macs(context: ShapeContext, outputs: Sequence[Dims]) -> int:
    return outputs[0].size * prod(context.dim(1)[1:])


def _declare(type_name: str, rank: int, *, depthwise: bool = False) -> OpSpec:
    """Declare a convolution; ``group`` is our extension, Aidge slices and concatenates."""
    attrs = {"kernel_dims": REQUIRED, "stride_dims": (1,) * rank, "dilation_dims": (1,) * rank}
    return register(
        OpSpec(
            f"{type_name}{rank}D",
            INPUTS,
            _depthwise_dims if depthwise else _grouped_dims,
            attrs=attrs if depthwise else {**attrs, "group": 1},
            cp=CpModel.IN_PLACE,  # as in Aidge; `overwrites` promises nothing
            macs=_macs,
        )
    )


CONVS = tuple(_declare("Conv", rank) for rank in (1, 2, 3))
DEPTHWISE_CONVS = tuple(_declare("ConvDepthWise", rank, depthwise=True) for rank in (1, 2, 3))


def make_conv(
    spec: OpSpec,
    weights: Sequence[int],
    biases: int,
    name: str,
    stride_dims: Sequence[int] | None,
    dilation_dims: Sequence[int] | None,
    **attributes: Any,
) -> Node:
    """Make a convolution with Producers of its weights and, unless ``biases`` is 0, biases."""
    rank = len(spec.attrs["stride_dims"])
    where = f"{name} ({spec.type})"
    node = make_node(
        spec,
        name,
        kernel_dims=spatial(weights[2:], rank, "kernel_dims", where=where),
        stride_dims=spatial(stride_dims or (1,) * rank, rank, "stride_dims", where=where),
        dilation_dims=spatial(dilation_dims or (1,) * rank, rank, "dilation_dims", where=where),
        **attributes,
    )
    add_parameter(node, 1, "w", weights)
    if biases:
        add_parameter(node, 2, "b", (biases,))
    return node


def _conv(
    rank: int,
    in_channels: int,
    out_channels: int,
    kernel_dims: Sequence[int],
    name: str,
    stride_dims: Sequence[int] | None,
    dilation_dims: Sequence[int] | None,
    no_bias: bool,
    group: int,
) -> Node:
    spec = CONVS[rank - 1]
    kernel = spatial(kernel_dims, rank, "kernel_dims", where=f"{name} ({spec.type})")
    weights = (out_channels, in_channels // group, *kernel)
    biases = 0 if no_bias else out_channels
    return make_conv(spec, weights, biases, name, stride_dims, dilation_dims, group=group)


def Conv1D(
    in_channels: int,
    out_channels: int,
    kernel_dims: Sequence[int],
    name: str = "",
    stride_dims: Sequence[int] | None = None,
    dilation_dims: Sequence[int] | None = None,
    no_bias: bool = False,
    group: int = 1,
) -> Node:
    """Make a convolution over one spatial dimension; see :func:`Conv2D`."""
    return _conv(
        1, in_channels, out_channels, kernel_dims, name, stride_dims, dilation_dims, no_bias, group
    )


def Conv2D(
    in_channels: int,
    out_channels: int,
    kernel_dims: Sequence[int],
    name: str = "",
    stride_dims: Sequence[int] | None = None,
    dilation_dims: Sequence[int] | None = None,
    no_bias: bool = False,
    group: int = 1,
) -> Node:
    """Make a convolution over two spatial dimensions, with Producers of its parameters.

    Parameters
    ----------
    in_channels, out_channels
        Number of channels of data and result.
    kernel_dims
        Height and width of the kernel, in elements.
    name
        Name of the node. The Producers are called ``<name>_w`` and ``<name>_b``.
    stride_dims, dilation_dims
        Steps of the kernel over the data, and between the data that it reads; 1 by default.
    no_bias
        Whether nothing is added to the result.
    group
        Number of groups of channels that are convolved apart (ours; Aidge has none).

    Raises
    ------
    ShapeError
        For a kernel, stride or dilation without two positive numbers.

    Examples
    --------
    >>> from aidge_nb import ops
    >>> conv = ops.Conv2D(3, 8, [3, 3], name="conv", stride_dims=[2, 2])
    >>> [parent and parent.name() for parent in conv.get_parents()]
    [None, 'conv_w', 'conv_b']
    >>> conv.get_operator().attr.stride_dims
    (2, 2)
    """
    return _conv(
        2, in_channels, out_channels, kernel_dims, name, stride_dims, dilation_dims, no_bias, group
    )


def Conv3D(
    in_channels: int,
    out_channels: int,
    kernel_dims: Sequence[int],
    name: str = "",
    stride_dims: Sequence[int] | None = None,
    dilation_dims: Sequence[int] | None = None,
    no_bias: bool = False,
    group: int = 1,
) -> Node:
    """Make a convolution over three spatial dimensions; see :func:`Conv2D`."""
    return _conv(
        3, in_channels, out_channels, kernel_dims, name, stride_dims, dilation_dims, no_bias, group
    )


def _depthwise(
    rank: int,
    nb_channels: int,
    kernel_dims: Sequence[int],
    name: str,
    stride_dims: Sequence[int] | None,
    dilation_dims: Sequence[int] | None,
    no_bias: bool,
) -> Node:
    spec = DEPTHWISE_CONVS[rank - 1]
    kernel = spatial(kernel_dims, rank, "kernel_dims", where=f"{name} ({spec.type})")
    biases = 0 if no_bias else nb_channels
    return make_conv(spec, (nb_channels, 1, *kernel), biases, name, stride_dims, dilation_dims)


def ConvDepthWise1D(
    nb_channels: int,
    kernel_dims: Sequence[int],
    name: str = "",
    stride_dims: Sequence[int] | None = None,
    dilation_dims: Sequence[int] | None = None,
    no_bias: bool = False,
) -> Node:
    """Make a depthwise convolution over one spatial dimension; see :func:`ConvDepthWise2D`."""
    return _depthwise(1, nb_channels, kernel_dims, name, stride_dims, dilation_dims, no_bias)


def ConvDepthWise2D(
    nb_channels: int,
    kernel_dims: Sequence[int],
    name: str = "",
    stride_dims: Sequence[int] | None = None,
    dilation_dims: Sequence[int] | None = None,
    no_bias: bool = False,
) -> Node:
    """Make a convolution of each channel with a kernel of its own.

    Parameters are those of :func:`Conv2D`; the weights are ``[channels, 1, height, width]``.
    """
    return _depthwise(2, nb_channels, kernel_dims, name, stride_dims, dilation_dims, no_bias)


def ConvDepthWise3D(
    nb_channels: int,
    kernel_dims: Sequence[int],
    name: str = "",
    stride_dims: Sequence[int] | None = None,
    dilation_dims: Sequence[int] | None = None,
    no_bias: bool = False,
) -> Node:
    """Make a depthwise convolution over three spatial dimensions; see :func:`ConvDepthWise2D`."""
    return _depthwise(3, nb_channels, kernel_dims, name, stride_dims, dilation_dims, no_bias)
