"""Check a schedule independently of the scheduler, by replaying it firing by firing.

:mod:`aidge_nb.scheduling.check.data` checks the data of each firing,
:mod:`aidge_nb.scheduling.check.steps` its steps. Long schedules are checked loop by loop
(:mod:`aidge_nb.scheduling.check.nest`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aidge_nb.core.errors import SchedulingError
from aidge_nb.graph.view import GraphView
from aidge_nb.scheduling.check.data import Amounts, Replayed, balance_of, check_end
from aidge_nb.scheduling.check.steps import FlatOrder, check_steps
from aidge_nb.scheduling.model.replay import Replay
from aidge_nb.scheduling.schedule.static_schedule import MAX_UNROLLED, StaticSchedule

if TYPE_CHECKING:
    from aidge_nb.scheduling.model.balance import Balance

MAX_ONE_BY_ONE = 50_000
"""Longer schedules with loops are checked without unrolling them."""


def check_schedule(view: GraphView, schedule: StaticSchedule) -> Balance:
    """Check a schedule by replaying it; the C-P state of the graph does not change.

    Parameters
    ----------
    view
        The graph that was scheduled.
    schedule
        The schedule to check.

    Returns
    -------
    Balance
        Executions compared with balanced rounds, and data left over, which are not an error.

    Raises
    ------
    SchedulingError
        Names the first firing that lacks data or has a wrong early step, the last one with a wrong
        late step, or the first node that could still run at the end. Beyond 5 million firings it
        names any such firing.

    Examples
    --------
    >>> import aidge_nb
    >>> model = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.Tanh(name="b")])
    >>> check_schedule(model, aidge_nb.static_schedule(model)).executions
    (('a', 1), ('b', 1))
    """
    return balance_of(view, check_firings(view, schedule))


def check_firings(view: GraphView, schedule: StaticSchedule) -> Replayed:
    """Check a schedule as :func:`check_schedule` does, without comparing it with balanced rounds.

    Raises
    ------
    SchedulingError
        As :func:`check_schedule`.
    """
    if schedule.n_firings > MAX_ONE_BY_ONE and not schedule.is_flat:
        from aidge_nb.scheduling.check.nest import check_nest  # few schedules are long

        try:
            return check_nest(view, schedule)
        except SchedulingError:
            if schedule.n_firings > MAX_UNROLLED:
                raise
            # Replay one by one, which names the first firing that breaks a rule, or finds none.
    order = FlatOrder(view, schedule, list(schedule.firings))
    replay = Replay(view)
    amounts = Amounts()
    for place in order.places:
        actor, execution = place.firing.actor, place.firing.execution
        amounts.fire(replay, order.nodes[actor], execution, order.where(place))
    check_end(replay, view.get_output_nodes())
    check_steps(order, list(schedule.waits_for))
    return Replayed(replay, amounts)
