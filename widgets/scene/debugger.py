"""Build the scene of the debugger: the rounds of the scheduler beside the schedule they lead to."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from aidge_nb.core.errors import AidgeError
from aidge_nb.scheduling import static_schedule
from aidge_nb.scheduling.explain.trace import trace_of
from aidge_nb.widgets.scene.build import build_scene
from aidge_nb.widgets.scene.timeline import MAX_DRAWN

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView
    from aidge_nb.scheduling.explain.rounds import Round
    from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule
    from aidge_nb.widgets.scene.scene import Scene


def debugger_scene(view: GraphView, max_rounds: int) -> Scene:
    """Build the scene of a graph whose scheduling is followed.

    The schedule is there where its firings can be listed one by one, and where they are in the
    order of the rounds: then it grows with them.

    Parameters
    ----------
    view
        The graph; its consumer-producer state does not change.
    max_rounds
        Rounds to follow.
    """
    schedule = _schedule_of(view, trace_of(view, max_rounds))
    return build_scene(schedule=schedule, traced=view, max_rounds=max_rounds)


def _schedule_of(view: GraphView, rounds: tuple[Round, ...]) -> StaticSchedule | None:
    try:
        schedule = static_schedule(view)
    except AidgeError:
        return None  # the rounds say where it ends
    if not 0 < schedule.n_firings <= MAX_DRAWN:
        return None
    fired = [name for each in rounds for name in each.fired]
    actors = schedule.actors
    order = (
        actors[each.actor].name for each in schedule.firings if not actors[each.actor].producer
    )
    return schedule if list(islice(order, len(fired))) == fired else None
