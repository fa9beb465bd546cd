"""Mappings as values: what runs or moves where and when, and where each buffer lies meanwhile."""

from __future__ import annotations

from collections.abc import Mapping as Values
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from aidge_nb.core.pictures import Shown
from aidge_nb.tiling.tiles import Tiling

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView


@dataclass(frozen=True, slots=True)
class Function:
    """What one node computes.

    Attributes
    ----------
    node, operator
        Name and type of the node.
    macs
        Multiply-accumulates of one execution.
    elements
        Number of elements of its output.
    """

    node: str
    operator: str
    macs: int
    elements: int


@dataclass(frozen=True, slots=True)
class Work:
    """A node, or nodes that are computed together, on one element or on several that cooperate.

    Attributes
    ----------
    name
        Unique in the mapping: the node, ``[2]`` for a third execution.
    functions
        What is computed, in order.
    elements
        Paths of the elements that compute it.
    tiling
        How it is cut; None where it is computed as a whole.
    after
        Names of the works that it must follow.
    """

    name: str
    functions: tuple[Function, ...]
    elements: tuple[str, ...]
    tiling: Tiling | None = None
    after: tuple[str, ...] = ()

    @property
    def nodes(self) -> tuple[str, ...]:
        """Names of the nodes."""
        return tuple(function.node for function in self.functions)


@dataclass(frozen=True, slots=True)
class Step:
    """An operation on an element, or a transfer over links.

    Attributes
    ----------
    kind
        ``operation`` or ``transfer``.
    name
        ``compute``, ``load``, ``parameters`` or ``store``, and the number of the tile.
    work
        Name of the work that it is part of.
    tile
        Number of the tile.
    devices
        What is busy meanwhile: the element, or the links and buses.
    start, end
        Cycles, half-open.
    reads, writes
        Names of buffers.
    amount
        Multiply-accumulates of an operation (elements, for operators without any), bytes of a
        transfer.
    """

    kind: str
    name: str
    work: str
    tile: int
    devices: tuple[str, ...]
    start: int
    end: int
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    amount: int


@dataclass(frozen=True, slots=True)
class Placed:
    """A buffer in a memory.

    Attributes
    ----------
    buffer
        Its name.
    memory
        Path of the memory.
    offset, size
        Where it starts there, and how large it is, in bytes.
    start, end
        Cycles at which it is in use, half-open.
    holds
        Names of the values that share its bytes, one after the other or as parts of a whole.
    """

    buffer: str
    memory: str
    offset: int
    size: int
    start: int
    end: int
    holds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """A memory, and what is used of it.

    Attributes
    ----------
    path
        Path of the memory.
    capacity
        Bytes that may be used.
    peak
        Bytes that are used at most.
    """

    path: str
    capacity: int
    peak: int


