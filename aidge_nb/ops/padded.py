"""Meta-operators that pad first: a Pad, and a convolution or pooling, as one node.

Inputs are those of the inner operator, then the optional ones of Pad, as in Aidge.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aidge_nb.graph.meta import MetaOperator
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.spec import CpModel, OpSpec
from aidge_nb.graph.view import GraphView
from aidge_nb.ops.build import make_node
from aidge_nb.ops.convolution import CONVS, DEPTHWISE_CONVS, with_parameters
from aidge_nb.ops.pooling import AVG_POOLINGS, HALF_AWAY, MAX_POOLINGS
from aidge_nb.ops.rules import spatial
from aidge_nb.ops.slicing import PAD
from aidge_nb.ops.windows import per_rank, window_attributes


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

    Raise ShapeError for dims or pads that are too few, too many or negative.
    """
    where = f"{name} (Padded{spec.type})"
    rank = len(spec.attrs["stride_dims"])
    none = (0,) * (2 * rank)
    pads = spatial(padding_dims or none, 2 * rank, "padding_dims", least=0, where=where)
    windows = window_attributes(spec, where, {"kernel_dims": kernel_dims, **attributes})
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
    spec: OpSpec,
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
    """Make a convolution over {dimensions} that pads its input with zeros first.

    The Producers of its weights and biases are called ``<name>_w`` and ``<name>_b``.

    {parameters}

    Examples
    --------
    >>> from aidge_nb import ops
    >>> conv = ops.{type}(3, 8, [3] * {rank}, name="conv", padding_dims=[1, 1] * {rank})
    >>> [node.name() for node in conv.get_operator().micro_graph.get_nodes()]
    ['conv_pad', 'conv_conv']
    """
    window: dict[str, Any] = {"stride_dims": stride_dims, "dilation_dims": dilation_dims}
    node = padded(spec, name, "conv", kernel_dims, padding_dims, **window, group=group)
    weights = (out_channels, in_channels // group)
    return with_parameters(node, weights, 0 if no_bias else out_channels)


def _depthwise(
    spec: OpSpec,
    nb_channels: int,
    kernel_dims: Sequence[int],
    name: str = "",
    stride_dims: Sequence[int] | None = None,
    padding_dims: Sequence[int] | None = None,
    dilation_dims: Sequence[int] | None = None,
    no_bias: bool = False,
) -> Node:
    """Make a depthwise convolution over {dimensions} that pads its input with zeros first.

    The Producers of its weights and biases are called ``<name>_w`` and ``<name>_b``.

    {parameters}

    Examples
    --------
    >>> from aidge_nb import ops
    >>> conv = ops.{type}(8, [3] * {rank}, name="conv", padding_dims=[1, 1] * {rank})
    >>> [node.name() for node in conv.get_operator().micro_graph.get_nodes()]
    ['conv_pad', 'conv_conv_depth_wise']
    """
    window: dict[str, Any] = {"stride_dims": stride_dims, "dilation_dims": dilation_dims}
    node = padded(spec, name, "conv_depth_wise", kernel_dims, padding_dims, **window)
    return with_parameters(node, (nb_channels, 1), 0 if no_bias else nb_channels)


def _max_pooling(
    spec: OpSpec,
    kernel_dims: Sequence[int],
    name: str = "",
    stride_dims: Sequence[int] | None = None,
    dilations: Sequence[int] | None = None,
    padding_dims: Sequence[int] | None = None,
    ceil_mode: bool = False,
    storage_order: bool = False,
) -> Node:
    """Make a MaxPooling over {dimensions} that pads its input with the lowest number first.

    {parameters}

    Examples
    --------
    >>> from aidge_nb import ops
    >>> pooling = ops.{type}([2] * {rank}, name="pool", padding_dims=[0, 1] * {rank})
    >>> [node.name() for node in pooling.get_operator().micro_graph.get_nodes()]
    ['pool_pad', 'pool_maxpooling']
    """
    return padded(
        spec,
        name,
        "maxpooling",
        kernel_dims,
        padding_dims,
        "constant_lowest",
        stride_dims=stride_dims,
        dilations=dilations,
        ceil_mode=ceil_mode,
        storage_order=storage_order,
    )


def _avg_pooling(
    spec: OpSpec,
    kernel_dims: Sequence[int],
    name: str = "",
    stride_dims: Sequence[int] | None = None,
    dilations: Sequence[int] | None = None,
    padding_dims: Sequence[int] | None = None,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    rounding_mode: str = HALF_AWAY,
) -> Node:
    """Make an AvgPooling over {dimensions} that pads its input with zeros first.

    {parameters}

    Examples
    --------
    >>> from aidge_nb import ops
    >>> pooling = ops.{type}([2] * {rank}, name="pool", padding_dims=[0, 1] * {rank})
    >>> [node.name() for node in pooling.get_operator().micro_graph.get_nodes()]
    ['pool_pad', 'pool_avgpooling']
    """
    none = (0,) * (2 * len(spec.attrs["stride_dims"]))
    pads = tuple(padding_dims or none)
    return padded(
        spec,
        name,
        "avgpooling",
        kernel_dims,
        pads,
        stride_dims=stride_dims,
        dilations=dilations,
        ceil_mode=ceil_mode,
        rounding_mode=rounding_mode,
        ignore_pads=none if count_include_pad else pads,
    )


PaddedConv1D, PaddedConv2D, PaddedConv3D = per_rank(CONVS, _conv, "Padded")
PaddedConvDepthWise1D, PaddedConvDepthWise2D, PaddedConvDepthWise3D = per_rank(
    DEPTHWISE_CONVS, _depthwise, "Padded"
)
PaddedMaxPooling1D, PaddedMaxPooling2D, PaddedMaxPooling3D = per_rank(
    MAX_POOLINGS, _max_pooling, "Padded"
)
PaddedAvgPooling1D, PaddedAvgPooling2D, PaddedAvgPooling3D = per_rank(
    AVG_POOLINGS, _avg_pooling, "Padded"
)
