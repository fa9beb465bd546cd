"""Put at most so many executions of a schedule into each step."""

from __future__ import annotations

from collections.abc import Sequence

from aidge_nb.core.errors import SchedulingError
from aidge_nb.scheduling import StaticSchedule
from aidge_nb.scheduling.schedule.nest import Firing


def limit_width(
    schedule: StaticSchedule, width: int, rank: Sequence[int] | None = None
) -> StaticSchedule:
    """Put at most ``width`` executions into each step, those without slack first.

    Producers take no place: they give their data when they are asked. Executions that were put off
    have no slack of their own any more.

    Parameters
    ----------
    schedule
        The schedule, without bound.
    width
        How many operators can run at once.
    rank
        For each execution of ``schedule.firings`` a number: smaller ones come first. By default
        their late steps.

    Raises
    ------
    SchedulingError
        When the width is below 1, or the schedule does not know who feeds whom.

    Examples
    --------
    >>> import aidge_nb
    >>> branches = [aidge_nb.ReLU(name=f"b{number}") for number in range(4)]
    >>> model = aidge_nb.sequential([aidge_nb.Tanh(name="a"), aidge_nb.parallel(branches)])
    >>> schedule = aidge_nb.static_schedule(model)
    >>> schedule.n_steps, limit_width(schedule, 2).n_steps, limit_width(schedule, 1).n_steps
    (2, 3, 5)
    """
    if width < 1:
        problem = "no number of operators at once"
        raise SchedulingError.at("limit_width", problem, expected="1 or more", found=width)
    firings = schedule.firings
    waits = schedule.waits_for
    if len(waits) != len(firings):
        cure = "Make it from a graph."
        raise SchedulingError.at("schedule", "does not know who feeds whom", cure=cure)
    urgency = [each.late for each in firings] if rank is None else rank
    done = {place: -1 for place, each in enumerate(firings) if schedule.actors[each.actor].producer}
    pending = [place for place in range(len(firings)) if place not in done]
    step = 0
    while pending:
        ready = [place for place in pending if all(before in done for before in waits[place])]
        if not ready:
            raise SchedulingError.at("schedule", "its executions wait for each other")
        ready.sort(key=lambda place: (urgency[place], place))
        chosen = ready[:width]
        done.update(dict.fromkeys(chosen, step))
        pending = [place for place in pending if place not in done]
        step += 1
    return StaticSchedule(
        schedule.actors,
        tuple(
            Firing(each.actor, each.execution, max(0, done[place]), max(0, done[place]))
            for place, each in enumerate(firings)
        ),
        schedule.remaining,
        schedule.parents,
        schedule.children,
    )
