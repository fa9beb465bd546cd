"""Choose the layers that stay in floating point so that an error budget holds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
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

    Examples
    --------
    >>> print(LayerPrice("conv", ("conv", "relu"), 31.5, 2048, True))
    conv: 31.5 dB alone, 2048 bytes more in float; in float
    """

    name: str
    members: tuple[str, ...]
    sqnr: float
    more_bytes: int
    is_float: bool

    def __str__(self) -> str:
        where = "in float" if self.is_float else "on codes"
        price = f"{self.sqnr:.1f} dB alone, {self.more_bytes} bytes more in float"
        return f"{self.name}: {price}; {where}"


Progress = Callable[[str], None]


def prices(
    laboratory: Laboratory, floats: Collection[str] = (), progress: Progress = lambda stage: None
) -> tuple[LayerPrice, ...]:
    """Return the price of each layer, measured with codes in this layer alone.

    Parameters
    ----------
    laboratory
        The network and its samples.
    floats
        The layers that are in floating point.
    progress
        Called with words as each layer begins.
    """
    found = []
    units = laboratory.units
    for number, (name, members) in enumerate(units.items(), 1):
        progress(f"price {name} ({number}/{len(units)})")
        trial = laboratory.try_with([other for other in units if other != name])
        more = _more_bytes(laboratory.view, members)
        found.append(LayerPrice(name, members, trial.sqnr, more, name in floats))
    return tuple(found)


def least_floats(
    laboratory: Laboratory,
    known: Sequence[LayerPrice],
    budget: float,
    progress: Progress = lambda stage: None,
) -> tuple[tuple[str, ...], CodedTrial]:
    """Return the layers in floating point, of least bytes, with which outputs keep a budget.

    The errors of layers nearly add up: of all choices that none beats in both bytes and the sum
    of errors, the first is taken that keeps the budget when the network is run. Then layers that
    turn out not to be needed go back to codes. With all layers in floating point nothing is lost:
    there is always a choice.

    Parameters
    ----------
    laboratory, known
        The network, and the prices of its layers.
    budget
        The least signal to quantization noise of the outputs, in decibels.
    progress
        Called with words before each run.
    """
    front = _front([(each.name, each.more_bytes, _noise(each.sqnr)) for each in known])
    allowed = _noise(budget)
    trial, factor = laboratory.try_with(), 1.0
    floats: tuple[str, ...] = ()
    while trial.sqnr < budget:
        later = [each for each in front if each[0] > _bytes(known, floats)]
        every = tuple(each.name for each in known)
        floats = next((names for _, noise, names in later if noise * factor <= allowed), every)
        progress(f"try {len(floats)} in float")
        trial = laboratory.try_with(floats)
        expected = sum(_noise(each.sqnr) for each in known if each.name not in floats)
        factor = max(factor, _noise(trial.sqnr) / expected if expected else factor)
    for each in sorted(known, key=lambda one: (-one.more_bytes, one.name)):
        if each.name in floats:
            fewer = tuple(name for name in floats if name != each.name)
            progress(f"try {each.name} on codes")
            other = laboratory.try_with(fewer)
            if other.sqnr >= budget:
                floats, trial = fewer, other
    return floats, trial


_Choice = tuple[int, float, tuple[str, ...]]


def _front(layers: Sequence[tuple[str, int, float]]) -> list[_Choice]:
    """Return choices of layers in float: bytes rise, the sum of the others' errors falls."""
    choices: list[_Choice] = [(0, 0.0, ())]
    for name, more, noise in layers:
        coded = [(total, error + noise, names) for total, error, names in choices]
        floats = [(total + more, error, (*names, name)) for total, error, names in choices]
        choices, least = list[_Choice](), inf
        for choice in sorted(coded + floats):
            if choice[1] < least:
                choices.append(choice)
                least = choice[1]
        if len(choices) > _FRONT:
            choices = [*choices[:-1:2], choices[-1]]
    return choices


def _noise(sqnr: float) -> float:
    """Return the error as a part of the signal."""
    return float(10 ** (-sqnr / 10))


def _bytes(known: Sequence[LayerPrice], names: Collection[str]) -> int:
    return sum(each.more_bytes for each in known if each.name in names)


def _more_bytes(view: GraphView, members: Sequence[str]) -> int:
    """Return the bytes of parameters and of the last result, less those of their codes."""
    nodes = [view.get_node(name) for name in members]
    ports = [port for node in nodes for _, port in node.edges_in()]
    kept = [port for port in ports if port.node.type() == "Producer"]
    found = [port.node.get_operator().get_output(port.index) for port in kept]
    found.append(nodes[-1].get_operator().get_output(0))
    floats = [tensor for tensor in found if tensor.dtype.is_float]
    return sum(tensor.nbytes - tensor.nbytes // tensor.dtype.numpy.itemsize for tensor in floats)
