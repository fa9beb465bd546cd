"""Schedules as text: a table, and the loop nest on one line."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from aidge_nb.scheduling.nest import Firing, Loop
from aidge_nb.scheduling.schedule import StaticSchedule

__all__ = ["nest_text", "schedule_csv"]


def nest_text(schedule: StaticSchedule) -> str:
    """Write a loop nest as ``a 3×(b c)``: loops as count and body, actors by name.

    The notation is that of single-appearance schedules (Bhattacharyya, Murthy and Lee, "Software
    synthesis from dataflow graphs", 1996), with the multiplication sign written out.

    Examples
    --------
    >>> from aidge_nb.scheduling import Actor
    >>> actors = tuple(Actor(name, "ReLU", False, name, 0) for name in "ab")
    >>> body = (Firing(0, 1, 1, 1), Firing(1, 0, 2, 2))
    >>> loop = Loop(10**6, body, ((0, 1, 2, 2), (1, 1, 2, 2)))
    >>> nest_text(StaticSchedule(actors, (Firing(0, 0, 0, 0), loop)))
    'a 1000000×(a b)'
    """
    return _text([actor.name for actor in schedule.actors], schedule.loops)


def _text(names: Sequence[str], nest: Sequence[Firing | Loop]) -> str:
    parts = []
    texts = (
        (item.count, _text(names, item.body)) if isinstance(item, Loop) else (1, names[item.actor])
        for item in nest
    )
    # Equal neighbours are one loop to a reader, though their steps may differ.
    for body, group in groupby(texts, key=lambda pair: pair[1]):
        count = sum(times for times, _ in group)
        parts.append(body if count == 1 else f"{count}×({body})")
    return " ".join(parts)


def schedule_csv(schedule: StaticSchedule) -> str:
    """Write a table: name, type, execution, early, late, slack."""
    rows = ["name,type,execution,early,late,slack"]
    for firing in schedule.firings:
        actor = schedule.actors[firing.actor]
        texts = ['"' + text.replace('"', '""') + '"' for text in (actor.name, actor.type)]
        numbers = map(str, (firing.execution, firing.early, firing.late, firing.slack))
        rows.append(",".join([*texts, *numbers]))
    return "\n".join(rows) + "\n"
