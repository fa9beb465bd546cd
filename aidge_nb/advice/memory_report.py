"""Analyse a memory plan: what fills it, its holes, and changes that lower the peak.

Each change was tried: memory was planned again with it, and the peak of that plan is reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from aidge_nb.advice.changes import apart, better_order, fusions, in_place_candidates
from aidge_nb.core.errors import MemoryPlanError, reading
from aidge_nb.core.forms import read_form
from aidge_nb.core.pictures import picture
from aidge_nb.memory.aidge.report import describe_plan
from aidge_nb.memory.live.facts import Schedule, nodes_in_order
from aidge_nb.memory.plan import plan_memory
from aidge_nb.memory.values.options import PlanOptions, WhatIf
from aidge_nb.memory.values.plan import MemoryPlan

if TYPE_CHECKING:
    from aidge_nb.graph import GraphView, Node


@dataclass(frozen=True, slots=True)
class Advice:
    """A change that lowers the peak.

    Attributes
    ----------
    change
        ``fuse``, ``in place``, ``fuse all``, ``in place all``, ``parts``, ``by rows`` or
        ``order``.
    nodes
        The nodes that it concerns, or their types; none where it concerns the whole model.
    peak
        The peak with the change, in bytes.
    saves
        How many bytes less that is.
    """

    change: str
    nodes: tuple[str, ...]
    peak: int
    saves: int

    def __str__(self) -> str:
        texts = {
            "fuse": "fusing {0} into {1}",
            "in place": "a kernel of {0} that works in place",
            "fuse all": "fusing every {0} into the {1} that reads it",
            "in place all": "a kernel of {0} that works in place, everywhere",
            "parts": "Slice, Split and Concat without copies",
            "by rows": "overwriting inputs row by row (layout by rows)",
            "order": "another order",
        }
        what = texts[self.change].format(*self.nodes)
        return f"{what}: {self.saves} bytes less ({self.peak})"


@dataclass(frozen=True, slots=True, repr=False)
class MemoryReport:
    """A memory plan and what was found out about it.

    Attributes
    ----------
    plan
        The plan.
    live, holes
        At each tick the bytes in use, and the bytes below the highest of them that are not.
    advice
        What would lower the peak, what saves most first.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.FC(2, 8, name="a"), aidge_nb.Softmax(0, name="b")])
    >>> view.forward_dims([[1, 2]])
    True
    >>> print(memory_report(view, view.topological_order()))
    peak         64 bytes
    lower bound  64 bytes (reached: no placement of these buffers needs less)
    live at tick 1, when b runs:
              32  50.0 %  a
              32  50.0 %  b
    holes        0 bytes at the peak, at most 0 bytes (tick 0)
    what would lower the peak:
      a kernel of b that works in place: 32 bytes less (32)
    """

    plan: MemoryPlan
    live: tuple[int, ...]
    holes: tuple[int, ...]
    advice: tuple[Advice, ...]

    @property
    def fragmentation(self) -> tuple[float, ...]:
        """At each tick the part of what lies below the highest used byte that is not used."""
        return tuple(
            hole / (hole + live) if hole + live else 0.0
            for hole, live in zip(self.holes, self.live, strict=True)
        )

    def __str__(self) -> str:
        lines = [describe_plan(self.plan)]
        if self.holes:
            worst = max(range(len(self.holes)), key=lambda tick: self.holes[tick])
            lines.append(
                f"holes        {self.holes[self.plan.peak_tick]} bytes at the peak, "
                f"at most {self.holes[worst]} bytes (tick {worst})"
            )
        lines.append("what would lower the peak:" if self.advice else "no change was found to help")
        return "\n".join([*lines, *(f"  {advice}" for advice in self.advice)])

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values, for JSON."""
        return asdict(self)

    @classmethod
    @reading("memory report", MemoryPlanError)
    def from_dict(cls, values: dict[str, Any]) -> MemoryReport:
        """Read what :meth:`to_dict` gave.

        Raises
        ------
        MemoryPlanError
            For anything else.
        """
        report: MemoryReport = read_form(values, cls, "memory report", MemoryPlanError)
        return report

    def __repr__(self) -> str:
        return f"MemoryReport({self.plan!r}, {len(self.advice)} changes that help)"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return {**picture(self.plan), "text/plain": str(self)}


def holes_by_tick(plan: MemoryPlan) -> tuple[int, ...]:
    """Count at each tick the bytes below the highest one in use that are not in use.

    Examples
    --------
    >>> from aidge_nb.memory import Buffer
    >>> two = (Buffer("a", "a", 0, 64, 0, 1, 0), Buffer("b", "b", 0, 32, 0, 2, 64))
    >>> holes_by_tick(MemoryPlan(("a", "b"), two, 96, 96))
    (0, 64)
    """
    tops = [0] * len(plan.order)
    for buffer in plan.buffers:
        for tick in range(buffer.lower, min(buffer.upper, len(tops))):
            tops[tick] = max(tops[tick], buffer.end)
    return tuple(top - live for top, live in zip(tops, plan.live_bytes(), strict=True))


def memory_report(
    graph: GraphView,
    schedule: Schedule | None = None,
    options: PlanOptions | None = None,
    **changes: Any,
) -> MemoryReport:
    """Plan the memory of a graph, and find out what would lower the peak.

    Parameters
    ----------
    graph, schedule, options, **changes
        As for :func:`~aidge_nb.memory.plan_memory`.

    Raises
    ------
    MemoryPlanError
        When dimensions are unknown, or the order does not belong to the graph.
    """
    order, chosen = nodes_in_order(graph, schedule), PlanOptions.of(options, **changes)
    plan = plan_memory(graph, order, chosen)
    found = [
        Advice(change, nodes, peak, plan.peak - peak)
        for change, nodes, peak in _tried(graph, order, plan, chosen)
        if peak < plan.peak
    ]
    advice = tuple(sorted(found, key=lambda each: -each.saves))  # stable: ties stay as tried
    return MemoryReport(plan, plan.live_bytes(), holes_by_tick(plan), advice)


def _tried(
    graph: GraphView, order: Sequence[Node], plan: MemoryPlan, options: PlanOptions
) -> Iterator[tuple[str, tuple[str, ...], int]]:
    """Plan each change alone; those of single nodes if they have a value alive at the peak."""
    names = graph.unique_names()
    there = {buffer.node for buffer in plan.live_set()}

    def peak(**changes: Any) -> int:
        return plan_memory(graph, order, options, **changes).peak

    pairs: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for first, second in fusions(graph, order):
        pairs.setdefault((first.type(), second.type()), []).append((names[first], names[second]))
    for types, same in pairs.items():
        here = [pair for pair in same if pair[0] in there]
        for pair in here:
            yield "fuse", pair, peak(what_if=WhatIf(fused=(pair,)))
        if here and len(same) > 1:
            yield "fuse all", types, peak(what_if=WhatIf(fused=apart(same)))
    alike: dict[str, list[str]] = {}
    for node in in_place_candidates(order) if options.in_place else ():
        alike.setdefault(node.type(), []).append(names[node])
    for kind, nodes in alike.items():
        present = [name for name in nodes if name in there]
        for name in present:
            yield "in place", (name,), peak(what_if=WhatIf(in_place=(name,)))
        if present and len(nodes) > 1:
            yield "in place all", (kind,), peak(what_if=WhatIf(in_place=tuple(nodes)))
    if not options.parts:
        yield "parts", (), peak(parts=True)
    if not options.by_rows:
        yield "by rows", (), peak(by_rows=True)
    yield "order", (), plan_memory(graph, better_order(graph, order, options), options).peak
