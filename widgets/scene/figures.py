"""The figures in the header of every view: what a reader wants to know first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aidge_nb.widgets.text import count_text, size_text

if TYPE_CHECKING:
    from aidge_nb.graph.snapshot import GraphSnapshot
    from aidge_nb.memory.values.plan import MemoryPlan
    from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule

MAX_COUNTED = 250_000
"""Of longer schedules it is not counted how many firings are critical."""

Figures = tuple[tuple[str, str], ...]


def figures_of(
    graph: GraphSnapshot | None, schedule: StaticSchedule | None, plan: MemoryPlan | None
) -> Figures:
    """List label and text of each figure.

    Examples
    --------
    >>> figures_of(None, None, None)
    ()
    """
    figures: list[tuple[str, str]] = []
    if graph is not None:
        figures += _of_graph(graph)
    if schedule is not None:
        figures += _of_schedule(schedule)
    if plan is not None:
        figures += _of_plan(plan)
    return tuple(figures)


def _of_graph(graph: GraphSnapshot) -> Figures:
    macs = [node.macs for node in graph.nodes]
    known = [count for count in macs if count is not None]
    generic = sum(not node.native for node in graph.nodes)
    figures = [
        ("operators", str(len(graph.nodes))),
        ("parameters", count_text(sum(node.parameters for node in graph.nodes))),
    ]
    constants = sum(node.constants for node in graph.nodes)
    if constants:
        figures.append(("constants", count_text(constants)))
    if known:
        sign = "" if len(known) == len(macs) else "≥ "
        figures.append(("MACs", sign + count_text(sum(known))))
    if generic:
        figures.append(("not supported", str(generic)))
    return tuple(figures)


def _of_schedule(schedule: StaticSchedule) -> Figures:
    working = [number for number, actor in enumerate(schedule.actors) if not actor.producer]
    steps = ("steps", _number(schedule.n_steps))
    if schedule.n_firings > MAX_COUNTED:
        return steps, ("firings", _number(sum(schedule.count(number) for number in working)))
    firings = [firing for firing in schedule.firings if not schedule.actors[firing.actor].producer]
    critical = sum(firing.early == firing.late for firing in firings)
    return (
        steps,
        ("firings", _number(len(firings))),
        ("without slack", _number(critical)),
    )


def _number(count: int) -> str:
    return str(count) if count < 100_000 else f"{count:,}"


def _of_plan(plan: MemoryPlan) -> Figures:
    figures = [("memory peak", size_text(plan.peak)), ("lower bound", size_text(plan.lower_bound))]
    if plan.lower_bound:
        figures.append(("peak / bound", f"{plan.peak / plan.lower_bound:.2f}"))
    return tuple(figures)
