"""How a nest of loops is spread over an array and over time, and what each memory keeps of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from math import ceil, prod

from aidge_nb.core.errors import HardwareError, explain
from aidge_nb.hardware.array_layer import ArrayLayer
from aidge_nb.hardware.array_machine import ArrayMachine


@dataclass(frozen=True, slots=True)
class Unrolled:
    """Turns of a loop that are computed at once, along a dimension of the array."""

    dim: str
    loop: str
    turns: float


@dataclass(frozen=True, slots=True)
class ArrayMapping:
    """A layer on an array.

    Attributes
    ----------
    spatial
        Which loop runs along which dimension of the array, and how many of its turns at once:
        ``(("D1", "K", 32), ...)``.
    temporal
        The turns that are left, one after the other, innermost loop first. A loop may stand there
        several times, by its factors. Together with the spatial ones there may be more turns than
        the layer has: then the array is not always full.
    held
        For each operand the number of temporal loops that run on what each of its memories holds:
        one number for each of its memories but the last, which holds everything.
    """

    spatial: tuple[tuple[str, str, int], ...]
    temporal: tuple[tuple[str, int], ...]
    held: dict[str, tuple[int, ...]]

    @property
    def cycles(self) -> int:
        """Turns in time: cycles, if nothing has to be waited for."""
        return prod(turns for _, turns in self.temporal)

    def unrolled(self, layer: ArrayLayer, *, average: bool = False) -> tuple[Unrolled, ...]:
        """List the spatial loops, by what a full turn computes or by the average of all turns."""
        found = [Unrolled(*each) for each in self.spatial]
        if not average:
            return tuple(found)
        for loop, size in layer.sizes.items():
            mine = [each for each in found if each.loop == loop]
            if mine:
                widest = max(mine, key=lambda each: each.turns)
                others = prod(each.turns for each in mine if each is not widest)
                turns = size / self._turns(loop) / others
                found[found.index(widest)] = Unrolled(widest.dim, loop, turns)
        return tuple(found)

    def _turns(self, loop: str) -> int:
        return prod(turns for name, turns in self.temporal if name == loop)

    def check(self, layer: ArrayLayer, machine: ArrayMachine) -> None:
        """Check that it maps a layer, all of it, onto a machine.

        Raises
        ------
        HardwareError
            Names the loop, dimension or operand, and a legal value.
        """
        mistakes = chain(
            self._array_mistakes(machine),
            self._loop_mistakes(layer),
            self._level_mistakes(layer, machine),
        )
        for problem in mistakes:
            raise HardwareError(
                explain(
                    f"{layer.name} on {machine.name}",
                    problem,
                    cure="Mend its loops, or let fill_mapping() find them.",
                )
            )

    def _loop_mistakes(self, layer: ArrayLayer) -> Iterator[str]:
        known = ", ".join(layer.sizes)
        named = [(loop, turns) for _, loop, turns in self.spatial] + list(self.temporal)
        for loop, turns in named:
            if loop not in layer.sizes:
                yield f"{loop} is no loop of the layer; its loops are {known}"
            if turns < 1:
                yield f"loop {loop} has {turns} turns; 1 is the least"
        for loop, size in layer.sizes.items():
            at_once = prod(turns for _, name, turns in self.spatial if name == loop)
            needed = ceil(size / at_once)
            if self._turns(loop) != needed:
                yield (
                    f"loop {loop} of {size} turns, {at_once} at once, "
                    f"needs {needed} in time and has {self._turns(loop)}"
                )

    def _array_mistakes(self, machine: ArrayMachine) -> Iterator[str]:
        for dim, _, _ in self.spatial:
            if dim not in machine.dims:
                yield f"the array has no dimension {dim}; it has {', '.join(machine.dims)}"
        for dim, units in machine.dims.items():
            used = prod(turns for name, _, turns in self.spatial if name == dim)
            if used > units:
                yield f"{used} units along {dim}, which has {units}"

    def _level_mistakes(self, layer: ArrayLayer, machine: ArrayMachine) -> Iterator[str]:
        for operand in layer.operands:
            levels = machine.levels(operand.name)
            if not levels or levels[-1] is not machine.memories[-1]:
                yield f"{operand.name} has no way to {machine.memories[-1].name}"
            held = self.held.get(operand.name, ())
            if len(held) != len(levels) - 1:
                names = ", ".join(memory.name for memory in levels[:-1])
                yield f"held[{operand.name!r}] is one number for each of {names}; it is {held}"
            if not _rises((0, *held, len(self.temporal))):
                yield (
                    f"held[{operand.name!r}] counts loops from the inside, 0 to "
                    f"{len(self.temporal)}, and never falls; it is {held}"
                )


def _rises(values: Iterable[int]) -> bool:
    values = tuple(values)
    return values == tuple(sorted(values))
