"""Convolutions of any number of spatial dimensions.

One declaration serves 1-D, 2-D and 3-D. Pad pads: see the meta-operators of
:mod:`aidge_nb.ops.padded`.

Dimensions: data ``[batch, in channels, *spatial]``, weights ``[out channels, in channels / group,
*kernel]`` (transposed: ``[in channels, out channels / group, *kernel]``), bias ``[out channels]``.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from aidge_nb.core.dims import Dims, window_count
from aidge_nb.core.errors import ShapeError
from aidge_nb.graph.attributes import REQUIRED
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import CpModel, OpSpec, ShapeContext
from aidge_nb.ops import ports
from aidge_nb.ops.build import add_parameter, declare
from aidge_nb.ops.rules import need_dims, need_rank, port, spatial
from aidge_nb.ops.windows import make_sliding, per_rank


def check_channels(context: ShapeContext, inputs: int, outputs: int, group: int) -> None:
    """Check channels of data and bias against those that the weights stand for."""
    found = context.dim(0)[1]
    if found != inputs or inputs % group or outputs % group:
        raise ShapeError.at(
            port(context.where, 0),
            "wrong number of channels",
            expected=f"{inputs} (weights {list(context.dim(1))}, {group} groups)",
            found=found,
        )
    if context.present(2):
        need_dims(context.dim(2), [outputs], "wrong bias dims", port(context.where, 2))


def check_kernel(context: ShapeContext) -> tuple[int, ...]:
    """Check ranks and weights against the kernel dims, and return these."""
    kernel = spatial(context.attrs.kernel_dims, len(context.attrs.kernel_dims), "kernel_dims")
    rank = len(kernel)
    need_rank(context.dim(0), rank + 2, port(context.where, 0))
    need_rank(context.dim(1), rank + 2, port(context.where, 1))
    problem = "weights do not have the dims of the kernel"
    need_dims(context.dim(1)[2:], kernel, problem, port(context.where, 1))
    return kernel


def conv_dims(context: ShapeContext, group: int) -> Sequence[Sequence[int]]:
    """Return the dimensions that a convolution makes."""
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
        raise ShapeError.at(
            port(where, 0),
            "the kernel is larger than the input",
            expected=f"a kernel {list(kernel)}, dilated by {list(dilations)}, that fits",
            found=list(data),
            cure="Pad the input first.",
        )
    return [(data[0], weights[0], *sizes)]


def _conv_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    is_grouped = "group" in context.attrs
    return conv_dims(context, int(context.attrs.group) if is_grouped else context.dim(1)[0])


def _macs(context: ShapeContext, outputs: Sequence[Dims]) -> int:
    return outputs[0].size * prod(context.dim(1)[1:])


def _declare(type_name: str, rank: int, *, depthwise: bool = False) -> OpSpec:
    """Declare a convolution; ``group`` is our extension, Aidge slices and concatenates."""
    attrs = {"kernel_dims": REQUIRED, "stride_dims": (1,) * rank, "dilation_dims": (1,) * rank}
    return declare(
        f"{type_name}{rank}D",
        ports.WEIGHTED,
        _conv_dims,
        attrs=attrs if depthwise else {**attrs, "group": 1},
        cp=CpModel.IN_PLACE,  # as in Aidge; `overwrites` promises nothing
        macs=_macs,
    )


CONVS = tuple(_declare("Conv", rank) for rank in (1, 2, 3))
DEPTHWISE_CONVS = tuple(_declare("ConvDepthWise", rank, depthwise=True) for rank in (1, 2, 3))


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
        raise ShapeError.at(
            where, "pads cut away more than there is", expected="sizes >= 0", found=sizes
        )
    return [(data[0], weights[1] * group, *sizes)]


def _transposed_macs(context: ShapeContext, outputs: Sequence[Dims]) -> int:
    return context.dim(0).size * prod(context.dim(1)[1:])


def _declare_transposed(rank: int) -> OpSpec:
    return declare(
        f"ConvTranspose{rank}D",
        ports.WEIGHTED,
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


TRANSPOSED_CONVS = tuple(_declare_transposed(rank) for rank in (1, 2, 3))


def with_parameters(node: Node, weights: tuple[int, int], biases: int) -> Node:
    """Add Producers of the weights of a convolution and, unless ``biases`` is 0, of its biases."""
    add_parameter(node, 1, "w", (*weights, *node.get_operator().attr.kernel_dims))
    if biases:
        add_parameter(node, 2, "b", (biases,))
    return node


def _conv(
    spec: OpSpec,
    in_channels: int,
    out_channels: int,
    kernel_dims: Sequence[int],
    name: str = "",
    stride_dims: Sequence[int] | None = None,
    dilation_dims: Sequence[int] | None = None,
    no_bias: bool = False,
    group: int = 1,
) -> Node:
    """Make a convolution over {dimensions}, with Producers of its parameters.

    They are called ``<name>_w`` and ``<name>_b``.

    {parameters}

    Examples
    --------
    >>> from aidge_nb import ops
    >>> conv = ops.{type}(3, 8, [3] * {rank}, name="conv", stride_dims=[2] * {rank})
    >>> [parent and parent.name() for parent in conv.get_parents()]
    [None, 'conv_w', 'conv_b']
    """
    node = make_sliding(spec, name, kernel_dims, stride_dims, dilation_dims, group=group)
    weights = (out_channels, in_channels // group)
    return with_parameters(node, weights, 0 if no_bias else out_channels)


def _depthwise(
    spec: OpSpec,
    nb_channels: int,
    kernel_dims: Sequence[int],
    name: str = "",
    stride_dims: Sequence[int] | None = None,
    dilation_dims: Sequence[int] | None = None,
    no_bias: bool = False,
) -> Node:
    """Make a convolution of each channel with its own kernel, over {dimensions}.

    The weights are ``[nb_channels, 1, *kernel_dims]``; their Producer and that of the biases are
    called ``<name>_w`` and ``<name>_b``.

    {parameters}

    Examples
    --------
    >>> from aidge_nb import ops
    >>> ops.{type}(8, [3] * {rank}).get_parent(1).get_operator().get_output(0).dims[:2]
    [8, 1]
    """
    node = make_sliding(spec, name, kernel_dims, stride_dims, dilation_dims)
    return with_parameters(node, (nb_channels, 1), 0 if no_bias else nb_channels)


def _transposed(
    spec: OpSpec,
    in_channels: int,
    out_channels: int,
    kernel_dims: Sequence[int],
    stride_dims: Sequence[int] | None = None,
    dilation_dims: Sequence[int] | None = None,
    no_bias: bool = False,
    name: str = "",
) -> Node:
    """Make a transposed convolution over {dimensions}: the gradient of a convolution.

    The weights are ``[in_channels, out_channels, *kernel_dims]``; their Producer and that of the
    biases are called ``<name>_w`` and ``<name>_b``. Strides and dilations count elements of the
    result.

    {parameters}

    Examples
    --------
    >>> from aidge_nb import ops
    >>> ops.{type}(3, 8, [3] * {rank}).get_parent(1).get_operator().get_output(0).dims[:2]
    [3, 8]
    """
    node = make_sliding(spec, name, kernel_dims, stride_dims, dilation_dims)
    return with_parameters(node, (in_channels, out_channels), 0 if no_bias else out_channels)


Conv1D, Conv2D, Conv3D = per_rank(CONVS, _conv)
ConvDepthWise1D, ConvDepthWise2D, ConvDepthWise3D = per_rank(DEPTHWISE_CONVS, _depthwise)
ConvTranspose1D, ConvTranspose2D, ConvTranspose3D = per_rank(TRANSPOSED_CONVS, _transposed)
