"""The mapping of a network onto a target: steps, placed buffers, bounds and a report."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from collections.abc import Mapping as Values
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import NoneType
from typing import TYPE_CHECKING, Any

from aidge_nb.core.errors import GraphError, HardwareError, listed, reading
from aidge_nb.core.forms import Many, as_plain, check_form, read_form
from aidge_nb.core.pictures import Shown
from aidge_nb.hardware.steps import Function, MappingStep, Placed, TargetMemoryUse, Work
from aidge_nb.tiling.saved import TILING_FORM

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView


@dataclass(frozen=True, repr=False)
class Mapping(Shown):
    """A network, or a part of it, mapped onto the elements of a target.

    Attributes
    ----------
    target
        Name of the target.
    elements
        Paths of the usable elements.
    clock
        Frequency of the cycles in hertz.
    works
        The computed works, in mapping order.
    steps
        Operations and transfers, by start.
    placements
        Placed buffers.
    capacities
        Path and usable bytes of each memory.
    given
        Buffers present from the beginning: inputs and parameters.
    double_buffered
        Elements that load one tile while they compute another.
    max_latency
        Latency limit in seconds; None for no limit.
    view
        The mapped graph; None for a mapping made by :meth:`from_dict`.
    """

    target: str
    elements: tuple[str, ...]
    clock: float
    works: tuple[Work, ...]
    steps: tuple[MappingStep, ...]
    placements: tuple[Placed, ...]
    capacities: tuple[tuple[str, int], ...] = ()
    given: tuple[str, ...] = ()
    double_buffered: tuple[str, ...] = ()
    max_latency: float | None = None
    view: GraphView | None = field(default=None, compare=False)

    @cached_property
    def cycles(self) -> int:
        """Cycle at which the last step ends."""
        return max((step.end for step in self.steps), default=0)

    @property
    def seconds(self) -> float:
        """Total time in seconds."""
        return self.cycles / self.clock

    def work(self, name: str) -> Work:
        """Return the work of a name, or the first one that computes a node of that name.

        Raises
        ------
        KeyError
            For an unknown name.
        """
        exact = (work for work in self.works if work.name == name)
        inside = (work for work in self.works if name in work.nodes)
        found = next(exact, None) or next(inside, None)
        if found is None:
            raise KeyError(name)
        return found

    @cached_property
    def devices(self) -> tuple[str, ...]:
        """All devices in use: elements first, then links and buses."""
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
        """The device that is busy longest: a lower bound of the total time."""
        busy = self.busy()
        return max(busy, key=lambda device: busy[device], default="")

    @property
    def memories(self) -> tuple[TargetMemoryUse, ...]:
        """The use of each memory."""
        peaks = dict.fromkeys((path for path, _ in self.capacities), 0)
        for each in self.placements:
            peaks[each.memory] = max(peaks.get(each.memory, 0), each.offset + each.size)
        return tuple(TargetMemoryUse(path, size, peaks[path]) for path, size in self.capacities)

    def report(self) -> str:
        """Report busy shares, memory use, the bottleneck and the critical path."""
        return mapping_report(self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        values = as_plain(replace(self, view=None))
        del values["view"]
        for work in values["works"]:
            work["functions"] = [_written(function) for function in work["functions"]]
        return {**values, "capacities": dict(self.capacities)}

    @classmethod
    @reading("mapping", HardwareError)
    def from_dict(cls, values: Values[str, Any]) -> Mapping:
        """Make a mapping from the result of :meth:`to_dict`.

        Raises
        ------
        HardwareError
            For anything else.
        """
        check_form(values, _FORM, "mapping", HardwareError)
        _check_parts(values)
        pairs = list(values["capacities"].items())
        try:
            mapping: Mapping = read_form({**values, "capacities": pairs}, cls, "mapping")
        except GraphError as error:
            raise HardwareError.at("mapping", str(error)) from error
        return mapping

    def __repr__(self) -> str:
        return (
            f"Mapping({self.target}: {len(self.works)} works in {len(self.steps)} steps on "
            f"{len(self.elements)} elements, {self.cycles} cycles)"
        )


def need_nodes(mapping: Mapping, names: Collection[str]) -> None:
    """Check that a graph with these names is the mapped one; raise HardwareError otherwise."""
    missing = [name for work in mapping.works for name in work.nodes if name not in names]
    if missing:
        problem, found = "belongs to another graph", f"no node called {missing[0]}"
        cure = "Pass the graph that was mapped."
        raise HardwareError.at("mapping", problem, found=found, cure=cure)


def _check_parts(values: Values[str, Any]) -> None:
    """Check that the parts of a saved mapping name parts that it has."""
    works = [work["name"] for work in values["works"]]
    known = {("work", name) for name in works}
    known |= {("memory", path) for path in values["capacities"]}
    for group, name in (("steps", "work"), ("placements", "memory")):
        for number, each in enumerate(values[group]):
            if (name, each[name]) not in known:
                expected = listed([value for kind, value in sorted(known) if kind == name])
                where, problem = f"mapping: {group}[{number}].{name}", "unknown"
                found = repr(each[name])
                raise HardwareError.at(where, problem, expected=expected or "none", found=found)
    if not values["clock"] > 0:
        expected, found = "a frequency above 0", values["clock"]
        raise HardwareError.at("mapping: clock", "wrong value", expected=expected, found=found)


_WORK: dict[str, Any] = {
    "name": str,
    "functions": tuple[Function, ...],
    "elements": tuple[str, ...],
    "tiling": [NoneType, TILING_FORM],
    "after": tuple[str, ...],
}
_FORM: dict[str, Any] = {
    "target": str,
    "elements": tuple[str, ...],
    "clock": float,
    "works": Many(_WORK),
    "steps": tuple[MappingStep, ...],
    "placements": tuple[Placed, ...],
    "capacities": dict[str, int],
    "given": tuple[str, ...],
    "double_buffered": tuple[str, ...],
    "max_latency": float | None,
}
"""The form of the values that :meth:`Mapping.to_dict` returns."""


@dataclass(frozen=True, slots=True)
class MappingBound:
    """The use of a limit.

    Attributes
    ----------
    kind
        ``element``, ``link``, ``memory`` or ``latency``.
    name
        Path of the element or memory, name of the link or bus.
    used, limit
        Cycles of elements and links (limit: all cycles); bytes of memories; seconds of latency.
    """

    kind: str
    name: str
    used: float
    limit: float

    @property
    def share(self) -> float:
        """Used part of the limit."""
        return self.used / self.limit if self.limit else 0.0


def bounds(mapping: Mapping) -> tuple[MappingBound, ...]:
    """List all limits and their use.

    Examples
    --------
    >>> from aidge_nb.hardware import Mapping
    >>> bounds(Mapping("mcu", (), 1.0, (), (), (), (("ram", 1024),)))
    (MappingBound(kind='memory', name='ram', used=0, limit=1024),)
    """
    return tuple(_bounds(mapping))


def _bounds(mapping: Mapping) -> Iterator[MappingBound]:
    for device, busy in mapping.busy().items():
        kind = "element" if device in mapping.elements else "link"
        yield MappingBound(kind, device, busy, mapping.cycles)
    for use in mapping.memories:
        yield MappingBound("memory", use.path, use.peak, use.capacity)
    if mapping.max_latency is not None:
        yield MappingBound("latency", "max_latency", mapping.seconds, mapping.max_latency)


def critical_path(mapping: Mapping) -> tuple[int, ...]:
    """Return the numbers of steps that lead to the end without a gap.

    Each begins when the step before it ends: it waited for its data, its device or room.
    """
    ending: dict[int, list[int]] = {}
    for number, step in enumerate(mapping.steps):
        if step.end > step.start:
            ending.setdefault(step.end, []).append(number)
    found: list[int] = []
    here = max(ending, default=0)
    while here in ending:
        number = min(ending[here], key=lambda each: _distance(mapping, each, found))
        found.append(number)
        here = mapping.steps[number].start
    return tuple(reversed(found))


def _distance(mapping: Mapping, number: int, found: list[int]) -> int:
    """Rank how a step depends on the one before: by data, device, work, or not at all."""
    if not found:
        return 0
    before, after = mapping.steps[number], mapping.steps[found[-1]]
    if set(before.writes) & set(after.reads):
        return 0
    if set(before.devices) & set(after.devices):
        return 1
    return 2 if before.work == after.work else 3


def binding(mapping: Mapping) -> dict[str, int]:
    """Return the cycles of the critical path spent on each device, largest first."""
    found: dict[str, int] = {}
    for number in critical_path(mapping):
        step = mapping.steps[number]
        device = step.devices[-1]
        found[device] = found.get(device, 0) + step.end - step.start
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def mapping_report(mapping: Mapping) -> str:
    """Write the report of a mapping."""
    cycles = mapping.cycles
    lines = [f"{cycles} cycles, {mapping.seconds * 1e3:.3f} ms on {mapping.target}"]
    if not cycles:
        return lines[0]
    for bound in bounds(mapping):
        if bound.kind in ("element", "link"):
            lines.append(f"  {bound.name}: busy {100 * bound.share:.1f} %")
        elif bound.kind == "memory":
            lines.append(
                f"  {bound.name}: {bound.used:.0f} of {bound.limit:.0f} bytes, "
                f"{100 * bound.share:.1f} %"
            )
    first = mapping.bottleneck
    least = mapping.busy()[first]
    lines.append(
        f"bound by {first}: busy for {least} cycles; all takes {cycles / least:.2f} times that"
    )
    path = binding(mapping)
    spent = ", ".join(f"{device} {100 * each / cycles:.0f} %" for device, each in path.items())
    lines.append(f"critical path: {spent}")
    if mapping.max_latency is not None:
        share = mapping.seconds / mapping.max_latency
        verdict = "kept" if share <= 1 else "missed"
        by = abs(mapping.max_latency - mapping.seconds) * 1e3
        lines.append(
            f"latency of {mapping.max_latency * 1e3:g} ms {verdict} by {by:.3f} ms: "
            f"{100 * share:.1f} % of it"
        )
    return "\n".join(lines)


def _written(function: Values[str, Any]) -> dict[str, Any]:
    """Leave out the usual type of data."""
    return {name: each for name, each in function.items() if (name, each) != _USUAL_TYPE}


_USUAL_TYPE = ("dtype", "float32")
