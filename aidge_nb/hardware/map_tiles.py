"""Tiles onto elements: who computes which, and when what is moved.

Tiles go to the elements in turn. Each is loaded into the element's own memory, with the parameters
the first time; it is computed; its result is stored. Among all steps that could begin, the one that
can begin first does: an element computes one tile at a time, a bus carries one transfer at a time.
Where two tiles fit into a memory the next one is loaded meanwhile.

The model of costs: an operation takes multiply-accumulates / those per cycle (one per element for
operators without any), a transfer its latency and bytes / bandwidth. Cycles are those of the first
element.

Reference: S. Williams and others, Roofline, 2009, https://doi.org/10.1145/1498765.1498785
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from aidge_nb.errors import HardwareError, explain
from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.hardware.constraints import Constraints
from aidge_nb.hardware.mapping import Mapping, Placed, Step
from aidge_nb.hardware.target import Element, Link, Target
from aidge_nb.tiling.ranges import elements as count
from aidge_nb.tiling.tiles import Tile, Tiling

__all__ = ["Roofline", "map_tiles", "roofline"]

_SPLIT_OF_AXIS = {0: "batch", 1: "out_channel", 2: "tile_h", 3: "tile_w"}


@dataclass(frozen=True, slots=True)
class _Job:
    """A tile: bytes to load, parameters, bytes to store, bytes to work in, and its work."""

    number: int
    load: int
    parameters: int
    store: int
    work: int
    macs: int


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an element works."""

    element: Element
    memory: str
    links: tuple[Link, ...]
    slots: int
    slot: int


def map_tiles(
    view: GraphView,
    tiling: Tiling,
    target: Target,
    constraints: Constraints | None = None,
    *,
    home: str = "",
) -> Mapping:
    """Map the tiles of a tiling onto the elements of a target.

    Parameters
    ----------
    view
        The graph for which the tiling was planned, before it is applied.
    tiling
        The tiling.
    target, constraints
        What there is, and what of it may be used.
    home
        Path of the memory in which whole tensors lie: the largest RAM by default.

    Raises
    ------
    HardwareError
        When an element lacks an operator or cannot reach the memory, a tile does not fit, or the
        elements may not share a layer like that.

    Examples
    --------
    >>> import aidge_nb
    >>> from aidge_nb import hardware
    >>> view = aidge_nb.sequential([aidge_nb.Conv2D(3, 32, [3, 3], name="conv0")])
    >>> view.forward_dims([[1, 3, 66, 66]])
    True
    >>> tiling = aidge_nb.plan_tiling(view, [view.get_node("conv0")], {2: 16})
    >>> map_tiles(view, tiling, hardware.target("quad_cluster"))
    Mapping(quad_cluster: 48 steps on 4 elements, 124056 cycles)
    """
    limits = constraints or Constraints(target.name)
    by_name = {name: node for node, name in view.unique_names().items()}
    if not set(tiling.nodes) <= set(by_name):
        problem = "belongs to another graph, or was applied already"
        raise HardwareError(explain("tiling", problem, found=", ".join(tiling.nodes)))
    nodes = [by_name[name] for name in tiling.nodes]
    workers = _workers(target, limits)[: len(tiling.tiles)]
    _check_workers(target, tiling, nodes, workers)
    jobs = [_job(tile, number, nodes, tiling) for number, tile in enumerate(tiling.tiles)]
    home = home or max((m for m in target.memories if m.kind == "ram"), key=lambda m: m.size).path
    target.memory(home)
    places = [
        _place(target, limits, element, home, jobs[index :: len(workers)])
        for index, element in enumerate(workers)
    ]
    steps = _schedule(jobs, places, workers[0].frequency)
    double = tuple(place.element.path for place in places if place.slots > 1)
    return Mapping(
        target.name,
        tuple(element.path for element in workers),
        workers[0].frequency,
        tuple(sorted(steps, key=lambda step: (step.start, step.tile, step.end))),
        tuple(_placements(jobs, places, steps)),
        double,
        limits.max_latency,
    )


def _workers(target: Target, limits: Constraints) -> tuple[Element, ...]:
    """Take the elements that are asked for; else the first group, or the first element."""
    usable = limits.elements(target)
    if limits.use or not target.cooperation:
        return usable if limits.use else usable[:1]
    members = target.cooperation[0].members
    return tuple(each for each in usable if each.path.removesuffix("/pe") in members)


