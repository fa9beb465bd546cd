"""The independent check of an export plan: its steps are played in an arena that remembers.

Every unit of the arenas carries the number of the write that put something there last. What a step
reads must still be as it was written under that name; what is written must lie inside; outputs must
be there at the end. Loops are played for three turns at most, which is enough: they write to the
same places in each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import gcd

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import ExportError
from aidge_nb.export.plan.parts import (
    ArenaBuffer,
    Copy,
    KernelCall,
    Place,
    ProgramLoop,
    Step,
    each_action,
)
from aidge_nb.export.plan.value import ExportPlan

Stamps = NDArray[np.int64]
_TURNS = 3


def check_export(plan: ExportPlan) -> None:
    """Check every rule that an export plan must keep.

    Raises
    ------
    ExportError
        Naming the first rule that is broken, the step and the buffer.
    """
    for arena in plan.arenas:
        if arena.capacity is not None and arena.size > arena.capacity:
            raise ExportError.at(
                f"arena {arena.symbol}",
                "is larger than its memory",
                expected=f"at most {arena.capacity} bytes",
                found=f"{arena.size} bytes",
            )
    if sum(arena.size for arena in plan.arenas) > plan.memory.peak:
        raise ExportError.at(
            "arenas",
            "are larger than the memory plan",
            expected=f"{plan.memory.peak} bytes",
            found=f"{plan.arena_bytes} bytes",
        )
    player = _Player(plan)
    for step, turns in _unrolled(plan.steps, ()):
        player.play(step, turns)
    for value, place in zip(plan.outputs, plan.results, strict=True):
        player.read(place, f"output {value.name} at the end")


def _unrolled(
    steps: Sequence[Step | ProgramLoop], turns: tuple[int, ...]
) -> Iterator[tuple[Step, tuple[int, ...]]]:
    for item in steps:
        if isinstance(item, Step):
            yield item, turns
            continue
        # The last turn matters as well: it reaches the end of what a loop goes through.
        for turn in sorted({*range(min(item.count, _TURNS - 1)), item.count - 1}):
            yield from _unrolled(item.body, (*turns, turn))


class _Player:
    """The state of the arenas, and what each buffer is expected to hold."""

    def __init__(self, plan: ExportPlan) -> None:
        self._buffers = {buffer.symbol: buffer for buffer in plan.buffers}
        edges = [each.offset for each in plan.buffers] + [b.value.nbytes for b in plan.buffers]
        edges += [step for each in plan.buffers for _, step in each.levels]
        edges += [each.part.block for each in plan.buffers]
        self._unit = gcd(*edges, *(a.size for a in plan.arenas), *_strides(plan)) or 1
        self._arenas: dict[str, Stamps] = {
            a.symbol: np.full(a.size // self._unit, -1, np.int64) for a in plan.arenas
        }
        self._sizes = {a.symbol: a.size for a in plan.arenas}
        self._expected: dict[str, Stamps] = {}
        self._units_of: dict[str, Stamps] = {}
        self._clock = 0
        for buffer in plan.buffers:
            self._check_inside(buffer)

    def _check_inside(self, buffer: ArenaBuffer) -> None:
        end = buffer.offset + buffer.part.extent
        if not 0 <= buffer.offset <= end <= self._sizes[buffer.arena]:
            raise ExportError.at(
                f"buffer {buffer.symbol}",
                "does not lie in its arena",
                expected=f"bytes 0 to {self._sizes[buffer.arena]}",
                found=f"bytes {buffer.offset} to {end}",
            )

    def _units(self, symbol: str) -> Stamps:
        """Return the numbers of the units in which a buffer lies, in the order of its bytes."""
        if symbol not in self._units_of:
            unit, part = self._unit, self._buffers[symbol].part
            blocks = [np.arange(low // unit, high // unit) for low, high in part.intervals]
            self._units_of[symbol] = np.concatenate(blocks)
        return self._units_of[symbol]

    def _region(self, symbol: str) -> Stamps:
        """Return what the units of a buffer carry."""
        found: Stamps = self._arenas[self._buffers[symbol].arena][self._units(symbol)]
        return found

    def _stamp(self, symbol: str, stamp: int, begin: int = 0, end: int | None = None) -> None:
        self._arenas[self._buffers[symbol].arena][self._units(symbol)[begin:end]] = stamp

    def read(self, place: Place, where: str) -> None:
        """Check that a buffer holds what was written to it."""
        if place.kind != "arena":
            return
        expected = self._expected.get(place.name)
        if expected is None:
            raise ExportError.at(where, f"reads {place.name}, which was not written yet")
        then = self._buffers[place.name].then
        if then:
            self.read(Place("arena", then), where)
        lost = int((self._region(place.name) != expected).sum()) * self._unit
        if lost:
            raise ExportError.at(
                where, f"reads {place.name}, of which {lost} bytes were overwritten"
            )

    def play(self, step: Step, turns: Sequence[int]) -> None:
        """Check what a step reads, and note what it writes."""
        where = f"step {step.number}, {step.node} ({step.type})"
        for place in self._read_places(step):
            self.read(place, where)
        self._clock += 1
        for action in each_action(step.actions):
            targets = action.operands if isinstance(action, KernelCall) else (action.target,)
            for place in targets:
                if self._is_working(place):
                    self._stamp(place.name, self._clock * 64 + 63)  # working memory
        for number, operand in enumerate(step.writes):
            symbol = operand.place.name
            if step.actions:
                strides = zip(operand.place.strides, turns, strict=False)
                start = operand.place.offset + sum(step * turn for step, turn in strides)
                if start + operand.nbytes > self._buffers[symbol].value.nbytes:
                    raise ExportError.at(where, f"writes beyond the end of {symbol}")
                begin = start // self._unit
                if step.type == "Memorize" and self._has_twin(step, number):
                    self._expected[symbol] = self._region(symbol)
                    continue  # its outputs are one value
                end = begin + operand.nbytes // self._unit
                self._stamp(symbol, self._clock * 64 + number, begin, end)
            elif not self._comes_from(self._region(symbol), step):
                raise ExportError.at(where, f"moves nothing, but {symbol} is not what it reads")
            self._expected[symbol] = self._region(symbol)

    def _has_twin(self, step: Step, number: int) -> bool:
        """Return whether an output lies exactly where one before it lies."""
        one, *others = (
            (buffer.arena, buffer.offset, buffer.value.nbytes, buffer.levels)
            for operand in (step.writes[number], *step.writes[:number])
            for buffer in [self._buffers[operand.place.name]]
        )
        return one in others

    def _comes_from(self, region: Stamps, step: Step) -> bool:
        """Tell whether what a step reads wrote all bytes of a view."""
        names = [place.name for place in step.sources if place.kind == "arena"]
        names += [self._buffers[name].then for name in names if self._buffers[name].then]
        sources = [self._expected[name] for name in names]
        return bool(sources) and bool(np.isin(region, np.concatenate(sources)).all())

    def _read_places(self, step: Step) -> Iterator[Place]:
        copies = [each for each in each_action(step.actions) if isinstance(each, Copy)]
        if any(copy.turn for copy in copies):
            return
        named = {place.name for place in step.sources} | {each.place.name for each in step.writes}
        read = [copy.source for copy in copies if not self._is_working(copy.source)]
        read += [
            place
            for call in step.calls
            for place in call.operands
            if place.kind == "arena" and place.name not in named and not self._is_working(place)
        ]
        if step.calls or not read:
            yield from step.sources
        yield from read

    def _is_working(self, place: Place) -> bool:
        """Return whether a place lies in working memory."""
        return place.kind == "arena" and self._buffers[place.name].output < 0


def _strides(plan: ExportPlan) -> Iterator[int]:
    """Walk over the sizes and offsets of what steps write."""
    for step in plan.walk():
        for operand in step.writes:
            yield from (operand.nbytes, operand.place.offset, *operand.place.strides)