@dataclass(frozen=True, repr=False)
class Mapping(Shown):
    """A network, or a part of it, on the elements of a target: the hardware-adapted graph.

    Attributes
    ----------
    target
        Name of the target.
    elements
        Paths of the elements that may work.
    clock
        Of the cycles, in hertz.
    works
        What is computed, in the order in which it was mapped.
    steps
        Operations and transfers, in order of their start.
    placements
        Where buffers lie.
    capacities
        Path and usable bytes of each memory.
    given
        Buffers that are there from the beginning: inputs and parameters.
    double_buffered
        Elements that load a tile while they compute another.
    max_latency
        Seconds that are allowed; None without limit.
    view
        The graph that was mapped. None for a mapping that was read: what is written names nodes.
    """

    target: str
    elements: tuple[str, ...]
    clock: float
    works: tuple[Work, ...]
    steps: tuple[Step, ...]
    placements: tuple[Placed, ...]
    capacities: tuple[tuple[str, int], ...] = ()
    given: tuple[str, ...] = ()
    double_buffered: tuple[str, ...] = ()
    max_latency: float | None = None
    view: GraphView | None = field(default=None, compare=False)

    @cached_property
    def cycles(self) -> int:
        """Cycles from the first step to the end of the last."""
        return max((step.end for step in self.steps), default=0)

    @property
    def seconds(self) -> float:
        """Time for all, in seconds."""
        return self.cycles / self.clock

    def work(self, name: str) -> Work:
        """Give a work by its name, or by the name of a node that it computes.

        Raises
        ------
        KeyError
            When there is none.
        """
        exact = (work for work in self.works if work.name == name)
        inside = (work for work in self.works if name in work.nodes)
        found = next(exact, None) or next(inside, None)
        if found is None:
            raise KeyError(name)
        return found

    @cached_property
    def devices(self) -> tuple[str, ...]:
        """All that is busy at times: elements first, then links and buses."""
        others = dict.fromkeys(device for step in self.steps for device in step.devices)
        return tuple(dict.fromkeys([*self.elements, *others]))

    def busy(self) -> dict[str, int]:
        """Count the busy cycles of each element, link and bus."""
        found = dict.fromkeys(self.devices, 0)
        for step in self.steps:
            for device in step.devices:
                found[device] += step.end - step.start
        return found

    @property
    def bottleneck(self) -> str:
        """What is busy longest: nothing can be faster than that without changing it."""
        busy = self.busy()
        return max(busy, key=lambda device: busy[device], default="")

    @property
    def memories(self) -> tuple[MemoryUse, ...]:
        """The memories, and how much of each is used."""
        peaks = dict.fromkeys((path for path, _ in self.capacities), 0)
        for each in self.placements:
            peaks[each.memory] = max(peaks.get(each.memory, 0), each.offset + each.size)
        return tuple(MemoryUse(path, size, peaks[path]) for path, size in self.capacities)

    def report(self) -> str:
        """Say what takes how long, which limit binds, and by how much."""
        from aidge_nb.hardware.run.report import mapping_report

        return mapping_report(self)

    def to_dict(self) -> dict[str, Any]:
        """Give plain Python values, for JSON."""
        works = [
            {
                "name": work.name,
                "functions": [asdict(function) for function in work.functions],
                "elements": list(work.elements),
                "tiling": None if work.tiling is None else work.tiling.to_dict(),
                "after": list(work.after),
            }
            for work in self.works
        ]
        return {
            "target": self.target,
            "elements": list(self.elements),
            "clock": self.clock,
            "works": works,
            "steps": [_listed(asdict(step)) for step in self.steps],
            "placements": [_listed(asdict(each)) for each in self.placements],
            "capacities": dict(self.capacities),
            "given": list(self.given),
            "double_buffered": list(self.double_buffered),
            "max_latency": self.max_latency,
        }

    @classmethod
    def from_dict(cls, values: Values[str, Any]) -> Mapping:
        """Make a mapping of what :meth:`to_dict` gave."""
        works = tuple(
            Work(
                each["name"],
                tuple(Function(**function) for function in each["functions"]),
                tuple(each["elements"]),
                None if each["tiling"] is None else Tiling.from_dict(each["tiling"]),
                tuple(each["after"]),
            )
            for each in values["works"]
        )
        return cls(
            values["target"],
            tuple(values["elements"]),
            values["clock"],
            works,
            tuple(Step(**_tupled(each)) for each in values["steps"]),
            tuple(Placed(**_tupled(each)) for each in values["placements"]),
            tuple(values["capacities"].items()),
            tuple(values["given"]),
            tuple(values["double_buffered"]),
            values["max_latency"],
        )

    def __repr__(self) -> str:
        return (
            f"Mapping({self.target}: {len(self.works)} works in {len(self.steps)} steps on "
            f"{len(self.elements)} elements, {self.cycles} cycles)"
        )


def _listed(values: dict[str, Any]) -> dict[str, Any]:
    return {key: list(each) if isinstance(each, tuple) else each for key, each in values.items()}


def _tupled(values: Values[str, Any]) -> dict[str, Any]:
    return {key: tuple(each) if isinstance(each, list) else each for key, each in values.items()}
