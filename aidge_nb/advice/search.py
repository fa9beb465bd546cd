"""Search for changes that lower the peak: try measures, keep what helps, and say it as findings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

from aidge_nb.advice.changes import fusions
from aidge_nb.advice.findings import ChangeFinding
from aidge_nb.advice.joint import (
    MEASURES,
    MOST_AT_ONCE,
    KnownPlans,
    PlanWithMeasures,
    Trials,
    cost,
    with_measures,
)
from aidge_nb.advice.relayout import PYTHON as LAY_OUT_AGAIN
from aidge_nb.advice.relayout import lay_out_again
from aidge_nb.core.errors import AidgeError
from aidge_nb.core.values import dataclass
from aidge_nb.memory.live.facts import Schedule, nodes_in_order
from aidge_nb.memory.values.options import PlanOptions

if TYPE_CHECKING:
    from aidge_nb.graph import GraphView
    from aidge_nb.memory.values.plan import MemoryPlan


@dataclass(frozen=True, slots=True)
class ChangeSearch:
    """The changes that were found to help.

    Attributes
    ----------
    changes
        What to do first, then the alternatives; none is both more disruptive and worse than
        another one.
    complete
        Whether everything was tried; else what costs little, and what the time was enough for.
    limit
        The time in seconds; None for no limit.
    """

    changes: tuple[ChangeFinding, ...]
    complete: bool = True
    limit: float | None = None


def find_changes(
    graph: GraphView,
    plan: MemoryPlan,
    schedule: Schedule | None = None,
    *,
    budget: int | None = None,
    limit: float | None = None,
    measures: Collection[str] = (*MEASURES, "layout"),
    known: KnownPlans | None = None,
) -> ChangeSearch:
    """Search for changes that lower the peak of a plan; each is planned for and checked.

    Parameters
    ----------
    graph
        The graph, with known dimensions; it is not changed.
    plan
        Its memory plan: every change starts from its order and its options.
    schedule
        The schedule, as for :func:`~aidge_nb.memory.plan_memory`; by default the order of the plan.
    budget
        Bytes that the arena should fit into: the least disruptive change that fits comes first.
        Without one, the change that saves most comes first, but for fusions.
    limit
        Seconds after which no other change is tried; None for no limit. Single measures that cost
        little, and stripes of the chain around the peak, are tried in any case: 0 tries only these.
    measures
        What may be changed: some of :data:`~aidge_nb.advice.joint.MEASURES`, and ``layout``.
    known
        Plans that earlier searches in this graph made, to be used again; new ones are added.

    Raises
    ------
    MemoryPlanError
        When the plan is not of this graph.

    Examples
    --------
    >>> import aidge_nb
    >>> layers = [aidge_nb.Conv2D(1, 4, [1, 1], "a"), aidge_nb.MaxPooling2D([2, 2], "b", [2, 2])]
    >>> view = aidge_nb.sequential(layers)
    >>> view.forward_dims([[1, 1, 8, 8]])
    True
    >>> found = find_changes(view, aidge_nb.plan_memory(view))
    >>> [(change.measures, change.peak) for change in found.changes]
    [(('tiling',), 512), (('by rows',), 1024)]
    """
    order = nodes_in_order(graph, plan.order if schedule is None else schedule)
    options = replace(plan.options or PlanOptions(), memories=None)
    known = KnownPlans() if known is None else known
    trials = Trials(graph, order, options, budget, aim=plan.peak // 2, known=known)
    until = None if limit is None else monotonic() + limit
    tried: list[tuple[tuple[str, ...], PlanWithMeasures]] = []
    complete = True
    again = lay_out_again(plan) if "layout" in measures else plan
    if again is not plan:
        tried.append((("layout",), PlanWithMeasures(again)))
    for names, is_quick, make in _attempts(trials, len(order)):
        if not set(names) <= set(measures):
            continue
        if not is_quick and until is not None and monotonic() >= until:
            complete = False
            break
        with suppress(AidgeError):  # what cannot be tiled is no advice
            tried.append((names, make()))
    changes = [
        replace(_change(graph, plan, names, trial), limit=None if complete else limit)
        for names, trial in _improving(tried, plan.peak, known)
    ]
    return ChangeSearch(tuple(sorted(changes, key=lambda c: _rank(c, budget))), complete, limit)


Attempt = tuple[tuple[str, ...], bool, Callable[[], PlanWithMeasures]]


def _attempts(trials: Trials, ticks: int) -> Iterator[Attempt]:
    """Yield what can be tried: the measures, whether they cost little, and what plans for them."""
    for names in trials.quick_sets():
        yield names, True, partial(trials.plan, names)
    if not trials.is_idle("tiling"):
        yield ("tiling",), ticks <= MOST_AT_ONCE, trials.stripes
    for names in trials.sets():
        yield names, False, partial(trials.plan, names)


def _improving(
    tried: Sequence[tuple[tuple[str, ...], PlanWithMeasures]], peak: int, known: KnownPlans
) -> Iterator[tuple[tuple[str, ...], PlanWithMeasures]]:
    """Yield what needs less than all that is less disruptive, and check its plan."""
    for names, trial in sorted(tried, key=lambda each: (cost(each[0]), each[1].plan.peak)):
        if trial.plan.peak < peak:
            peak = trial.plan.peak
            known.check(trial.plan)
            yield names, trial


def _rank(change: ChangeFinding, budget: int | None) -> tuple[bool, int, int]:
    if budget is not None and change.peak <= budget:
        return (False, cost(change.measures), change.peak)
    return (budget is not None or "fuse" in change.measures, change.peak, cost(change.measures))


def _change(
    graph: GraphView, plan: MemoryPlan, names: tuple[str, ...], trial: PlanWithMeasures
) -> ChangeFinding:
    where = dict.fromkeys(_where(graph, plan, names, trial))
    python = _python(plan, names, trial)
    extra = trial.extra_macs
    return ChangeFinding(names, plan.peak, trial.plan, extra, tuple(where), trial.chains, python)


def _where(
    graph: GraphView, plan: MemoryPlan, names: tuple[str, ...], trial: PlanWithMeasures
) -> Iterator[str]:
    """Name the nodes that a change concerns."""
    if trial.chains:
        yield from (name for chain in trial.chains for name in chain.nodes)
        return
    if "order" in names and len(plan.order) == len(trial.plan.order):
        yield from (
            new for old, new in zip(plan.order, trial.plan.order, strict=True) if old != new
        )
    before = {buffer.name: buffer for buffer in plan.buffers}
    for buffer in trial.plan.buffers:
        old = before.get(buffer.name)
        if buffer.shares_with and (old is None or not old.shares_with):
            yield buffer.node
    if "fuse" in names:
        order = nodes_in_order(graph, plan.order)
        called = graph.unique_names()
        yield from (called[node] for pair in fusions(graph, order) for node in pair)


def _python(plan: MemoryPlan, names: tuple[str, ...], trial: PlanWithMeasures) -> str:
    """Return the lines that make the plan; none for fusions, which no option asks for."""
    if "fuse" in names:
        return ""
    if "layout" in names:
        return LAY_OUT_AGAIN
    options = with_measures(plan.options or PlanOptions(), frozenset(names))
    tiled = bool(trial.chains)
    effort = trial.plan.options.effort if tiled and trial.plan.options else options.effort
    options = replace(options, parts=options.parts or tiled, effort=effort, memories=None)
    given = repr(options).removeprefix("PlanOptions(").removesuffix(")")
    if trial.chains:
        lines = ["from dataclasses import replace", ""] if "replace(" in trial.asked else []
        lines.append(trial.asked)
        lines += ["search.apply(graph)", "order = graph.topological_order()"]
    else:
        lines = ["order = schedule"]
    call = "plan_jointly(graph, order" if "order" in names else "plan_memory(graph, order"
    tail = ").plan" if "order" in names else ")"
    return "\n".join([*lines, f"plan = aidge_nb.{call}{f', {given}' if given else ''}{tail}"])
