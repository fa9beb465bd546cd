"""Schedules as text: a table, and the loop nest on one line."""

from __future__ import annotations

from collections.abc import Sequence

from aidge_nb.scheduling.schedule.nest import Firing, Loop
from aidge_nb.scheduling.schedule.value import StaticSchedule


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
    names = [actor.name for actor in schedule.actors]
    return " ".join(map(_text, _parts(names, schedule.loops)))


Part = str | tuple[int, tuple["Part", ...]]
"""A name, or a count and what is repeated."""

REACH = 100
"""Loops are compared with what follows them up to here."""


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
    """Add a loop; copies right before it are taken in, though their steps may differ."""
    while tuple(parts[-len(body) :]) == body:
        del parts[-len(body) :]
        count += 1
    parts.append((count, body))


def _close(parts: list[Part]) -> None:
    """Take what has become one more copy of a loop before it into that loop."""
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


def schedule_csv(schedule: StaticSchedule) -> str:
    """Write a table: name, type, execution, early, late, slack."""
    rows = ["name,type,execution,early,late,slack"]
    for firing in schedule.firings:
        actor = schedule.actors[firing.actor]
        texts = ['"' + text.replace('"', '""') + '"' for text in (actor.name, actor.type)]
        numbers = map(str, (firing.execution, firing.early, firing.late, firing.slack))
        rows.append(",".join([*texts, *numbers]))
    return "\n".join(rows) + "\n"
