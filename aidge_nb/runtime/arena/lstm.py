"""Recognize an LSTM over a whole sequence by how its nodes are connected.

It runs in one step instead of its micro-graph. A micro-graph that differs in anything runs as it
is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.meta import MetaOperatorOp
from aidge_nb.graph.node import Node, Port

_INSIDE = {
    "Pop": (1, 1),
    "Stack": (1, 1),
    "Memorize": (2, 2),
    "FC": (8, 8),
    "Add": (5, 5),
    "Mul": (3, 3),
    "Sigmoid": (3, 3),
    "Tanh": (2, 2),
    "Identity": (0, 1),
    "Squeeze": (0, 2),
    "Unsqueeze": (0, 3),
    "Producer": (0, 99),
}
"""The least and the greatest number of nodes of each type in an LSTM over a sequence."""


@dataclass(frozen=True, slots=True)
class LstmCell:
    """An LSTM over a sequence."""

    # weights, recurrence, biases: the parameters, by gate: input, output, forget, cell. Biases of
    # the data come first, then those of the state; empty without biases.
    weights: tuple[Tensor, ...]
    recurrence: tuple[Tensor, ...]
    biases: tuple[Tensor, ...]
    # the initial states h and c: ``[batch, hidden]``, or ``[1, batch, hidden]``
    states: tuple[Tensor, Tensor]
    # what each output of the operator is: 0 for all h, 1 for the last h, 2 for the last c
    results: tuple[int, ...]

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """All tensors that it reads except the data."""
        return (*self.weights, *self.recurrence, *self.biases, *self.states)


def lstm_of(operator: MetaOperatorOp) -> LstmCell | None:
    """Return the LSTM that a meta-operator computes; None for other operators.

    Examples
    --------
    >>> from aidge_nb import ops, zoo
    >>> layer = next(node for node in zoo.load("lstm_classifier") if node.type() == "LSTM_ONNX")
    >>> [len(each) for each in (lstm_of(layer.get_operator()).weights, layer.inputs())]
    [4, 1]
    >>> lstm_of(ops.LSTM(4, 8, 5).get_operator()) is None
    True
    """
    nodes = list(operator.micro_graph.get_nodes())
    counts = {kind: sum(node.type() == kind for node in nodes) for kind in _INSIDE}
    if sum(counts.values()) != len(nodes):
        return None
    if any(not low <= counts[kind] <= high for kind, (low, high) in _INSIDE.items()):
        return None
    try:
        return _read(operator, nodes)
    except _Different:
        return None


class _Different(Exception):  # noqa: N818  # not an error
    """The connections are not those of an LSTM."""


def _only(nodes: Iterable[Node | None], kind: str) -> Node:
    """Return the only node of a type."""
    found = [node for node in nodes if node is not None and node.type() == kind]
    if len(found) != 1:
        raise _Different
    return found[0]


def _read(operator: MetaOperatorOp, nodes: Sequence[Node]) -> LstmCell:
    stack, pop = _only(nodes, "Stack"), _only(nodes, "Pop")
    result = _only(stack.get_parents(), "Mul")
    hidden = next((n for n in nodes if n.type() == "Memorize" and n.get_parent(0) is result), None)
    memory = _only((n for n in nodes if n is not hidden), "Memorize")
    updated = _only([memory.get_parent(0)], "Add")
    if hidden is None or _only(result.get_parents(), "Tanh").get_parent(0) is not updated:
        raise _Different
    let_out = _only(result.get_parents(), "Sigmoid")
    products = [node for node in updated.get_parents() if node is not None]
    kept = next((node for node in products if memory in node.get_parents()), None)
    if kept is None or len(products) != 2:
        raise _Different
    new = next(node for node in products if node is not kept)
    gates = (
        _only(new.get_parents(), "Sigmoid"),
        let_out,
        _only(kept.get_parents(), "Sigmoid"),
        _only(new.get_parents(), "Tanh"),
    )
    layers = [_layers(gate, pop, hidden) for gate in gates]
    biases = [_parameter(layer, 2) for side in zip(*layers, strict=True) for layer in side]
    some = tuple(tensor for tensor in biases if tensor is not None)
    if len(some) not in (0, 8):
        raise _Different
    outputs = operator.micro_graph.get_ordered_outputs()
    return LstmCell(
        tuple(_need(_parameter(layer, 1)) for layer, _ in layers),
        tuple(_need(_parameter(layer, 1)) for _, layer in layers),
        some,
        (_state(hidden), _state(memory)),
        tuple(_result(port.node, (stack, hidden, memory)) for port in outputs),
    )


def _layers(gate: Node, pop: Node, hidden: Node) -> tuple[Node, Node]:
    """Return the two FC of a gate: for the data, and for the state."""
    sides = [node for node in _only([gate.get_parent(0)], "Add").get_parents() if node is not None]
    if [node.type() for node in sides] != ["FC", "FC"]:
        raise _Different
    of_state = [node for node in sides if node.source(0) == Port(hidden, 1)]
    of_data = [node for node in sides if node not in of_state]
    if len(of_state) != 1:
        raise _Different
    source = of_data[0].get_parent(0)
    if source is not None and source.type() == "Identity":
        source = source.get_parent(0)
    if source is not pop:
        raise _Different
    return of_data[0], of_state[0]


def _parameter(layer: Node, index: int) -> Tensor | None:
    parent = layer.get_parent(index)
    if parent is not None and parent.type() != "Producer":
        raise _Different
    return layer.get_operator().get_input(index)


def _need(tensor: Tensor | None) -> Tensor:
    if tensor is None:
        raise _Different
    return tensor


def _state(memorize: Node) -> Tensor:
    """Return the initial state, from a Producer or through a Squeeze from outside."""
    parent = memorize.get_parent(1)
    if parent is not None and parent.type() == "Squeeze":
        return _need(parent.get_operator().get_input(0))
    return _need(_parameter(memorize, 1))


def _result(node: Node, sources: tuple[Node, Node, Node]) -> int:
    """Return 0 when an output is all h, 1 for the last h, 2 for the last c."""
    source = node.get_parent(0) if node.type() == "Unsqueeze" else node
    if source not in sources:
        raise _Different
    return sources.index(source)
