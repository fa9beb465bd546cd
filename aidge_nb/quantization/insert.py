"""Put QuantizeLinear and DequantizeLinear nodes where a quantized network has its codes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.spec import InputCategory
from aidge_nb.onnx_io.convert.operator import onnx_node
from aidge_nb.quantization.kinds import TRANSPOSED, WEIGHTED, is_elementwise, is_moving
from aidge_nb.quantization.observe import Source
from aidge_nb.quantization.rules import RULES
from aidge_nb.recipes.edit import Edit

_PORTS = (InputCategory.Data, InputCategory.Data, InputCategory.Data)


@dataclass(frozen=True, eq=False)
class Scaled:
    """Scale and zero point by which a tensor of numbers becomes codes.

    Attributes
    ----------
    scale
        float32, one number.
    zero
        Zero point, of the type of the codes.
    low, high
        The range that the codes stand for.
    """

    scale: NDArray[np.float32]
    zero: NDArray[np.generic]
    low: float
    high: float


def scaled(low: float, high: float, kind: str, *, symmetric: bool = False) -> Scaled:
    """Return the scale and the zero point for a range.

    Examples
    --------
    >>> found = scaled(0.0, 25.5, "int8")
    >>> round(float(found.scale), 4), int(found.zero)
    (0.1, -128)
    """
    limits = np.iinfo(kind)
    least, most = float(limits.min), float(limits.max)
    low, high = min(low, 0.0), max(high, 0.0)
    if symmetric:
        high = max(-low, high)
        low, least = -high, -most if limits.min else least
    width = (high - low) / (most - least)
    scale = np.float32(width if width > np.finfo(np.float32).tiny else 1.0)
    zero = np.clip(np.rint(least - low / float(scale)), limits.min, limits.max)
    start = (least - float(zero)) * float(scale)
    return Scaled(
        np.asarray(scale), np.asarray(zero, kind), start, start + (most - least) * float(scale)
    )


@dataclass(frozen=True)
class Sites:
    """The tensors of a graph that get codes.

    Attributes
    ----------
    sources
        Each of them once.
    like
        A tensor whose scale another one shares: what moves data moves codes.
    layers
        The nodes that compute on codes afterwards.
    """

    sources: tuple[Source, ...]
    like: Mapping[Source, Source]
    layers: tuple[Node, ...]


def find_sites(edit: Edit, keep: Collection[str]) -> Sites:
    """Find what gets codes; layers named in ``keep`` stay in floating point."""
    layers: list[Node] = []
    like: dict[Source, Source] = {}
    sources: dict[Source, None] = {}
    for node in edit.view.topological_order():
        if not is_known(node) or node.name() in keep or not _has_float_data(node):
            continue
        if node.type() == "Softmax" and edit.is_output(Port(node, 0)):
            continue  # shares are read as numbers; codes would only make them coarser
        layers.append(node)
    layers = _without_idle_moves(layers)
    chosen = set(layers)
    for node in layers:
        inputs = list(data_inputs(edit, node))
        for index in inputs:
            source = source_of(edit, node, index)
            if source is not None and not _is_absorbed(edit, source, chosen):
                sources[source] = None
        if not _is_absorbed(edit, Port(node, 0), chosen):
            sources[Port(node, 0)] = None
            first = source_of(edit, node, 0)
            if is_moving(node) and first is not None and first in sources:
                like[Port(node, 0)] = first
    return Sites(tuple(sources), like, tuple(layers))


def _without_idle_moves(layers: list[Node]) -> list[Node]:
    """Leave out what moves data from floating point to floating point: codes would only cost."""
    kept = set(layers)
    for node in reversed(layers):
        source = node.source(0)
        readers = {reader.node for reader in node.output(0)}
        if is_moving(node) and source is not None and not readers & kept:
            before: Port | None = source
            while before is not None and before.node in kept and is_moving(before.node):
                before = before.node.source(0)
            if before is not None and before.node not in kept:
                kept.discard(node)
    return [node for node in layers if node in kept]


def is_known(node: Node) -> bool:
    """Return whether layers of this kind can compute on codes."""
    if node.type() == "Resize":
        return is_moving(node)
    return node.type() in RULES or is_moving(node) or is_elementwise(node)


def _has_float_data(node: Node) -> bool:
    tensor = node.get_operator().get_input(0)
    return tensor is not None and tensor.dtype.is_float and tensor.dims != ()


def data_inputs(edit: Edit, node: Node) -> Iterator[int]:
    """Return the inputs of a layer that codes come in at."""
    operator = node.get_operator()
    has_data = node.type() in RULES and not is_moving(node) and node.type() not in WEIGHTED
    count = operator.nb_inputs if has_data else 1
    for index in range(count):
        is_weight = node.type() == "MatMul" and edit.constant(node, index) is not None
        if operator.get_input(index) is not None and not is_weight:
            yield index


def source_of(edit: Edit, node: Node, index: int) -> Source | None:
    """Return what an input reads: a port, or the number of a graph input."""
    port = node.source(index)
    if port is not None:
        return port
    for number, group in enumerate(edit.view.get_input_groups()):
        if Port(node, index) in group:
            return number
    return None


def _is_absorbed(edit: Edit, source: Source, layers: Collection[Node]) -> bool:
    """Return whether a ReLU or Clip alone reads a layer's result: it needs no codes of its own."""
    if isinstance(source, int) or source.node.type() not in RULES:
        return False
    reader = edit.only_reader(source)
    return reader is not None and reader.node.type() in ("ReLU", "Clip") and reader.node in layers


