"""Draw the timeline of a scene: the firings of a schedule as bars, and a measured run.

Firings are listed one by one unless they are too many; loops are drawn once, in frames
(:mod:`aidge_nb.widgets.scene.frames`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from aidge_nb.scheduling.schedule.elements import SchedulingElement
from aidge_nb.scheduling.schedule.nest import Firing, Loop
from aidge_nb.widgets.scene.checks import sound_runs
from aidge_nb.widgets.scene.frames import frames_of
from aidge_nb.widgets.scene.nest import nest_of
from aidge_nb.widgets.scene.parts import Measured, Row, Timeline, ints

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node
    from aidge_nb.scheduling.schedule.nest import Actor, Firing
    from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule
    from aidge_nb.widgets.scene.index import NodeIndex

Run = SchedulingElement | tuple[str, float, float]
"""An execution: as a scheduler measured it, or its name, start and end in microseconds."""

MAX_DRAWN = 250_000
"""Most firings that are listed; longer schedules are drawn with their loops folded."""


def timeline_of(schedule: StaticSchedule, index: NodeIndex) -> Timeline:
    """Draw a row for each actor and a bar for each firing; those of a very long one are folded.

    Parameters
    ----------
    schedule
        The schedule.
    index
        The nodes of the scene; those that it does not know are appended.
    """
    actors = schedule.actors
    for actor in actors:
        if not actor.producer:
            index.find(actor.name, actor.type)
    is_long = schedule.n_firings > MAX_DRAWN
    firings = _first_copies(schedule.loops) if is_long else schedule.firings
    order = _row_order(schedule, firings, index)
    place = {actor: row for row, actor in enumerate(order)}
    rows = tuple(
        Row(actor.name, actor.type, _owner(actor, index), actor.producer)
        for actor in (actors[number] for number in order)
    )
    nest = nest_of(schedule, place)
    frames = frames_of(nest, [row.producer for row in rows], schedule.n_steps)
    return Timeline(
        rows,
        ints(place[firing.actor] for firing in firings),
        ints(firing.early for firing in firings),
        ints(firing.late for firing in firings),
        schedule.n_steps,
        nest,
        frames,
        is_long and bool(nest.loops),
    )


def _first_copies(loops: Iterable[Firing | Loop]) -> list[Firing]:
    """List the firings of a nest, each loop gone through once."""
    found: list[Firing] = []
    for item in loops:
        found += _first_copies(item.body) if isinstance(item, Loop) else [item]
    return found


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


def measured_run(
    runs: Iterable[Run], timeline: Timeline, names: Mapping[Node, str] | None = None
) -> tuple[Measured | None, str]:
    """Put a run beside the schedule: each execution in the row of its node, from 0 on.

    Parameters
    ----------
    runs
        The executions.
    timeline
        The schedule.
    names
        Names of nodes in the schedule, where they differ from the nodes' own names.

    Returns
    -------
    tuple
        The run, None without any execution; and a note on what of it is not drawn.
    """
    place = {row.name: number for number, row in enumerate(timeline.rows)}
    named = {} if names is None else names
    drawn, lost = sound_runs((_in_words(run, named) for run in runs), place)
    if not drawn:
        return None, lost
    first = min(start for _, start, _ in drawn)
    drawn.sort(key=lambda run: run[1])
    found = Measured(
        ints(place[name] for name, _, _ in drawn),
        ints(round(start - first) for _, start, _ in drawn),
        ints(max(1, round(end - first) - round(start - first)) for _, start, end in drawn),
    )
    return found, lost


def _in_words(run: Run, names: Mapping[Node, str]) -> tuple[str, float, float]:
    """Return name, start and end in microseconds of an execution."""
    if isinstance(run, SchedulingElement):
        return names.get(run.node, run.node.name()), run.start / 1000, run.end / 1000
    return run
