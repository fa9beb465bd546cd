"""Long short-term memories whose states are called synapse and membrane, as Aidge has them.

Their weights come from other nodes: a factory makes no Producers for them.

Source: S. Hochreiter and J. Schmidhuber, Long Short-Term Memory, 1997; X. Shi and others,
Convolutional LSTM Network, 2015.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from aidge_nb.compat.operators.spiking import LoopBuilder
from aidge_nb.graph.meta import MetaOperator
from aidge_nb.graph.node import Node, Port
from aidge_nb.ops.activation import Heaviside, Sigmoid
from aidge_nb.ops.arithmetic import Add, Mul, Sub
from aidge_nb.ops.build import make_node
from aidge_nb.ops.convolution import CONVS
from aidge_nb.ops.linear import FULLY_CONNECTED
from aidge_nb.ops.maths import Tanh
from aidge_nb.ops.padded import padded
from aidge_nb.ops.sequence import Memorize

GATES = {"i": Sigmoid, "f": Sigmoid, "g": Tanh, "o": Sigmoid}
"""Gates, and their activations."""


class _Gated:
    """A micro-graph with the four gates of a memory."""

    def __init__(self, name: str, steps: int, layer: Callable[[], Node]) -> None:
        self.cell = cell = LoopBuilder(name)
        self.synapse = cell.add("syn_state", Memorize(steps))
        self.membrane = cell.add("mem_state", Memorize(steps))
        self.layers: dict[str, Node] = {}
        gates = {}
        for gate, activation in GATES.items():
            x = self.layers[f"{gate}X"] = cell.add(f"{gate}X", layer(), cell.data)
            h = self.layers[f"{gate}H"] = cell.add(f"{gate}H", layer(), (self.membrane, 1))
            total = cell.add(f"{gate}Sum", Add(), x, h)
            gates[gate] = cell.add(f"{gate}Act", activation(), total)
        kept = cell.add("forgetMul", Mul(), gates["f"], (self.synapse, 1))
        new = cell.add("inMul", Mul(), gates["i"], gates["g"])
        updated = cell.add("synAdd", Add(), kept, new)
        squashed = cell.add("synAct", Tanh(), updated)
        self.result = cell.add("memMul", Mul(), gates["o"], squashed)
        updated.add_child(self.synapse, 0, 0)
        self.result.add_child(self.membrane, 0, 0)

    def ports(self, gates: str, states: Sequence[Node]) -> list[Port]:
        """List the inputs: data, weight and bias of each layer, initial states."""
        layers = [self.layers[f"{gate}{side}"] for gate in gates for side in "XH"]
        parameters = [Port(layer, index) for layer in layers for index in (1, 2)]
        return [Port(self.cell.data, 0), *parameters, *(Port(state, 1) for state in states)]

    def done(
        self, kind: str, ports: Sequence[Port], outputs: Sequence[Node], name: str, **dims: int
    ) -> Node:
        """Make the node."""
        self.cell.view.set_ordered_outputs([(node, 0) for node in outputs])
        return MetaOperator(
            kind, self.cell.view, name, input_ports=[[each] for each in ports], attributes=dims
        )


def SLSTM(
    in_channels: int,
    hidden_channels: int,
    seq_length: int,
    nobias: bool = False,
    name: str = "",
) -> Node:
    """Make a long short-term memory whose states are its outputs.

    One time step gives c' = f ⊙ c + i ⊙ g and h' = o ⊙ tanh(c'). Inputs are the data, then weight
    and bias of what each gate i, f, g, o makes of the data and of h, then the initial c and h.
    Outputs are c and h as the last step left them.

    Parameters
    ----------
    in_channels, hidden_channels
        Number of features of the data and of the states; weights say them, too.
    seq_length
        Number of time steps.
    nobias
        Accepted for Aidge's sake: biases that are not connected add nothing.
    name
        Name of the layer, which those of its nodes begin with.

    Examples
    --------
    >>> from aidge_nb.compat import operators
    >>> operators.SLSTM(4, 8, 5).get_nb_inputs()
    19
    """
    gated = _Gated(name, seq_length, lambda: make_node(FULLY_CONNECTED))
    states = (gated.synapse, gated.membrane)
    dims = {"in_channels": in_channels, "hidden_channels": hidden_channels}
    ports = gated.ports("ifgo", states)
    return gated.done("SLSTM", ports, states, name, seq_length=seq_length, **dims)


def SConv2DLSTM(
    in_channels: int,
    hidden_channels: int,
    seq_length: int,
    kernel_dims: Sequence[int],
    stride_dims: Sequence[int] = (1, 1),
    dilation_dims: Sequence[int] = (1, 1),
    padding_dims: Sequence[int] = (0, 0, 0, 0),
    threshold: float = 1.0,
    nobias: bool = False,
    name: str = "",
) -> Node:
    """Make the layer of :func:`SLSTM` with convolutions, which fires where h is above a threshold.

    Gates come in the order i, o, f, g, and the initial h before c; then there are the optional
    inputs of eight paddings. Outputs are h and c as the last step left them, and the spikes.

    Parameters
    ----------
    in_channels, hidden_channels, seq_length, nobias, name
        See :func:`SLSTM`.
    kernel_dims, stride_dims, dilation_dims, padding_dims
        See :func:`aidge_nb.ops.PaddedConv2D`; all convolutions have them.
    threshold
        What h is compared with.
    """
    windows: dict[str, Any] = {"stride_dims": stride_dims, "dilation_dims": dilation_dims}

    def layer() -> Node:
        return padded(CONVS[1], "", "", kernel_dims, padding_dims, **windows, group=1)

    gated = _Gated(name, seq_length, layer)
    limit = gated.cell.number(threshold, f"{name}_th" if name else "")
    above = gated.cell.add("mem_minus_th", Sub(), gated.result, limit)
    spike = gated.cell.add("spike", Heaviside(0.0), above)
    states = (gated.membrane, gated.synapse)
    pads = [Port(gated.layers[f"{g}{s}"], i) for g in GATES for s in "XH" for i in (3, 4, 5)]
    dims = {"in_channels": in_channels, "hidden_channels": hidden_channels}
    ports = [*gated.ports("iofg", states), *pads]
    return gated.done("SConv2dLSTM", ports, (*states, spike), name, seq_length=seq_length, **dims)
