"""What a mapping says of itself: what takes how long, which limit binds, and by how much."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from aidge_nb.hardware.mapping import Mapping


@dataclass(frozen=True, slots=True)
class Bound:
    """A limit, and what is used of it.

    Attributes
    ----------
    kind
        ``element``, ``link``, ``memory`` or ``latency``.
    name
        Path of the element or memory, name of the link or bus.
    used, limit
        Cycles for elements and links, of all that the mapping takes; bytes for memories; seconds
        for the latency.
    """

    kind: str
    name: str
    used: float
    limit: float

    @property
    def share(self) -> float:
        """How much of the limit is used."""
        return self.used / self.limit if self.limit else 0.0


def bounds(mapping: Mapping) -> tuple[Bound, ...]:
    """List all limits with what is used of them.

    Examples
    --------
    >>> from aidge_nb.hardware import Mapping
    >>> bounds(Mapping("mcu", (), 1.0, (), (), (), (("ram", 1024),)))
    (Bound(kind='memory', name='ram', used=0, limit=1024),)
    """
    return tuple(_bounds(mapping))


def _bounds(mapping: Mapping) -> Iterator[Bound]:
    for device, busy in mapping.busy().items():
        kind = "element" if device in mapping.elements else "link"
        yield Bound(kind, device, busy, mapping.cycles)
    for use in mapping.memories:
        yield Bound("memory", use.path, use.peak, use.capacity)
    if mapping.max_latency is not None:
        yield Bound("latency", "max_latency", mapping.seconds, mapping.max_latency)


def critical_path(mapping: Mapping) -> tuple[int, ...]:
    """Give the steps that follow each other without a gap up to the end, by number.

    Each begins when the one before it ends, which it had to wait for: for its data, for the device,
    or for room.
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
    """Tell how close a step is to the one behind it: data, then device, then work."""
    if not found:
        return 0
    before, after = mapping.steps[number], mapping.steps[found[-1]]
    if set(before.writes) & set(after.reads):
        return 0
    if set(before.devices) & set(after.devices):
        return 1
    return 2 if before.work == after.work else 3


def binding(mapping: Mapping) -> dict[str, int]:
    """Tell how many cycles of the critical path are spent on each device, the most first."""
    found: dict[str, int] = {}
    for number in critical_path(mapping):
        step = mapping.steps[number]
        device = step.devices[-1]
        found[device] = found.get(device, 0) + step.end - step.start
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def mapping_report(mapping: Mapping) -> str:
    """Say what takes how long, which limit binds, and by how much."""
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
