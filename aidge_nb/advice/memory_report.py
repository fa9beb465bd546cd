"""A memory plan under the magnifying glass: what fills it, where it has holes, and what would help.

Every advice was tried: memory was planned anew with the change, and its peak is the one that came
out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from aidge_nb.memory.aidge.report import describe_plan
from aidge_nb.memory.plan import plan_memory
from aidge_nb.memory.values.plan import MemoryPlan
from aidge_nb.memory.values.what_if import WhatIf, fusions, in_place_candidates

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
        """Give plain Python values, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> MemoryReport:
        """Read what :meth:`to_dict` gave."""
        advice = (Advice(**{**each, "nodes": tuple(each["nodes"])}) for each in values["advice"])
        return cls(
            MemoryPlan.from_dict(values["plan"]),
            tuple(values["live"]),
            tuple(values["holes"]),
            tuple(advice),
        )

    def __repr__(self) -> str:
        return f"MemoryReport({self.plan!r}, {len(self.advice)} changes that help)"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        from aidge_nb.core.pictures import picture

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


def memory_report(view: GraphView, order: Sequence[Node], **options: Any) -> MemoryReport:
    """Plan the memory of a graph, and find out what would lower the peak.

    Parameters
    ----------
    view, order, **options
        As for :func:`~aidge_nb.memory.plan_memory`.

    Raises
    ------
    MemoryPlanError
        When dimensions are unknown, or the order does not belong to the graph.
    """
    plan = plan_memory(view, order, **options)
    advice = advise(view, order, plan, **options)
    return MemoryReport(plan, plan.live_bytes(), holes_by_tick(plan), advice)


def advise(
    view: GraphView, order: Sequence[Node], plan: MemoryPlan, **options: Any
) -> tuple[Advice, ...]:
    """Try changes one by one, with each of which memory is planned anew.

    Those that concern single nodes are tried where a value lies in memory at the peak.

    Returns
    -------
    tuple of Advice
        Those that lower the peak, what saves most first.
    """
    found = [
        Advice(change, nodes, peak, plan.peak - peak)
        for change, nodes, peak in _tried(view, order, plan, options)
        if peak < plan.peak
    ]
    return tuple(sorted(found, key=lambda each: -each.saves))  # ties stay as they were tried


def _tried(
    view: GraphView, order: Sequence[Node], plan: MemoryPlan, options: dict[str, Any]
) -> Iterator[tuple[str, tuple[str, ...], int]]:
    names = view.unique_names()
    there = {buffer.node for buffer in plan.live_set()}

    def peak(**changes: Any) -> int:
        return plan_memory(view, order, **{**options, **changes}).peak

    pairs: dict[tuple[str, str], list[tuple[Node, Node]]] = {}
    for first, second in fusions(view, order):
        pairs.setdefault((first.type(), second.type()), []).append((first, second))
    for types, same in pairs.items():
        here = [pair for pair in same if names[pair[0]] in there]
        for first, second in here:
            changed = WhatIf(fused=((first, second),))
            yield "fuse", (names[first], names[second]), peak(what_if=changed)
        if here and len(same) > 1:
            yield "fuse all", types, peak(what_if=WhatIf(fused=apart(same)))
    alike: dict[str, list[Node]] = {}
    for node in in_place_candidates(order) if options.get("in_place", True) else ():
        alike.setdefault(node.type(), []).append(node)
    for kind, nodes in alike.items():
        present = [node for node in nodes if names[node] in there]
        for node in present:
            yield "in place", (names[node],), peak(what_if=WhatIf(in_place=(node,)))
        if present and len(nodes) > 1:
            yield "in place all", (kind,), peak(what_if=WhatIf(in_place=tuple(nodes)))
    if not options.get("parts"):
        yield "parts", (), peak(parts=True)
    if not options.get("by_rows"):
        yield "by rows", (), peak(by_rows=True)
    yield "order", (), plan_memory(view, better_order(view, order, options), **options).peak


def apart(pairs: Sequence[tuple[Node, Node]]) -> tuple[tuple[Node, Node], ...]:
    """Leave out pairs with a node that another pair has: one kernel takes in one other."""
    seen: set[Node] = set()
    kept = []
    for first, second in pairs:
        if first not in seen and second not in seen:
            kept.append((first, second))
            seen |= {first, second}
    return tuple(kept)


def better_order(view: GraphView, order: Sequence[Node], options: dict[str, Any]) -> Sequence[Node]:
    """Find an order that needs less memory; the one given when there is none."""
    from aidge_nb.scheduling.order.order_result import order_for_memory

    taken = ("inc_producers", "inc_inputs", "in_place", "alignment")
    given = {name: options[name] for name in taken if name in options}
    return order_for_memory(view, order, **given).nodes(view)
