"""Cycles of a layer on an array: computing, waiting, and what comes before and after.

Transfers run while the units compute; what they need beyond the time they are given stalls the
array. That analysis follows L. Mei et al., "A Uniform Latency Model for DNN Accelerators with
Diverse Architectures and Dataflows", DATE 2022: transfers are given windows, those of one port are
weighed together, and the worst port counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations
from math import ceil
from typing import TYPE_CHECKING

from aidge_nb.hardware.array_moves import Border, Move, borders, bytes_held

if TYPE_CHECKING:
    from aidge_nb.hardware.array_layer import ArrayLayer
    from aidge_nb.hardware.array_machine import ArrayMachine, ArrayPort
    from aidge_nb.hardware.array_mapping import ArrayMapping

_Place = tuple[str, str]
"""An operand and the name of a memory."""


@dataclass(frozen=True)
class ArrayCycles:
    """Where the cycles of a layer go.

    Parameters
    ----------
    layer, machine, mapping
        What is computed, where, and how.
    loads_overlap
        Whether first loads that share a port on one side alone, and come from or go to different
        memories on the other, run side by side. ZigZag takes it so; a port has no room for that.
    """

    layer: ArrayLayer
    machine: ArrayMachine
    mapping: ArrayMapping
    loads_overlap: bool = True
    found: dict[str, tuple[Border, ...]] = field(init=False)

    def __post_init__(self) -> None:
        found = {
            operand.name: borders(self.layer, self.machine, self.mapping, operand)
            for operand in self.layer.operands
        }
        object.__setattr__(self, "found", found)

    @property
    def total(self) -> float:
        """All cycles."""
        return self.compute + self.stall + self.load + self.store + self.drain

    @property
    def compute(self) -> int:
        """Cycles in which the array computes."""
        return self.mapping.cycles

    @property
    def drain(self) -> int:
        """Cycles until the last result has gone through a systolic array."""
        return sum(
            turns - 1 for dim, _, turns in self.mapping.spatial if dim in self.machine.systolic
        )

    @cached_property
    def stall(self) -> int:
        """Cycles in which the array waits for the port that is most in the way."""
        return max((self._stall_of(moves) for moves in self._by_port().values()), default=0)

    @cached_property
    def load(self) -> float:
        """Cycles before the array begins: the first data of every memory.

        Operands that share a port come one after the other, in the best order.
        """
        names = [operand.name for operand in self.layer.inputs]
        shared, own = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0)
        for name in names:
            for border in self.found[name][1:]:
                ends = list(border.moves(is_output=False))
                time = max(self._at_first(move) for move in ends)
                at_ends = [self._is_shared(move.port) for move in ends]
                is_shared = all(at_ends) if self.loads_overlap else any(at_ends)
                (shared if is_shared else own)[name] += time
        return min(_one_after_other(order, shared, own) for order in permutations(names))

    @cached_property
    def store(self) -> float:
        """Cycles after the array has ended: the last results of every memory."""
        return sum(
            max(self._at_first(move) for move in border.moves(is_output=True) if _rises(move))
            for border in self.found[self.layer.output.name][1:]
        )

    # --- stalls ---------------------------------------------------------------------------------

    def _moves(self) -> Iterator[Move]:
        for name, each in self.found.items():
            for border in each:
                yield from border.moves(is_output=name == self.layer.output.name)

    def _by_port(self) -> dict[_Place, list[Move]]:
        found: dict[_Place, list[Move]] = {}
        for move in self._moves():
            found.setdefault((move.memory.name, move.port.name), []).append(move)
        return found

    def _stall_of(self, moves: Sequence[Move]) -> int:
        """Weigh the transfers of a port.

        Each may take its window, again and again: those that need more stall the array. The others
        must fit, together, into the cycles in which any window is open.
        """
        late = [max(0, move.cycles - self._window(move)) * (move.times - 1) for move in moves]
        if len(moves) == 1:
            return late[0]
        needed = sum(min(move.cycles, self._window(move)) * (move.times - 1) for move in moves)
        open_at = sorted({(move.period, self._window(move)) for move in moves})
        return sum(late) + max(0, needed - _covered(open_at, self.compute))

    def _window(self, move: Move) -> int:
        """Give the cycles in which a transfer may happen: all where there is room for two."""
        return move.period if self._fed_by(move) in self._doubled else move.window

    def _fed_by(self, move: Move) -> _Place:
        """Name the memory whose data a transfer replaces: the lower one of the border."""
        for border in self.found[move.operand]:
            if border.above is move.memory and move.way in ("feed", "collect"):
                return move.operand, border.below.name if border.below else ""
        return move.operand, move.memory.name

    @cached_property
    def _doubled(self) -> set[_Place]:
        """List operands and memories where what is used next fits beside what is in use.

        Half a memory is enough for all its operands; else it is given to one after the other.
        """
        used: dict[_Place, float] = {}
        for name, each in self.found.items():
            size = bytes_held(each)
            for border in each[1:]:
                if border.below is not None:
                    used[name, border.below.name] = size[border.below.name] / border.distinct
        found: set[_Place] = set()
        sizes = {memory.name: memory.size for memory in self.machine.memories}
        filled = {
            memory: sum(need for (_, other), need in used.items() if other == memory)
            for memory in sizes
        }
        for (name, memory), need in used.items():
            is_half = filled[memory] <= sizes[memory] / 2
            if is_half or need <= sizes[memory] - filled[memory]:
                found.add((name, memory))
                filled[memory] += 0 if is_half else need
        return found

    # --- before and after -----------------------------------------------------------------------

    def _is_shared(self, port: ArrayPort) -> bool:
        names = {operand.name for operand in self.layer.inputs}
        return len(names & {operand for operand, _ in port.uses}) > 1

    def _at_first(self, move: Move) -> float:
        """Give the cycles of the first transfer (or of the last): of what the array waits for.

        What comes once may still come while the array computes, as far as the port has cycles to
        spare: all but the part that the units use first.
        """
        if move.times > 1:
            return move.cycles
        return self._trickled[move.operand, move.memory.name, move.way]

    @cached_property
    def _trickled(self) -> dict[tuple[str, str, str], float]:
        """Give the cycles of what moves once, less those that the port has to spare."""
        found: dict[tuple[str, str, str], float] = {}
        for moves in self._by_port().values():
            known = [move for move in moves if not self._comes_back(move)]
            often = sum(int(move.bits / move.period) for move in known if move.times > 1)
            port = moves[0].port
            free = max(0.0, (port.bits - often) / port.bits * (self.compute + self.stall))
            for move in sorted(known, key=lambda each: -each.cycles):
                if move.times == 1:
                    first = self.found[move.operand][min(1, len(self.found[move.operand]) - 1)]
                    least = ceil(first.held * first.bits / port.bits)
                    spared = min(max(0, move.cycles - least), free)
                    free -= spared
                    found[move.operand, move.memory.name, move.way] = move.cycles - spared
        return found

    def _comes_back(self, move: Move) -> bool:
        """Whether it brings sums back that are not complete: none does at the end."""
        return move.operand == self.layer.output.name and not _rises(move)


def _rises(move: Move) -> bool:
    return move.way in ("collect", "flush")


def _one_after_other(
    order: Sequence[str], shared: dict[str, float], own: dict[str, float]
) -> float:
    """Add up shared transfers; others go on beside them, each after its own shared ones."""
    time = end = 0.0
    for name in order:
        time += shared[name]
        end = max(end, time + own[name])
    return end


def _covered(windows: Sequence[tuple[int, int]], cycles: int) -> int:
    """Count the cycles in which any of some windows is open.

    Windows, as (period, length), open at the start of each of their periods. Periods are sorted,
    and each one divides those after it.

    Examples
    --------
    >>> _covered([(3, 1), (12, 5)], 24)
    14
    """
    if not windows or cycles <= 0:
        return 0
    *shorter, (period, length) = windows
    whole, rest = divmod(cycles, period)

    def begun(part: int) -> int:
        opened = min(length, part)
        return opened + _covered(shorter, part) - _covered(shorter, opened)

    return whole * begun(period) + begun(rest)
