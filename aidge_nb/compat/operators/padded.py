"""Transposed convolutions with a border of zeros around the result, as one node, as in Aidge.

ONNX's pads of ConvTranspose are the opposite: they cut the result.
"""

from __future__ import annotations

from collections.abc import Sequence

from aidge_nb.graph.meta import MetaOperator
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.spec import OpSpec
from aidge_nb.graph.view import GraphView
from aidge_nb.ops.build import make_node
from aidge_nb.ops.convolution import TRANSPOSED_CONVS, with_parameters
from aidge_nb.ops.rules import spatial
from aidge_nb.ops.slicing import PAD
from aidge_nb.ops.windows import per_rank, window_attributes


def _transposed(
    spec: OpSpec,
    in_channels: int,
    out_channels: int,
    kernel_dims: Sequence[int],
    stride_dims: Sequence[int] | None = None,
    dilation_dims: Sequence[int] | None = None,
    no_bias: bool = False,
    padding_dims: Sequence[int] | None = None,
    name: str = "",
) -> Node:
    """Make a transposed convolution over {dimensions} that puts zeros around its result.

    The Producers of its weights and biases are called ``<name>_w`` and ``<name>_b``.

    {parameters}

    Examples
    --------
    >>> from aidge_nb.compat import operators
    >>> conv = operators.{type}(3, 8, [3] * {rank}, padding_dims=[1, 1] * {rank}, name="up")
    >>> [node.name() for node in conv.get_operator().micro_graph.get_nodes()]
    ['up_convTranspose', 'up_pad']
    """
    where = f"{name} (Padded{spec.type})"
    rank = len(spec.attrs["stride_dims"])
    pads = spatial(
        padding_dims or (0,) * (2 * rank), 2 * rank, "padding_dims", least=0, where=where
    )
    given = {
        "kernel_dims": kernel_dims,
        "stride_dims": stride_dims,
        "dilation_dims": dilation_dims,
    }
    windows = window_attributes(spec, where, given)
    inner = make_node(spec, f"{name}_convTranspose" if name else "", **windows)
    pad = make_node(PAD, f"{name}_pad" if name else "", pads=pads, axes=tuple(range(-rank, 0)))
    inner.add_child(pad, 0, 0)
    micro = GraphView()
    micro.add([inner, pad])
    micro.set_ordered_outputs([(pad, 0)])
    ports = [
        *([Port(inner, index)] for index in range(inner.get_nb_inputs())),
        *([Port(pad, index)] for index in (1, 2, 3)),
    ]
    node = MetaOperator(
        f"Padded{spec.type}",
        micro,
        name,
        input_ports=ports,
        attributes={**windows, "padding_dims": pads},
    )
    return with_parameters(node, (in_channels, out_channels), 0 if no_bias else out_channels)


PaddedConvTranspose1D, PaddedConvTranspose2D, PaddedConvTranspose3D = per_rank(
    TRANSPOSED_CONVS, _transposed, "Padded"
)
