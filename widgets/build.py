"""Build the scene from the values of the library: graph, schedule and memory plan.

Any of them may be missing, and they need not be of the same graph: what does not fit together is
said in the notes of the scene instead of being an error, for a view must not die.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from aidge_nb.graph.view import GraphView
from aidge_nb.scheduling.nest import Loop
from aidge_nb.scheduling.trace import trace_of
from aidge_nb.widgets.algorithm import stages_of
from aidge_nb.widgets.checks import Runs, check_given, sound_graph, sound_plan, sound_runs
from aidge_nb.widgets.drawing import draw_blocks, draw_graph
from aidge_nb.widgets.figures import figures_of
from aidge_nb.widgets.index import NodeIndex
from aidge_nb.widgets.inside import draw_inside
from aidge_nb.widgets.machine import machine_of, placed
from aidge_nb.widgets.mapping_scene import mapping_figures
from aidge_nb.widgets.nest import closed_bars, nest_of
from aidge_nb.widgets.scene import (
    KINDS,
    Fold,
    Ints,
    Measured,
    MemoryMap,
    Row,
    Scene,
    Timeline,
)
from aidge_nb.widgets.text import elide

if TYPE_CHECKING:
    from aidge_nb.graph.snapshot import GraphSnapshot
    from aidge_nb.hardware.mapping import Mapping
    from aidge_nb.memory.plan import Buffer, MemoryPlan
    from aidge_nb.scheduling.schedule import Actor, Firing, StaticSchedule

__all__ = ["MAX_DRAWN", "build_scene"]

MAX_DRAWN = 250_000
"""Schedules of more firings are drawn folded alone."""


_MOST_BLOCKS = 20_000
"""So many blocks of buffers that lie in several are told apart, in all."""

TICKS_BESIDE_CYCLES = (
    "the memory plan is not drawn: it counts executions, and the mapping counts cycles; pass the "
    "schedule, too, and the plan is drawn along its steps"
)


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
    measured: Runs = (),
    mapping: Mapping | None = None,
    drawn: Scene | None = None,
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
        A graph whose scheduling is followed stage by stage; it is the graph that is drawn, too,
        where there is no other.
    max_rounds
        Rounds of the algorithm to follow.
    before, labels
        Another memory plan to compare ``plan`` with, and what the two are called.
    measured
        Name, start and end (in microseconds) of each execution of a run.
    mapping
        Where and when the nodes run on a machine: the graph can be coloured by it, and a panel
        shows its elements and links. Its memories are drawn where there is no schedule, for they
        count cycles. The mapped graph is drawn where no other is given.
    drawn
        A scene of the same graph: its layout is taken over, and not made once more.

    Raises
    ------
    AidgeError
        For what is no graph, schedule, plan or mapping.

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
    algorithm = () if traced is None else stages_of(traced, trace_of(traced, max_rounds), index)
    timeline = None if schedule is None else _timeline(schedule, index)
    memory = None if plan is None else _memory(plan, schedule, index)
    run, lost = (None, "") if timeline is None else _measured(measured, timeline)
    notes += [lost] if lost else []
    devices = None
    if mapping is not None:
        devices, memories = machine_of(mapping, index)
        if plan is not None and timeline is None:
            notes.append(TICKS_BESIDE_CYCLES)
        memory = memories if timeline is None else memory
    if memory is not None and not memory.spaces and before is not None:
        other = replace(_memory(sound_plan(before)[0], None, index), label=labels[0])
        memory = replace(memory, label=labels[1], other=other)
    if snapshot is not None:
        strange = index.names[len(snapshot.nodes) :]
        if strange:
            shown = ", ".join(elide(name, 40) for name in strange[:3])
            more = f" and {len(strange) - 3} more" if len(strange) > 3 else ""
            notes.append(f"not in the graph, and so not drawn there: {shown}{more}")
    if schedule is not None and timeline is not None and timeline.is_abridged:
        notes.append(f"{schedule.n_firings:,} firings are too many to draw: they are shown folded")
    if timeline is not None and not len(timeline):
        notes.append("the schedule is empty: nothing fires")
    if memory is not None and not len(memory):
        notes.append("the memory plan is empty: it holds no buffer")
    figures = figures_of(snapshot, schedule, plan)
    return Scene(
        title=title or (snapshot.name if snapshot is not None else "") or "model",
        nodes=tuple(index.nodes) if mapping is None else placed(index.nodes, mapping),
        **_drawings(snapshot, drawn),
        timeline=timeline,
        memory=memory,
        devices=devices,
        algorithm=algorithm,
        measured=run,
        figures=figures if mapping is None else (*figures, *mapping_figures(mapping)),
        notes=tuple(notes),
    )


def _drawings(graph: GraphSnapshot | None, drawn: Scene | None) -> dict[str, Any]:
    """Lay the graph out: as it is, with blocks collapsed, and with meta-operators opened."""
    if graph is None:
        return {}
    if drawn is not None and drawn.graph is not None:
        return {"graph": drawn.graph, "blocks": drawn.blocks, "inside": drawn.inside}
    drawing = draw_graph(graph)
    return {
        "graph": drawing,
        "blocks": draw_blocks(graph, drawing),
        "inside": draw_inside(graph, drawing),
    }


def _measured(runs: Runs, timeline: Timeline) -> tuple[Measured | None, str]:
    """Put a run beside the schedule: each execution in the row of its node, from 0 on.

    Also gives a note on what of it is not drawn.
    """
    place = {row.name: number for number, row in enumerate(timeline.rows)}
    drawn, lost = sound_runs(runs, place)
    if not drawn:
        return None, lost
    first = min(start for _, start, _ in drawn)
    drawn.sort(key=lambda run: run[1])
    found = Measured(
        _ints(place[name] for name, _, _ in drawn),
        _ints(round(start - first) for _, start, _ in drawn),
        _ints(max(1, round(end - first) - round(start - first)) for _, start, end in drawn),
    )
    return found, lost


def _ints(values: Iterable[int]) -> Ints:
    return np.fromiter(values, np.int64)


def _timeline(schedule: StaticSchedule, index: NodeIndex) -> Timeline:
    actors = schedule.actors
    for actor in actors:
        if not actor.producer:
            index.find(actor.name, actor.type)
    is_short = schedule.n_firings > MAX_DRAWN
    firings = _first_copies(schedule.loops) if is_short else schedule.firings
    order = _row_order(schedule, firings, index)
    place = {actor: row for row, actor in enumerate(order)}
    rows = tuple(
        Row(actor.name, actor.type, _owner(actor, index), actor.producer)
        for actor in (actors[number] for number in order)
    )
    nest = nest_of(schedule, place)
    folded = closed_bars(nest)
    is_short = is_short and bool(nest.loops)
    bars = folded if is_short else _bars(sorted(firings, key=attrgetter("early")), place)
    return Timeline(
        rows,
        *bars,
        tuple(Fold(loop.count, loop.start, loop.stop) for loop in nest.loops),
        *(folded if nest.loops else (_ints(()), _ints(()), _ints(()))),
        1 + int(folded[2].max(initial=-1)) if is_short else schedule.n_steps,
        is_short,
        nest,
    )


def _first_copies(loops: Iterable[Firing | Loop]) -> list[Firing]:
    """List the firings of a nest, each loop gone through once."""
    found: list[Firing] = []
    for item in loops:
        found += _first_copies(item.body) if isinstance(item, Loop) else [item]
    return found


def _bars(firings: Sequence[Firing], place: dict[int, int]) -> tuple[Ints, Ints, Ints]:
    """Turn firings into columns: row, early, late; folding can shift steps below 0."""
    row = _ints(place[firing.actor] for firing in firings)
    early = _ints(max(0, firing.early) for firing in firings)
    late = _ints(max(0, firing.late) for firing in firings)
    return row, early, late


def _owner(actor: Actor, index: NodeIndex) -> int:
    """Find the node that the bars of an actor belong to."""
    if actor.producer:
        return index.find_user(actor.name, actor.type)
    return index.find(actor.name, actor.type)


def _row_order(schedule: StaticSchedule, firings: Sequence[Firing], index: NodeIndex) -> list[int]:
    """Order actors by their first firing, each weight just above the node that uses it."""
    actors = schedule.actors
    first: dict[int, tuple[int, int]] = {}
    for position, firing in enumerate(firings):
        first.setdefault(firing.actor, (firing.early, position))
    never = (schedule.n_steps, len(firings))
    of_node = {
        index.find(actor.name): first.get(number, never)
        for number, actor in enumerate(actors)
        if not actor.producer
    }

    def key(number: int) -> tuple[tuple[int, int], bool, int]:
        actor = actors[number]
        own = first.get(number, never)
        when = of_node.get(_owner(actor, index), own) if actor.producer else own
        return when, not actor.producer, number

    return sorted(range(len(actors)), key=key)


def _memory(plan: MemoryPlan, schedule: StaticSchedule | None, index: NodeIndex) -> MemoryMap:
    for name in plan.order:
        index.find(name)
    pieces = list(_pieces(plan))
    buffers = [buffer for buffer, _, _ in pieces]
    is_cut = len(pieces) > len(plan.buffers)
    return MemoryMap(
        names=tuple(buffer.name for buffer in buffers),
        node=_ints(
            index.find_user(buffer.node) if buffer.kind == "producer" else index.find(buffer.node)
            for buffer in buffers
        ),
        kind=_ints(KINDS.index(buffer.kind) for buffer in buffers),
        lower=_ints(buffer.lower for buffer in buffers),
        upper=_ints(buffer.upper for buffer in buffers),
        offset=_ints(start for _, start, _ in pieces),
        size=_ints(stop - start for _, start, stop in pieces),
        whole=_ints(buffer.size for buffer in buffers) if is_cut else None,
        tick_node=_ints(index.find(name) for name in plan.order),
        tick_step=_ints(_tick_steps(plan.order, schedule)),
        peak=plan.peak,
        lower_bound=plan.lower_bound,
    )


def _pieces(plan: MemoryPlan) -> Iterator[tuple[Buffer, int, int]]:
    """Give the bytes of each buffer as they lie; of very many blocks, what holds those of a level.

    In a large tensor the lines of tiles are thinner than any pixel.
    """
    many = sum(bool(buffer.levels) for buffer in plan.buffers)
    for buffer in plan.buffers:
        outline = buffer.part.outline(max(1, _MOST_BLOCKS // many)) if buffer.levels else None
        for start, stop in buffer.intervals if outline is None else outline:
            yield buffer, start, stop


def _tick_steps(order: Iterable[str], schedule: StaticSchedule | None) -> list[int]:
    """Give the early step of the firing that each tick stands for; nothing if one is not found."""
    if schedule is None or schedule.n_firings > MAX_DRAWN:
        return []
    early: dict[str, list[int]] = {}
    for firing in schedule.firings:
        early.setdefault(schedule.actors[firing.actor].name, []).append(firing.early)
    seen: dict[str, int] = {}
    steps: list[int] = []
    for name in order:
        execution = seen.get(name, 0)
        known = early.get(name, [])
        if execution >= len(known):
            return []
        steps.append(known[execution])
        seen[name] = execution + 1
    return steps