def insert_codes(edit: Edit, source: Source, found: Scaled, name: str) -> Port:
    """Quantize a tensor, and let all that read it read what its codes stand for."""
    readers = (
        list(edit.view.get_input_groups()[source])
        if isinstance(source, int)
        else source.node.output(source.index)
    )
    like = readers[0].node if isinstance(source, int) else source.node
    coder = edit.add(onnx_node("QuantizeLinear", _PORTS, name=f"{name}_quantize"), like)
    decoder = edit.add(onnx_node("DequantizeLinear", _PORTS, name=f"{name}_dequantize"), like)
    for node in (coder, decoder):
        for index, values in ((1, found.scale), (2, found.zero)):
            port = edit.add_producer(values, f"{node.name()}_{index}", like, constant=True)
            edit.feed(node, index, port)
    if isinstance(source, int):
        edit.feed_like(coder, 0, readers[0].node, readers[0].index)
    else:
        edit.feed(coder, 0, source)
    edit.feed(decoder, 0, Port(coder, 0))
    result = Port(decoder, 0)
    for reader in readers:
        edit.feed(reader.node, reader.index, result)
    order = edit.view._output_order
    edit.view._output_order = [result if port == source else port for port in order]
    return result


def weight_codes(
    weights: NDArray[np.floating], axis: int | None, bits: int
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return symmetric codes of weights, and the scale of each index of an axis, or of all.

    Examples
    --------
    >>> codes, scale = weight_codes(np.float32([[1, -2], [0, 0]]), 0, 8)
    >>> codes.tolist(), [round(float(each), 4) for each in scale]
    ([[64, -127], [0, 0]], [0.0157, 1.0])
    """
    most = 2 ** (bits - 1) - 1
    others = None if axis is None else tuple(i for i in range(weights.ndim) if i != axis)
    largest = np.abs(weights).max(axis=others, keepdims=True).astype(np.float64)
    scale = np.where(largest > 0, largest / most, 1.0).astype(np.float32)
    codes = np.clip(np.rint(weights / scale), -most, most).astype(np.int8)
    return codes, scale.reshape(() if axis is None else -1)


@dataclass(frozen=True)
class WeightRule:
    """Choices for the codes of weights.

    Attributes
    ----------
    bits
        4 or 8.
    per_channel
        Whether each output channel has a scale.
    """

    bits: int = 8
    per_channel: bool = True


def is_weighted(node: Node) -> bool:
    """Return whether a layer may have weights at input 1."""
    return node.type() in WEIGHTED or node.type() == "MatMul"


def insert_weights(
    edit: Edit,
    node: Node,
    data: Scaled | None,
    rule: WeightRule,
    mean: NDArray[np.float64] | None,
) -> None:
    """Quantize the weights and the bias of a layer.

    With the ``mean`` of each channel of its data, what rounding the weights adds to the mean of an
    output channel is taken off the bias.
    """
    weights = edit.constant(node, 1)
    if weights is None or weights.dtype.kind != "f":
        return
    is_product, is_spreading = node.type() == "MatMul", node.type() in TRANSPOSED
    along = 1 if is_product or is_spreading else 0
    axis = along if rule.per_channel and (not is_product or weights.ndim == 2) else None
    codes, scale = weight_codes(weights, axis, rule.bits)
    _parameter(edit, node, 1, codes, scale, along)
    bias = None if is_product else edit.constant(node, 2)
    if bias is None or data is None:
        return
    if mean is not None:
        bias = bias - _shift(node, weights, codes, scale, mean)
    if is_spreading and scale.ndim:  # one scale for the same channel of each group
        scale = np.tile(scale, bias.size // scale.size)
    steps = (data.scale * np.broadcast_to(scale, bias.shape)).astype(np.float32)
    whole = np.clip(np.rint(bias / steps.astype(np.float64)), -(2**31), 2**31 - 1)
    _parameter(edit, node, 2, whole.astype(np.int32), steps, 0)


def _shift(
    node: Node,
    weights: NDArray[np.floating],
    codes: NDArray[np.int8],
    scale: NDArray[np.float32],
    mean: NDArray[np.float64],
) -> NDArray[np.float64] | float:
    """Return what rounding the weights adds to the mean of each output channel.

    Edges are left out of account. Where a transposed convolution has strides, neighbouring results
    sum different parts of the windows: it is the mean of them all.
    """
    is_spreading, inner = node.type() in TRANSPOSED, weights.shape[1]
    shape = [-1 if axis == int(is_spreading) else 1 for axis in range(weights.ndim)]
    change = codes * (scale.reshape(shape) if scale.ndim else scale).astype(np.float64) - weights
    wide = change.reshape(len(weights), inner, -1).sum(2)
    attr = node.get_operator().attr
    if is_spreading:
        groups, count = int(attr.group), len(wide)
        parts = wide.reshape(groups, -1, inner).swapaxes(1, 2) / np.prod(attr.stride_dims)
    else:
        groups = len(mean) // inner if "Conv" in node.type() else 1
        count = groups * inner
        parts = wide.reshape(groups, -1, inner)
    return (parts @ mean.reshape(groups, -1, 1)).reshape(-1) if count == len(mean) else 0.0


def _parameter(
    edit: Edit,
    node: Node,
    index: int,
    codes: NDArray[np.generic],
    scale: NDArray[np.float32],
    axis: int,
) -> None:
    """Let a layer read a parameter through its codes."""
    port = node.source(index)
    name = f"{node.name()}_{index}" if port is None else port.node.name()
    decoder = onnx_node("DequantizeLinear", _PORTS, {"axis": axis}, name=f"{name}_dequantize")
    edit.add(decoder, node)
    values = (codes, scale, np.zeros(scale.shape, codes.dtype))
    for place, (array, suffix) in enumerate(zip(values, ("codes", "scale", "zero"), strict=True)):
        source = edit.add_producer(array, f"{name}_{suffix}", node, constant=True)
        edit.feed(decoder, place, source)
    edit.feed(node, index, Port(decoder, 0))
