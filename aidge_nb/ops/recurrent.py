"""Recurrent layers: LSTM and GRU, as meta-operators around a cyclic micro-graph.

The state goes round through Memorize nodes, one time step each time. The first node is an
Identity: put a Pop in front of it to take the steps of a sequence ``[steps, batch, features]``.
Nodes, ports and names are those of Aidge.

Source: S. Hochreiter and J. Schmidhuber, Long Short-Term Memory, 1997; K. Cho and others,
Learning Phrase Representations using RNN Encoder-Decoder, 2014.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.meta import MetaOperator
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView
from aidge_nb.ops.activation import Sigmoid
from aidge_nb.ops.arithmetic import Add, Mul, Sub
from aidge_nb.ops.build import add_parameter, make_node, make_producer
from aidge_nb.ops.linear import FULLY_CONNECTED
from aidge_nb.ops.maths import Tanh
from aidge_nb.ops.sequence import Memorize
from aidge_nb.ops.shape import Identity

Source = Node | tuple[Node, int]
"""The source of an input: the first output of a node, or a node and an output number."""


class CellBuilder:
    """A micro-graph in the making; names of its nodes begin with that of the layer."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._from_data: list[Node] = []
        self._from_state: list[Node] = []
        self.view = GraphView()
        self.data = self.add("input", Identity())

    def add(self, name: str, node: Node, *sources: Source) -> Node:
        """Add a node that reads ``sources``, in this order."""
        node.set_name(f"{self._name}_{name}" if self._name else "")
        for index, source in enumerate(sources):
            parent, output = source if isinstance(source, tuple) else (source, 0)
            parent.add_child(node, output, index)
        self.view.add(node)
        return node

    def gate(self, name: str, state: Source, activation: Node) -> Node:
        """Add a gate: an activation of what the data and the state say, each by a FC."""
        from_data = self.add(f"{name}X", make_node(FULLY_CONNECTED), self.data)
        from_state = self.add(f"{name}H", make_node(FULLY_CONNECTED), state)
        self._from_data.append(from_data)
        self._from_state.append(from_state)
        both = self.add(name, Add(), from_data, from_state)
        return self.add(f"{name}Act", activation, both)

    def finish(
        self,
        type_name: str,
        states: Sequence[Node],
        outputs: Sequence[Node],
        dims: tuple[int, int, int],
        gates: str,
        nobias: bool,
    ) -> Node:
        """Make the layer; ports are data, all weights, all biases, initial states."""
        in_channels, hidden_channels, seq_length = dims
        layers = [*self._from_data, *self._from_state]
        ports = [
            [Port(self.data, 0)],
            *([Port(layer, 1)] for layer in layers),
            *([Port(layer, 2)] for layer in layers),
            *([Port(state, 1)] for state in states),
        ]
        self.view.set_ordered_outputs([(node, 0) for node in outputs])
        attributes = {
            "in_channels": in_channels,
            "hidden_channels": hidden_channels,
            "seq_length": seq_length,
        }
        node = MetaOperator(
            type_name, self.view, self._name, input_ports=ports, attributes=attributes
        )
        suffixes = [f"{side}{gate}" for side in "wr" for gate in gates]
        for index, suffix in enumerate(suffixes, 1):
            width = in_channels if suffix[0] == "w" else hidden_channels
            add_parameter(node, index, suffix, (hidden_channels, width))
        if not nobias:
            for index, suffix in enumerate(suffixes, 1 + len(suffixes)):
                add_parameter(node, index, f"{suffix[0]}b{suffix[1]}", (hidden_channels,))
        return node


def LSTM(
    in_channels: int,
    hidden_channels: int,
    seq_length: int,
    nobias: bool = False,
    name: str = "",
) -> Node:
    """Make a long short-term memory layer.

    One time step gives c' = f ⊙ c + i ⊙ tanh(...) and h' = o ⊙ tanh(c'), with gates i, o, f.

    Parameters
    ----------
    in_channels, hidden_channels
        Number of features of the data and of the state.
    seq_length
        Number of time steps.
    nobias
        Whether the gates add nothing.
    name
        Name of the layer, which those of its nodes begin with. Its Producers are called
        ``<name>_wi``, ``_wo``, ``_wf``, ``_wc`` (weights of the data), ``_ri`` ... (of the state),
        ``_wbi`` ... and ``_rbi`` ... (biases). The last two inputs are the initial hidden and
        cell states.

    Examples
    --------
    >>> from aidge_nb import ops
    >>> lstm = ops.LSTM(4, 8, seq_length=5, name="lstm")
    >>> lstm.get_nb_inputs(), lstm.get_nb_outputs()
    (19, 3)
    """
    cell = CellBuilder(name)
    hidden = cell.add("hidden_state", Memorize(seq_length))
    memory = cell.add("cell_state", Memorize(seq_length))
    recent = (hidden, 1)
    let_in = cell.gate("inputGate", recent, Sigmoid())
    let_out = cell.gate("outputGate", recent, Sigmoid())
    keep = cell.gate("forgetGate", recent, Sigmoid())
    candidate = cell.gate("cellCandidate", recent, Tanh())
    kept = cell.add("forgetGateMul", Mul(), keep, (memory, 1))
    new = cell.add("inputGateMul", Mul(), let_in, candidate)
    updated = cell.add("add", Add(), kept, new)
    squashed = cell.add("cellUpdatedAct", Tanh(), updated)
    result = cell.add("outputGateMul", Mul(), let_out, squashed)
    result.add_child(hidden, 0, 0)
    updated.add_child(memory, 0, 0)
    dims = (in_channels, hidden_channels, seq_length)
    return cell.finish("LSTM", (hidden, memory), (result, hidden, memory), dims, "iofc", nobias)


def GRU(
    in_channels: int,
    hidden_channels: int,
    seq_length: int,
    nobias: bool = False,
    name: str = "",
) -> Node:
    """Make a gated recurrent unit.

    One time step gives h' = (1 - z) ⊙ tanh(W x + R (r ⊙ h)) + z ⊙ h, with gates z and r.

    Parameters are those of :func:`LSTM`; the Producers are called ``<name>_wz``, ``_wr``, ``_wh``,
    ``_rz`` ..., ``_wbz`` ... and ``_rbz`` .... The last input is the initial hidden state.

    Parameters
    ----------
    in_channels
        Number of channels (features) of the data.
    hidden_channels
        Number of features of the state.
    seq_length
        Number of time steps.
    nobias
        Whether nothing is added; there is no bias input then.
    name
        Name of the node.
    """
    cell = CellBuilder(name)
    hidden = cell.add("hidden_state", Memorize(seq_length))
    recent = (hidden, 1)
    update = cell.gate("updateGate", recent, Sigmoid())
    reset = cell.gate("resetGate", recent, Sigmoid())
    seen = cell.add("resetGateMul", Mul(), reset, recent)
    candidate = cell.gate("hiddenGate", seen, Tanh())
    one = cell.add("one", make_producer(Tensor(np.ones(1, np.float32)), constant=True))
    rest = cell.add("newHiddenSub", Sub(), one, update)
    new = cell.add("newHiddenMulGate", Mul(), rest, candidate)
    kept = cell.add("newHiddenMulPrev", Mul(), update, recent)
    result = cell.add("newHiddenAdd", Add(), new, kept)
    result.add_child(hidden, 0, 0)
    dims = (in_channels, hidden_channels, seq_length)
    return cell.finish("GRU", (hidden,), (hidden,), dims, "zrh", nobias)
