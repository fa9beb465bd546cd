"""Quantize a network again and again, with other types of its layers, from one observation."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, log10

import numpy as np
from numpy.typing import NDArray

from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView
from aidge_nb.quantization.insert import (
    Scaled,
    Sites,
    WeightRule,
    data_inputs,
    find_sites,
    insert_codes,
    insert_weights,
    is_weighted,
    scaled,
    source_of,
)
from aidge_nb.quantization.observe import Batch, Remembered, Source, watch
from aidge_nb.quantization.ranges import RANGES, Observed
from aidge_nb.quantization.rules import RULES
from aidge_nb.recipes.edit import Edit, editing


@dataclass(frozen=True)
class Choices:
    """How tensors and weights get codes.

    Attributes
    ----------
    ranges
        A key of :data:`.ranges.RANGES`.
    weights
        Bits and scales of the weights.
    kind
        Type of the codes of activations.
    symmetric
        Whether ranges of activations reach as far below 0 as above.
    correct_bias
        Whether the bias takes off what rounding the weights adds.
    """

    ranges: str
    weights: WeightRule
    kind: str
    symmetric: bool
    correct_bias: bool


@dataclass(frozen=True, eq=False)
class CodedTrial:
    """A network with codes, and sums of squares of its tensors and of their errors.

    Attributes
    ----------
    graph
        The network.
    noise
        For each tensor with codes, and each output: squares of the signal, and of the error, by
        channel.
    coding
        The tensors that have codes, and their scales.
    sqnr
        Of the outputs, in decibels.
    """

    graph: GraphView
    noise: Mapping[Source, NDArray[np.float64]]
    coding: Mapping[Source, Scaled]
    sqnr: float


class Laboratory:
    """Numbers that tensors of a network hold for some samples, and networks with codes from them.

    Parameters
    ----------
    view
        The network in floating point, simplified; it stays as it is.
    batches
        The samples.
    choices
        How codes are chosen.
    keep
        Layers that are in floating point in each trial.
    """

    def __init__(
        self, view: GraphView, batches: Sequence[Batch], choices: Choices, keep: Collection[str]
    ) -> None:
        self.view, self.choices, self.keep = view, choices, frozenset(keep)
        self._batches = batches
        with editing(view) as edit:
            self.sites = find_sites(edit, keep)
            self.units = units_of(self.sites)
        self._runs = Remembered(view, batches, [*self.sites.sources, *view.get_ordered_outputs()])

    @cached_property
    def observed(self) -> dict[Source, Observed]:
        """Observed numbers of each tensor."""
        found = {source: Observed() for source in self.sites.sources}
        for number, tensors in enumerate(self._runs):
            for source in found:
                found[source].widen(tensors[source], number)
        for number, tensors in enumerate(self._runs):
            for source in found:
                found[source].count(tensors[source], number)
        return found

    @cached_property
    def _means(self) -> dict[Source, NDArray[np.float64]]:
        """The mean of each channel of each tensor."""
        sums: dict[Source, list[NDArray[np.float64]]] = {each: [] for each in self.sites.sources}
        for tensors in self._runs if self.choices.correct_bias else ():
            for source, found in sums.items():
                values = tensors[source]
                others = tuple(axis for axis in range(values.ndim) if axis != 1)
                mean = values.mean(others, dtype=np.float64) if values.ndim > 1 else values
                found.append(mean)
        return {source: np.mean(means, axis=0) for source, means in sums.items() if means}

    @cached_property
    def coding(self) -> dict[Source, Scaled]:
        """Scales; what only moves data has the scale of what it moves."""
        return self._scales(self.choices.kind)

    @cached_property
    def wide_coding(self) -> dict[Source, Scaled]:
        """Scales of codes of 16 bits."""
        return self._scales(WIDE_KINDS[self.choices.kind])

    def _scales(self, kind: str) -> dict[Source, Scaled]:
        found, levels = {}, 2 ** (8 * np.dtype(kind).itemsize) - 1
        choices, rule = self.choices, RANGES[self.choices.ranges]
        for source in self.sites.sources:
            first = source
            while first in self.sites.like:
                first = self.sites.like[first]
            low, high = rule(self.observed[first], levels)
            found[source] = scaled(low, high, kind, symmetric=choices.symmetric)
        return found

    def try_with(self, floats: Collection[str] = (), wides: Collection[str] = ()) -> CodedTrial:
        """Quantize all units but ``floats``, and compare with the network in floating point.

        Results of the units ``wides`` have codes of 16 bits. So has what they read, where no layer
        on codes gives it.
        """
        copy, twins = self.view.clone_with_map()
        back = {_twin(twins, source): source for source in self.sites.sources}
        names = {name for unit in floats for name in self.units[unit]}
        with editing(copy) as edit:
            sites = find_sites(edit, self.keep | names)
        names = {name for unit in wides if unit not in floats for name in self.units[unit]}
        with editing(copy) as edit:
            wide = wide_sources(edit, sites, names)
        coding = {
            source: (self.wide_coding if source in wide else self.coding)[back[source]]
            for source in sites.sources
        }
        places = self._apply(copy, sites, back, coding)
        copy.forward_dims(allow_data_dependency=True)
        pairs = {back[source]: port for source, port in places.items()}
        known = {back[source]: scale for source, scale in coding.items()}
        outputs = self.view.get_ordered_outputs()
        pairs.update(zip(outputs, copy.get_ordered_outputs(), strict=True))
        noise = self._noise(copy, pairs)
        power, error = np.sum([noise[port].sum(axis=1) for port in outputs], axis=0)
        return CodedTrial(copy, noise, known, decibels(power, error))

    def name_of(self, source: Source) -> str:
        """Return the name of a tensor: that of its node, or of the input of the graph."""
        if not isinstance(source, int):
            return source.node.name() or source.node.type()
        names = self.view.annotations.get("input_names")
        return str(names[source]) if names else f"input_{source}"

    def _apply(
        self,
        view: GraphView,
        sites: Sites,
        back: Mapping[Source, Source],
        coding: Mapping[Source, Scaled],
    ) -> dict[Source, Port]:
        """Insert codes, weights first; return where the numbers of each tensor's codes are."""
        with editing(view) as edit:
            for node in sites.layers:
                source = source_of(edit, node, 0)
                if source is None or not is_weighted(node):
                    continue
                mean = self._means.get(back[source]) if source in back else None
                insert_weights(edit, node, coding.get(source), self.choices.weights, mean)
            # Inputs of the graph first: their numbers are those of its inputs as they are now.
            ordered = sorted(sites.sources, key=lambda each: not isinstance(each, int))
            return {
                source: insert_codes(edit, source, coding[source], self.name_of(back[source]))
                for source in ordered
            }

    def _noise(
        self, view: GraphView, pairs: Mapping[Source, Port]
    ) -> dict[Source, NDArray[np.float64]]:
        """Return the squares of tensors, and of what differs in another graph, by channel."""
        sums: dict[Source, NDArray[np.float64]] = {}
        ports = list(dict.fromkeys(pairs.values()))
        for wanted, found in zip(self._runs, watch(view, self._batches, ports), strict=True):
            for source, port in pairs.items():
                signal = wanted[source].astype(np.float64)
                error = signal - found[port]
                both = np.stack([_by_channel(signal**2), _by_channel(error**2)])
                sums[source] = sums.get(source, 0) + both
        return sums


