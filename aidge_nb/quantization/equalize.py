"""Equalize the ranges of channels across layers, without changing what the network computes.

Between layers, a channel that is divided by a number and multiplied by it again in all layers that
read it is the same; its range is not. ReLU, pooling and sums of tensors pass such a factor.

Sources: M. Nagel and others, Data-Free Quantization Through Weight Equalization and Bias
Correction, 2019; G. Xiao and others, SmoothQuant, 2023.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView, check_view
from aidge_nb.quantization.kinds import BALANCED, TRANSPOSED, WEIGHTED
from aidge_nb.quantization.observe import batches_of, watch
from aidge_nb.recipes.edit import Edit, editing

Array = NDArray[np.float64]

_ROUNDS = 50
_ENOUGH = 1e-4
_LEAST = 1 / 256
"""Of the largest range: channels of a smaller one are treated as if they had this one."""


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


@dataclass(eq=False)
class _Group:
    """Tensors whose channels can be divided by the same factors, and the layers around them."""

    tensors: list[Port] = field(default_factory=list)
    givers: list[_Weighted] = field(default_factory=list)
    readers: list[_Weighted] = field(default_factory=list)
    is_fixed: bool = False
    divided: Array = field(default_factory=lambda: np.ones(1))

    @property
    def channels(self) -> int:
        return len(self.givers[0].weights)

    @property
    def is_usable(self) -> bool:
        """Tell whether all that gives or reads the tensors is known to take factors."""
        return bool(
            not self.is_fixed
            and self.givers
            and self.readers
            and len({len(layer.weights) for layer in self.givers}) == 1
            and all(layer.by_input(self.channels) is not None for layer in self.readers)
        )


def equalize_layers(view: GraphView, samples: ArrayLike | Sequence[ArrayLike] | None = None) -> int:
    """Equalize the ranges of channels of neighbouring layers, in place; count the places.

    A place is a tensor between convolutions and fully connected layers, or several with nothing
    between that a positive factor would not pass (ReLU, pooling, Flatten, Add of two tensors).
    Results stay but for rounding.

    Parameters
    ----------
    view
        The graph.
    samples
        Inputs as :func:`.quantize` takes them. Without them, a channel gets the same range in the
        weights before and after it, where that is one layer each. With them, the channels of a
        tensor come half way (in logarithms) to the same range, too. That is best where weights
        have a scale for each output channel; all the way would be too far for few samples.

    Raises
    ------
    GraphError
        When ``view`` is not a graph.
    ShapeError
        When the samples do not fit the inputs.

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
        found = {
            node: layer
            for node in edit.nodes(*WEIGHTED - TRANSPOSED)
            if (layer := _layer(edit, node))
        }
        groups = [group for group in _groups(edit, found) if group.is_usable]
        if samples is None:  # weights of several layers rarely agree on a factor
            groups = [each for each in groups if len(each.givers) == len(each.readers) == 1]
        for _ in range(_ROUNDS):
            if max(map(_even_weights, groups), default=0.0) < _ENOUGH:
                break
        if samples is not None:
            ranges = _ranges(view, samples, [port for group in groups for port in group.tensors])
            for group in groups:
                _even_channels(group, ranges)
        for layer in dict.fromkeys(each for group in groups for each in _layers_of(group)):
            _store(edit, layer)
    return len(groups)


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


def _groups(edit: Edit, layers: Mapping[Node, _Weighted]) -> list[_Group]:
    """Return the groups of a graph, in its order; those that cannot be used among them."""
    owner: dict[Port, _Group] = {}
    groups: list[_Group] = []

    def merge(first: _Group, second: _Group) -> None:
        if first is not second:
            first.tensors += second.tensors
            first.givers += second.givers
            first.readers += second.readers
            first.is_fixed |= second.is_fixed
            owner.update(dict.fromkeys(second.tensors, first))
            groups.remove(second)

    for node in edit.view.topological_order():
        sources = [port for port in node.sources() if port is not None and port in owner]
        for index in range(node.get_nb_outputs()):
            port = Port(node, index)
            owner[port] = _Group([port], is_fixed=edit.is_output(port))
            groups.append(owner[port])
        if node.type() == "Producer":
            continue
        own = owner[Port(node, 0)]
        if node in layers:
            own.givers.append(layers[node])
            data = node.source(0)
            if data in owner:
                owner[data].readers.append(layers[node])
        elif _passes(node) and len(sources) == node.get_nb_inputs():
            for port in sources:
                merge(owner[port], own)
                own = owner[port]
        else:
            own.is_fixed = True
            for port in sources:
                owner[port].is_fixed = True
    return groups