def _check_workers(
    target: Target, tiling: Tiling, nodes: Sequence[Node], workers: Sequence[Element]
) -> None:
    for element in workers:
        for node in nodes:
            if not element.runs(node.type()):
                raise HardwareError(
                    explain(
                        element.path,
                        f"does not run {node.label}",
                        expected=", ".join(element.supports),
                        found=node.type(),
                        cure="Leave it out with constraints (use), or add to its supports.",
                    )
                )
    if len(workers) < 2:
        return
    if tiling.halo == "cache":
        cure = 'Plan it with halo="recompute", or use one element.'
        raise HardwareError(
            explain("tiling", "tiles that keep halos follow each other on one element", cure=cure)
        )
    devices = {element.path.removesuffix("/pe") for element in workers}
    wanted = {_SPLIT_OF_AXIS.get(axis, "") for axis in tiling.axes}
    for group in target.cooperation:
        if devices <= set(group.members) and wanted <= set(group.split):
            return
    raise HardwareError(
        explain(
            f"target {target.name}",
            f"{', '.join(sorted(devices))} may not share a layer by {', '.join(sorted(wanted))}",
            expected="; ".join(f"{g.members}: {g.split}" for g in target.cooperation) or None,
            cure="Add a cooperation group, or use one element.",
        )
    )


def _job(tile: Tile, number: int, nodes: Sequence[Node], tiling: Tiling) -> _Job:
    """Sum up what a tile reads from outside, and what it writes."""
    names = dict(zip(tiling.nodes, nodes, strict=True))
    inside = set(nodes)
    load = parameters = work = macs = 0
    for part in tile.parts:
        node = names[part.node]
        own = count(part.output)
        for index, region in part.inputs:
            port = node.input(index)
            if port is not None and port.node.type() == "Producer":
                parameters += count(region)
                continue
            own += count(region)
            if port is None or port.node not in inside:
                load += count(region)
        work = max(work, own)
        macs += part.macs or count(part.output)
    size = tiling.itemsize
    store = count(tile.output)
    extra = work if len(tile.parts) > 1 else 0
    return _Job(number, load * size, parameters * size, store * size, extra * size, macs)


def _place(
    target: Target, limits: Constraints, element: Element, home: str, jobs: Sequence[_Job]
) -> _Place:
    memory = target.local(element.path)[0].path
    links = () if memory == home else target.route(home, memory)
    capacity = limits.capacity(target, memory)
    fixed = 0 if memory == home else max(job.parameters for job in jobs)
    slot = max(job.work + (job.load + job.store if links else 0) for job in jobs)
    if fixed + slot > capacity:
        raise HardwareError(
            explain(
                f"{element.path}, memory {memory}",
                "a tile does not fit",
                expected=f"at most {capacity} bytes",
                found=f"{fixed + slot} ({fixed} of parameters)",
                cure="Cut it into more tiles, or use a larger memory.",
            )
        )
    slots = 2 if links and len(jobs) > 1 and fixed + 2 * slot <= capacity else 1
    return _Place(element, memory, links, slots, slot)


def _schedule(jobs: Sequence[_Job], places: Sequence[_Place], frequency: float) -> list[Step]:
    """Let begin, again and again, the step that can begin first."""
    free: dict[str, int] = {}
    ends: dict[tuple[str, int], int] = {}
    waiting = [(job, kind) for job in jobs for kind in ("load", "compute", "store")]
    steps: list[Step] = []
    while waiting:
        options = []
        for order, (job, kind) in enumerate(waiting):
            place = places[job.number % len(places)]
            ready = _ready(job, kind, ends, len(places), place.slots)
            if ready is not None:
                devices = _devices(kind, place)
                start = max([ready, *(free.get(device, 0) for device in devices)])
                options.append((start, ready, order))
        start, _, order = min(options)
        job, kind = waiting.pop(order)
        place = places[job.number % len(places)]
        step = _step(job, kind, place, start, len(places), frequency)
        ends[kind, job.number] = step.end
        free.update((device, step.end) for device in step.devices)
        if step.devices:
            steps.append(step)
    return steps


