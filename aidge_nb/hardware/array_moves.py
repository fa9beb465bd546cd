"""What moves between the memories of an array while a layer is computed: how much, how often.

Between a memory and what is below it (a memory, or the units) data are replaced each time a loop
turns on which they depend. So loops that do not matter to an operand cost it nothing as long as
they are inside of those that do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, takewhile
from math import ceil, prod
from typing import TYPE_CHECKING

from aidge_nb.core.errors import HardwareError, explain

if TYPE_CHECKING:
    from aidge_nb.hardware.array_layer import ArrayLayer, Operand
    from aidge_nb.hardware.array_machine import ArrayMachine, ArrayMemory, ArrayPort
    from aidge_nb.hardware.array_mapping import ArrayMapping, Unrolled


@dataclass(frozen=True, slots=True)
class Move:
    """Something that happens at a memory again and again.

    Attributes
    ----------
    operand, memory, way
        What moves, where, and how (one of ``WAYS``).
    port
        The port it takes.
    bits
        Bits that one copy of the memory moves each time.
    times
        How often.
    period
        Cycles from one time to the next.
    window
        Cycles in which it can happen where there is no room for data of two periods: the last use
        of the old data to the first one of the new ones.
    copies
        How many copies of the memory do so at once.
    """

    operand: str
    memory: ArrayMemory
    way: str
    port: ArrayPort
    bits: float
    times: int
    period: int
    window: int
    copies: float

    @property
    def cycles(self) -> int:
        """Cycles that it takes each time."""
        return ceil(self.bits / self.port.bits)

    @property
    def words(self) -> float:
        """Words that are moved in all copies at all times."""
        least = self.port.granule or self.port.bits
        return ceil(self.bits / least) * least / self.port.bits * self.times * self.copies


@dataclass(frozen=True, slots=True)
class Border:
    """Between two memories of an operand, or between the lowest one and the units.

    Attributes
    ----------
    operand
        The operand.
    above, below
        The memories; None for the units.
    held
        Elements of a period in one copy of what is below.
    sent
        Elements of a period that pass one copy of the memory above.
    bits
        Bits of an element that passes.
    is_partial
        Whether sums pass that are not complete, and come back.
    period, window, times
        As for :class:`Move`.
    distinct
        By how much the data below change in the outermost loops of a period, one after the other:
        of ``held`` only that part is in use at a time.
    copies_above, copies_below
        How many copies there are of both.
    """

    operand: Operand
    above: ArrayMemory
    below: ArrayMemory | None
    held: float
    sent: float
    bits: int
    is_partial: bool
    period: int
    window: int
    times: int
    distinct: int
    copies_above: float
    copies_below: float

    def moves(self, *, is_output: bool) -> Iterator[Move]:
        """List what happens at both of its sides."""
        upward = ("collect", "flush") if is_output else ()
        downward = ("feed", "fill") if self.is_partial or not is_output else ()
        for ways in (upward, downward):
            if ways:
                yield self._move(self.above, ways[0], self.sent, self.copies_above)
                if self.below is not None:
                    yield self._move(self.below, ways[1], self.held, self.copies_below)

    def _move(self, memory: ArrayMemory, way: str, elements: float, copies: float) -> Move:
        name = self.operand.name
        port, bits = memory.port(name, way), elements * self.bits
        return Move(name, memory, way, port, bits, self.times, self.period, self.window, copies)


def borders(
    layer: ArrayLayer,
    machine: ArrayMachine,
    mapping: ArrayMapping,
    operand: Operand,
    *,
    average: bool = False,
) -> tuple[Border, ...]:
    """List the borders of an operand, from the units outwards.

    Parameters
    ----------
    layer, machine, mapping
        What is computed, where, and how.
    operand
        The operand.
    average
        Whether sizes are those of an average turn, where the array is not always full.
    """
    levels = machine.levels(operand.name)
    spatial = mapping.unrolled(layer, average=average)
    ends = _ends(mapping, operand, is_output=operand is layer.output)
    served = [set[str]()]
    for memory in levels:
        served.append(served[-1] | set(memory.serves))
    found = []
    for number, memory in enumerate(levels):
        inside, below = mapping.temporal[: ends[number]], served[number]
        period = prod(turns for _, turns in inside)
        last = inside[ends[number - 1] if number > 1 else 0 :] if number else ()
        partial = _is_partial(layer, mapping, spatial, operand, ends[number], served[number + 1])
        bits = layer.partial_bits if partial else operand.bits
        found.append(
            Border(
                operand,
                memory,
                levels[number - 1] if number else None,
                operand.elements(_turns(inside, spatial, below)),
                operand.elements(_turns(inside, spatial, served[number + 1])),
                bits,
                partial,
                period,
                period // _top(last, operand, matters=False),
                mapping.cycles // period,
                _top(last, operand, matters=True),
                prod(each.turns for each in spatial if each.dim not in served[number + 1]),
                prod(each.turns for each in spatial if each.dim not in below),
            )
        )
    return tuple(found)


def _ends(mapping: ArrayMapping, operand: Operand, *, is_output: bool) -> list[int]:
    """Count the temporal loops inside each border; those that do not matter are inside, too.

    Results leave a unit in each cycle: there is no register but the accumulator in a memory.
    """
    ends: list[int] = []
    for end in (0, *mapping.held[operand.name]):
        rest = mapping.temporal[end:]
        free = sum(1 for _ in takewhile(lambda loop: loop[0] not in operand.loops, rest))
        ends.append(0 if is_output and not ends else end + free)
    return ends


def _turns(
    inside: tuple[tuple[str, int], ...], spatial: tuple[Unrolled, ...], served: set[str]
) -> dict[str, float]:
    """Multiply the turns of each loop in time and, where the array is served, in space."""
    turns: dict[str, float] = {}
    for loop, count in inside:
        turns[loop] = turns.get(loop, 1) * count
    for each in spatial:
        if each.dim in served:
            turns[each.loop] = turns.get(each.loop, 1) * each.turns
    return turns


def _is_partial(
    layer: ArrayLayer,
    mapping: ArrayMapping,
    spatial: tuple[Unrolled, ...],
    operand: Operand,
    end: int,
    served: set[str],
) -> bool:
    """Whether what passes a border is added up further, in time or between copies above it."""
    if operand is not layer.output:
        return False
    later = any(turns > 1 and loop not in operand.loops for loop, turns in mapping.temporal[end:])
    beside = (each for each in spatial if each.dim not in served)
    return later or any(each.turns > 1 and each.loop not in operand.loops for each in beside)


def _top(loops: tuple[tuple[str, int], ...], operand: Operand, *, matters: bool) -> int:
    """Multiply the outermost loops that matter, or that do not.

    A loop that shares an axis with another is neither: its turns use the same data in part.
    """
    alone = {index[0][0] for index in operand.indices if len(index) == 1}
    chosen = alone if matters else {loop for loop, _ in loops} - operand.loops
    return prod(turns for _, turns in takewhile(lambda each: each[0] in chosen, reversed(loops)))


def bytes_held(found: tuple[Border, ...]) -> dict[str, float]:
    """Give how many bytes of an operand one copy of each of its memories but the last holds.

    Sums that arrive incomplete are kept in full width.
    """
    return {
        outer.below.name: outer.held * inner.bits / 8
        for inner, outer in pairwise(found)
        if outer.below is not None
    }


def check_sizes(machine: ArrayMachine, found: dict[str, tuple[Border, ...]]) -> None:
    """Check that what each memory holds fits.

    Raises
    ------
    HardwareError
        Names the memory, what it should hold, and its size.
    """
    for memory in machine.memories[:-1]:
        held = {name: bytes_held(each).get(memory.name, 0) for name, each in found.items()}
        if sum(held.values()) > memory.size:
            parts = ", ".join(f"{ceil(size)} of {name}" for name, size in held.items() if size)
            expected = f"at most {memory.size} bytes"
            cure = "Let fewer loops run on what it holds (held)."
            where = f"{machine.name}/{memory.name}"
            problem = "does not hold that much"
            raise HardwareError(explain(where, problem, expected=expected, found=parts, cure=cure))
