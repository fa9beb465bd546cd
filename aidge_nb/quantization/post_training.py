"""Quantize a network after training, by what its tensors hold for some samples."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite

from numpy.typing import ArrayLike

from aidge_nb.core.errors import GraphError
from aidge_nb.graph.view import GraphView, check_view
from aidge_nb.quantization.equalize import equalize_layers
from aidge_nb.quantization.insert import WeightRule
from aidge_nb.quantization.integer import IntegerReport, to_integer
from aidge_nb.quantization.kinds import is_quantized
from aidge_nb.quantization.mixed import LayerPrice, Mix, Progress, least_bytes, prices
from aidge_nb.quantization.observe import batches_of
from aidge_nb.quantization.ranges import RANGES, Observed
from aidge_nb.quantization.trials import (
    WIDE_KINDS,
    Choices,
    CodedTrial,
    Laboratory,
    decibels,
    worst_channel,
)
from aidge_nb.recipes.constant_folding import fold_constants
from aidge_nb.recipes.fuse_batchnorm import fuse_batchnorm
from aidge_nb.recipes.fuse_gelu import fuse_gelu
from aidge_nb.recipes.fuse_layernorm import fuse_layernorm
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
    worst
        The channel with the least, and how much that is.

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
    worst: tuple[int, float] = (0, inf)


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
    floats
        Layers that stay in floating point for an error budget, or because they were named in
        :meth:`with_floats`.
    layers
        With an error budget: the price of each layer.
    wides
        Layers whose results have codes of 16 bits, for an error budget or because they were named.

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
    floats: tuple[str, ...] = ()
    layers: tuple[LayerPrice, ...] = ()
    _laboratory: Laboratory | None = None
    wides: tuple[str, ...] = ()

    def integer(self) -> tuple[GraphView, IntegerReport]:
        """Return a copy that computes on integers, and what stays in floating point."""
        copy = self.graph.clone()
        return copy, to_integer(copy)

    def with_prices(self, progress: Progress = lambda stage: None) -> QuantizedNetwork:
        """Measure the price of each layer, where that is not known yet; return the same network."""
        if self.layers or self._laboratory is None:
            return self
        known = prices(self._laboratory, progress)
        return replace(self, layers=_marked(known, Mix(self.floats, self.wides)))

    def with_floats(self, names: Collection[str], wides: Collection[str] = ()) -> QuantizedNetwork:
        """Return the network with these layers in floating point, from the same samples.

        Parameters
        ----------
        names
            Names of layers, as ``layers`` has them.
        wides
            Layers whose results get codes of 16 bits.

        Raises
        ------
        GraphError
            For a layer that has no codes of its own.
        """
        if self._laboratory is None:
            raise GraphError.at("with_floats", "the samples are gone", cure="Call quantize().")
        unknown = sorted({*names, *wides} - set(self._laboratory.units))
        if unknown:
            options = list(self._laboratory.units)
            raise GraphError.at("floats", "no such layers", expected=options, found=unknown)
        units = list(self._laboratory.units)
        floats = tuple(name for name in units if name in names)
        mix = Mix(floats, tuple(name for name in units if name in wides and name not in floats))
        trial = self._laboratory.try_with(mix.floats, mix.wides)
        return _network(self._laboratory, trial, self.equalized, mix, self.layers)

    @property
    def reference(self) -> GraphView:
        """The network in floating point, simplified, that errors are measured against."""
        return self.graph if self._laboratory is None else self._laboratory.view

    @property
    def kinds(self) -> tuple[str, str]:
        """The types of codes of 8 and of 16 bits that results of layers have."""
        kind = "int8" if self._laboratory is None else self._laboratory.choices.kind
        return kind, WIDE_KINDS[kind]

    @property
    def histograms(self) -> Mapping[str, Observed]:
        """Observed numbers of each tensor, by name."""
        known = self._laboratory
        return {} if known is None else {known.name_of(s): o for s, o in known.observed.items()}

    def __repr__(self) -> str:
        before, after = self.parameter_bytes
        kept = f", {len(self.floats)} layers in float" if self.floats else ""
        kept += f", {len(self.wides)} on int16" if self.wides else ""
        return (
            f"QuantizedNetwork({len(self.tensors)} tensors, {self.sqnr:.1f} dB, "
            f"parameters {before} -> {after} bytes{kept})"
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
    budget: float | None = None,
    wide: bool = True,
    progress: Progress = lambda stage: None,
) -> QuantizedNetwork:
    """Quantize a network to 8 bits by what its tensors hold for some samples.

    BatchNorms are folded into the layers before. GELU and layer normalizations that were written
    out become one operator. The ranges of neighbouring layers are equalized; each tensor gets a
    scale; weights get one per output channel; what rounding the weights changes in the mean of a
    channel is taken off its bias. The same samples give the same network.

    Parameters
    ----------
    graph
        The network, with the dimensions of its inputs; it is not changed.
    samples
        Inputs along the first axis: ``[n, ...]``, or one such array for each input; for one input
        also a list of several arrays, one behind the other. Some 100 are enough.
    ranges
        ``minmax``, ``percentile``, ``entropy`` or ``mse``: least squared error on samples left out.
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
    budget
        An error budget: the least signal to quantization noise of the outputs, in decibels. Results
        of layers get codes of 16 bits, or layers stay in floating point, of least bytes, until it
        holds; ``wides`` and ``floats`` of the result name them. Weights keep their bits.
    wide
        Whether a budget may give layers codes of 16 bits.
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
    >>> import numpy as np
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
    _check_choices(graph, ranges, weight_bits, activations, keep, budget)
    view = graph.clone()
    progress("simplify")
    remove_dropout(view)
    fold_constants(view)
    fuse_batchnorm(view)
    fuse_gelu(view)
    batches = batches_of(view, samples)
    view.forward_dims(allow_data_dependency=True)
    fuse_layernorm(view)
    has_fine_weights = per_channel and weight_bits == 8
    equalized = equalize_layers(view, samples if has_fine_weights else None) if equalize else 0
    _check_kept(view, keep)
    _name_layers(view)
    weights = WeightRule(bits=weight_bits, per_channel=per_channel)
    choices = Choices(ranges, weights, activations, symmetric, correct_bias)
    laboratory = Laboratory(view, batches, choices, keep)
    progress("observe")
    _ = laboratory.coding
    progress("quantize")
    trial = laboratory.try_with()
    if budget is None or trial.sqnr >= budget:
        return _network(laboratory, trial, equalized, Mix(), ())
    known = prices(laboratory, progress, wide=wide)
    mix, trial = least_bytes(laboratory, known, budget, progress)
    return _network(laboratory, trial, equalized, mix, known)


