"""Place whole tensors in the home memory.

First tasks are mapped without a limit, and buffers placed by the resulting times. If they do not
fit, places are fixed before, for tasks one by one; then a task waits until earlier buffers in its
place have been read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from aidge_nb.core.errors import HardwareError
from aidge_nb.hardware.map.tasks import Task, TaskList
from aidge_nb.hardware.steps import MappingStep, Placed
from aidge_nb.memory import best_placement

if TYPE_CHECKING:
    from aidge_nb.hardware.map.play import Trial

_EFFORT = 0.2


class Home:
    """The home memory, without fixed places."""

    def __init__(self, memory: str, capacity: int, tasks: TaskList) -> None:
        self.memory, self.capacity, self._tasks = memory, capacity, tasks
        self.given = {buffer.name for buffer in tasks.buffers if buffer.is_input}

    def ready(self, task: Task, placed: Mapping[int, Trial]) -> int:
        """Return the cycle from which a task may write."""
        return 0

    def staging(self, task: Task, placed: Mapping[int, Trial]) -> int:
        """Return the cycle from which parameters of a task may be loaded."""
        return 0

    def placements(
        self, steps: Sequence[MappingStep], extra: Mapping[str, int], end: int
    ) -> tuple[Placed, ...] | None:
        """Place all buffers by their live ranges; None when they do not fit.

        ``extra`` are bytes of further buffers, loaded parameters and working memory; ``end`` is the
        last cycle.
        """
        buffers = self._with_times(steps, extra, end)
        times = sorted({time for each in buffers for time in (each.start, each.end)})
        ticks = {time: tick for tick, time in enumerate(times)}
        ranges = [(ticks[each.start], ticks[each.end], each.size) for each in buffers]
        found = best_placement(ranges, effort=_EFFORT)
        if found.peak > self.capacity:
            return None
        pairs = zip(buffers, found.offsets, strict=True)
        return tuple(replace(each, offset=offset) for each, offset in pairs)

    def _with_times(
        self, steps: Sequence[MappingStep], extra: Mapping[str, int], end: int
    ) -> list[Placed]:
        """Return all buffers with their live ranges, at offset 0."""
        first: dict[str, int] = {}
        last: dict[str, int] = {}
        for step in steps:
            for name in (*step.reads, *step.writes):
                first[name] = min(first.get(name, step.start), step.start)
                last[name] = max(last.get(name, step.end), step.end)
        found = []
        for buffer in self._tasks.buffers:
            start = 0 if buffer.is_input else first.get(buffer.name, 0)
            until = end if buffer.is_kept else last.get(buffer.name, start)
            until = max(until, start + 1)
            name, size = buffer.name, buffer.size
            found.append(Placed(name, self.memory, 0, size, start, until, buffer.holds))
        for name, size in extra.items():
            start = first.get(name, 0)
            found.append(Placed(name, self.memory, 0, size, start, max(last[name], start + 1)))
        return found


@dataclass(frozen=True, slots=True)
class _Slot:
    """A fixed place: offset, bytes, and the tasks that use it."""

    offset: int
    size: int
    users: tuple[int, ...]


class FixedHome(Home):
    """The home memory with fixed places, for tasks in schedule order."""

    def __init__(
        self, memory: str, capacity: int, tasks: TaskList, slots: Mapping[str, _Slot]
    ) -> None:
        super().__init__(memory, capacity, tasks)
        self._slots = slots
        self._awaited = {name: _before(slots.values(), slot) for name, slot in slots.items()}
        self._born: dict[int, list[str]] = {}
        for buffer in tasks.buffers:
            if not buffer.is_input:
                self._born.setdefault(min(buffer.users), []).append(buffer.name)

    def ready(self, task: Task, placed: Mapping[int, Trial]) -> int:
        """Return the cycle from which the places that a task writes are free."""
        names = [*self._born.get(task.number, ()), _extra(task)]
        return max((self._free(name, task, placed) for name in names), default=0)

    def staging(self, task: Task, placed: Mapping[int, Trial]) -> int:
        """Return the cycle from which the place of its parameters is free."""
        return self._free(_extra(task), task, placed)

    def _free(self, name: str, task: Task, placed: Mapping[int, Trial]) -> int:
        awaited = self._awaited.get(name, ())
        missing = [number for number in awaited if number not in placed]
        if missing:
            raise HardwareError.at(
                task.name,
                f"writes to the place of {self._tasks.tasks[missing[0]].name}, which must go first",
                cure=f"{self.memory} is tight: place tasks in the order of the schedule.",
            )
        return max((placed[number].end for number in awaited), default=0)

    def placements(
        self, steps: Sequence[MappingStep], extra: Mapping[str, int], end: int
    ) -> tuple[Placed, ...]:
        """Return all buffers at their fixed places."""
        offsets = {name: slot.offset for name, slot in self._slots.items()}
        for task in self._tasks.tasks:
            at = offsets.get(_extra(task), 0)
            offsets[f"{task.name} parameters"] = at
            offsets[f"{task.name} work"] = at + extra.get(f"{task.name} parameters", 0)
        return tuple(
            replace(each, offset=offsets[each.buffer])
            for each in self._with_times(steps, extra, end)
        )


def _extra(task: Task) -> str:
    return f"{task.name} extra"


def _before(slots: Iterable[_Slot], mine: _Slot) -> tuple[int, ...]:
    """List the tasks that use the same place before."""
    found = set()
    for slot in slots:
        shares = slot.offset < mine.offset + mine.size and mine.offset < slot.offset + slot.size
        if slot is not mine and shares and slot.users and max(slot.users) < min(mine.users):
            found |= set(slot.users)
    return tuple(sorted(found))


def fixed_home(
    memory: str,
    capacity: int,
    tasks: TaskList,
    extra: Mapping[int, int],
    *,
    ahead: int = 0,
    resident: int = 0,
    advise: Callable[[int], str] | None = None,
) -> FixedHome:
    """Fix places for all buffers, for tasks one by one.

    Raise HardwareError when they do not fit; says by how much. ``extra`` are bytes of tasks, by
    number, for parameters and working memory; they are reserved ``ahead`` tasks before: 1 loads
    parameters during the task before. ``resident`` are the bytes of parameters in the same memory,
    beyond ``capacity``. ``advise`` returns a cure for buffers that do not fit, given the bytes
    without graph inputs.
    """
    ranges, names = _ranges(tasks, extra, ahead)
    found = best_placement(ranges, effort=_EFFORT)
    if found.peak > capacity:
        room = capacity - sum(buffer.size for buffer in tasks.buffers if buffer.is_input)
        cure = "Give it a larger memory: its inputs alone need more."
        if room > 0:
            cure = advise(room) if advise else "Tile the graph, or give it a larger memory."
        raise HardwareError.at(
            f"memory {memory}",
            f"the tensors {'and parameters ' * bool(resident)}do not fit",
            expected=f"at most {capacity + resident} bytes",
            found=f"{found.peak + resident}, {found.peak - capacity} too many",
            cure=cure,
        )
    slots = {
        name: _Slot(offset, size, users)
        for (name, users), offset, (_, _, size) in zip(names, found.offsets, ranges, strict=True)
    }
    return FixedHome(memory, capacity, tasks, slots)


def needed_bytes(tasks: TaskList, extra: Mapping[int, int]) -> int:
    """Return the bytes that :func:`fixed_home` needs with ``ahead=0``."""
    return best_placement(_ranges(tasks, extra, 0)[0], effort=_EFFORT).peak


def _ranges(
    tasks: TaskList, extra: Mapping[int, int], ahead: int
) -> tuple[list[tuple[int, int, int]], list[tuple[str, tuple[int, ...]]]]:
    """List live range and bytes of each buffer, and its name and users."""
    last = max(len(tasks.tasks) - 1, 0)
    ranges: list[tuple[int, int, int]] = []
    names: list[tuple[str, tuple[int, ...]]] = []
    for buffer in tasks.buffers:
        low = 0 if buffer.is_input else min(buffer.users, default=0)
        high = last if buffer.is_kept else max(buffer.users, default=low)
        ranges.append((low, high + 1, buffer.size))
        names.append((buffer.name, buffer.users or (low,)))
    for number, size in extra.items():
        ranges.append((max(number - ahead, 0), number + 1, size))
        names.append((_extra(tasks.tasks[number]), (number,)))
    return ranges, names
