"""Build the scene from the values of the library: graph, schedule and memory plan.

Any of them may be missing, and they need not be of the same graph: the notes of the scene say what
does not fit together, because a view must not fail.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from aidge_nb.advice.reading import mapping_findings, plan_findings
from aidge_nb.advice.relayout import layout_change
from aidge_nb.advice.search import find_changes
from aidge_nb.core.errors import AidgeError, listed
from aidge_nb.graph.view import GraphView
from aidge_nb.widgets.scene.checks import check_given, sound_graph, sound_plan
from aidge_nb.widgets.scene.drawing import draw_blocks, draw_graph, draw_inside
from aidge_nb.widgets.scene.findings import cards_of
from aidge_nb.widgets.scene.index import NodeIndex
from aidge_nb.widgets.scene.labels.blocks import NodeLabels, label_nodes
from aidge_nb.widgets.scene.loops import loop_cards
from aidge_nb.widgets.scene.memory_map import memory_of
from aidge_nb.widgets.scene.parts import MemoryMap, Timeline
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.scene.timeline import Run, measured_run, timeline_of
from aidge_nb.widgets.text import count_text, elide, size_text

if TYPE_CHECKING:
    from aidge_nb.advice.findings import ChangeFinding, Finding
    from aidge_nb.graph.snapshot import GraphSnapshot
    from aidge_nb.hardware.mapping import Mapping
    from aidge_nb.memory.values.plan import MemoryPlan
    from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule
    from aidge_nb.widgets.scene.algorithm import Stage


def build_scene(
    graph: GraphSnapshot | GraphView | None = None,
    schedule: StaticSchedule | None = None,
    plan: MemoryPlan | None = None,
    *,
    title: str = "",
    traced: GraphView | None = None,
    max_rounds: int = 300,
    before: MemoryPlan | None = None,
    labels: tuple[str, str] = ("before", "after"),
    measured: Iterable[Run] = (),
    mapping: Mapping | None = None,
    drawn: Scene | None = None,
    findings: Iterable[Finding] | None = None,
) -> Scene:
    """Bring a graph, a schedule and a memory plan into one index space.

    Parameters
    ----------
    graph
        The graph, or its snapshot: weights are folded into the nodes that use them.
    schedule
        Its static schedule.
    plan
        Its memory plan.
    title
        Name of the model; by default that of the graph.
    traced
        A graph whose scheduling is followed stage by stage; drawn when no other graph is given.
    max_rounds
        Rounds of the algorithm to follow.
    before, labels
        Another memory plan to compare ``plan`` with, and the names of the two.
    measured
        A run to show beside the schedule: ``get_forward_scheduling()`` of a scheduler, or name,
        start and end (in microseconds) of each execution.
    mapping
        Where and when the nodes run on a machine: the graph can be coloured by it, and a panel
        shows its elements and links. Its memories, which count cycles, are drawn where there is
        neither a schedule nor a plan. The mapped graph is drawn where no other is given.
    drawn
        A scene of the same graph, whose layout is reused.
    findings
        What the strip above the panels says; by default what plan and mapping say, and what a
        quick search finds to do: in the graph, or else with the plan alone.

    Raises
    ------
    AidgeError
        For values of another type.

    Examples
    --------
    >>> build_scene(title="nothing yet")
    Scene('nothing yet': 0 nodes)
    """
    check_given(graph=graph, schedule=schedule, plan=plan, before=before, mapping=mapping)
    given = traced if graph is None else graph
    if given is None and mapping is not None:
        given = mapping.view
    snapshot = given.snapshot() if isinstance(given, GraphView) else given
    notes: list[str] = []
    if snapshot is not None:
        snapshot, mended = sound_graph(snapshot)
        notes += mended
    if plan is not None:
        plan, mended = sound_plan(plan)
        notes += mended
    index = NodeIndex(snapshot)
    algorithm = () if traced is None else _followed(traced, max_rounds, index, snapshot)
    timeline = None if schedule is None else timeline_of(schedule, index)
    known = len(index.nodes) if snapshot is None else len(snapshot.nodes)
    memory = None if plan is None else memory_of(plan, index)
    names = given.unique_names() if isinstance(given, GraphView) else {}
    run, lost = (None, "") if timeline is None else measured_run(measured, timeline, names)
    notes += [lost] if lost else []
    devices = None
    if mapping is not None:
        from aidge_nb.widgets.scene import mapping as mapped  # few views need it

        devices, memories = mapped.machine_of(mapping, index)
        memory = memories if timeline is None and plan is None else memory
    if memory is not None and not memory.spaces and before is not None:
        other = replace(memory_of(sound_plan(before)[0], index), label=labels[0])
        memory = replace(memory, label=labels[1], other=other)
    where = "graph" if snapshot is not None else "schedule" if timeline is not None else ""
    strangers = index.names[known:] if where else ()
    notes += _what_is_missing(where, strangers, timeline, memory, schedule)
    figures = figures_of(snapshot, schedule, plan)
    written = _labels(snapshot, index) if drawn is None else drawn.labels
    if findings is None:
        own = () if plan is None else (*plan_findings(plan), *changes_of(given, plan))
        findings = [*own, *(() if mapping is None else mapping_findings(mapping))]
    types = {node.name: node.type for node in index.nodes if node.type}
    return Scene(
        title=title or (snapshot.name if snapshot is not None else "") or "model",
        nodes=tuple(index.nodes) if mapping is None else mapped.placed(index.nodes, mapping),
        **_drawings(snapshot, drawn, written, narrow=traced is not None),
        labels=written,
        timeline=timeline,
        memory=memory,
        devices=devices,
        algorithm=algorithm,
        measured=run,
        figures=figures if mapping is None else (*figures, *mapped.mapping_figures(mapping)),
        notes=tuple(notes),
        findings=(*cards_of(findings, types), *(() if timeline is None else loop_cards(timeline))),
    )


def _followed(
    traced: GraphView, max_rounds: int, index: NodeIndex, snapshot: GraphSnapshot | None
) -> tuple[Stage, ...]:
    """Follow the scheduling of a graph, stage by stage."""
    from aidge_nb.scheduling.explain.trace import trace_of  # few views need it
    from aidge_nb.widgets.scene.algorithm import stages_of

    return stages_of(traced, trace_of(traced, max_rounds), index, snapshot)


MOST_ADVISED = 800
"""Operators of a graph up to which a quick search for what to do takes little time."""


def changes_of(graph: object, plan: MemoryPlan, **search: Any) -> tuple[ChangeFinding, ...]:
    """Return what a quick search finds to do about the peak of a plan.

    Parameters
    ----------
    graph
        The graph. Without one, and with one that is large or not the plan's, only another layout is
        looked for.
    **search
        As for :func:`~aidge_nb.advice.find_changes`.
    """
    if isinstance(graph, GraphView) and plan.peak and len(plan.order) <= MOST_ADVISED:
        with suppress(AidgeError):
            return find_changes(graph, plan, limit=0.0, **search).changes
    return layout_change(plan)


def _labels(graph: GraphSnapshot | None, index: NodeIndex) -> NodeLabels:
    """Find blocks and leaves of the graph's nodes, or else of those that the schedule names."""
    if graph is None:
        return label_nodes(index.names, [node.type for node in index.nodes])
    down = [(edge.source, edge.target) for edge in graph.edges if not edge.back]
    names, types = [node.name for node in graph.nodes], [node.type for node in graph.nodes]
    return label_nodes(names, types, down)