def _ready(
    job: _Job, kind: str, ends: dict[tuple[str, int], int], workers: int, slots: int
) -> int | None:
    """Tell when what a step waits for is done; None while that is not known."""
    needs = [("load" if kind == "compute" else "compute", job.number)]
    if kind == "load":
        needs = [("store", job.number - slots * workers), ("load", job.number - workers)]
    known = [ends.get(need) for need in needs if need[1] >= 0]
    done = [each for each in known if each is not None]
    return max([0, *done]) if len(done) == len(known) else None


def _devices(kind: str, place: _Place) -> tuple[str, ...]:
    if kind == "compute":
        return (place.element.path,)
    return tuple(dict.fromkeys(link.resource for link in place.links))


def _step(job: _Job, kind: str, place: _Place, start: int, workers: int, frequency: float) -> Step:
    number, first = job.number, job.number < workers
    loaded = (f"input {number}", *((f"parameters {place.element.path}",) if first else ()))
    used = (f"input {number}", f"parameters {place.element.path}")
    result = (f"result {number}",)
    if kind == "compute":
        speed = place.element.macs_per_cycle * place.element.frequency / frequency
        end, amount = start + ceil(job.macs / speed), job.macs
        return Step(
            "operation",
            f"compute {number}",
            number,
            _devices(kind, place),
            start,
            end,
            used,
            result,
            amount,
        )
    amount = job.store if kind == "store" else job.load + (job.parameters if first else 0)
    latency = sum(link.latency for link in place.links)
    slowest = min((link.bytes_per_cycle for link in place.links), default=1.0)
    cycles = ceil(latency + amount / slowest) if place.links else 0
    reads, writes = (result, ()) if kind == "store" else ((), loaded)
    return Step(
        "transfer",
        f"{kind} {number}",
        number,
        _devices(kind, place),
        start,
        start + cycles,
        reads,
        writes,
        amount,
    )


def _placements(
    jobs: Sequence[_Job], places: Sequence[_Place], steps: Sequence[Step]
) -> list[Placed]:
    """Put parameters first, then one slot for each tile that is there at a time."""
    found = []
    for index, place in enumerate(places):
        mine = jobs[index :: len(places)]
        times = {(step.tile, step.name.split()[0]): step for step in steps}
        if not place.links:
            continue
        base = max(job.parameters for job in mine)
        last = times[mine[-1].number, "compute"].end
        found.append(Placed(f"parameters {place.element.path}", place.memory, 0, base, 0, last))
        for turn, job in enumerate(mine):
            offset = base + turn % place.slots * place.slot
            load, compute, store = (
                times[job.number, kind] for kind in ("load", "compute", "store")
            )
            found.append(
                Placed(
                    f"input {job.number}", place.memory, offset, job.load, load.start, compute.end
                )
            )
            found.append(
                Placed(
                    f"result {job.number}",
                    place.memory,
                    offset + job.load,
                    job.store,
                    compute.start,
                    store.end,
                )
            )
            if job.work:
                space = offset + job.load + job.store
                found.append(
                    Placed(
                        f"work {job.number}",
                        place.memory,
                        space,
                        job.work,
                        compute.start,
                        compute.end,
                    )
                )
    return found


@dataclass(frozen=True, slots=True)
class Roofline:
    """What limits a computation: the elements, or what feeds them.

    Attributes
    ----------
    intensity
        Multiply-accumulates per byte moved.
    balance
        Those that the elements can do while one byte is moved.
    """

    intensity: float
    balance: float

    @property
    def bound(self) -> str:
        """``compute`` or ``memory``."""
        return "compute" if self.intensity >= self.balance else "memory"


def roofline(macs: int, size: int, elements: Sequence[Element], links: Sequence[Link]) -> Roofline:
    """Compare multiply-accumulates and bytes with elements and links; a bus counts once.

    Examples
    --------
    >>> from aidge_nb.hardware import Element, Link
    >>> pe, bus = Element("pe", 16, 1e8), Link(("ram", "l1"), 8, bus="bus")
    >>> roofline(14_155_776, 2_309_824, [pe], [bus]).bound
    'compute'
    """
    speed = sum(element.macs_per_cycle for element in elements)
    widths = {link.resource: link.bytes_per_cycle for link in links}
    return Roofline(macs / size, speed / sum(widths.values()))
