"""Schedules as text: the loop nest on one line, a CSV table, Mermaid Gantt charts.

Charts are in Aidge's line format. Mermaid refuses texts above a length that its host sets (50,000
characters by default): draw long schedules folded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from aidge_nb.core.text import csv_text, mermaid_caption
from aidge_nb.scheduling.schedule.nest import Actor, Firing, Loop

if TYPE_CHECKING:
    from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule

Part = str | tuple[int, tuple["Part", ...]]
"""A name, or a count and the parts that it repeats."""

REACH = 100
"""Number of parts after a loop that may still be recognised as one more copy of it."""


# --- the loop nest on one line ----------------------------------------------------------------


def nest_text(schedule: StaticSchedule) -> str:
    """Return a loop nest as ``a 3×(b c)``: loops as count and body, actors by name.

    The notation is that of single-appearance schedules (Bhattacharyya, Murthy and Lee, "Software
    synthesis from dataflow graphs", 1996), with the multiplication sign written out.

    Examples
    --------
    >>> from aidge_nb.scheduling import StaticSchedule
    >>> actors = tuple(Actor(name, "ReLU", False, name, 0) for name in "ab")
    >>> body = (Firing(0, 1, 1, 1), Firing(1, 0, 2, 2))
    >>> loop = Loop(10**6, body, ((0, 1, 2, 2), (1, 1, 2, 2)))
    >>> nest_text(StaticSchedule(actors, (Firing(0, 0, 0, 0), loop)))
    'a 1000000×(a b)'
    """
    names = [actor.name for actor in schedule.actors]
    return " ".join(map(_text, _parts(names, schedule.loops)))


def _parts(names: Sequence[str], nest: Sequence[Firing | Loop]) -> tuple[Part, ...]:
    parts: list[Part] = []
    for item in nest:
        if isinstance(item, Loop):
            _add_loop(parts, item.count, _parts(names, item.body))
        elif parts and parts[-1] == names[item.actor]:
            parts[-1] = (2, (names[item.actor],))
        else:
            parts.append(names[item.actor])
        _close(parts)
    return tuple(parts)


def _add_loop(parts: list[Part], count: int, body: tuple[Part, ...]) -> None:
    """Add a loop, and take in copies right before it, though their steps may differ."""
    while tuple(parts[-len(body) :]) == body:
        del parts[-len(body) :]
        count += 1
    parts.append((count, body))


def _close(parts: list[Part]) -> None:
    """Move parts at the end that form one more copy of an earlier loop into that loop."""
    for place in range(len(parts) - 2, max(-1, len(parts) - 2 - REACH), -1):
        loop = parts[place]
        if isinstance(loop, str):
            continue
        count, body = loop
        rest = tuple(parts[place + 1 :])
        further = rest[0]
        if rest == body:
            parts[place:] = [(count + 1, body)]
        elif len(rest) == 1 and not isinstance(further, str) and further[1] == body:
            parts[place:] = [(count + further[0], body)]
        else:
            continue
        _close(parts)
        return


def _text(part: Part) -> str:
    if isinstance(part, str):
        return part
    count, body = part
    return f"{count}×({' '.join(map(_text, body))})"


# --- table ------------------------------------------------------------------------------------


def schedule_csv(schedule: StaticSchedule) -> str:
    """Return a CSV table: name, type, execution, early, late, slack."""
    rows: list[tuple[object, ...]] = [("name", "type", "execution", "early", "late", "slack")]
    for firing in schedule.firings:
        actor = schedule.actors[firing.actor]
        numbers = (firing.execution, firing.early, firing.late, firing.slack)
        rows.append((actor.name, actor.type, *numbers))
    return csv_text(rows)


# --- Gantt charts -----------------------------------------------------------------------------


def static_gantt(
    schedule: StaticSchedule, ignore_producers: bool = False, mark_critical: bool = False
) -> str:
    """Draw each firing from its early to its late step; as a milestone where they are equal.

    ``mark_critical`` adds the tag ``crit`` to milestones, which Aidge does not: they turn red.

    Examples
    --------
    >>> import aidge_nb
    >>> model = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.Tanh(name="b")])
    >>> schedule = aidge_nb.static_schedule(model)
    >>> print(static_gantt(schedule, mark_critical=True).rstrip())
    gantt
    dateFormat x
    axisFormat %Q
    <BLANKLINE>
    a (ReLU#0) :crit, milestone, 0, 0
    b (Tanh#0) :crit, milestone, 1, 1
    """
    return _chart(_lines(schedule, schedule.firings, ignore_producers, mark_critical))


def factorized_gantt(
    schedule: StaticSchedule,
    ignore_producers: bool = False,
    min_repeat: int = 2,
    mark_critical: bool = False,
) -> str:
    """Draw repeated stretches once, as sections ``seq#k (xN)``; see :func:`static_gantt`."""
    lines = []
    for number, section in enumerate(schedule.sections(min_repeat)):
        is_repeated = section.repeat > 1
        lines.append(f"section seq#{number}" + f" (x{section.repeat})" * is_repeated)
        lines += _lines(schedule, section.firings, ignore_producers, mark_critical, is_repeated)
    return _chart(lines)


def measured_gantt(rows: Iterable[tuple[str, int, int]]) -> str:
    """Draw measured executions: caption, start and end in microseconds."""
    return _chart(
        (f"{mermaid_caption(name)} :{start}, {end}" for name, start, end in rows), "%Q µs"
    )


def _chart(lines: Iterable[str], axis: str = "%Q") -> str:
    return "\n".join(["gantt", "dateFormat x", f"axisFormat {axis}", "", *lines, "", ""])


def _lines(
    schedule: StaticSchedule,
    firings: Iterable[Firing],
    ignore_producers: bool,
    mark_critical: bool,
    is_repeated: bool = False,
) -> list[str]:
    actors = schedule.actors
    return [
        _line(actors[firing.actor], firing, is_repeated, mark_critical)
        for firing in firings
        if not (ignore_producers and actors[firing.actor].producer)
    ]


def _line(actor: Actor, firing: Firing, is_repeated: bool, mark_critical: bool) -> str:
    tags = [
        *(["crit"] if mark_critical and firing.is_critical else []),
        *(["milestone"] if firing.is_critical else []),
        *(["active"] if is_repeated else []),
    ]
    # Steps of folded schedules can be negative, which Mermaid does not accept.
    steps = f"{max(0, firing.early)}, {max(0, firing.late)}"
    return f"{mermaid_caption(actor.caption)} :{', '.join([*tags, steps])}"
