"""Faults in parameters, as ``aidge_core`` injects them: operators that flip bits."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.compat.served.making import GenericOperator
from aidge_nb.graph.generic import GenericOperatorOp
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import InputCategory
from aidge_nb.graph.view import GraphView
from aidge_nb.scheduling.model.impl import OperatorImpl

_DRAW = np.random.default_rng()


class _FlipImpl(OperatorImpl):
    """Flips bits of the input: a share of them, so many, or always the same ones."""

    _chosen: NDArray[np.intp] | None = None

    def run(self, arrays: Sequence[NDArray[Any] | None]) -> tuple[NDArray[Any], ...]:
        """Flip bits of a copy."""
        data = np.array(arrays[0])
        bits = np.unpackbits(data.reshape(-1).view(np.uint8))
        attributes = self.get_operator().attr
        if "ber" in attributes:
            chosen = np.flatnonzero(_DRAW.random(bits.size) < attributes.ber)
        elif self._chosen is None:
            count = min(attributes.n_bits, bits.size)
            chosen = _DRAW.choice(bits.size, count, replace=False)
        else:
            chosen = self._chosen
        if self.get_operator().type() == "FixedNBitFlip":
            self._chosen = chosen
        bits[chosen] ^= 1
        return (np.packbits(bits).view(data.dtype).reshape(data.shape),)


def _flipping(type_name: str, name: str, **attributes: Any) -> Node:
    node = GenericOperator(type_name, [InputCategory.Data], 1, name=name, **attributes)
    operator = node.get_operator()
    if isinstance(operator, GenericOperatorOp):
        operator.set_forward_dims(GenericOperatorOp.identity)
    operator.set_impl(_FlipImpl(operator))
    return node


def BitErrorRate(n_bits: float, name: str = "") -> Node:  # noqa: N802  # Aidge's names
    """Make a node that flips each bit with a probability, anew each time."""
    return _flipping("BitErrorRate", name, ber=n_bits)


def NBitFlip(n_bits: int, name: str = "") -> Node:  # noqa: N802
    """Make a node that flips so many bits, others each time."""
    return _flipping("NBitFlip", name, n_bits=n_bits)


def FixedNBitFlip(n_bits: int, name: str = "") -> Node:  # noqa: N802
    """Make a node that flips so many bits, always the same ones."""
    return _flipping("FixedNBitFlip", name, n_bits=n_bits)


def _filled(graph: GraphView) -> list[Node]:
    return [node for node in graph if node.type() == "Producer"]


def inject_bitflip(graph_view: GraphView, nb_bits: int) -> None:
    """Flip so many bits of one parameter, other ones in each pass."""
    producers = _filled(graph_view)
    graph_view.insert_child(producers[_DRAW.integers(len(producers))], NBitFlip(nb_bits))


def inject_fixed_bitflip(graph_view: GraphView, nb_bits: int) -> None:
    """Flip so many bits of one parameter, the same ones in each pass."""
    producers = _filled(graph_view)
    graph_view.insert_child(producers[_DRAW.integers(len(producers))], FixedNBitFlip(nb_bits))


def inject_ber_weights(graph_view: GraphView, bit_error_rate: float) -> None:
    """Flip bits of all parameters with a probability."""
    for node in _filled(graph_view):
        graph_view.insert_child(node, BitErrorRate(bit_error_rate))


def _inject(graph: GraphView, rate: float, nodes: Collection[Node]) -> None:
    for node in _filled(graph):
        if any(child in nodes for child in node.get_children()):
            graph.insert_child(node, BitErrorRate(rate))


def inject_ber_to_layer(graph_view: GraphView, bit_error_rate: float, layer_name: str) -> None:
    """Flip bits of the parameters of one node with a probability."""
    _inject(graph_view, bit_error_rate, [graph_view.get_node(layer_name)])


def inject_bitflips_to_layers(
    graph_view: GraphView, layer_names: Sequence[str], bit_error_rate: float
) -> None:
    """Flip bits of the parameters of some nodes with a probability."""
    _inject(graph_view, bit_error_rate, [graph_view.get_node(name) for name in layer_names])


def inject_bitflips_to_operators(
    graph_view: GraphView, operator_types: Sequence[str], bit_error_rate: float
) -> None:
    """Flip bits of the parameters of nodes of some types with a probability."""
    nodes = [node for node in graph_view if node.type() in operator_types]
    _inject(graph_view, bit_error_rate, nodes)
