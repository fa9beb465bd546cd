"""An independent check of a schedule: replay it, one firing after the other.

It keeps its own account of what lies at every input, in amounts asked of fresh consumer-producer
models, and names the first rule that a schedule breaks.
"""

from __future__ import annotations

from collections.abc import Mapping

from aidge_nb.errors import SchedulingError, explain
from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.scheduling.elts import Elts_t
from aidge_nb.scheduling.impl import prod_conso_of
from aidge_nb.scheduling.schedule import Firing, StaticSchedule

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
    if len(schedule.waits_for) != len(schedule.firings):
        raise SchedulingError(
            explain(
                "schedule",
                "does not say of each firing what it waits for",
                expected=f"{len(schedule.firings)} entries in waits_for",
                found=len(schedule.waits_for),
            )
        )
    end = max((firing.early for firing in schedule.firings), default=0)
    last: dict[Node, Firing] = {}
    for position, firing in enumerate(schedule.firings):
        name = schedule.name_of(firing)
        where = f"firing {position}, execution {firing.execution} of {name}"
        node = nodes.get(name)
        if node is None:
            raise SchedulingError(explain(where, "no such node in this graph"))
        _check_execution(firing, last.get(node), where)
        _check_data(node, where)
        _check_order(node, firing, last, where)
        _check_steps(schedule, position, end, where)
        prod_conso_of(node.get_operator()).update_consummer_producer()
        last[node] = firing


def _check_execution(firing: Firing, before: Firing | None, where: str) -> None:
    number = 0 if before is None else before.execution + 1
    if firing.execution != number:
        raise SchedulingError(
            explain(where, "executions are not counted", expected=number, found=firing.execution)
        )


def _check_data(node: Node, where: str) -> None:
    model = prod_conso_of(node.get_operator())
    for index, port in enumerate(node.inputs()):
        tensor = node.get_operator().get_input(index)
        if port is not None:
            had = prod_conso_of(port.node.get_operator()).get_nb_produced_data(port.index)
        elif tensor is not None:
            had = Elts_t.data_elts(tensor.size)  # a direct tensor, there once
        else:
            continue
        needs = model.get_nb_consumed_data(index) + model.get_nb_required_data(index)
        if needs > had:
            raise SchedulingError(
                explain(f"{where}, input#{index}", "lacks data", expected=needs, found=had)
            )


def _check_order(node: Node, firing: Firing, last: Mapping[Node, Firing], where: str) -> None:
    """Check the steps against what ran before: the node itself, and its parents."""
    for other in dict.fromkeys([node, *(port.node for _, port in node.edges_in())]):
        before = last.get(other)
        if before is None:
            continue
        for kind in ("early", "late"):
            mine, its = getattr(firing, kind), getattr(before, kind)
            if mine <= its:
                raise SchedulingError(
                    explain(
                        where,
                        f"{kind} step is not after that of {other.label}",
                        expected=f"after step {its}",
                        found=mine,
                    )
                )


def _check_steps(schedule: StaticSchedule, position: int, end: int, where: str) -> None:
    """Check the early step against what the firing waits for, and the late step against the end."""
    firing = schedule.firings[position]
    waited = [schedule.firings[other] for other in schedule.waits_for[position]]
    earliest = max((other.early + 1 for other in waited), default=0)
    if firing.early != earliest:
        raise SchedulingError(
            explain(
                where, "early step is not the first possible", expected=earliest, found=firing.early
            )
        )
    if not firing.early <= firing.late <= end:
        raise SchedulingError(
            explain(
                where,
                "late step is not between the early step and the end",
                expected=f"{firing.early} to {end}",
                found=firing.late,
            )
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
