"""Transposed convolutions of any number of spatial dimensions.

Dimensions: data ``[batch, in channels, *spatial]``, weights ``[in channels, out channels / group,
*kernel]``, bias ``[out channels]``.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from aidge_nb.core.errors import ShapeError, explain
from aidge_nb.core.tensor import Dims
from aidge_nb.graph.attributes import REQUIRED
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import CpModel, OpSpec, ShapeContext, register
from aidge_nb.ops.convolution import INPUTS, check_channels, check_kernel, make_conv
from aidge_nb.ops.rules import spatial


def _transposed_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    kernel = check_kernel(context)
    attrs, where, rank = context.attrs, context.where, len(kernel)
    strides = spatial(attrs.stride_dims, rank, "stride_dims", where=where)
    dilations = spatial(attrs.dilation_dims, rank, "dilation_dims", where=where)
    extra = spatial(attrs.output_padding or (0,) * rank, rank, "output_padding", least=0)
    pads = spatial(attrs.pads or (0,) * (2 * rank), 2 * rank, "pads", least=0, where=where)
    data, weights, group = context.dim(0), context.dim(1), int(attrs.group)
    check_channels(context, weights[0], weights[1] * group, group)
    sizes = [
        stride * (size - 1) + dilation * (k - 1) + 1 + more - pads[axis] - pads[rank + axis]
        if size
        else 0
        for axis, (size, k, stride, dilation, more) in enumerate(
            zip(data[2:], kernel, strides, dilations, extra, strict=True)
        )
    ]
    if min(sizes) < 0:
        raise ShapeError(
            explain(where, "pads cut away more than there is", expected="sizes >= 0", found=sizes)
        )
    return [(data[0], weights[1] * group, *sizes)]


def _transposed_macs(context: ShapeContext, outputs: Sequence[Dims]) -> int:
    return context.dim(0).size * prod(context.dim(1)[1:])


def _declare_transposed(rank: int) -> OpSpec:
    return register(
        OpSpec(
            f"ConvTranspose{rank}D",
            INPUTS,
            _transposed_dims,
            attrs={
                "stride_dims": (1,) * rank,
                "dilation_dims": (1,) * rank,
                "kernel_dims": REQUIRED,
                # Ours, for ONNX: pads are what is cut off the output.
                "output_padding": (),
                "pads": (),
                "group": 1,
            },
            cp=CpModel.IN_PLACE,
            macs=_transposed_macs,
        )
    )


TRANSPOSED_CONVS = tuple(_declare_transposed(rank) for rank in (1, 2, 3))


def _transposed(
    rank: int,
    in_channels: int,
    out_channels: int,
    kernel_dims: Sequence[int],
    stride_dims: Sequence[int] | None,
    dilation_dims: Sequence[int] | None,
    no_bias: bool,
    name: str,
) -> Node:
    spec = TRANSPOSED_CONVS[rank - 1]
    kernel = spatial(kernel_dims, rank, "kernel_dims", where=f"{name} ({spec.type})")
    weights = (in_channels, out_channels, *kernel)
    biases = 0 if no_bias else out_channels
    return make_conv(spec, weights, biases, name, stride_dims, dilation_dims)


def ConvTranspose1D(
    in_channels: int,
    out_channels: int,
    kernel_dims: Sequence[int],
    stride_dims: Sequence[int] | None = None,
    dilation_dims: Sequence[int] | None = None,
    no_bias: bool = False,
    name: str = "",
) -> Node:
    """Make a transposed convolution over one dimension; see :func:`ConvTranspose2D`."""
    return _transposed(
        1, in_channels, out_channels, kernel_dims, stride_dims, dilation_dims, no_bias, name
    )


def ConvTranspose2D(
    in_channels: int,
    out_channels: int,
    kernel_dims: Sequence[int],
    stride_dims: Sequence[int] | None = None,
    dilation_dims: Sequence[int] | None = None,
    no_bias: bool = False,
    name: str = "",
) -> Node:
    """Make a transposed convolution: what goes backward through a :func:`Conv2D`.

    Parameters are those of :func:`Conv2D`, in another order, as in Aidge; the weights are
    ``[in_channels, out_channels, height, width]``.
    """
    return _transposed(
        2, in_channels, out_channels, kernel_dims, stride_dims, dilation_dims, no_bias, name
    )


def ConvTranspose3D(
    in_channels: int,
    out_channels: int,
    kernel_dims: Sequence[int],
    stride_dims: Sequence[int] | None = None,
    dilation_dims: Sequence[int] | None = None,
    no_bias: bool = False,
    name: str = "",
) -> Node:
    """Make a transposed convolution over three dimensions; see :func:`ConvTranspose2D`."""
    return _transposed(
        3, in_channels, out_channels, kernel_dims, stride_dims, dilation_dims, no_bias, name
    )
