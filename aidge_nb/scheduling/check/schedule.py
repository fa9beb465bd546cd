"""An independent check of a schedule: replay it, one firing after the other.

:mod:`aidge_nb.scheduling.check.data` tells whether each firing has its data,
:mod:`aidge_nb.scheduling.check.steps` whether it has its steps. Long schedules are checked loop by
loop (:mod:`aidge_nb.scheduling.check.nest`).
"""

from __future__ import annotations

from aidge_nb.core.errors import SchedulingError
from aidge_nb.graph.view import GraphView
from aidge_nb.scheduling.check.data import Amounts, balance_of, check_end, check_firing
from aidge_nb.scheduling.check.nest import check_nest
from aidge_nb.scheduling.check.steps import Run, check_steps
from aidge_nb.scheduling.model.balance import Balance
from aidge_nb.scheduling.model.replay import Replay
from aidge_nb.scheduling.schedule.static_schedule import MAX_UNROLLED, StaticSchedule

MAX_ONE_BY_ONE = 50_000
"""Longer schedules that have loops are not unrolled to be checked."""


def check_schedule(view: GraphView, schedule: StaticSchedule) -> Balance:
    """Replay a schedule from the start; the C-P state of the graph does not change.

    Parameters
    ----------
    view
        The graph that was scheduled.
    schedule
        The schedule to check.

    Returns
    -------
    Balance
        How the executions add up: whether they are whole rounds, and what is left if not. A
        schedule may leave data, so that is no error.

    Raises
    ------
    SchedulingError
        Naming the first firing that lacks data or that need not have waited so long, the last one
        whose late step would delay the end or is not the last possible, or the first node that
        could still run when the schedule ends. Of more than 5 million firings it names one.

    Examples
    --------
    >>> import aidge_nb
    >>> model = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.Tanh(name="b")])
    >>> check_schedule(model, aidge_nb.static_schedule(model)).executions
    (('a', 1), ('b', 1))
    """
    if schedule.n_firings > MAX_ONE_BY_ONE and not schedule.is_flat:
        try:
            return check_nest(view, schedule)
        except SchedulingError:
            if schedule.n_firings > MAX_UNROLLED:
                raise
            # One by one, the first firing that breaks a rule is named, or it is proved plainly.
    firings = list(schedule.firings)
    run = Run(view, schedule, firings)
    replay = Replay(view)
    amounts = Amounts()
    for position, firing in enumerate(firings):
        node, where = run.nodes[position], run.where(position)
        check_firing(replay, node, firing.execution, where)
        amounts.fire(replay, node, where)
    check_end(replay, view.get_output_nodes())
    check_steps(run, list(schedule.waits_for))
    return balance_of(view, replay, amounts)
