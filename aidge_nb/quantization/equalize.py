"""Equalize the ranges of channels across layers, without changing what the network computes.

Behind a layer and ReLU, a channel that is divided by a number and multiplied by it again in the
next layer is the same; its range is not.

Source: M. Nagel and others, Data-Free Quantization Through Weight Equalization and Bias
Correction, 2019.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView, check_view
from aidge_nb.quantization.kinds import BALANCED, WEIGHTED
from aidge_nb.recipes.edit import Edit, editing

Array = NDArray[np.float64]

_ROUNDS = 50
_ENOUGH = 1e-4


@dataclass(eq=False)
class _Weighted:
    """A layer with its parameters, in float64 while they are changed."""

    node: Node
    weights: Array
    bias: Array | None

    @property
    def is_depthwise(self) -> bool:
        return "DepthWise" in self.node.type()

    def by_output(self) -> Array:
        """View the weights as one row per output channel."""
        return self.weights.reshape(len(self.weights), -1)

    def by_input(self, channels: int) -> Array | None:
        """View the weights with the input channel first; None when that is not one axis."""
        if self.is_depthwise:
            return self.by_output() if len(self.weights) == channels else None
        wide = self.weights.reshape(len(self.weights), self.weights.shape[1], -1)
        if wide.shape[1] % channels:
            return None
        return wide.reshape(len(wide), channels, -1).transpose(1, 0, 2)


def equalize_layers(view: GraphView) -> int:
    """Equalize the ranges of weights of neighbouring layers, in place; count the pairs.

    Pairs are convolutions and fully connected layers with nothing between that a positive factor
    would not pass (ReLU, pooling, Flatten), where nobody else reads what lies between. Results stay
    but for rounding.

    Raise GraphError when ``view`` is not a graph.

    Examples
    --------
    >>> import aidge_nb
    >>> graph = aidge_nb.sequential([aidge_nb.FC(2, 3), aidge_nb.ReLU(), aidge_nb.FC(3, 1)])
    >>> _ = aidge_nb.init_weights(graph, seed=0)
    >>> equalize_layers(graph)
    1
    """
    check_view(view, "equalize_layers")
    with editing(view) as edit:
        found = {node: layer for node in edit.nodes(*WEIGHTED) if (layer := _layer(edit, node))}
        pairs = list(_pairs(edit, found))
        for _ in range(_ROUNDS):
            if max((_equalize(*pair) for pair in pairs), default=0.0) < _ENOUGH:
                break
        for layer in dict.fromkeys(each for pair in pairs for each in pair):
            _store(edit, layer)
    return len(pairs)


def _layer(edit: Edit, node: Node) -> _Weighted | None:
    weights, bias = edit.constant(node, 1), edit.constant(node, 2)
    has_bias = node.get_nb_inputs() > 2 and node.get_operator().get_input(2) is not None
    group = int(node.get_operator().attr.dict().get("group", 1))
    if weights is None or weights.dtype.kind != "f" or (has_bias and bias is None) or group != 1:
        return None
    return _Weighted(
        node,
        weights.astype(np.float64),
        None if bias is None or not has_bias else bias.astype(np.float64),
    )


def _pairs(edit: Edit, layers: dict[Node, _Weighted]) -> Iterator[tuple[_Weighted, _Weighted]]:
    for node, layer in layers.items():
        reader = edit.only_reader(Port(node, 0))
        while reader is not None and reader.index == 0 and reader.node.type() in BALANCED:
            reader = edit.only_reader(Port(reader.node, 0))
        other = None if reader is None or reader.index else layers.get(reader.node)
        if other is not None and other.by_input(len(layer.weights)) is not None:
            yield layer, other


def _equalize(first: _Weighted, second: _Weighted) -> float:
    """Equalize one pair; return how far the factors are from 1."""
    channels = len(first.weights)
    inputs = second.by_input(channels)
    if inputs is None:
        return 0.0
    before = np.abs(first.by_output()).max(1)
    if first.bias is not None:
        before = np.maximum(before, np.abs(first.bias))
    behind = np.abs(inputs).reshape(channels, -1).max(1)
    usable = (before > 0) & (behind > 0)
    factor = np.sqrt(np.where(usable, before, 1.0) / np.where(usable, behind, 1.0))
    first.weights /= factor.reshape(-1, *(1,) * (first.weights.ndim - 1))
    if first.bias is not None:
        first.bias /= factor
    inputs *= factor.reshape(-1, *(1,) * (inputs.ndim - 1))
    return float(np.abs(np.log(factor)).max(initial=0.0))


def _store(edit: Edit, layer: _Weighted) -> None:
    for index, values in ((1, layer.weights), (2, layer.bias)):
        port = layer.node.source(index)
        if values is not None and port is not None:
            single = values.astype(np.float32)
            edit.feed(layer.node, index, edit.add_producer(single, port.node.name(), layer.node))
