"""The usable part of a target: memories of tensors and parameters, costs of work and transfers.

The model of costs. An operation takes the cycles of its operators on its element (multiply-
accumulates / those per cycle, or the table of the target), or the time in which its operands
pass between the element and its linked memories, each once, if that is longer. A
transfer takes the latencies of its links and bytes / bandwidth of the narrowest; it occupies all of
them, links of their own in its direction and a bus as a whole.

Reference: S. Williams and others, Roofline, 2009, https://doi.org/10.1145/1498765.1498785
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil

from aidge_nb.core.errors import HardwareError
from aidge_nb.hardware.map.jobs import TileJob
from aidge_nb.hardware.steps import Function
from aidge_nb.hardware.targets.constraints import Constraints
from aidge_nb.hardware.targets.parts import Element, Link, busy_on_way
from aidge_nb.hardware.targets.target import Target

_ROUNDING = 1e-9  # 1/3 + 2/3 of a cycle are one


@dataclass(frozen=True, slots=True)
class Station:
    """An element with its working memory and routes."""

    element: Element  # the element
    memory: str  # path of its working memory
    capacity: int  # usable bytes of that memory
    # links, parameter_links: routes from whole tensors and from parameters; empty where these are
    # in reach
    links: tuple[Link, ...]
    parameter_links: tuple[Link, ...]
    # home, parameters: memories where these routes begin
    home: str
    parameters: str

    def way(self, kind: str) -> tuple[str, ...]:
        """Name the links and buses that a ``load``, ``store`` or ``parameters`` occupies."""
        if kind == "store":
            return busy_on_way(reversed(self.links), self.memory)
        if kind == "parameters":
            return busy_on_way(self.parameter_links, self.parameters)
        return busy_on_way(self.links, self.home)

    @property
    def is_home(self) -> bool:
        """True if whole tensors lie in the working memory."""
        return not self.links


@dataclass(frozen=True)
class Machine:
    """The usable part of a target, and its memories of tensors and parameters."""

    # target, limits: the target, and its usable parts
    target: Target
    limits: Constraints
    home: str  # path of the memory of whole tensors
    parameters: str  # path of the memory of parameters

    @property
    def elements(self) -> tuple[Element, ...]:
        """The usable elements."""
        return self.limits.elements(self.target)

    def station(self, element: Element) -> Station:
        """Return an element with its working memory and routes.

        Raise HardwareError when it reaches no tensors or no parameters.
        """
        target = self.target
        near = [memory.path for memory in target.local(element.path)]
        memory = self.home if self.home in near else near[0]
        links = () if memory == self.home else target.route(self.home, memory)
        brought = () if self.parameters in near else target.route(self.parameters, memory)
        capacity = self.limits.capacity(target, memory)
        return Station(element, memory, capacity, links, brought, self.home, self.parameters)

    def work(self, station: Station, calls: Iterable[Function]) -> float:
        """Return the cycles of operators on an element."""
        element = station.element
        cycles = sum(call.cycles_on(element) for call in calls)
        return cycles * self.target.clock / element.frequency

    def cycles(self, station: Station, job: TileJob) -> int:
        """Return the cycles of a job on an element."""
        element, target = station.element, self.target
        needs = [self.work(station, job.calls)]
        passed = {station.memory: job.touched}
        source = station.memory if station.parameter_links else self.parameters
        passed[source] = passed.get(source, 0) + job.parameters
        for memory, size in passed.items():
            link = target.link(element.path, memory)
            if link is not None and size:
                needs.append(link.cycles(size))
        return ceil(max(needs) - _ROUNDING)


def transfer_cycles(links: Sequence[Link], size: int) -> int:
    """Count the cycles in which bytes pass over several links at once."""
    latency = sum(link.latency for link in links)
    return ceil(latency + size / min(link.bytes_per_cycle for link in links) - _ROUNDING)


def limits_of(target: Target, constraints: Constraints | None) -> Constraints:
    """Validate target and constraints; return the constraints, by default none.

    Raise HardwareError for arguments of other types.
    """
    limits: object = constraints
    if not isinstance(target, Target):
        cure = 'Pass aidge_nb.hardware.target("mcu"), or read_target(text).'
        found = repr(target) if isinstance(target, str) else type(target).__name__
        raise HardwareError.at("target", "must be a Target", found=found, cure=cure)
    if limits is None:
        return Constraints(target.name)
    if not isinstance(limits, Constraints):
        cure = f'Write Constraints("{target.name}", …), or read_constraints(text, target).'
        found = type(limits).__name__
        raise HardwareError.at("constraints", "must be Constraints", found=found, cure=cure)
    return limits


def make_machine(
    target: Target, limits: Constraints, home: str = "", parameters: str = "", size: int = 0
) -> Machine:
    """Choose the memories of tensors and parameters: by default the first RAM and the first ROM.

    ``size`` are the bytes of all parameters. Raise HardwareError for an unknown memory, a target
    without RAM, and parameters that do not fit.
    """
    if limits.target != target.name:
        raise HardwareError.at(
            f"target {target.name}",
            "the constraints are for another target",
            found=limits.target,
            cure=f"Map onto that target, or write constraints for {target.name}.",
        )
    rams = [memory.path for memory in target.memories if memory.kind == "ram"]
    roms = [memory.path for memory in target.memories if memory.kind == "rom"]
    if not home and not rams:
        raise HardwareError.at(
            f"target {target.name}",
            "has no RAM for tensors",
            cure="Add one to its memories: ram: {size: 64KiB}.",
        )
    for path, limit in limits.memory.items():
        most = target.memory(path).size
        if not 0 < limit <= most:
            raise HardwareError.at(
                f"constraints: memory/{path}",
                "is out of range",
                expected=f"1 to {most} bytes",
                found=limit,
                cure="Leave it out to use all.",
            )
    home = target.memory(home or rams[0]).path
    parameters = target.memory(parameters or next(iter(roms), home)).path
    capacity = limits.capacity(target, parameters)
    if parameters != home and size > capacity:
        raise HardwareError.at(
            f"{target.name}, memory {parameters}",
            "the parameters do not fit",
            expected=f"at most {capacity} bytes",
            found=f"{size}, {size - capacity} too many",
            cure="Quantise or prune the network, or name another memory with parameters=.",
        )
    return Machine(target, limits, home, parameters)


@dataclass(frozen=True, slots=True)
class Room:
    """The layout of a local memory during a task.

    First parameters, then bytes kept from tile to tile, then ``slots`` places for a tile with its
    input, output and working memory.
    """

    parameters: int
    keep: int
    slot: int
    slots: int

    @property
    def size(self) -> int:
        """Total bytes."""
        return self.parameters + self.keep + self.slots * self.slot


def room_of(station: Station, jobs: Sequence[TileJob]) -> Room:
    """Lay out a local memory, with two slots if they fit."""
    moved = not station.is_home
    parameters = max(job.parameters for job in jobs) if station.parameter_links and moved else 0
    slot = max(job.work + (job.load + job.store) * moved for job in jobs)
    keep = max(job.keep for job in jobs)
    slots = 1
    if moved and len(jobs) > 1 and parameters + keep + 2 * slot <= station.capacity:
        slots = 2
    return Room(parameters, keep, slot, slots)


def home_bytes(name: str, station: Station, jobs: Sequence[TileJob]) -> dict[str, int]:
    """Return the extra buffers of a task in the memory of whole tensors, in bytes by name."""
    room, found = room_of(station, jobs), {}
    most = max(job.parameters for job in jobs)
    if station.is_home and station.parameter_links and most:
        found[f"{name} parameters"] = most
    if station.is_home and room.keep + room.slot:
        found[f"{name} work"] = room.keep + room.slot
    return found


@dataclass(frozen=True, slots=True)
class Roofline:
    """The roofline of a computation: bound by elements or by links.

    Attributes
    ----------
    intensity
        Multiply-accumulates per byte moved.
    balance
        Multiply-accumulates of the elements while one byte is moved.
    """

    intensity: float
    balance: float

    @property
    def bound(self) -> str:
        """``compute`` or ``memory``."""
        return "compute" if self.intensity >= self.balance else "memory"


def roofline(macs: int, size: int, elements: Sequence[Element], links: Sequence[Link]) -> Roofline:
    """Compare multiply-accumulates and bytes with elements and links; a bus counts once.

    Raises
    ------
    HardwareError
        When no bytes are moved, or no links are given.

    Examples
    --------
    >>> from aidge_nb.hardware import Element, Link
    >>> pe, bus = Element("pe", 16, 1e8), Link(("ram", "l1"), 8, bus="bus")
    >>> roofline(14_155_776, 2_309_824, [pe], [bus]).bound
    'compute'
    """
    speed = sum(element.macs_per_cycle for element in elements)
    widths = {link.resource: link.bytes_per_cycle for link in links}
    if size < 1 or not widths:
        raise HardwareError.at(
            "roofline",
            "nothing is moved",
            expected="bytes, and links that carry them",
            found=f"{size} bytes, {len(widths)} links",
            cure="Give the bytes that are moved, and the links that carry them.",
        )
    return Roofline(macs / size, speed / sum(widths.values()))
