"""Findings, as values: what a plan or a mapping says, and which changes would help.

:mod:`aidge_nb.advice.reading` reads them from plans and mappings; :mod:`aidge_nb.advice.search`
looks for changes, and plans and checks each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, ClassVar

from aidge_nb.core.errors import AidgeError, reading
from aidge_nb.core.forms import check_form, read_form
from aidge_nb.core.values import dataclass
from aidge_nb.memory.values.plan import MemoryPlan
from aidge_nb.tiling.choices import ChainChoice


@dataclass(frozen=True, slots=True)
class HeldBytes:
    """Bytes of the arena that a buffer holds at a tick.

    Attributes
    ----------
    buffer, node
        Its name, and the node that writes it.
    size
        Bytes that it alone holds: what it shares counts for the buffer that was written last.
    """

    buffer: str
    node: str
    size: int


@dataclass(frozen=True)
class Finding:
    """Something that the values on screen say; ``kind`` names it in plain data."""

    kind: ClassVar[str] = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON; :meth:`from_dict` reads them."""
        return {"kind": self.kind, **asdict(self)}

    @staticmethod
    @reading("finding")
    def from_dict(values: Mapping[str, Any]) -> Finding:
        """Read what :meth:`to_dict` gave, of any kind.

        Raises
        ------
        AidgeError
            For an unknown kind, and for fields that are missing or unknown.

        Examples
        --------
        >>> Finding.from_dict({"kind": "fit", "memory": "ram", "capacity": 64, "peak": 96})
        FitFinding(memory='ram', capacity=64, peak=96)
        """
        check_form(values, dict[str, Any], "finding")
        check_form(values.get("kind", ""), str, "finding: kind")
        given = dict(values)
        made = _KINDS.get(given.pop("kind", ""))
        if made is not None:
            finding: Finding = read_form(given, made, "finding")
            return finding
        expected, found = ", ".join(_KINDS), repr(values.get("kind"))
        raise AidgeError.at("finding", "unknown kind", expected=expected, found=found)


@dataclass(frozen=True)
class PeakFinding(Finding):
    """The peak, and what it is made of.

    Attributes
    ----------
    peak
        Size of the arena, in bytes.
    tick, node
        When most bytes are in use, and the node that runs then.
    alive
        What holds bytes then, the largest first. Together with the holes they are the peak.
    """

    kind: ClassVar[str] = "peak"
    peak: int
    tick: int
    node: str
    alive: tuple[HeldBytes, ...]

    @property
    def holes(self) -> int:
        """Bytes below the peak that hold nothing at that tick."""
        return self.peak - sum(each.size for each in self.alive)


@dataclass(frozen=True)
class LayoutFinding(Finding):
    """How much another layout of the same buffers could save.

    Attributes
    ----------
    peak, lower_bound
        Size of the arena, and the bytes that no layout of these buffers can do without.
    tick, live
        When most bytes are in use, and how many.
    searched
        Whether layouts were searched for; else the quick methods alone were tried.
    """

    kind: ClassVar[str] = "layout"
    peak: int
    lower_bound: int
    tick: int
    live: int
    searched: bool = True

    @property
    def holes(self) -> int:
        """Bytes below the peak that hold nothing at that tick."""
        return self.peak - self.live

    @property
    def gain(self) -> int:
        """The most that another layout can save, in bytes."""
        return self.peak - self.lower_bound


@dataclass(frozen=True)
class FitFinding(Finding):
    """The room that a memory leaves for the plan.

    Attributes
    ----------
    memory, capacity
        Name of the memory, and its size in bytes.
    peak
        Size of the arena, in bytes.
    """

    kind: ClassVar[str] = "fit"
    memory: str
    capacity: int
    peak: int

    @property
    def excess(self) -> int:
        """Bytes that are missing; 0 if it fits."""
        return max(0, self.peak - self.capacity)


@dataclass(frozen=True)
class BoundFinding(Finding):
    """The device that is busy longest, which bounds the time.

    Attributes
    ----------
    device
        Its path or name.
    busy, cycles
        Cycles in which it works, and those of the whole mapping.
    works
        How many works it takes part in.
    first
        The cycle in which its first work begins.
    """

    kind: ClassVar[str] = "bound"
    device: str
    busy: int
    cycles: int
    works: int
    first: int = 0


@dataclass(frozen=True)
class WaitFinding(Finding):
    """Where the device that bounds the time waits.

    Attributes
    ----------
    device
        Its path or name.
    cycles
        Cycles of the whole mapping.
    start, end
        Cycles before its first work and behind its last.
    gaps
        Half-open ranges of cycles between its works in which it waits, in order.
    """

    kind: ClassVar[str] = "wait"
    device: str
    cycles: int
    start: int
    end: int
    gaps: tuple[tuple[int, int], ...]

    @property
    def waiting(self) -> int:
        """Cycles in which it waits."""
        return self.start + self.end + sum(stop - start for start, stop in self.gaps)

    @property
    def longest(self) -> tuple[int, int]:
        """The longest range of cycles in which it waits, half-open."""
        ends = ((0, self.start), (self.cycles - self.end, self.cycles))
        return max((*self.gaps, *ends), key=lambda gap: gap[1] - gap[0])


@dataclass(frozen=True)
class MemoryFullFinding(Finding):
    """A memory of a machine that is nearly full.

    Attributes
    ----------
    memory, used, capacity
        Its path, the bytes that are needed, and those that there are.
    others
        The other memories that are used: path, bytes needed, bytes there.
    cycle
        A cycle in which that many bytes are needed, -1 where it is not known.
    """

    kind: ClassVar[str] = "full"
    memory: str
    used: int
    capacity: int
    others: tuple[tuple[str, int, int], ...] = ()
    cycle: int = -1


@dataclass(frozen=True)
class ChangeFinding(Finding):
    """A change that lowers the peak; it was planned for, and the plan was checked.

    Attributes
    ----------
    measures
        What is done: some of :data:`~aidge_nb.advice.joint.MEASURES`, or ``layout`` alone: the same
        buffers at other addresses.
    before
        Size of the arena without the change, in bytes.
    plan
        The plan with it.
    extra_macs
        The share of multiply-accumulates that it adds.
    nodes
        Names of the nodes that it concerns; none where that is all of them.
    chains
        The chains to tile.
    python
        The lines that make the plan from ``graph`` and ``schedule``.
    limit
        Seconds after which the search was ended, 0 if only what costs little was tried; None where
        everything was tried.
    """

    kind: ClassVar[str] = "change"
    measures: tuple[str, ...]
    before: int
    plan: MemoryPlan
    extra_macs: float = 0.0
    nodes: tuple[str, ...] = ()
    chains: tuple[ChainChoice, ...] = ()
    python: str = ""
    limit: float | None = None

    @property
    def peak(self) -> int:
        """Size of the arena with the change, in bytes."""
        return self.plan.peak


# --- as plain values ------------------------------------------------------------------------

_KINDS: Mapping[str, type[Finding]] = {
    made.kind: made
    for made in (
        PeakFinding,
        LayoutFinding,
        FitFinding,
        ChangeFinding,
        BoundFinding,
        WaitFinding,
        MemoryFullFinding,
    )
}
