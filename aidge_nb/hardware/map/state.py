"""The state of a mapping in the making: placed tasks, busy devices, used local memory.

Tasks are placed one by one; a later task may use the gaps that earlier ones left.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence

from aidge_nb.core.errors import HardwareError
from aidge_nb.hardware.map.home import Home
from aidge_nb.hardware.map.machine import Machine
from aidge_nb.hardware.map.options import Option, beside_bytes, options_for
from aidge_nb.hardware.map.play import Trial, play
from aidge_nb.hardware.map.tasks import Task, TaskList
from aidge_nb.hardware.steps import Placed

_LOOK_BACK = 8  # earlier regions of a local memory after which a new one may begin


class MappingState:
    """The tasks placed so far; schedulers add to it.

    Attributes
    ----------
    machine
        The usable part of the target.
    home
        The memory of whole tensors.
    tasks
        The tasks to place, in schedule order.
    beside
        Extra bytes that a task, by number, may use in the memory of whole tensors; 0 for tasks not
        listed. None for no limit.
    """

    def __init__(
        self, tasks: TaskList, machine: Machine, home: Home, beside: Mapping[int, int] | None = None
    ) -> None:
        self._beside = beside
        self.machine, self.home = machine, home
        self._view = tasks.view
        self.tasks = tasks.tasks
        self.placed: dict[int, Trial] = {}
        self._timeline = BusyTimes()
        self._regions: dict[str, list[tuple[int, int, int]]] = {}
        self._taken: dict[str, list[tuple[int, int, int]]] = {}
        self._options: dict[int, list[Option]] = {}
        self._begun: dict[str, int] = {}
        self._free: dict[str, int] = {}
        self._tried: dict[tuple[int, int, int], Trial] = {}

    # --- for schedulers -------------------------------------------------------------------------

    def waiting(self) -> list[Task]:
        """List the tasks that can be placed: all their predecessors are."""
        return [
            task
            for task in self.tasks
            if task.number not in self.placed and task.after <= self.placed.keys()
        ]

    def options(self, task: Task) -> list[Option]:
        """List the ways to compute a task, those on single elements first.

        Raises
        ------
        HardwareError
            When the task has no option.
        """
        if task.number not in self._options:
            found = options_for(self._view, task, self.machine)
            if self._beside is not None:
                room = self._beside.get(task.number, 0)
                found = [option for option in found if beside_bytes(task, option) <= room]
            self._options[task.number] = found
        return self._options[task.number]

    def try_out(self, task: Task, option: Option, not_before: int = 0) -> Trial:
        """Play a task with one of its options, without placing it.

        ``not_before`` is the cycle at which its first step may begin.

        Raises
        ------
        HardwareError
            When a predecessor has not been placed.
        """
        missing = sorted(task.after - self.placed.keys())
        if missing:
            names = ", ".join(self.tasks[number].name for number in missing)
            problem = "cannot be placed before its predecessors"
            raise HardwareError.at(
                task.name, problem, found=names, cure="Place tasks that state.waiting() lists."
            )
        key = (task.number, id(option), not_before)
        if key not in self._tried:  # nothing was placed since: the result is the same
            self._tried[key] = play(self, task, option, not_before)
        return self._tried[key]

    def place(self, task: Task, option: Option, not_before: int = 0) -> Trial:
        """Place a task, and book its steps on elements and links.

        Raises
        ------
        HardwareError
            When the task has been placed, or a predecessor has not.
        """
        if task.number in self.placed:
            raise HardwareError.at(
                task.name, "was placed already", cure="Place each task once: state.waiting()."
            )
        trial = self.try_out(task, option, not_before)
        for step in trial.steps:
            self._timeline.book(step.devices, step.start, step.end)
        for memory, region in _regions(trial):
            self._regions.setdefault(memory, []).append(region)
            low, high, end = region
            self._taken[memory] = [
                (a, b, until)
                for a, b, until in self._taken.get(memory, ())
                if a < low or high < b or end < until
            ] + [region]
        for station in option.stations:
            path = station.element.path
            self._begun[path] = trial.start
            self._free[path] = max(self._free.get(path, 0), trial.end)
        self.placed[task.number] = trial
        self._tried.clear()
        return trial

    def free_at(self, element: str) -> int:
        """Return the cycle at which the last task of an element ends, or 0."""
        return self._free.get(element, 0)

    # --- for a play -----------------------------------------------------------------------------

    def ready(self, task: Task) -> int:
        """Return the cycle from which a task has its inputs and room for its outputs."""
        ends = (self.placed[number].end for number in task.after)
        return max([self.home.ready(task, self.placed), *ends], default=0)

    def timeline(self) -> BusyTimes:
        """Return a copy of the busy times, to book further steps on."""
        return self._timeline.copy()

    def staging(self, task: Task, element: str) -> int:
        """Return the cycle from which parameters may be loaded, one task ahead."""
        return max(self._begun.get(element, 0), self.home.staging(task, self.placed))

    def region(self, memory: str, capacity: int, size: int) -> tuple[int, int]:
        """Find an offset in a local memory, and the cycle from which it is free."""
        near, taken = self._regions.get(memory, [])[-_LOOK_BACK:], self._taken.get(memory, ())
        found = []
        for offset in {0, *(high for _, high, _ in near)}:
            if offset + size <= capacity:
                ends = (end for low, high, end in taken if low < offset + size and offset < high)
                found.append((max(ends, default=0), offset))
        free, offset = min(found)
        return offset, free


def _regions(trial: Trial) -> Iterator[tuple[str, tuple[int, int, int]]]:
    """List the region (start, end, free from) of each local memory that a task uses."""
    by_memory: dict[str, list[Placed]] = {}
    for each in trial.placements:
        by_memory.setdefault(each.memory, []).append(each)
    for memory, placed in by_memory.items():
        low = min(each.offset for each in placed)
        high = max(each.offset + each.size for each in placed)
        yield memory, (low, high, max(each.end for each in placed))


class BusyTimes:
    """Busy intervals of elements, links and buses; adjacent intervals are joined.

    Examples
    --------
    >>> timeline = BusyTimes()
    >>> timeline.book(["pe"], 0, 10)
    >>> timeline.book(["pe"], 15, 20)
    >>> timeline.first_gap(["pe"], 3, 5), timeline.first_gap(["pe"], 3, 6)
    (10, 20)
    """

    def __init__(self) -> None:
        self._busy: dict[str, tuple[list[int], list[int]]] = {}

    def first_gap(self, devices: Sequence[str], ready: int, length: int) -> int:
        """Find the first cycle from ``ready`` on at which all are free for ``length``."""
        start = ready
        while True:
            later = start
            for device in devices:
                later = max(later, self._free(device, start, length))
            if later == start:
                return start
            start = later

    def book(self, devices: Iterable[str], start: int, end: int) -> None:
        """Book devices for [start, end); they must be free."""
        if end <= start:
            return
        for device in devices:
            starts, ends = self._busy.setdefault(device, ([], []))
            at = bisect_right(starts, start)
            follows = at > 0 and ends[at - 1] == start
            precedes = at < len(starts) and starts[at] == end
            if follows and precedes:
                ends[at - 1] = ends.pop(at)
                del starts[at]
            elif follows:
                ends[at - 1] = end
            elif precedes:
                starts[at] = start
            else:
                starts.insert(at, start)
                ends.insert(at, end)

    def copy(self) -> BusyTimes:
        """Return an independent copy."""
        other = BusyTimes()
        other._busy = {device: (s.copy(), e.copy()) for device, (s, e) in self._busy.items()}
        return other

    def _free(self, device: str, start: int, length: int) -> int:
        """Find the first gap of one device."""
        starts, ends = self._busy.get(device, ((), ()))
        at = bisect_right(starts, start)
        if at and ends[at - 1] > start:
            start = ends[at - 1]
        while at < len(starts) and starts[at] < start + max(length, 1):
            start = ends[at]
            at += 1
        return start
