"""Choose the layers in floating point and on codes of 16 bits, so that an error budget holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf

from aidge_nb.graph.view import GraphView
from aidge_nb.quantization.trials import CodedTrial, Laboratory

_FRONT = 2000
"""Choices that are kept from layer to layer."""


@dataclass(frozen=True)
class LayerPrice:
    """A layer, what its codes cost in accuracy, and what floating point would cost in bytes.

    Attributes
    ----------
    name
        The layer.
    members
        Names of what stays in floating point with it: itself, and what only follows it.
    sqnr
        Signal to quantization noise of the outputs, in decibels, if this layer alone has codes.
    more_bytes
        Bytes that its parameters and its result take more in floating point.
    is_float
        Whether it is in floating point here.
    wide_sqnr
        The same as ``sqnr`` for codes of 16 bits; None where it was not measured.
    wide_bytes
        Bytes that its result takes more with codes of 16 bits.
    is_wide
        Whether its result has codes of 16 bits here.

    Examples
    --------
    >>> print(LayerPrice("conv", ("conv", "relu"), 31.5, 2048, True))
    conv: 31.5 dB alone, 2048 bytes more in float; in float
    """

    name: str
    members: tuple[str, ...]
    sqnr: float
    more_bytes: int
    is_float: bool = False
    wide_sqnr: float | None = None
    wide_bytes: int = 0
    is_wide: bool = False

    def __str__(self) -> str:
        where = "in float" if self.is_float else "on int16" if self.is_wide else "on codes"
        price = f"{self.sqnr:.1f} dB alone, {self.more_bytes} bytes more in float"
        if self.wide_sqnr is not None:
            price += f"; {self.wide_sqnr:.1f} dB, {self.wide_bytes} bytes more on int16"
        return f"{self.name}: {price}; {where}"


Progress = Callable[[str], None]


def prices(
    laboratory: Laboratory,
    progress: Progress = lambda stage: None,
    *,
    wide: bool = False,
) -> tuple[LayerPrice, ...]:
    """Return the price of each layer, measured with codes in this layer alone.

    Parameters
    ----------
    laboratory
        The network and its samples.
    progress
        Called with words as each layer begins.
    wide
        Whether codes of 16 bits are measured, too.
    """
    found = []
    units = laboratory.units
    for number, (name, members) in enumerate(units.items(), 1):
        progress(f"price {name} ({number}/{len(units)})")
        others = [other for other in units if other != name]
        trial = laboratory.try_with(others)
        wide_sqnr = laboratory.try_with(others, [name]).sqnr if wide else None
        more, result = _more_bytes(laboratory.view, members)
        found.append(LayerPrice(name, members, trial.sqnr, more, False, wide_sqnr, result))
    return tuple(found)


@dataclass(frozen=True)
class Mix:
    """Layers in floating point and on codes of 16 bits; all others have codes of 8 bits."""

    floats: tuple[str, ...] = ()
    wides: tuple[str, ...] = ()

    def without(self, name: str) -> Mix:
        """Return the same with one more layer on codes of 8 bits."""
        return Mix(*(tuple(each for each in some if each != name) for some in self._both))

    @property
    def _both(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return self.floats, self.wides


def least_bytes(
    laboratory: Laboratory,
    known: Sequence[LayerPrice],
    budget: float,
    progress: Progress = lambda stage: None,
) -> tuple[Mix, CodedTrial]:
    """Return the types of the layers, of least bytes, with which outputs keep a budget.

    The errors of layers nearly add up: of all choices that none beats in both bytes and the sum
    of errors, the first is taken that keeps the budget when the network is run. Then layers that
    turn out not to be needed go back to codes of 8 bits. With all layers in floating point nothing
    is lost: there is always a choice.

    Parameters
    ----------
    laboratory, known
        The network, and the prices of its layers.
    budget
        The least signal to quantization noise of the outputs, in decibels.
    progress
        Called with words before each run.
    """
    front = _front(known)
    allowed = _noise(budget)
    trial, factor, mix, spent = laboratory.try_with(), 1.0, Mix(), 0
    everything = _Choice(2**62, 0.0, Mix(tuple(each.name for each in known)))
    while trial.sqnr < budget:
        later = [each for each in front if each.more_bytes > spent]
        fitting = (each for each in later if each.noise * factor <= allowed)
        choice = next(fitting, everything)
        mix, spent = choice.mix, choice.more_bytes
        progress(f"try {len(mix.floats)} in float, {len(mix.wides)} on int16")
        trial = laboratory.try_with(mix.floats, mix.wides)
        factor = max(factor, _noise(trial.sqnr) / choice.noise if choice.noise else factor)
    for each in sorted(known, key=lambda one: (-_spent(one, mix), one.name)):
        if each.name in mix.floats or each.name in mix.wides:
            progress(f"try {each.name} on codes")
            fewer = mix.without(each.name)
            other = laboratory.try_with(fewer.floats, fewer.wides)
            if other.sqnr >= budget:
                mix, trial = fewer, other
    return mix, trial


@dataclass(frozen=True, order=True)
class _Choice:
    """Types of some layers: the bytes more than codes of 8 bits, and the sum of all errors."""

    more_bytes: int
    noise: float
    mix: Mix = field(compare=False)


def _front(layers: Sequence[LayerPrice]) -> list[_Choice]:
    """Return choices of types: bytes rise, the sum of errors falls."""
    choices = [_Choice(0, 0.0, Mix())]
    for each in layers:
        name, noise = each.name, _noise(each.sqnr)
        options = [_Choice(0, noise, Mix()), _Choice(each.more_bytes, 0.0, Mix((name,)))]
        if each.wide_sqnr is not None:
            options.append(_Choice(each.wide_bytes, _noise(each.wide_sqnr), Mix((), (name,))))
        made = [_joined(choice, option) for choice in choices for option in options]
        choices, least = list[_Choice](), inf
        for choice in sorted(made):
            if choice.noise < least:
                choices.append(choice)
                least = choice.noise
        if len(choices) > _FRONT:
            choices = [*choices[:-1:2], choices[-1]]
    return choices


def _joined(one: _Choice, other: _Choice) -> _Choice:
    mix = Mix(one.mix.floats + other.mix.floats, one.mix.wides + other.mix.wides)
    return _Choice(one.more_bytes + other.more_bytes, one.noise + other.noise, mix)


def _noise(sqnr: float) -> float:
    """Return the error as a part of the signal."""
    return float(10 ** (-sqnr / 10))


def _spent(price: LayerPrice, mix: Mix) -> int:
    if price.name in mix.wides:
        return price.wide_bytes
    return price.more_bytes if price.name in mix.floats else 0


def _more_bytes(view: GraphView, members: Sequence[str]) -> tuple[int, int]:
    """Return the bytes of parameters and of the last result, less those of codes of 8 bits.

    The second number is that of the result as codes of 16 bits.
    """
    nodes = [view.get_node(name) for name in members]
    ports = [port for node in nodes for _, port in node.edges_in()]
    kept = [port for port in ports if port.node.type() == "Producer"]
    found = [port.node.get_operator().get_output(port.index) for port in kept]
    result = nodes[-1].get_operator().get_output(0)
    floats = [tensor for tensor in (*found, result) if tensor.dtype.is_float]
    more = sum(tensor.nbytes - tensor.nbytes // tensor.dtype.numpy.itemsize for tensor in floats)
    return more, result.size