def _network(
    laboratory: Laboratory,
    trial: CodedTrial,
    equalized: int,
    mix: Mix,
    layers: tuple[LayerPrice, ...],
) -> QuantizedNetwork:
    """Report on a trial."""
    observed, coding = laboratory.observed, trial.coding
    tensors = tuple(
        QuantizedTensor(
            laboratory.name_of(source),
            coding[source].low,
            coding[source].high,
            (observed[source].low, observed[source].high),
            observed[source].clipped(coding[source].low, coding[source].high),
            decibels(*trial.noise[source].sum(axis=1)),
            worst_channel(trial.noise[source]),
        )
        for source in laboratory.sites.sources
        if source in coding
    )
    sizes = _parameter_bytes(laboratory.view), _parameter_bytes(trial.graph)
    return QuantizedNetwork(
        trial.graph,
        tensors,
        trial.sqnr,
        equalized,
        sizes,
        mix.floats,
        _marked(layers, mix),
        laboratory,
        mix.wides,
    )


def _marked(layers: tuple[LayerPrice, ...], mix: Mix) -> tuple[LayerPrice, ...]:
    """Return prices that say what each layer computes on."""
    return tuple(
        replace(each, is_float=each.name in mix.floats, is_wide=each.name in mix.wides)
        for each in layers
    )


def _check_choices(
    graph: GraphView,
    ranges: str,
    weight_bits: int,
    activations: str,
    keep: Collection[str],
    budget: float | None,
) -> None:
    allowed: Mapping[str, tuple[object, Collection[object]]] = {
        "ranges": (ranges, list(RANGES)),
        "weight_bits": (weight_bits, [4, 8]),
        "activations": (activations, ["int8", "uint8"]),
    }
    for name, (value, options) in allowed.items():
        if value not in options:
            raise GraphError.at(name, "unknown", expected=f"one of {list(options)}", found=value)
    if budget is not None and not isfinite(budget):
        raise GraphError.at("budget", "not a number", expected="decibels", found=budget)
    if is_quantized(graph):
        raise GraphError.at("graph", "is quantized already", cure="Call to_integer() on it.")


def _check_kept(view: GraphView, keep: Collection[str]) -> None:
    unknown = set(keep) - {node.name() for node in view.get_nodes()}
    if unknown:
        raise GraphError.at("keep", "no such layers", found=sorted(unknown))


def _name_layers(view: GraphView) -> None:
    """Name layers that have no name, or that of another one: prices go by names."""
    for node, name in view.unique_names().items():
        if node.type() != "Producer" and name != node.name():
            node.set_name(name)


def _parameter_bytes(view: GraphView) -> int:
    return sum(
        node.get_operator().get_output(0).nbytes
        for node in view.get_nodes()
        if node.type() == "Producer"
    )