def _drawings(
    graph: GraphSnapshot | None, drawn: Scene | None, labels: NodeLabels, *, narrow: bool
) -> dict[str, Any]:
    """Lay the graph out: as it is, with blocks collapsed, and with meta-operators opened.

    As it is it is kept narrow, if asked: beside the scheduling that is followed all of it is seen.
    """
    if graph is None:
        return {}
    if drawn is not None and drawn.graph is not None:
        return {"graph": drawn.graph, "blocks": drawn.blocks, "inside": drawn.inside}
    drawing = draw_graph(graph, labels, narrow=narrow)
    return {
        "graph": drawing,
        "blocks": draw_blocks(graph, drawing, labels),
        "inside": draw_inside(graph, drawing),
    }


def _what_is_missing(
    where: str,
    strangers: Sequence[str],
    timeline: Timeline | None,
    memory: MemoryMap | None,
    schedule: StaticSchedule | None,
) -> Iterator[str]:
    """Say what is not drawn, or is empty; ``strangers`` are names that nobody knows."""
    if strangers:
        shown = listed([elide(name, 40) for name in strangers], most=3)
        yield f"not in the {where}, and so not drawn there: {shown}"
    if schedule is not None and timeline is not None and timeline.is_folded:
        yield f"{schedule.n_firings:,} firings are too many to list: loops are drawn once"
    if timeline is not None and not len(timeline):
        yield "the schedule is empty: nothing fires"
    if memory is not None and not len(memory):
        yield "the memory plan is empty: it holds no buffer"


MAX_COUNTED = 250_000
"""Longest schedule whose critical firings are counted, in firings."""

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
