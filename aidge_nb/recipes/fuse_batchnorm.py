"""Fold batch normalisation into the scale and bias of the layer before it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView
from aidge_nb.recipes.edit import Edit, editing
from aidge_nb.recipes.registry import recipe

_CONVS = tuple(
    f"{kind}{rank}D"
    for kind in ("Conv", "ConvDepthWise", "PaddedConv", "PaddedConvDepthWise")
    for rank in (1, 2, 3)
)
_TRANSPOSED = tuple(f"ConvTranspose{rank}D" for rank in (1, 2, 3))
LAYERS = (*_CONVS, *_TRANSPOSED, "FC")
"""Layers that take the scale and bias in: weights at input 1, biases at input 2."""


@recipe(needs=("values",), exact=False)
def fuse_batchnorm(view: GraphView) -> Iterable[str]:
    """Fold batch normalisations into the convolutions and layers before them.

    With f = scale / √(variance + epsilon), weights w become w f, and biases b become
    (b - mean) f + shift. Nothing is folded where something else reads the layer, or where
    parameters have no values; weights that other layers share are not changed for them.

    Examples
    --------
    >>> import numpy as np
    >>> import aidge_nb
    >>> conv, norm = aidge_nb.Conv2D(1, 2, [1, 1], name="conv"), aidge_nb.BatchNorm2D(2)
    >>> for parameter in [*conv.get_parents(), *norm.get_parents()]:
    ...     if parameter is not None:
    ...         tensor = parameter.get_operator().get_output(0)
    ...         tensor.set_array(np.ones(tensor.dims, np.float32))
    >>> model = aidge_nb.sequential([conv, norm, aidge_nb.ReLU()])
    >>> fuse_batchnorm(model), [node.type() for node in model if node.type() != "Producer"]
    (1, ['Conv2D', 'ReLU'])
    """
    with editing(view) as edit:
        for norm in edit.nodes("BatchNorm2D"):
            source = norm.source(0)
            if source is None or source.node.type() not in LAYERS or source.index != 0:
                continue
            if edit.only_reader(source) == Port(norm, 0) and _fold(edit, source.node, norm):
                yield norm.label


def _fold(edit: Edit, layer: Node, norm: Node) -> bool:
    scale, shift, mean, variance = (edit.constant(norm, index) for index in range(1, 5))
    weights, biases = edit.constant(layer, 1), edit.constant(layer, 2)
    if scale is None or shift is None or mean is None or variance is None or weights is None:
        return False
    if norm.get_operator().attr.training_mode or (biases is None and _has_bias(layer)):
        return False
    wide = np.float64
    factor = scale.astype(wide) / np.sqrt(variance.astype(wide) + norm.get_operator().attr.epsilon)
    bias = np.zeros_like(factor) if biases is None else biases.astype(wide)
    new_bias = (bias - mean) * factor + shift
    _set(edit, layer, 1, _scaled(layer, weights.astype(wide), factor).astype(weights.dtype), "w")
    _set(edit, layer, 2, new_bias.astype(weights.dtype), "b")
    return edit.bypass(norm)


def _has_bias(layer: Node) -> bool:
    return layer.get_operator().get_input(2) is not None


def _scaled(layer: Node, weights: NDArray[Any], factor: NDArray[Any]) -> NDArray[Any]:
    """Multiply the weights by the factor of their output channel."""
    if layer.type() not in _TRANSPOSED:
        return np.asarray(weights * factor.reshape(-1, *(1,) * (weights.ndim - 1)))
    group = int(layer.get_operator().attr.dict().get("group", 1))
    inputs, outputs = weights.shape[:2]
    split = weights.reshape(group, inputs // group, outputs, -1)
    scaled = split * factor.reshape(group, 1, outputs, 1)
    return np.asarray(scaled).reshape(weights.shape)


def _set(edit: Edit, layer: Node, index: int, values: NDArray[Any], suffix: str) -> None:
    """Replace a layer's parameter by a Producer of its own, with the same name."""
    before = layer.source(index)
    name = f"{layer.name()}_{suffix}" if layer.name() else ""
    name = name if before is None else before.node.name()
    edit.feed(layer, index, edit.add_producer(values, name, layer))
