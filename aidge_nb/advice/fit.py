"""Find out whether a model fits into a memory, and which measures make it fit.

It starts from the plainest plan: whole tensors, the order of the schedule, nothing in place. Each
measure is then planned for alone; if none is enough, combinations of two, of three and so on, the
least intrusive first; at last the graph is tiled. Every figure is the peak of a plan that was made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from aidge_nb.advice.changes import apart, better_order, fusions
from aidge_nb.core.errors import AidgeError, MemoryPlanError
from aidge_nb.core.pictures import picture
from aidge_nb.memory.live.facts import Schedule, nodes_in_order
from aidge_nb.memory.live.sharing import has_parts
from aidge_nb.memory.plan import plan_memory
from aidge_nb.memory.values.options import PlanOptions, WhatIf
from aidge_nb.memory.values.plan import MemoryPlan
from aidge_nb.tiling import tiled_plan

if TYPE_CHECKING:
    from aidge_nb.graph import GraphView, Node

MEASURES = {
    "in place": "element-wise operators write over their input",
    "order": "another order of execution",
    "parts": "Slice, Split and Concat without copies",
    "fuse": "element-wise operators computed together with what they read",
    "by rows": "convolutions and poolings overwrite their input row by row",
}
"""Measures, the least intrusive first; the last two need kernels that support them."""


NOTHING: Mapping[str, Callable[[], MemoryPlan]] = MappingProxyType({})

_NOT_NEEDED = (None, "not tried: it fits without")


@dataclass(frozen=True, slots=True)
class Measure:
    """The effect of some measures taken together.

    Attributes
    ----------
    names
        Which.
    peak
        The peak with them, in bytes; None where it was not tried.
    note
        Why it was not tried.
    """

    names: tuple[str, ...]
    peak: int | None
    note: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class FitReport:
    """Return whether a model fits into a memory, and what it takes.

    Attributes
    ----------
    budget
        The memory, in bytes.
    default_peak
        The peak of the plainest plan, in bytes, from which the measures start.
    tried
        What the measures bring: each alone, then combinations that bring more.
    taken
        The measures with which it fits, none if it does without; None if it does not fit.
    plan
        The plan that fits; otherwise the smallest that was found.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.FC(2, 8, name="a"), aidge_nb.ReLU(name="b")])
    >>> view.forward_dims([[1, 2]])
    True
    >>> fit(view, 32)
    FitReport(fits 32 bytes with in place: peak 32 bytes, was 64)
    >>> fit(view, 16)
    FitReport(does not fit 16 bytes: 16 bytes too many with in place, at tick 0 (a))
    """

    budget: int
    default_peak: int
    tried: tuple[Measure, ...]
    taken: tuple[str, ...] | None
    plan: MemoryPlan

    @property
    def peak(self) -> int:
        """Peak of :attr:`plan`, in bytes."""
        return self.plan.peak

    @property
    def fits(self) -> bool:
        """Return whether the model fits, perhaps with some measures."""
        return self.taken is not None

    @property
    def excess(self) -> int:
        """How many bytes are missing, with the best measures; 0 if it fits."""
        return max(0, self.peak - self.budget)

    @property
    def crowded(self) -> tuple[tuple[int, str, tuple[str, ...]], ...]:
        """The steps of the plan at which more lives than fits: tick, node, tensors."""
        return tuple(
            (tick, self.plan.order[tick], tuple(b.name for b in self.plan.live_set(tick)))
            for tick, live in enumerate(self.plan.live_bytes())
            if live > self.budget
        )

    def _best(self) -> tuple[str, ...]:
        tried = [each for each in self.tried if each.peak == self.peak]
        return tried[0].names if tried and self.peak < self.default_peak else ()

    def __str__(self) -> str:
        lines = [repr(self).removeprefix("FitReport(").removesuffix(")")]
        lines.append(f"  {self.default_peak:>10}  as it is")
        for each in self.tried:
            peak = "-" if each.peak is None else str(each.peak)
            mark = "fits" if each.peak is not None and each.peak <= self.budget else each.note
            lines.append(f"  {peak:>10}  {' + '.join(each.names)}{f'  ({mark})' if mark else ''}")
        if self.crowded:
            tick = self.plan.peak_tick
            lines.append(f"most lives at tick {tick}, when {self.plan.order[tick]} runs:")
            for buffer in self.plan.live_set(tick):
                over = f"  (in place of {', '.join(buffer.shares_with)})"
                shown = over if buffer.shares_with else ""
                lines.append(f"  {buffer.size:>10}  {buffer.name}{shown}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> FitReport:
        """Read what :meth:`to_dict` gave."""
        tried = (Measure(tuple(m["names"]), m["peak"], m["note"]) for m in values["tried"])
        taken = values["taken"]
        return cls(
            values["budget"],
            values["default_peak"],
            tuple(tried),
            None if taken is None else tuple(taken),
            MemoryPlan.from_dict(values["plan"]),
        )

    def __repr__(self) -> str:
        if self.taken == ():
            return f"FitReport(fits {self.budget} bytes as it is: peak {self.peak} bytes)"
        if self.taken is not None:
            return (
                f"FitReport(fits {self.budget} bytes with {' + '.join(self.taken)}: "
                f"peak {self.peak} bytes, was {self.default_peak})"
            )
        best = self._best()
        with_best = f" with {' + '.join(best)}" if best else ""
        tick = self.plan.peak_tick
        return (
            f"FitReport(does not fit {self.budget} bytes: {self.excess} bytes too many{with_best}, "
            f"at tick {tick} ({self.plan.order[tick]}))"
        )

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return {**picture(self.plan), "text/plain": str(self)}


def fit(
    graph: GraphView,
    budget: int,
    schedule: Schedule | None = None,
    *,
    inc_producers: bool = False,
    inc_inputs: bool = False,
    alignment: int = 1,
    others: Mapping[str, Callable[[], MemoryPlan]] = NOTHING,
) -> FitReport:
    """Find out whether a model fits into a memory, and which measures that takes.

    Parameters
    ----------
    graph
        The graph, with known dimensions.
    budget
        Size of the memory, in bytes.
    schedule
        The order of executions, as for :func:`~aidge_nb.memory.plan_memory`; by default the static
        schedule of the graph.
    inc_producers, inc_inputs, alignment
        As for :func:`~aidge_nb.memory.plan_memory`.
    others
        More measures by name, which change the graph itself: each makes the plan of the changed
        graph. They are tried after all others, each alone; ``tiling`` is one of them, tried where
        nothing else is enough unless it is given here.

    Raises
    ------
    MemoryPlanError
        When the budget is invalid, dimensions are unknown, or the order is not of this graph.
    """
    if isinstance(budget, bool) or not isinstance(budget, (int, np.integer)):
        raise MemoryPlanError.at(
            "budget", "is not a whole number of bytes", expected="an int", found=repr(budget)
        )
    if budget <= 0:
        raise MemoryPlanError.at(
            "budget", "is not positive", expected="1 byte or more", found=budget
        )
    order = nodes_in_order(graph, schedule)
    options = PlanOptions(
        inc_producers=inc_producers, inc_inputs=inc_inputs, alignment=alignment, in_place=False
    )
    trial = _Trial(graph, order, options)
    plain = best = trial.plan(())
    tried: list[Measure] = []
    taken: tuple[str, ...] | None = () if plain.peak <= budget else None
    for count in range(1, len(MEASURES) + 1):
        if count > 1 and taken is not None:
            break
        for names in combinations(MEASURES, count):
            found = trial.plan(names)
            is_better = found.peak < best.peak and taken is None
            if count == 1 or is_better:
                tried.append(Measure(names, found.peak))
            if is_better:
                best = found
                taken = names if found.peak <= budget else None
    for name, make in others.items():
        changed = make()
        tried.append(Measure((name,), changed.peak))
        if changed.peak < best.peak and taken is None:
            best = changed
            taken = (name,) if changed.peak <= budget else None
    if "tiling" not in others:
        tiled, why_not = _tiled(graph, order, budget, options) if taken is None else _NOT_NEEDED
        tried.append(Measure(("tiling",), None if tiled is None else tiled.peak, why_not))
        if tiled is not None and tiled.peak < best.peak:
            best = tiled
            taken = ("tiling",) if tiled.peak <= budget else None
    return FitReport(budget, plain.peak, tuple(tried), taken, best)


def _tiled(
    graph: GraphView, order: Sequence[Node], budget: int, options: PlanOptions
) -> tuple[MemoryPlan | None, str]:
    """Plan the tiled graph; return None and the reason if it cannot be tiled."""
    again = next((node for node, times in Counter(order).items() if times > 1), None)
    if again is not None:
        return None, f"not tried: {again.label} runs several times"
    try:
        plan = tiled_plan(
            graph,
            budget,
            inc_producers=options.inc_producers,
            inc_inputs=options.inc_inputs,
            alignment=options.alignment,
        )
        return plan, ""
    except AidgeError as error:
        return None, f"not possible: {error}"


class _Trial:
    """Makes plans with some measures taken, each once."""

    def __init__(self, graph: GraphView, order: Sequence[Node], options: PlanOptions) -> None:
        self._graph, self._order, self._options = graph, order, options
        self._plans: dict[frozenset[str], MemoryPlan] = {}
        self._orders: dict[bool, Sequence[Node]] = {}

    def plan(self, names: tuple[str, ...]) -> MemoryPlan:
        key = self._effective(frozenset(names))
        if key not in self._plans:
            self._plans[key] = self._make(key)
        return self._plans[key]

    def _effective(self, names: frozenset[str]) -> frozenset[str]:
        """Leave out measures that change nothing about this graph."""
        idle = set()
        if "order" in names and list(self._better("in place" in names)) == list(self._order):
            idle.add("order")
        if not has_parts(self._order):
            idle.add("parts")
        return names - idle

    def _better(self, in_place: bool) -> Sequence[Node]:
        if in_place not in self._orders:
            options = replace(self._options, in_place=in_place)
            self._orders[in_place] = better_order(self._graph, self._order, options)
        return self._orders[in_place]

    def _make(self, measures: frozenset[str]) -> MemoryPlan:
        in_place = "in place" in measures
        order = self._better(in_place) if "order" in measures else self._order
        names = self._graph.unique_names()
        found = fusions(self._graph, order) if "fuse" in measures else ()
        return plan_memory(
            self._graph,
            order,
            self._options,
            in_place=in_place,
            parts="parts" in measures,
            by_rows="by rows" in measures,
            what_if=WhatIf(apart((names[first], names[second]) for first, second in found)),
        )
