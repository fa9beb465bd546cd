"""Mappings made from an order of loops: each memory holds as many of the inner loops as fit."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, prod
from typing import TYPE_CHECKING

from aidge_nb.core.errors import HardwareError, explain
from aidge_nb.hardware.array_mapping import ArrayMapping
from aidge_nb.hardware.array_moves import borders, bytes_held

if TYPE_CHECKING:
    from aidge_nb.hardware.array_layer import ArrayLayer
    from aidge_nb.hardware.array_machine import ArrayMachine, ArrayMemory


def fill_mapping(
    layer: ArrayLayer,
    machine: ArrayMachine,
    spatial: Sequence[tuple[str, str, int]],
    order: Sequence[str],
) -> ArrayMapping:
    """Map a layer onto an array: what is left of its loops runs in a given order.

    Loops are cut into prime factors. From the units outwards each memory then takes loops from the
    inside as long as what they need fits; operands that share a memory take one in turn.

    Parameters
    ----------
    layer, machine
        What is computed, and where.
    spatial
        Which loop runs along which dimension of the array, and how many of its turns at once; no
        more are taken than there are.
    order
        The other loops, innermost first; those that are not named come last, as outermost ones.

    Raises
    ------
    HardwareError
        For a loop or dimension that is not there or is named twice, and for too many units.

    Examples
    --------
    >>> from aidge_nb.hardware import ArrayLayer, Operand, layer_cost, tpu_like
    >>> read = Operand("I", ((("B", 1),), (("C", 1),)), 8)
    >>> matrix = Operand("W", ((("K", 1),), (("C", 1),)), 8)
    >>> result = Operand("O", ((("B", 1),), (("K", 1),)), 8)
    >>> layer = ArrayLayer("fc", {"B": 64, "C": 256, "K": 512}, (matrix, read), result, 16)
    >>> spatial = (("D1", "K", 32), ("D2", "C", 32))
    >>> for order in ("CBK", "BCK"):
    ...     mapping = fill_mapping(layer, tpu_like(), spatial, order)
    ...     print(order, mapping.held, f"{layer_cost(layer, tpu_like(), mapping).energy:.3g}")
    CBK {'O': (3, 13), 'W': (13,), 'I': (13,)} 1.8e+07
    BCK {'O': (0, 13), 'W': (13,), 'I': (13,)} 1.92e+07
    """
    known = set(layer.sizes)
    if not set(order) <= known or len(set(order)) < len(order):
        expected = f"some of {', '.join(layer.sizes)}, each once"
        where = f"{layer.name} on {machine.name}"
        raise HardwareError(
            explain(
                where,
                "no order of loops",
                expected=expected,
                found=order,
                cure="Name each loop at most once; the others follow.",
            )
        )
    spatial = tuple((dim, loop, min(at, layer.sizes.get(loop, at))) for dim, loop, at in spatial)
    names = [*order, *(loop for loop in layer.sizes if loop not in order)]
    temporal = tuple((loop, each) for loop in names for each in _left(layer, spatial, loop))
    levels = {each.name: machine.levels(each.name) for each in layer.operands}
    held = {name: [0] * (len(each) - 1) for name, each in levels.items()}
    mapping = ArrayMapping(spatial, temporal, _frozen(held))
    mapping.check(layer, machine)
    for memory in machine.memories[:-1]:
        takers = [name for name, each in levels.items() if memory in each]
        while takers:
            for name in tuple(takers):
                grown = _grown(mapping, name, levels[name].index(memory))
                if grown is None or not _fits(layer, machine, grown, memory):
                    takers.remove(name)
                else:
                    mapping = grown
    return mapping


def _left(layer: ArrayLayer, spatial: tuple[tuple[str, str, int], ...], loop: str) -> list[int]:
    """Give the prime factors of the turns of a loop that are not computed at once."""
    at_once = prod(turns for _, name, turns in spatial if name == loop)
    left, found, factor = ceil(layer.sizes[loop] / max(1, at_once)), [], 2
    while factor * factor <= left:
        while left % factor == 0:
            found.append(factor)
            left //= factor
        factor += 1
    return [*found, left] if left > 1 else found


def _grown(mapping: ArrayMapping, name: str, level: int) -> ArrayMapping | None:
    """Let one more loop run on what a memory holds, and those above it; None if all do."""
    held = [*mapping.held[name]]
    if held[level] == len(mapping.temporal):
        return None
    held[level:] = [held[level] + 1] * (len(held) - level)
    return ArrayMapping(mapping.spatial, mapping.temporal, {**mapping.held, name: tuple(held)})


def _fits(
    layer: ArrayLayer, machine: ArrayMachine, mapping: ArrayMapping, memory: ArrayMemory
) -> bool:
    found = (borders(layer, machine, mapping, operand) for operand in layer.operands)
    return sum(bytes_held(each).get(memory.name, 0) for each in found) <= memory.size


def _frozen(held: dict[str, list[int]]) -> dict[str, tuple[int, ...]]:
    return {name: tuple(each) for name, each in held.items()}
