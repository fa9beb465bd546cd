"""Mappings as values: what runs or moves where and when, and where each buffer lies meanwhile."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["Mapping", "Placed", "Step"]


@dataclass(frozen=True, slots=True)
class Step:
    """An operation on an element, or a transfer over links.

    Attributes
    ----------
    kind
        ``operation`` or ``transfer``.
    name
        What is computed or moved, such as ``load 2``.
    tile
        Number of the tile.
    devices
        What is busy meanwhile: the element, or the links and buses.
    start, end
        Cycles, half-open.
    reads, writes
        Names of buffers.
    amount
        Multiply-accumulates of an operation, bytes of a transfer.
    """

    kind: str
    name: str
    tile: int
    devices: tuple[str, ...]
    start: int
    end: int
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    amount: int


@dataclass(frozen=True, slots=True)
class Placed:
    """A buffer: its memory, its bytes there, and from which cycle to which it is used."""

    buffer: str
    memory: str
    offset: int
    size: int
    start: int
    end: int


@dataclass(frozen=True, repr=False)
class Mapping:
    """Tiles on the elements of a target.

    Attributes
    ----------
    target
        Name of the target.
    elements
        Paths of the elements that work.
    frequency
        Of the cycles, in hertz.
    steps
        In order of their start.
    placements
        Where the buffers of local memories lie.
    double_buffered
        Elements that load a tile while they compute another.
    max_latency
        Seconds that are allowed; None without limit.
    """

    target: str
    elements: tuple[str, ...]
    frequency: float
    steps: tuple[Step, ...]
    placements: tuple[Placed, ...]
    double_buffered: tuple[str, ...] = ()
    max_latency: float | None = None

    @property
    def cycles(self) -> int:
        """Cycles from the first step to the end of the last."""
        return max((step.end for step in self.steps), default=0)

    @property
    def seconds(self) -> float:
        """Time for all."""
        return self.cycles / self.frequency

    def busy(self) -> dict[str, int]:
        """Count the busy cycles of each element, link and bus."""
        found: dict[str, int] = {}
        for step in self.steps:
            for device in step.devices:
                found[device] = found.get(device, 0) + step.end - step.start
        return found

    @property
    def bottleneck(self) -> str:
        """What is busy longest: nothing can be faster than that without changing it."""
        busy = self.busy()
        return max(busy, key=lambda device: busy[device])

    def report(self) -> str:
        """Say what takes how long, what binds, and by how much."""
        busy, cycles = self.busy(), self.cycles
        lines = [f"{self.cycles} cycles, {self.seconds * 1e3:.3f} ms on {self.target}"]
        lines += [f"  {device}: busy {100 * each / cycles:.1f} %" for device, each in busy.items()]
        least = busy[self.bottleneck]
        lines.append(
            f"bound by {self.bottleneck}: busy for {least} cycles; "
            f"all takes {cycles / least:.2f} times that"
        )
        if self.max_latency is not None:
            share = self.seconds / self.max_latency
            verdict = "kept" if share <= 1 else "missed"
            lines.append(
                f"latency of {self.max_latency * 1e3:g} ms {verdict}: {100 * share:.1f} % of it"
            )
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Give plain Python values, for JSON."""
        return asdict(self)

    def __repr__(self) -> str:
        return (
            f"Mapping({self.target}: {len(self.steps)} steps on {len(self.elements)} elements, "
            f"{self.cycles} cycles)"
        )
