"""Quantize a network after training, by what its tensors hold for some samples."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf, log10

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aidge_nb.core.errors import GraphError
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView, check_view
from aidge_nb.quantization.equalize import equalize_layers
from aidge_nb.quantization.insert import (
    Scaled,
    Sites,
    WeightRule,
    find_sites,
    insert_codes,
    insert_weights,
    is_weighted,
    scaled,
    source_of,
)
from aidge_nb.quantization.integer import IntegerReport, is_quantized, to_integer
from aidge_nb.quantization.observe import Batch, Source, batches_of, watch
from aidge_nb.quantization.ranges import RANGES, Observed, RangeRule
from aidge_nb.recipes.constant_folding import fold_constants
from aidge_nb.recipes.edit import editing
from aidge_nb.recipes.fuse_batchnorm import fuse_batchnorm
from aidge_nb.recipes.remove_dropout import remove_dropout


@dataclass(frozen=True)
class QuantizedTensor:
    """A tensor with codes, and what they lose on the samples.

    Attributes
    ----------
    name
        The node that gives it, or the input of the graph.
    low, high
        The range that its codes stand for.
    observed
        The least and the largest number that the samples gave.
    clipped
        Share of the numbers outside of the range.
    sqnr
        Signal to quantization noise in decibels, all layers before included.

    Examples
    --------
    >>> QuantizedTensor("relu", 0.0, 6.0, (0.0, 9.0), 0.01, 38.5).clipped
    0.01
    """

    name: str
    low: float
    high: float
    observed: tuple[float, float]
    clipped: float
    sqnr: float


@dataclass(frozen=True, eq=False)
class QuantizedNetwork:
    """A network that was quantized, and a report.

    Attributes
    ----------
    graph
        Numbers between QuantizeLinear and DequantizeLinear nodes; saved as ONNX, other runtimes
        read it.
    tensors
        Each tensor with codes.
    sqnr
        Signal to quantization noise of the outputs, in decibels.
    equalized
        Pairs of layers whose ranges were equalized.
    parameter_bytes
        Bytes of the parameters before and after.

    Examples
    --------
    >>> QuantizedNetwork(GraphView(), (), 40.4, 2, (24360, 6502))
    QuantizedNetwork(0 tensors, 40.4 dB, parameters 24360 -> 6502 bytes)
    """

    graph: GraphView
    tensors: tuple[QuantizedTensor, ...]
    sqnr: float
    equalized: int
    parameter_bytes: tuple[int, int]

    def integer(self) -> tuple[GraphView, IntegerReport]:
        """Return a copy that computes on integers, and what stays in floating point."""
        copy = self.graph.clone()
        return copy, to_integer(copy)

    def __repr__(self) -> str:
        before, after = self.parameter_bytes
        return (
            f"QuantizedNetwork({len(self.tensors)} tensors, {self.sqnr:.1f} dB, "
            f"parameters {before} -> {after} bytes)"
        )


def quantize(
    graph: GraphView,
    samples: ArrayLike | Sequence[ArrayLike],
    *,
    ranges: str = "mse",
    weight_bits: int = 8,
    per_channel: bool = True,
    symmetric: bool = False,
    equalize: bool = True,
    correct_bias: bool = True,
    keep: Collection[str] = (),
    activations: str = "int8",
    progress: Callable[[str], None] = lambda stage: None,
) -> QuantizedNetwork:
    """Quantize a network to 8 bits by what its tensors hold for some samples.

    BatchNorms are folded into the layers before. The ranges of neighbouring layers are equalized;
    each tensor gets a scale; weights get one per output channel; what rounding the weights changes
    in the mean of a channel is taken off its bias. The same samples give the same network.

    Parameters
    ----------
    graph
        The network, with the dimensions of its inputs; it is not changed.
    samples
        Inputs along the first axis: ``[n, ...]``, or one such array for each input. Some 100 are
        enough.
    ranges
        ``minmax``, ``percentile``, ``mse`` (least squared error) or ``entropy``.
    weight_bits
        4 or 8; weights of 4 bits are kept one in a byte.
    per_channel
        Whether weights have a scale for each output channel.
    symmetric
        Whether ranges of activations reach as far below 0 as above.
    equalize, correct_bias
        Whether to do these steps.
    keep
        Names of layers that stay in floating point.
    activations
        ``int8`` or ``uint8``.
    progress
        Called with the name of each stage as it begins.

    Raises
    ------
    GraphError
        For a graph that is quantized already, or names and rules that are unknown.
    ShapeError
        When the samples do not fit the inputs; see :func:`.observe.batches_of`.

    Examples
    --------
    >>> import aidge_nb
    >>> from aidge_nb.quantization import quantize
    >>> graph = aidge_nb.sequential([aidge_nb.FC(4, 8, name="fc"), aidge_nb.ReLU(name="relu")])
    >>> _ = aidge_nb.init_weights(graph, seed=0)
    >>> graph.forward_dims([[1, 4]])
    True
    >>> found = quantize(graph, np.random.default_rng(0).standard_normal((32, 4)))
    >>> found.sqnr > 35, print(found.integer()[1])
    1 layers on integers
    (True, None)

    Notes
    -----
    Source: M. Nagel and others, A White Paper on Neural Network Quantization, 2021.
    """
    check_view(graph, "quantize")
    _check_choices(graph, ranges, weight_bits, activations, keep)
    view = graph.clone()
    progress("simplify")
    remove_dropout(view)
    fold_constants(view)
    fuse_batchnorm(view)
    batches = batches_of(view, samples)
    equalized = equalize_layers(view) if equalize else 0
    with editing(view) as edit:
        sites = find_sites(edit, keep)
    _check_kept(view, keep)
    before = _parameter_bytes(view)
    progress("observe")
    observed, means = _observed(view, batches, sites.sources)
    coding = _coding(sites, observed, RANGES[ranges], activations, symmetric)
    names = {source: _name(view, source) for source in sites.sources}
    reference, twins = view.clone_with_map()
    progress("quantize")
    weights = WeightRule(bits=weight_bits, per_channel=per_channel)
    places = _apply(view, sites, coding, names, weights, means if correct_bias else {})
    view.forward_dims(allow_data_dependency=True)
    progress("compare")
    pairs = {_twin(twins, source): port for source, port in places.items()}
    outputs = zip(reference.get_ordered_outputs(), view.get_ordered_outputs(), strict=True)
    noise = _noise(reference, view, batches, {**pairs, **dict(outputs)})
    tensors = tuple(
        QuantizedTensor(
            names[source],
            coding[source].low,
            coding[source].high,
            (observed[source].low, observed[source].high),
            observed[source].clipped(coding[source].low, coding[source].high),
            decibels(*noise[_twin(twins, source)]),
        )
        for source in sites.sources
    )
    total = np.sum([noise[port] for port in reference.get_ordered_outputs()], axis=0)
    after = _parameter_bytes(view)
    return QuantizedNetwork(view, tensors, decibels(*total), equalized, (before, after))


def decibels(power: float, noise: float) -> float:
    """Return the ratio of two sums of squares.

    Examples
    --------
    >>> round(decibels(200.0, 0.02), 1)
    40.0
    """
    return inf if noise == 0 else -inf if power == 0 else 10 * log10(power / noise)


def _check_choices(
    graph: GraphView, ranges: str, weight_bits: int, activations: str, keep: Collection[str]
) -> None:
    allowed: Mapping[str, tuple[object, Collection[object]]] = {
        "ranges": (ranges, list(RANGES)),
        "weight_bits": (weight_bits, [4, 8]),
        "activations": (activations, ["int8", "uint8"]),
    }
    for name, (value, options) in allowed.items():
        if value not in options:
            raise GraphError.at(name, "unknown", expected=f"one of {list(options)}", found=value)
    if is_quantized(graph):
        raise GraphError.at("graph", "is quantized already", cure="Call to_integer() on it.")


def _check_kept(view: GraphView, keep: Collection[str]) -> None:
    unknown = set(keep) - {node.name() for node in view.get_nodes()}
    if unknown:
        raise GraphError.at("keep", "no such layers", found=sorted(unknown))


def _name(view: GraphView, source: Source) -> str:
    if not isinstance(source, int):
        return source.node.name() or source.node.type()
    names = view.annotations.get("input_names")
    return str(names[source]) if names else f"input_{source}"


def _observed(
    view: GraphView, batches: Sequence[Batch], sources: Sequence[Source]
) -> tuple[dict[Source, Observed], dict[Source, NDArray[np.float64]]]:
    """Return what tensors held, and the mean of each of their channels."""
    found = {source: Observed() for source in sources}
    sums: dict[Source, list[NDArray[np.float64]]] = {source: [] for source in sources}
    for tensors in watch(view, batches, sources):
        for source, values in tensors.items():
            found[source].widen(values)
            others = tuple(axis for axis in range(values.ndim) if axis != 1)
            sums[source].append(
                values.mean(others, dtype=np.float64) if values.ndim > 1 else values
            )
    for tensors in watch(view, batches, sources):
        for source, values in tensors.items():
            found[source].count(values)
    return found, {source: np.mean(means, axis=0) for source, means in sums.items()}


def _coding(
    sites: Sites,
    observed: Mapping[Source, Observed],
    rule: RangeRule,
    kind: str,
    symmetric: bool,
) -> dict[Source, Scaled]:
    """Choose scales; what only moves data has the scale of what it moves."""
    found = {}
    for source in sites.sources:
        first = source
        while first in sites.like:
            first = sites.like[first]
        found[source] = scaled(*rule(observed[first], 255), kind, symmetric=symmetric)
    return found


def _twin(twins: Mapping[Node, Node], source: Source) -> Source:
    return source if isinstance(source, int) else Port(twins[source.node], source.index)


def _noise(
    reference: GraphView, view: GraphView, batches: Sequence[Batch], pairs: Mapping[Source, Port]
) -> dict[Source, tuple[float, float]]:
    """Return the sums of squares of tensors of one graph, and of what differs in the other."""
    sums = {source: np.zeros(2) for source in pairs}
    ports = list(dict.fromkeys(pairs.values()))
    both = zip(watch(reference, batches, list(pairs)), watch(view, batches, ports), strict=True)
    for wanted, found in both:
        for source, port in pairs.items():
            signal = wanted[source].astype(np.float64)
            sums[source] += (signal**2).sum(), ((signal - found[port]) ** 2).sum()
    return {source: (float(total[0]), float(total[1])) for source, total in sums.items()}


def _apply(
    view: GraphView,
    sites: Sites,
    coding: Mapping[Source, Scaled],
    names: Mapping[Source, str],
    weights: WeightRule,
    means: Mapping[Source, NDArray[np.float64]],
) -> dict[Source, Port]:
    """Insert codes, weights first; return where the numbers of each tensor's codes are."""
    with editing(view) as edit:
        for node in sites.layers:
            source = source_of(edit, node, 0)
            if source is not None and is_weighted(node):
                insert_weights(edit, node, coding.get(source), weights, means.get(source))
        # Inputs of the graph first: their numbers are those of its inputs as they are now.
        ordered = sorted(sites.sources, key=lambda each: not isinstance(each, int))
        return {
            source: insert_codes(edit, source, coding[source], names[source]) for source in ordered
        }


def _parameter_bytes(view: GraphView) -> int:
    return sum(
        node.get_operator().get_output(0).nbytes
        for node in view.get_nodes()
        if node.type() == "Producer"
    )
