"""What a layer costs on an array: energy, cycles, and words that each memory moves."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from aidge_nb.hardware.array_cycles import ArrayCycles
from aidge_nb.hardware.array_moves import borders, check_sizes

if TYPE_CHECKING:
    from aidge_nb.hardware.array_layer import ArrayLayer
    from aidge_nb.hardware.array_machine import ArrayMachine
    from aidge_nb.hardware.array_mapping import ArrayMapping

_READS = ("feed", "flush")


@dataclass(frozen=True, slots=True)
class Accesses:
    """What happens at a memory for an operand.

    Attributes
    ----------
    memory, operand, way
        Where, for what, and how: ``fill`` and ``collect`` write, ``feed`` and ``flush`` read.
    words
        Words of that memory.
    energy
        Picojoules.
    """

    memory: str
    operand: str
    way: str
    words: float
    energy: float


@dataclass(frozen=True, slots=True)
class LayerCost:
    """What a layer costs on an array.

    Attributes
    ----------
    layer, machine
        Their names.
    macs
        Multiply-accumulates.
    mac_energy
        Picojoules of multiply-accumulates.
    accesses
        What happens at each memory.
    compute, stall, load, store, drain
        Cycles: the array computes; waits for a memory; waits for the first data; hands out the last
        results; and until these have passed a systolic array.
    use
        Part of all units and cycles in which there was a multiply-accumulate.
    """

    layer: str
    machine: str
    macs: int
    mac_energy: float
    accesses: tuple[Accesses, ...]
    compute: int
    stall: int
    load: float
    store: float
    drain: int
    use: float

    @property
    def cycles(self) -> float:
        """All cycles."""
        return self.compute + self.stall + self.load + self.store + self.drain

    @property
    def energy(self) -> float:
        """All picojoules."""
        return self.mac_energy + sum(each.energy for each in self.accesses)

    def energy_of(self, memory: str = "", operand: str = "") -> float:
        """Add up the picojoules of a memory, of an operand, or of one in the other."""
        return sum(
            each.energy
            for each in self.accesses
            if memory in ("", each.memory) and operand in ("", each.operand)
        )

    def __repr__(self) -> str:
        return (
            f"LayerCost({self.layer} on {self.machine}: {self.energy / 1e6:.3g} uJ, "
            f"{self.cycles:,.0f} cycles, {self.use:.0%} of the array in use)"
        )


def layer_cost(
    layer: ArrayLayer,
    machine: ArrayMachine,
    mapping: ArrayMapping,
    *,
    loads_overlap: bool = True,
) -> LayerCost:
    """Compute what a layer costs on an array, mapped in a given way.

    A memory costs ``read_cost`` or ``write_cost`` picojoules for each word; where the array is not
    always full, sizes are those of an average turn. Sums that are not complete are read back
    whenever a unit or memory goes on with them, and also the first time, as zeros. Cycles are
    counted by :class:`~aidge_nb.hardware.array_cycles.ArrayCycles`, of full turns.

    Parameters
    ----------
    layer
        What is computed; see :func:`~aidge_nb.hardware.array_layer`.
    machine
        Where; see :func:`~aidge_nb.hardware.tpu_like`.
    mapping
        How; see :func:`~aidge_nb.hardware.fill_mapping`.
    loads_overlap
        Whether the first loads of operands overlap although a memory has one port for them, as
        ZigZag assumes. Without, they come one after the other, as on such a machine they do: up to
        a third more on small layers whose loads take long.

    Raises
    ------
    HardwareError
        When the mapping does not cover the layer, or does not fit the array or a memory.

    Examples
    --------
    >>> import aidge_nb
    >>> from aidge_nb import hardware
    >>> conv = aidge_nb.Conv2D(64, 64, [3, 3], name="conv")
    >>> view = aidge_nb.sequential([conv])
    >>> view.forward_dims([[1, 64, 58, 58]])
    True
    >>> mapping = hardware.ArrayMapping(
    ...     spatial=(("D1", "K", 32), ("D2", "C", 32)),
    ...     temporal=(("C", 2), ("FY", 3), ("FX", 3), ("OY", 56), ("OX", 56), ("K", 2)),
    ...     held={"W": (6,), "I": (6,), "O": (3, 6)},
    ... )
    >>> cost = hardware.layer_cost(
    ...     hardware.array_layer(conv, partial_bits=16), hardware.tpu_like(), mapping
    ... )
    >>> cost
    LayerCost(conv on tpu_like: 68.3 uJ, 139,872 cycles, 81% of the array in use)
    >>> cost.compute, cost.load, round(cost.energy_of("dram") / cost.energy, 2)
    (112896, 26912.0, 0.6)
    """
    mapping.check(layer, machine)
    cycles = ArrayCycles(layer, machine, mapping, loads_overlap)
    check_sizes(machine, cycles.found)
    units = prod(machine.dims.values())
    return LayerCost(
        layer.name,
        machine.name,
        layer.macs,
        machine.mac_cost * layer.macs,
        tuple(_accesses(layer, machine, mapping)),
        cycles.compute,
        cycles.stall,
        cycles.load,
        cycles.store,
        cycles.drain,
        layer.macs / (units * cycles.total),
    )


def _accesses(layer: ArrayLayer, machine: ArrayMachine, mapping: ArrayMapping) -> list[Accesses]:
    found = []
    for operand in layer.operands:
        for border in borders(layer, machine, mapping, operand, average=True):
            for move in border.moves(is_output=operand is layer.output):
                memory, words = move.memory, move.words
                cost = memory.read_cost if move.way in _READS else memory.write_cost
                found.append(Accesses(memory.name, operand.name, move.way, words, words * cost))
    return found
