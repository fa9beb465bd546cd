"""An independent check of a schedule: replay it, one firing after the other.

It keeps its own account of what lies at every input, in amounts asked of fresh consumer-producer
models, and names the first rule that a schedule breaks.
"""

from __future__ import annotations

from aidge_nb.errors import SchedulingError, explain
from aidge_nb.graph.view import GraphView
from aidge_nb.scheduling.impl import prod_conso_of
from aidge_nb.scheduling.schedule import StaticSchedule

__all__ = ["check_schedule"]


def check_schedule(view: GraphView, schedule: StaticSchedule) -> None:
    """Replay a schedule from fresh C-P models (their state is changed).

    Parameters
    ----------
    view
        The graph that was scheduled.
    schedule
        The schedule to check.

    Raises
    ------
    SchedulingError
        Naming the first firing that lacks data, or whose steps contradict what it waits for.
    """
    nodes = {name: node for node, name in view.unique_names().items()}
    for each in view.get_nodes():
        prod_conso_of(each.get_operator()).reset_consummer_producer()
    for position, firing in enumerate(schedule.firings):
        name = schedule.name_of(firing)
        where = f"firing {position}, execution {firing.execution} of {name}"
        node = nodes.get(name)
        if node is None:
            raise SchedulingError(explain(where, "no such node in this graph"))
        model = prod_conso_of(node.get_operator())
        for index, port in node.edges_in():
            had = prod_conso_of(port.node.get_operator()).get_nb_produced_data(port.index)
            needs = model.get_nb_consumed_data(index) + model.get_nb_required_data(index)
            if needs > had:
                raise SchedulingError(
                    explain(f"{where}, input#{index}", "lacks data", expected=needs, found=had)
                )
        model.update_consummer_producer()
        _check_steps(schedule, position, where)


def _check_steps(schedule: StaticSchedule, position: int, where: str) -> None:
    firing = schedule.firings[position]
    waited = [schedule.firings[other] for other in schedule.waits_for[position]]
    earliest = max((other.early + 1 for other in waited), default=0)
    if firing.early != earliest:
        raise SchedulingError(
            explain(
                where, "early step is not the first possible", expected=earliest, found=firing.early
            )
        )
    if firing.late < firing.early:
        raise SchedulingError(
            explain(where, "late step before early step", expected=firing.early, found=firing.late)
        )
    for other in waited:
        if other.late >= firing.late:
            raise SchedulingError(
                explain(
                    where,
                    f"its late step leaves no time for {schedule.name_of(other)}",
                    expected=f"after step {other.late}",
                    found=firing.late,
                )
            )