def _passes(node: Node) -> bool:
    """Return whether a positive factor of a channel of all inputs is one of the result."""
    operator = node.get_operator()
    given, result = operator.get_input(0), operator.get_output(0)
    if node.type() == "Add":
        other = operator.get_input(1)
        if operator.nb_inputs != 2 or given is None or other is None or result.undefined():
            return False
        return given.shape == other.shape == result.shape and result.ndim > 1
    if node.type() == "Reshape" and given is not None and not given.undefined():
        # Channels stay where they are, or what is behind them becomes a part of them.
        return result.shape[:2] == given.shape[:2] or (
            result.ndim == 2 and result.shape[:1] == given.shape[:1]
        )
    return node.type() in BALANCED


def _ranges(
    view: GraphView, samples: ArrayLike | Sequence[ArrayLike], ports: Sequence[Port]
) -> dict[Port, Array]:
    """Return how far from 0 each channel of tensors reaches."""
    found: dict[Port, Array] = {}
    for tensors in watch(view, batches_of(view, samples), ports):
        for port in ports:
            values = tensors[port]
            others = tuple(axis for axis in range(values.ndim) if axis != 1)
            reach = np.abs(values).max(axis=others, initial=0).astype(np.float64)
            found[port] = np.maximum(found[port], reach) if port in found else reach
    return found


def _even_channels(group: _Group, ranges: Mapping[Port, Array]) -> None:
    """Bring the channels of the tensors of a group half way to the same range."""
    found = [ranges[port].reshape(group.channels, -1).max(axis=1) for port in group.tensors]
    reach = np.max(found, axis=0) / group.divided
    if reach.max(initial=0.0) > 0:
        factor = np.sqrt(np.maximum(reach, reach.max() * _LEAST))
        _divide(group, factor / np.exp(np.log(factor).mean()))


def _even_weights(group: _Group) -> float:
    """Let a channel reach as far in the weights before and behind; return the largest change."""
    channels = group.channels
    before, behind = np.zeros(channels), np.zeros(channels)
    for layer in group.givers:
        before = np.maximum(before, np.abs(layer.by_output()).max(1))
        if layer.bias is not None:
            before = np.maximum(before, np.abs(layer.bias))
    for layer in group.readers:
        inputs = layer.by_input(channels)
        if inputs is not None:
            behind = np.maximum(behind, np.abs(inputs).reshape(channels, -1).max(1))
    usable = (before > 0) & (behind > 0)
    factor = np.sqrt(np.where(usable, before, 1.0) / np.where(usable, behind, 1.0))
    _divide(group, factor)
    return float(np.abs(np.log(factor)).max(initial=0.0))


def _divide(group: _Group, factor: Array) -> None:
    """Divide the channels of a group, and multiply them where they are read."""
    group.divided = group.divided * factor
    for layer in group.givers:
        layer.weights /= factor.reshape(-1, *(1,) * (layer.weights.ndim - 1))
        if layer.bias is not None:
            layer.bias /= factor
    for layer in group.readers:
        inputs = layer.by_input(group.channels)
        if inputs is not None:
            inputs *= factor.reshape(-1, *(1,) * (inputs.ndim - 1))


def _layers_of(group: _Group) -> list[_Weighted]:
    return [*group.givers, *group.readers]


def _store(edit: Edit, layer: _Weighted) -> None:
    for index, values in ((1, layer.weights), (2, layer.bias)):
        port = layer.node.source(index)
        if values is not None and port is not None:
            single = values.astype(np.float32)
            edit.feed(layer.node, index, edit.add_producer(single, port.node.name(), layer.node))
