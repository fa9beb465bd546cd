"""Convert recurrent layers to a meta-operator: a loop over the time steps.

Inside, Pop takes one step at a time from the sequence, the cell of :mod:`aidge_nb.ops.recurrent`
keeps its state in Memorize nodes, and Stack gathers the results.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import ShapeError
from aidge_nb.core.limits import current_limits
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.meta import MetaOperator, MetaOperatorOp
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView
from aidge_nb.onnx_io.convert.call import OnnxCall, Unsupported, converts
from aidge_nb.ops.build import make_producer
from aidge_nb.ops.recurrent import GRU, LSTM
from aidge_nb.ops.sequence import Pop, Stack
from aidge_nb.ops.shape import Squeeze, Unsqueeze

_ACTIVATIONS = {"LSTM": ("Sigmoid", "Tanh", "Tanh"), "GRU": ("Sigmoid", "Tanh")}
_STATES = {"LSTM": ("initial_h", "initial_c"), "GRU": ("initial_h",)}


@converts("LSTM", "GRU")
def recurrent(call: OnnxCall) -> Node:
    """Convert a layer of one direction with constant weights and known length."""
    _refuse_variants(call)
    weights, recurrence = _weights(call, 1, "its weights W"), _weights(call, 2, "its weights R")
    dims = call.dims(0)
    if dims is None:
        raise Unsupported("a sequence of unknown length; pass dims=")
    length, batch, inputs = dims
    hidden = recurrence.shape[1]
    if batch * hidden * 4 > current_limits().constant_bytes:
        raise Unsupported("a first state of more than constant_bytes")
    biases = call.need_constant(3, "its bias B")[0] if call.has(3) else None
    make = LSTM if call.node.op_type == "LSTM" else GRU
    cell = make(inputs, hidden, length, nobias=biases is None, name=call.name)
    gates = len(weights) // hidden
    values = [*np.split(weights, gates), *np.split(recurrence, gates)]
    values += [] if biases is None else np.split(biases, 2 * gates)
    loop = _CellLoop(call, cell, length)
    for index, value in enumerate(values, start=1):
        loop.add_parameter(index, value)
    first_state = cell.get_nb_inputs() - len(_STATES[call.node.op_type])
    for number, what in enumerate(_STATES[call.node.op_type]):
        loop.add_state(first_state + number, 5 + number, what, (batch, hidden))
    return loop.finish()


def _weights(call: OnnxCall, index: int, what: str) -> NDArray[Any]:
    """Return the weights of the one direction, a matrix."""
    weights = call.need_constant(index, what)
    if weights.ndim != 3 or not weights.size or weights.dtype.kind not in "fiu":
        expected, found = "3 dimensions, none of them 0", f"{weights.dtype}{list(weights.shape)}"
        raise ShapeError.at(f"input#{index}, {what}", "are none", expected=expected, found=found)
    matrix: NDArray[Any] = weights[0]
    return matrix


def _refuse_variants(call: OnnxCall) -> None:
    kind = call.node.op_type
    directions = 2 if call.attr("direction") == "bidirectional" else 1
    usual = _ACTIVATIONS[kind] * directions
    refused = {
        "more than one direction": call.attr("direction", "forward") != "forward",
        "other activations": tuple(call.attr("activations") or usual) != usual,
        "clipping": bool(call.attr("clip", 0)),
        "coupled gates": bool(call.attr("input_forget", 0)),
        "reset behind the product": bool(call.attr("linear_before_reset", 0)),
        "batch first": bool(call.attr("layout", 0)),
        "sequences of different lengths": call.has(4),
        "peepholes": call.has(7),
    }
    found = [what for what, there in refused.items() if there]
    if found:
        raise Unsupported(", ".join(found))


class _CellLoop:
    """The graph around a cell, and the values that feed it."""

    def __init__(self, call: OnnxCall, cell: Node, length: int) -> None:
        operator = cell.get_operator()
        if not isinstance(operator, MetaOperatorOp):
            raise Unsupported("a cell without a graph inside")
        self._call = call
        self._cell = cell
        self._ports = operator.input_ports
        self._outputs = operator.micro_graph.get_ordered_outputs()
        self._sources: list[tuple[Port, str]] = []
        self.view = GraphView()
        pop = self._add("pop", Pop())
        self.view.add(operator.micro_graph.get_nodes(), include_learnable_params=False)
        for port in self._ports[0]:
            pop.add_child(port.node, 0, port.index)
        self._sources.append((Port(pop, 0), call.inputs[0]))
        self._length = length

    def _add(self, suffix: str, node: Node) -> Node:
        node.set_name(f"{self._call.name}_{suffix}")
        self.view.add(node)
        return node

    def add_parameter(self, index: int, value: NDArray[Any]) -> None:
        """Feed input ``index`` of the cell from an inner Producer, read in every step."""
        producer = self._cell.get_parent(index)
        if producer is None:
            raise Unsupported(f"the cell has no parameter {index}")
        self._cell.remove_parent(index)
        producer.get_operator().set_output(0, Tensor(np.ascontiguousarray(value)))
        self.view.add(producer)
        for port in self._ports[index]:
            producer.add_child(port.node, 0, port.index)

    def add_state(self, index: int, position: int, what: str, dims: tuple[int, int]) -> None:
        """Feed an initial state from input ``position`` of the ONNX node, or zeros."""
        if not self._call.has(position):
            first = self._add(what, make_producer(Tensor(np.zeros(dims, np.float32))))
        else:
            first = self._add(what, Squeeze([0]))
            self._sources.append((Port(first, 0), self._call.inputs[position]))
        for port in self._ports[index]:
            first.add_child(port.node, 0, port.index)

    def finish(self) -> Node:
        """Add the meta-operator, with the outputs of ONNX: all results, and the last states."""
        states = [port.node for port in self._outputs if port.node.type() == "Memorize"]
        result = states[0].get_parent(0)
        if result is None:
            raise Unsupported("a cell without a result")
        stack = self._add("stack", Stack(self._length))
        result.add_child(stack, 0, 0)
        gathered = self._add("Y", Unsqueeze([1]))
        stack.add_child(gathered, 0, 0)
        outputs = [(gathered, 0)]
        for state, name in zip(states, ("Y_h", "Y_c"), strict=False):
            last = self._add(name, Unsqueeze([0]))
            state.add_child(last, 0, 0)
            outputs.append((last, 0))
        self.view.set_ordered_outputs(outputs)
        node = MetaOperator(
            f"{self._call.node.op_type}_ONNX",
            self.view,
            self._call.name,
            input_ports=[[port] for port, _ in self._sources],
            attributes=self._cell.get_operator().attr.dict(),
        )
        return self._call.conversion.place(node, [source for _, source in self._sources])
