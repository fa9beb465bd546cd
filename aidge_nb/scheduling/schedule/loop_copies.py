"""Copies of loops while their steps are computed: what one copy is, and where others stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aidge_nb.scheduling.schedule.nest import Firing, Loop, Repeat

ActorNest = Sequence[int | Repeat[int]]
"""Who fires, by number, and loops of them."""
Shift = tuple[int, int]
"""By how many executions, and by how many early steps."""
Early = tuple[int, int, int]
"""An actor, which of its executions, and its early step."""


@dataclass(slots=True)
class EarlyLoop:
    """The first copy of a loop, and by how much each actor is shifted from one to the next."""

    count: int
    body: list[Early | EarlyLoop]
    shifts: dict[int, Shift]


EarlyItems = list[Early | EarlyLoop]


def count_executions(nest: ActorNest) -> dict[int, int]:
    """Count how often each actor runs, the actors in order."""
    counts: dict[int, int] = {}
    pending = [(item, 1) for item in nest]
    for item, times in pending:
        if isinstance(item, Repeat):
            pending += [(inner, times * item.count) for inner in item.body]
        else:
            counts[item] = counts.get(item, 0) + times
    return dict(sorted(counts.items()))


def next_period(items: EarlyItems, shifts: Mapping[int, Shift]) -> EarlyItems:
    """Give what follows in a loop, if everything is only shifted."""
    found: EarlyItems = []
    for item in items:
        if isinstance(item, EarlyLoop):
            found.append(EarlyLoop(item.count, next_period(item.body, shifts), item.shifts))
        else:
            actor, execution, early = item
            executions, steps = shifts[actor]
            found.append((actor, execution + executions, early + steps))
    return found


def moved(
    items: Sequence[Firing | Loop], shifts: Mapping[int, tuple[int, int, int]], copies: int
) -> tuple[Firing | Loop, ...]:
    """Give what stands so many copies further on in a loop."""
    found: list[Firing | Loop] = []
    for item in items:
        if isinstance(item, Loop):
            found.append(Loop(item.count, moved(item.body, shifts, copies), item.shifts))
            continue
        executions, early, late = shifts[item.actor]
        found.append(
            Firing(
                item.actor,
                item.execution + copies * executions,
                item.early + copies * early,
                item.late + copies * late,
            )
        )
    return tuple(found)
