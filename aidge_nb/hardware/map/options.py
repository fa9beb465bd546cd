"""The options of a task: on which elements, and in which tiles, dealt to the elements.

An element computes in a memory linked to it. Whole tensors in that memory are used in place. Others
are loaded in tiles: those that move the fewest bytes, single or double buffered, on each element
and on each group that may share a layer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import accumulate
from math import prod

from aidge_nb.core.errors import GraphError, HardwareError, MemoryPlanError, ShapeError
from aidge_nb.graph.view import GraphView
from aidge_nb.hardware.map.jobs import TileJob, tile_jobs, whole_job
from aidge_nb.hardware.map.machine import Machine, Station, home_bytes, room_of
from aidge_nb.hardware.map.tasks import Task
from aidge_nb.hardware.targets.parts import Element
from aidge_nb.tiling import Tiling
from aidge_nb.tiling.chain import Chain, as_chain
from aidge_nb.tiling.layer import LayerChoice, tile_layer
from aidge_nb.tiling.plan import plan_chain

SPLIT_OF_AXIS = {0: "batch", 1: "out_channel", 2: "tile_h", 3: "tile_w"}
"""Name of the split along each axis of the result."""

Dealt = tuple[tuple[TileJob, ...], ...]
"""The tiles of each station, in order."""


def deal(
    tiling: Tiling, jobs: Sequence[TileJob], stations: Sequence[Station], splits: Sequence[str]
) -> tuple[tuple[Station, ...], Dealt]:
    """Deal the tiles of a tiling to stations; stations without tiles are left out.

    Raise HardwareError when the split is not allowed, or a tile does not fit.
    """
    dealt = [list(jobs)] if len(stations) == 1 else _dealt(jobs, tiling, stations, splits)
    busy = [(station, mine) for station, mine in zip(stations, dealt, strict=True) if mine]
    for station, mine in busy:
        size = room_of(station, mine).size
        if size > station.capacity and not station.is_home:
            raise HardwareError.at(
                f"{station.element.path}, memory {station.memory}",
                "a tile does not fit",
                expected=f"at most {station.capacity} bytes",
                found=size,
                cure="Cut it into more tiles, or use a larger memory.",
            )
    return tuple(each for each, _ in busy), tuple(_in_order(mine, tiling) for _, mine in busy)


def _in_order(jobs: Sequence[TileJob], tiling: Tiling) -> tuple[TileJob, ...]:
    """Sort tiles by the parameters that they read."""
    if 1 not in tiling.axes:
        return tuple(jobs)
    at = tiling.axes.index(1)
    return tuple(sorted(jobs, key=lambda job: job.place[at]))


def _dealt(
    jobs: Sequence[TileJob], tiling: Tiling, stations: Sequence[Station], splits: Sequence[str]
) -> list[list[TileJob]]:
    """Deal neighbouring tiles along one axis to stations, in proportion to their speed."""
    if tiling.halo == "cache":
        cure = 'Plan it with halo="recompute", or use one element.'
        problem = "tiles that keep halos follow each other on one element"
        raise HardwareError.at("tiling", problem, cure=cure)
    cut = [at for at, count in enumerate(tiling.grid) if count > 1]
    allowed = [at for at in cut if SPLIT_OF_AXIS.get(tiling.axes[at]) in splits]
    if not allowed:
        wanted = ", ".join(SPLIT_OF_AXIS.get(tiling.axes[at], "") for at in cut)
        elements = ", ".join(station.element.path for station in stations)
        problem = f"{elements} may not share a layer by {wanted or 'one tile'}"
        cure = "Add a cooperation group to the target, or use one element."
        expected = " or ".join(splits) or "one element"
        raise HardwareError.at("tiling", problem, expected=expected, cure=cure)
    at = max(allowed, key=lambda each: tiling.grid[each])
    by_axis = tiling.grid[at] >= len(stations) or set(allowed) != set(cut)
    speeds = [station.element.macs_per_cycle * station.element.frequency for station in stations]
    dealt: list[list[TileJob]] = [[] for _ in stations]
    for job in jobs:
        share = job.place[at] / tiling.grid[at] if by_axis else job.number / len(jobs)
        dealt[_whose(share, speeds)].append(job)
    return dealt


def _whose(share: float, speeds: Sequence[float]) -> int:
    """Return the station of a place between 0 and 1, in proportion to speeds."""
    ends = accumulate(speeds)
    total = sum(speeds)
    return next(
        n for n, end in enumerate(ends) if share < end / total - 1e-9 or n == len(speeds) - 1
    )


_BUFFERS = (1, 2, 4)  # tiles that must fit at once; with more, work begins earlier
_AXIS_OF_SPLIT = {split: axis for axis, split in SPLIT_OF_AXIS.items()}


@dataclass(frozen=True)
class Option:
    """An option to compute a task: each station computes some of its tiles, in order.

    Attributes
    ----------
    stations
        The elements with their working memories.
    estimate
        Estimated cycles on free elements and links; tiles are planned on demand.
    tiles
        Number of tiles.
    """

    stations: tuple[Station, ...]
    estimate: float
    _plan: Callable[[], tuple[Tiling | None, Dealt]] = field(repr=False, compare=False)
    tiles: int = 1

    @cached_property
    def _planned(self) -> tuple[Tiling | None, Dealt]:
        return self._plan()

    @property
    def tiling(self) -> Tiling | None:
        """The tiling; None when the task is computed as a whole.

        Raises
        ------
        HardwareError
            When tiles of uneven sizes do not fit.
        """
        return self._planned[0]

    @property
    def jobs(self) -> Dealt:
        """The tiles of each station; errors are those of :attr:`tiling`."""
        return self._planned[1]

    @property
    def elements(self) -> tuple[str, ...]:
        """Paths of the elements."""
        return tuple(station.element.path for station in self.stations)

    def __str__(self) -> str:
        return f"{', '.join(self.elements)}: about {self.estimate:.0f} cycles"


def options_for(view: GraphView, task: Task, machine: Machine) -> list[Option]:
    """List the options of a task, those on single elements first.

    Raise HardwareError when there are none; says why, for each element.
    """
    found: list[Option] = []
    reasons: dict[str, None] = {}
    tilings = _Tilings(view, task)
    for members, split in _teams(machine):
        try:
            check_supports(members, task)
            stations = tuple(machine.station(member) for member in members)
            found += _on(task, stations, split, machine, tilings)
        except (GraphError, HardwareError, MemoryPlanError, ShapeError) as error:
            reasons[f"{', '.join(member.path for member in members)}: {error}"] = None
    if not found:
        raise HardwareError.at(
            f"{task.nodes[0].label} on {machine.target.name}",
            "no element can compute it",
            found="; ".join(reasons),
            cure="Give the target an element that runs it from a memory that is large enough.",
        )
    return found


def beside_bytes(task: Task, option: Option) -> int:
    """Return the extra bytes of an option in the memory of whole tensors."""
    if not any(station.is_home for station in option.stations):
        return 0  # without planning its tiles
    pairs = zip(option.stations, option.jobs, strict=True)
    return sum(size for pair in pairs for size in home_bytes(task.name, *pair).values())


def _teams(machine: Machine) -> Iterator[tuple[tuple[Element, ...], str]]:
    """List single elements, then cooperating groups with each allowed split."""
    usable = machine.elements
    yield from (((element,), "") for element in usable)
    for group in machine.target.cooperation:
        members = group.among(usable)
        if len(members) > 1:
            yield from ((members, split) for split in group.split)


def check_supports(members: Sequence[Element], task: Task) -> None:
    """Check that elements run all operators of a task."""
    for element in members:
        for function in task.functions:
            if not element.runs(function.operator):
                raise HardwareError.at(
                    element.path,
                    f"does not run {function.node} ({function.operator})",
                    expected=", ".join(element.supports),
                    cure="Leave it out with constraints (use), or add to its supports.",
                )


def _on(
    task: Task, stations: tuple[Station, ...], split: str, machine: Machine, tilings: _Tilings
) -> Iterator[Option]:
    """List the options of a task on some stations."""
    splits = (split,) if split else ()
    if (given := task.tiling) is not None:
        busy, dealt = deal(given, tile_jobs(task.nodes, given), stations, splits)
        yield Option(busy, _estimate(task, busy, machine), lambda: (given, dealt), len(given.tiles))
        return
    if not split:
        whole = whole_job(task.nodes, task.functions, sum(task.parameters.values()))
        if stations[0].is_home or room_of(stations[0], [whole]).size <= stations[0].capacity:
            moved = whole.load + whole.store
            estimate = _estimate(task, stations, machine, moved, tiles=1)
            yield Option(stations, estimate, lambda: (None, ((whole,),)))
        if stations[0].is_home:
            return
    capacity = min(station.capacity for station in stations)
    for choice in tilings.fitting(capacity, split, len(stations)):
        tiles = prod(choice.grid.values())
        if tiles > 1:
            moved = choice.traffic - sum(task.parameters.values())
            estimate = _estimate(task, stations, machine, moved, tiles, split)
            plan = partial(_planned, tilings, choice, stations, splits)
            yield Option(stations, estimate, plan, tiles)


def _planned(
    tilings: _Tilings, choice: LayerChoice, stations: tuple[Station, ...], splits: tuple[str, ...]
) -> tuple[Tiling, Dealt]:
    tiling, jobs = tilings.planned(choice)
    busy, dealt = deal(tiling, jobs, stations, splits)
    if busy != stations:
        idle = ", ".join(each.element.path for each in stations if each not in busy)
        raise HardwareError.at(idle, "gets no tile", cure="Use fewer elements (use).")
    return tiling, dealt


def _estimate(
    task: Task,
    stations: Sequence[Station],
    machine: Machine,
    moved: int = 0,
    tiles: int = 1,
    split: str = "",
) -> float:
    """Estimate cycles; work and transfers overlap except for the first and last tile."""
    count, parameters = len(stations), sum(task.parameters.values())
    work = machine.work(stations[0], task.functions) / count
    busy: dict[str, float] = {}
    for station in stations:
        own = parameters / count if split == "out_channel" else parameters
        ways = ((station.links, moved / count, 2 * tiles), (station.parameter_links, own, 1))
        for links, size, times in ways:
            for link in links:
                cycles = size / link.bytes_per_cycle + link.latency * times / count
                busy[link.resource] = busy.get(link.resource, 0) + cycles
    slowest = max(busy.values(), default=0.0)
    return max(work, slowest) + min(work, slowest) / tiles


class _Tilings:
    """Cached tilings of one task for local memories."""

    def __init__(self, view: GraphView, task: Task) -> None:
        self._view, self._task = view, task
        self._axes: list[int] = []
        self._found: dict[object, list[LayerChoice]] = {}
        self._planned: dict[object, tuple[Tiling, list[TileJob]]] = {}

    @cached_property
    def _chain(self) -> Chain:
        return as_chain(self._view, self._task.nodes)

    def planned(self, choice: LayerChoice) -> tuple[Tiling, list[TileJob]]:
        """Plan the tiles of a choice."""
        key = tuple(choice.grid.items())
        if key not in self._planned:
            tiling = plan_chain(self._chain, choice.grid)
            self._planned[key] = (tiling, tile_jobs(self._task.nodes, tiling))
        return self._planned[key]

    def fitting(self, capacity: int, split: str, parts: int) -> list[LayerChoice]:
        """Return choices that move the fewest bytes, for several numbers of buffers.

        Raise GraphError, ShapeError, MemoryPlanError when no tiling fits.
        """
        key = (capacity, split, parts)
        if key not in self._found:
            self._found[key] = self._search(capacity, split, parts)
        return self._found[key]

    def _search(self, capacity: int, split: str, parts: int) -> list[LayerChoice]:
        if not self._axes:
            axes = range(min(4, len(self._chain.dims)))
            self._axes = [axis for axis in axes if self._may_cut(axis)]
        choices: list[LayerChoice] = []
        for buffers in _BUFFERS:
            try:
                choice = tile_layer(
                    self._view,
                    self._task.nodes,
                    capacity,
                    buffers=buffers,
                    axes=self._axes,
                    multiples={_AXIS_OF_SPLIT[split]: parts} if split else None,
                    stays=("parameters",),
                )
            except MemoryPlanError:
                if not choices:
                    raise
                break
            if all(choice.grid != other.grid for other in choices):
                choices.append(choice)
        return choices

    def _may_cut(self, axis: int) -> bool:
        if self._chain.dims[axis] < 2:
            return False
        try:
            plan_chain(self._chain, {axis: 2})
        except (GraphError, ShapeError):
            return False
        return True
