"""Play one task on the elements of an option, step by step.

The step that can begin first begins: an element computes one tile at a time, a bus carries one
transfer at a time, a tile is loaded when there is room for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from aidge_nb.hardware.map.jobs import TileJob
from aidge_nb.hardware.map.machine import Room, Station, home_bytes, room_of, transfer_cycles
from aidge_nb.hardware.map.options import Option
from aidge_nb.hardware.map.tasks import Task
from aidge_nb.hardware.steps import MappingStep, Placed

if TYPE_CHECKING:
    from aidge_nb.hardware.map.state import BusyTimes, MappingState
    from aidge_nb.hardware.targets.parts import Link


@dataclass(frozen=True)
class Trial:
    """A task, played with one of its options."""

    # task, option: the task and the option
    task: Task
    option: Option
    steps: tuple[MappingStep, ...]  # its steps
    placements: tuple[Placed, ...]  # buffers of local memories
    extra: dict[str, int]  # bytes of extra buffers in the memory of whole tensors
    double_buffered: tuple[str, ...]  # elements that load one tile while they compute another

    @cached_property
    def start(self) -> int:
        """Start of the first step."""
        return min((step.start for step in self.steps), default=0)

    @cached_property
    def end(self) -> int:
        """End of the last step."""
        return max((step.end for step in self.steps), default=0)


_LANES = ("load", "compute", "store")


def play(state: MappingState, task: Task, option: Option, not_before: int = 0) -> Trial:
    """Play a task with an option; the state is not changed."""
    ready = max(not_before, state.ready(task))
    turns = [
        _turn(state, task, station, jobs, not_before)
        for station, jobs in zip(option.stations, option.jobs, strict=True)
    ]
    steps: list[MappingStep] = []
    timeline = state.timeline()
    moves = {(turn, lane): turn.move(timeline, lane, ready) for turn in turns for lane in _LANES}
    while open_moves := [move for move in moves.values() if move is not None]:
        chosen = min(open_moves, key=lambda each: each.rank)
        step = chosen.turn.make(chosen)
        timeline.book(step.devices, step.start, step.end)
        steps.append(step)
        for key, move in moves.items():
            if key[0] is chosen.turn or (move and not move.devices.isdisjoint(step.devices)):
                moves[key] = key[0].move(timeline, key[1], ready)
    placements = tuple(each for turn in turns for each in turn.placements())
    extra: dict[str, int] = {}
    for turn in turns:
        extra |= home_bytes(task.name, turn.station, turn.jobs)
    double = tuple(turn.station.element.path for turn in turns if turn.room.slots > 1)
    return Trial(task, option, tuple(steps), placements, extra, double)


class _Move(NamedTuple):
    """A step that could begin."""

    start: int
    number: int
    lane: int
    turn: _Turn
    kind: str
    job: TileJob
    links: tuple[Link, ...]
    devices: frozenset[str]
    cycles: int
    amount: int

    @property
    def rank(self) -> tuple[int, int, int]:
        """Sort key: by start, tile, and lane."""
        return self.start, self.number, self.lane


class _Item(NamedTuple):
    """A transfer into a local memory."""

    kind: str
    at: int
    links: tuple[Link, ...]
    amount: int
    brings_parameters: bool


@dataclass(eq=False)
class _Turn:
    """The progress of one element through its tiles."""

    task: Task
    station: Station
    jobs: tuple[TileJob, ...]
    room: Room
    offset: int
    free: int
    items: list[_Item]
    cycles: list[int]
    done: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_LANES, 0))
    ends: dict[tuple[str, int], int] = field(default_factory=dict)
    times: dict[tuple[str, int], MappingStep] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._brought = [0] * len(self.jobs)  # number of items that each job waits for
        self._source: list[_Item | None] = [None] * len(self.jobs)  # what brings its parameters
        for number, item in enumerate(self.items, 1):
            self._brought[item.at] = number
            if item.brings_parameters:
                self._source[item.at] = item
        for at in range(1, len(self.jobs)):
            self._brought[at] = self._brought[at] or self._brought[at - 1]
            self._source[at] = self._source[at] or self._source[at - 1]

    def move(self, timeline: BusyTimes, lane: str, ready: int) -> _Move | None:
        """Return the next step of a lane; None when its time is unknown or all is done."""
        at = self.done[lane]
        if lane == "load" and at < len(self.items):
            item = self.items[at]
            since = self._load_ready(item, ready)
            if since is not None:
                return self._transfer(timeline, item.kind, item.at, item.links, item.amount, since)
        elif lane == "compute" and at < len(self.jobs):
            since = self._compute_ready(at, ready)
            if since is not None:
                job, cycles, device = self.jobs[at], self.cycles[at], self.station.element.path
                start = timeline.first_gap((device,), since, cycles)
                devices = frozenset((device,))
                return _Move(start, job.number, 1, self, lane, job, (), devices, cycles, job.amount)
        elif lane == "store" and self.station.links and at < self.done["compute"]:
            since, amount = self.ends["compute", at], self.jobs[at].store
            return self._transfer(timeline, lane, at, self.station.links, amount, since)
        return None

    def _transfer(
        self,
        timeline: BusyTimes,
        kind: str,
        at: int,
        links: tuple[Link, ...],
        amount: int,
        since: int,
    ) -> _Move:
        job, cycles = self.jobs[at], transfer_cycles(links, amount)
        devices = self.station.way(kind)
        start = timeline.first_gap(devices, since, cycles)
        lane = 2 if kind == "store" else 0
        busy = frozenset(devices)
        return _Move(start, job.number, lane, self, kind, job, links, busy, cycles, amount)

    def _load_ready(self, item: _Item, ready: int) -> int | None:
        """Return when an item has its source and room; None if unknown."""
        at, needs = item.at, [self.free]
        if item.brings_parameters and at:  # they take the place of the last ones
            needs.append(self.ends.get(("compute", at - 1), -1))
        if item.kind == "load":
            needs.append(ready)
            if at >= self.room.slots:
                needs.append(self.ends.get(("store", at - self.room.slots), -1))
        return None if -1 in needs else max(needs)

    def _compute_ready(self, at: int, ready: int) -> int | None:
        """Return when a tile and its parameters are loaded; None if unknown."""
        if self.done["load"] < self._brought[at]:
            return None
        source = self._source[at]
        needs = [ready, self.ends.get(("load", at), 0)]
        if source is not None:
            needs.append(self.ends[source.kind, source.at])
        if at:
            needs.append(self.ends["compute", at - 1])
        return max(needs)

    # --- steps ----------------------------------------------------------------------------------

    def make(self, move: _Move) -> MappingStep:
        """Begin a step."""
        kind, lane = move.kind, _LANES[move.lane]
        at = self.items[self.done["load"]].at if lane == "load" else self.done[lane]
        devices = self.station.way(kind) if move.links else (self.station.element.path,)
        reads, writes = self._buffers(kind, at)
        step = MappingStep(
            "operation" if kind == "compute" else "transfer",
            f"{kind} {move.job.number}",
            self.task.name,
            move.job.number,
            devices,
            move.start,
            move.start + move.cycles,
            reads,
            writes,
            move.amount,
        )
        self.done[lane] += 1
        self.ends[kind, at] = step.end
        self.times[kind, at] = step
        return step

    def _buffers(self, kind: str, at: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Name the buffers that a step reads and writes."""
        whole, given = tuple(self.task.inputs), tuple(self.task.parameters)
        number, moved = self.jobs[at].number, bool(self.station.links)
        data, result = (self._local(f"{what} {number}") for what in ("input", "result"))
        brought = self._parameters if self.station.parameter_links else given
        if kind == "parameters":
            return given, self._parameters
        if kind == "load":
            with_parameters = self.items[self.done["load"]].brings_parameters
            return (
                (*whole, *given) if with_parameters else whole,
                (data, *self._parameters) if with_parameters else (data,),
            )
        if kind == "store":
            return (result,), tuple(self.task.outputs)
        has_work = self.room.keep or (self.room.slot and not moved)
        work = (self._local("work"),) if has_work else ()
        if moved:
            used = () if not self.jobs[at].parameters else brought
            return ((data, *used) if self.jobs[at].load else used), (result, *work)
        return (*whole, *brought), (*self.task.outputs, *work)

    def _local(self, what: str) -> str:
        return f"{self.task.name} {what}"

    @property
    def _parameters(self) -> tuple[str, ...]:
        if not any(job.parameters for job in self.jobs):
            return ()
        whose = f" @ {self.station.element.path}" if self.station.links else ""
        return (f"{self.task.name} parameters{whose}",)

    # --- buffers --------------------------------------------------------------------------------

    def placements(self) -> Iterator[Placed]:
        """Place buffers in the local memory: parameters, kept bytes, then tiles in turn."""
        if not self.station.links:
            return
        memory, last = self.station.memory, self.ends["compute", len(self.jobs) - 1]
        if self.room.parameters:
            first = next(item for item in self.items if item.brings_parameters)
            start = self.times[first.kind, first.at].start
            size = self.room.parameters
            yield Placed(self._parameters[0], memory, self.offset, size, start, last)
        base = self.offset + self.room.parameters
        if self.room.keep:
            start = self.times["compute", 0].start
            yield Placed(self._local("work"), memory, base, self.room.keep, start, last)
        base += self.room.keep
        for at, job in enumerate(self.jobs):
            offset = base + at % self.room.slots * self.room.slot
            compute, store = self.times["compute", at], self.times["store", at]
            if job.load:
                start = self.times["load", at].start
                name = self._local(f"input {job.number}")
                yield Placed(name, memory, offset, job.load, start, compute.end)
            name = self._local(f"result {job.number}")
            yield Placed(name, memory, offset + job.load, job.store, compute.start, store.end)
            if job.work:
                space, name = offset + job.load + job.store, self._local(f"work {job.number}")
                yield Placed(name, memory, space, job.work, compute.start, compute.end)


def _turn(
    state: MappingState, task: Task, station: Station, jobs: tuple[TileJob, ...], not_before: int
) -> _Turn:
    """Prepare an element: its region of the local memory, and its transfers."""
    room = room_of(station, jobs)
    offset, free = 0, 0
    if station.links:
        offset, free = state.region(station.memory, station.capacity, room.size)
    elif station.parameter_links:
        free = state.staging(task, station.element.path)
    items = list(_items(station, jobs))
    cycles = [state.machine.cycles(station, job) for job in jobs]
    return _Turn(task, station, jobs, room, offset, max(free, not_before), items, cycles)


def _items(station: Station, jobs: tuple[TileJob, ...]) -> Iterator[_Item]:
    """List the transfers to an element: parameters when they change, and tiles."""
    merged = bool(station.links) and station.parameter_links == station.links
    before: object = None
    for at, job in enumerate(jobs):
        fresh = bool(station.parameter_links and job.parameters) and (not at or job.key != before)
        before = job.key
        if fresh and not merged:
            yield _Item("parameters", at, station.parameter_links, job.parameters, True)
        if station.links and (job.load or (fresh and merged)):
            amount = job.load + (job.parameters if merged and fresh else 0)
            yield _Item("load", at, station.links, amount, merged and fresh)
