"""Find out whether a model fits into a memory, and which measures make it fit.

It starts from the plan that :func:`~aidge_nb.memory.plan_memory` makes. Each measure is planned for
alone; if none is enough, sets of them, the least disruptive first. Every figure is the peak of a
plan that was made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from aidge_nb.advice.joint import MEASURES, Trials
from aidge_nb.core.errors import AidgeError, MemoryPlanError, reading
from aidge_nb.core.forms import read_form
from aidge_nb.core.pictures import picture
from aidge_nb.memory.live.facts import Schedule, nodes_in_order
from aidge_nb.memory.values.options import PlanOptions
from aidge_nb.memory.values.plan import MemoryPlan

if TYPE_CHECKING:
    from aidge_nb.graph import GraphView

NOTHING: Mapping[str, Callable[[], MemoryPlan]] = MappingProxyType({})


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
        The peak of the plan from which the measures start, in bytes.
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
    FitReport(fits 32 bytes as it is: peak 32 bytes)
    >>> fit(view, 32, in_place=False)
    FitReport(fits 32 bytes with in place: peak 32 bytes, was 64)
    >>> fit(view, 16)
    FitReport(does not fit 16 bytes: 16 bytes too many, at tick 0 (a))
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
    @reading("fit report", MemoryPlanError)
    def from_dict(cls, values: dict[str, Any]) -> FitReport:
        """Read what :meth:`to_dict` gave.

        Raises
        ------
        MemoryPlanError
            For anything else.
        """
        report: FitReport = read_form(values, cls, "fit report", MemoryPlanError)
        return report

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
    options: PlanOptions | None = None,
    *,
    others: Mapping[str, Callable[[], MemoryPlan]] = NOTHING,
    **changes: Any,
) -> FitReport:
    """Find out whether a model fits into a memory, and which measures that takes.

    Parameters
    ----------
    graph
        The graph, with known dimensions.
    budget
        Size of the memory, in bytes.
    schedule, options, **changes
        As for :func:`~aidge_nb.memory.plan_memory`, whose plan is where the measures start.
    others
        More measures by name, which change the graph itself: each makes the plan of the changed
        graph. They are tried after all others but tiles, each alone; ``tiling`` may be one of them.

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
    trials = Trials(graph, order, PlanOptions.of(options, **changes), budget)
    found = _Found(budget, trials.plan(()).plan)
    for name in MEASURES:
        if name not in ("tiling", "fuse") and not trials.is_idle(name):
            found.note((name,), trials.plan((name,)).plan)
    for names in trials.sets():
        if found.taken is None and not {"tiling", "fuse"} & set(names):
            found.add(names, trials.plan(names).plan)
    for name, make in others.items():
        found.note((name,), found.add((name,), make()))
    if "tiling" not in others:
        _add_tiles(found, trials)
    for names in trials.sets():
        if found.taken is None and "fuse" in names:
            found.add(names, trials.plan(names).plan)
    return FitReport(budget, found.default_peak, tuple(found.tried), found.taken, found.best)


def _add_tiles(found: _Found, trials: Trials) -> None:
    """Try tiles, alone and with other measures, where nothing less is enough."""
    why_not = trials.why_no_tiles()
    if found.taken is not None:
        why_not = "not tried: it fits without"
    for names in trials.sets() if not why_not else ():
        if "tiling" in names and found.taken is None:
            try:
                plan = trials.plan(names).plan
            except AidgeError as error:
                why_not = f"not possible: {error}"
                break
            if names == ("tiling",):
                found.note(names, plan)
            found.add(names, plan)
    if why_not:
        found.tried.append(Measure(("tiling",), None, why_not))


class _Found:
    """The best plan so far, and the measures with which it fits."""

    def __init__(self, budget: int, plan: MemoryPlan) -> None:
        self.budget, self.best, self.default_peak = budget, plan, plan.peak
        self.taken: tuple[str, ...] | None = () if plan.peak <= budget else None
        self.tried: list[Measure] = []

    def note(self, names: tuple[str, ...], plan: MemoryPlan) -> None:
        """Write down what some measures bring, once."""
        if all(each.names != names for each in self.tried):
            self.tried.append(Measure(names, plan.peak))

    def add(self, names: tuple[str, ...], plan: MemoryPlan) -> MemoryPlan:
        """Take a plan if it is better, and nothing fits yet."""
        if self.taken is None and plan.peak < self.best.peak:
            self.note(names, plan)
            self.best = plan
            self.taken = names if plan.peak <= self.budget else None
        return plan