WIDE_KINDS = {"int8": "int16", "uint8": "uint16"}
"""Types of codes of 16 bits beside those of 8."""


def wide_sources(edit: Edit, sites: Sites, names: Collection[str]) -> set[Source]:
    """Return the tensors that have codes of 16 bits where the layers named have such results."""
    layers = set(sites.layers)
    found: set[Source] = set()
    for source in sites.sources:
        if not isinstance(source, int) and source.node in layers:
            deciding = [source.node]
        else:
            deciding = [
                node
                for node in sites.layers
                if any(source_of(edit, node, index) == source for index in data_inputs(edit, node))
            ]
        if any(node.name() in names for node in deciding):
            found.add(source)
    return found


def _by_channel(squares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum over all but axis 1."""
    if squares.ndim < 2:
        return np.asarray(squares.sum()).reshape(1)
    return np.asarray(squares.sum(axis=tuple(i for i in range(squares.ndim) if i != 1)))


def worst_channel(noise: NDArray[np.float64]) -> tuple[int, float]:
    """Return the channel whose signal stands out least, of those that have one, and its decibels.

    Examples
    --------
    >>> worst_channel(np.array([[10.0, 0.0, 1000.0], [0.1, 0.1, 100.0]]))
    (2, 10.0)
    """
    found = [(decibels(*each), index) for index, each in enumerate(noise.T) if each[0] > 0]
    sqnr, index = min(found, default=(inf, 0))
    return index, sqnr


def units_of(sites: Sites) -> dict[str, tuple[str, ...]]:
    """Return what stays in floating point together: a layer, and what moves or changes its result.

    By the name of the layer; the names include it.
    """
    owner: dict[Node, Node] = {}
    layers = set(sites.layers)
    for node in sites.layers:
        before = node.source(0)
        follows = node.type() not in RULES and before is not None and before.node in layers
        owner[node] = owner[before.node] if follows and before is not None else node
    found: dict[str, tuple[str, ...]] = {}
    for node, first in owner.items():
        found[first.name()] = (*found.get(first.name(), ()), node.name())
    return found


def decibels(power: float, noise: float) -> float:
    """Return the ratio of two sums of squares.

    Examples
    --------
    >>> round(decibels(200.0, 0.02), 1)
    40.0
    """
    return inf if noise == 0 else -inf if power == 0 else 10 * log10(power / noise)


def _twin(twins: Mapping[Node, Node], source: Source) -> Source:
    return source if isinstance(source, int) else Port(twins[source.node], source.index)
