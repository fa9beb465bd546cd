"""Meta-operators that pad first: a Pad and a convolution, as one node.

The micro-graph of ``conv`` holds ``conv_pad`` and ``conv_conv`` (``conv_conv_depth_wise``).
Inputs are those of the convolution, then the optional ones of Pad, as in Aidge. Pooling has its
like in :mod:`aidge_nb.ops.padded_pooling`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aidge_nb.graph.meta import MetaOperator
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.spec import CpModel, OpSpec
from aidge_nb.graph.view import GraphView
from aidge_nb.ops.build import add_parameter, make_node
from aidge_nb.ops.convolution import CONVS, DEPTHWISE_CONVS
from aidge_nb.ops.rules import spatial
from aidge_nb.ops.slicing import PAD


def padded(
    spec: OpSpec,
    name: str,
    suffix: str,
    kernel_dims: Sequence[int],
    padding_dims: Sequence[int] | None,
    mode: str = "constant",
    **attributes: Any,
) -> Node:
    """Make a meta-operator of a Pad and an operator with a sliding window.

    Raises
    ------
    ShapeError
        For dims or pads that are too few, too many or negative.
    """
    where = f"{name} (Padded{spec.type})"
    rank = len(spec.attrs["stride_dims"])
    pads = spatial(
        padding_dims or (0,) * (2 * rank), 2 * rank, "padding_dims", least=0, where=where
    )
    windows = {"kernel_dims": kernel_dims, **attributes}
    for attribute in ("kernel_dims", "stride_dims", "dilation_dims", "dilations"):
        if attribute in spec.attrs:
            values = windows.get(attribute) or (1,) * rank
            windows[attribute] = spatial(values, rank, attribute, where=where)
    pad = make_node(
        PAD, f"{name}_pad" if name else "", mode=mode, pads=pads, axes=tuple(range(-rank, 0))
    )
    inner = make_node(spec, f"{name}_{suffix}" if name else "", **windows)
    pad.add_child(inner, 0, 0)
    micro = GraphView()
    micro.add([pad, inner])
    micro.set_ordered_outputs([(inner, 0)])
    ports = [
        [Port(pad, 0)],
        *([Port(inner, index)] for index in range(1, inner.get_nb_inputs())),
        *([Port(pad, index)] for index in (1, 2, 3)),
    ]
    return MetaOperator(
        f"Padded{spec.type}",
        micro,
        name,
        input_ports=ports,
        attributes={**windows, "padding_dims": pads},
        cp=CpModel.PADDED,
    )


def _conv(
    rank: int,
    in_channels: int,
    out_channels: int,
    kernel_dims: Sequence[int],
    name: str,
    stride_dims: Sequence[int] | None,
    padding_dims: Sequence[int] | None,
    dilation_dims: Sequence[int] | None,
    no_bias: bool,
    group: int,
) -> Node:
    node = padded(
        CONVS[rank - 1],
        name,
        "conv",
        kernel_dims,
        padding_dims,
        stride_dims=stride_dims,
        dilation_dims=dilation_dims,
        group=group,
    )
    add_parameter(node, 1, "w", (out_channels, in_channels // group, *kernel_dims))
    if not no_bias:
        add_parameter(node, 2, "b", (out_channels,))
    return node


def PaddedConv1D(
    in_channels: int,
    out_channels: int,
    kernel_dims: Sequence[int],
    name: str = "",
    stride_dims: Sequence[int] | None = None,
    padding_dims: Sequence[int] | None = None,
    dilation_dims: Sequence[int] | None = None,
    no_bias: bool = False,
    group: int = 1,
) -> Node:
    """Make a padded convolution over one spatial dimension; see :func:`PaddedConv2D`."""
    return _conv(
        1,
        in_channels,
        out_channels,
        kernel_dims,
        name,
        stride_dims,
        padding_dims,
        dilation_dims,
        no_bias,
        group,
    )


def PaddedConv2D(
    in_channels: int,
    out_channels: int,
    kernel_dims: Sequence[int],
    name: str = "",
    stride_dims: Sequence[int] | None = None,
    padding_dims: Sequence[int] | None = None,
    dilation_dims: Sequence[int] | None = None,
    no_bias: bool = False,
    group: int = 1,
) -> Node:
    """Make a convolution that pads its input with zeros first.

    Parameters
    ----------
    padding_dims
        Number of elements added above and left, then below and right; 0 by default.
    in_channels, out_channels, kernel_dims, name, stride_dims, dilation_dims, no_bias, group
        As for :func:`~aidge_nb.ops.Conv2D`.

    Raises
    ------
    ShapeError
        For dims or pads that are too few, too many or negative.

    Examples
    --------
    >>> from aidge_nb import ops
    >>> conv = ops.PaddedConv2D(3, 8, [3, 3], name="conv", padding_dims=[1, 1, 1, 1])
    >>> [node.name() for node in conv.get_operator().micro_graph.get_nodes()]
    ['conv_pad', 'conv_conv']
    """
    return _conv(
        2,
        in_channels,
        out_channels,
        kernel_dims,
        name,
        stride_dims,
        padding_dims,
        dilation_dims,
        no_bias,
        group,
    )


def PaddedConv3D(
    in_channels: int,
    out_channels: int,
    kernel_dims: Sequence[int],
    name: str = "",
    stride_dims: Sequence[int] | None = None,
    padding_dims: Sequence[int] | None = None,
    dilation_dims: Sequence[int] | None = None,
    no_bias: bool = False,
    group: int = 1,
) -> Node:
    """Make a padded convolution over three spatial dimensions; see :func:`PaddedConv2D`."""
    return _conv(
        3,
        in_channels,
        out_channels,
        kernel_dims,
        name,
        stride_dims,
        padding_dims,
        dilation_dims,
        no_bias,
        group,
    )


def _depthwise(
    rank: int,
    nb_channels: int,
    kernel_dims: Sequence[int],
    name: str,
    stride_dims: Sequence[int] | None,
    padding_dims: Sequence[int] | None,
    dilation_dims: Sequence[int] | None,
    no_bias: bool,
) -> Node:
    node = padded(
        DEPTHWISE_CONVS[rank - 1],
        name,
        "conv_depth_wise",
        kernel_dims,
        padding_dims,
        stride_dims=stride_dims,
        dilation_dims=dilation_dims,
    )
    add_parameter(node, 1, "w", (nb_channels, 1, *kernel_dims))
    if not no_bias:
        add_parameter(node, 2, "b", (nb_channels,))
    return node


def PaddedConvDepthWise1D(
    nb_channels: int,
    kernel_dims: Sequence[int],
    name: str = "",
    stride_dims: Sequence[int] | None = None,
    padding_dims: Sequence[int] | None = None,
    dilation_dims: Sequence[int] | None = None,
    no_bias: bool = False,
) -> Node:
    """Make a padded depthwise convolution over one dimension; see :func:`PaddedConv2D`."""
    return _depthwise(
        1, nb_channels, kernel_dims, name, stride_dims, padding_dims, dilation_dims, no_bias
    )


def PaddedConvDepthWise2D(
    nb_channels: int,
    kernel_dims: Sequence[int],
    name: str = "",
    stride_dims: Sequence[int] | None = None,
    padding_dims: Sequence[int] | None = None,
    dilation_dims: Sequence[int] | None = None,
    no_bias: bool = False,
) -> Node:
    """Make a padded depthwise convolution over two dimensions; see :func:`PaddedConv2D`."""
    return _depthwise(
        2, nb_channels, kernel_dims, name, stride_dims, padding_dims, dilation_dims, no_bias
    )


def PaddedConvDepthWise3D(
    nb_channels: int,
    kernel_dims: Sequence[int],
    name: str = "",
    stride_dims: Sequence[int] | None = None,
    padding_dims: Sequence[int] | None = None,
    dilation_dims: Sequence[int] | None = None,
    no_bias: bool = False,
) -> Node:
    """Make a padded depthwise convolution over three dimensions; see :func:`PaddedConv2D`."""
    return _depthwise(
        3, nb_channels, kernel_dims, name, stride_dims, padding_dims, dilation_dims, no_bias
    )
