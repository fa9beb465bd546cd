"""Draw the timeline of a scene: the firings of a schedule as bars, its loops, and a measured run.

Each loop is drawn once, with its count. A closed loop shows its first copy; what comes after it
moves up by the steps of the copies that are not shown. The browser opens loops from these columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from aidge_nb.scheduling.schedule.elements import SchedulingElement
from aidge_nb.scheduling.schedule.nest import Firing, Loop
from aidge_nb.widgets.scene.checks import sound_runs
from aidge_nb.widgets.scene.parts import Fold, Ints, Measured, Nest, NestLoop, Row, Timeline, ints

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node
    from aidge_nb.scheduling.schedule.nest import Actor, Firing
    from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule
    from aidge_nb.widgets.scene.index import NodeIndex
    from aidge_nb.widgets.scene.parts import Ints

Run = SchedulingElement | tuple[str, float, float]
"""An execution: as a scheduler measured it, or its name, start and end in microseconds."""

MAX_DRAWN = 250_000
"""Most firings that are drawn; longer schedules are drawn with loops closed."""


def timeline_of(schedule: StaticSchedule, index: NodeIndex) -> Timeline:
    """Draw a row for each actor and a bar for each firing; very long ones with loops closed.

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
        *(folded if nest.loops else (ints(()), ints(()), ints(()))),
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
    row = ints(place[firing.actor] for firing in firings)
    early = ints(max(0, firing.early) for firing in firings)
    late = ints(max(0, firing.late) for firing in firings)
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


Shift = tuple[int, int]
Offsets = Mapping[int, Shift]


def nest_of(schedule: StaticSchedule, place: Mapping[int, int]) -> Nest:
    """Read the nest of a schedule; of a flat one, the sections that repeat.

    Parameters
    ----------
    schedule
        The schedule.
    place
        The row of each actor.
    """
    items = _sections(schedule) if schedule.is_flat else schedule.loops
    leaves: list[tuple[int, int, int]] = []
    loops: list[NestLoop] = []
    _collect(items, place, -1, leaves, loops)
    table = np.array(leaves, np.int64).reshape(-1, 3)
    return Nest(table[:, 0], table[:, 1], table[:, 2], tuple(loops))


def _sections(schedule: StaticSchedule) -> Sequence[Firing | Loop]:
    items: list[Firing | Loop] = []
    removed = 0
    for section in schedule.sections():
        body = tuple(
            Firing(f.actor, f.execution, f.early + removed, f.late + removed)
            for f in section.firings
        )
        if section.repeat == 1:
            items += body
            continue
        shifts = tuple(
            (actor, 0, section.shift, section.shift) for actor in {f.actor for f in body}
        )
        items.append(Loop(section.repeat, body, tuple(sorted(shifts))))
        removed += section.shift * (section.repeat - 1)
    return items


def _collect(
    items: Sequence[Firing | Loop],
    place: Mapping[int, int],
    parent: int,
    leaves: list[tuple[int, int, int]],
    loops: list[NestLoop],
) -> None:
    """Go through a nest in preorder; a loop of one copy is its body."""
    for item in items:
        if isinstance(item, Firing):
            leaves.append((place[item.actor], item.early, item.late))
            continue
        if item.count < 2:
            _collect(item.body, place, parent, leaves, loops)
            continue
        number, start = len(loops), len(leaves)
        shifts = tuple((place[actor], early, late) for actor, _, early, late in item.shifts)
        loops.append(NestLoop(item.count, start, start, parent, shifts))
        _collect(item.body, place, number, leaves, loops)
        loops[number] = NestLoop(item.count, start, len(leaves), parent, shifts)


def closed_bars(nest: Nest) -> tuple[Ints, Ints, Ints]:
    """Return row, early and late step of every leaf with all loops closed.

    Steps of what runs beside a loop, and begins before it ends, would be negative: they are 0.
    """
    removed = np.zeros(nest.row.size, np.int64)
    for loop in nest.loops:
        removed[loop.stop :] += (loop.count - 1) * loop.period
    return nest.row, np.maximum(0, nest.early - removed), np.maximum(0, nest.late - removed)
