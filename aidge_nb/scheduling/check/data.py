"""Check the data of a schedule: each firing has its data, and no useful node is left at the end.

Replays the schedule firing by firing on fresh consumer-producer models.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from aidge_nb.core.errors import SchedulingError, saying_where
from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.scheduling.model.conditional import condition_nodes
from aidge_nb.scheduling.model.elts import Elts_t
from aidge_nb.scheduling.model.replay import Replay

if TYPE_CHECKING:
    from aidge_nb.scheduling.model.balance import Balance


class Amounts:
    """Amounts taken and given by each execution of a node; None once they changed."""

    def __init__(self) -> None:
        self.constant: dict[Node, tuple[list[Elts_t], list[Elts_t]] | None] = {}

    def fire(self, replay: Replay, node: Node | None, execution: int, where: str) -> None:
        """Check that a node can fire, execute it once, and record its amounts."""
        if node is None:
            raise SchedulingError.at(where, "no such node in this graph")
        check_firing(replay, node, execution, where)
        model, operator = replay.model(node), node.get_operator()
        outputs = range(operator.nb_outputs)
        takes = [model.get_nb_required_data(index) for index in range(operator.nb_inputs)]
        before = [model.get_nb_produced_data(index) for index in outputs]
        with saying_where(where):
            replay.fire(node)
        after = [model.get_nb_produced_data(index) for index in outputs]
        gives = [
            Elts_t(now.type, now.data - then.data, now.token - then.token)
            for now, then in zip(after, before, strict=True)
        ]
        if repr(self.constant.setdefault(node, (takes, gives))) != repr((takes, gives)):
            self.constant[node] = None


def check_firing(replay: Replay, node: Node, execution: int, where: str) -> None:
    """Check that a firing is counted, and has its conditions and its data."""
    done = replay.executions[node]
    if execution != done:
        raise SchedulingError.at(
            where, "executions are not counted", expected=done, found=execution
        )
    # Producers give on demand, also before their condition is known.
    for condition in () if node.type() == "Producer" else condition_nodes(node):
        if replay.executions.get(condition, done + 1) <= done:
            raise SchedulingError.at(
                where,
                f"runs before {condition.label}, which decides whether it runs",
                expected=f"{done + 1} executions of it",
                found=replay.executions[condition],
            )
    for index in range(node.get_nb_inputs()):
        with saying_where(f"{where}, input#{index}"):
            is_lacking = replay.lacks(node, index)
        if is_lacking:
            raise SchedulingError.at(
                f"{where}, input#{index}",
                "lacks data",
                expected=replay.wanted(node, index),
                found=replay.offered(node, index),
            )


def check_end(replay: Replay, outputs: list[Node]) -> None:
    """Check that no node could still run on data that could reach an output."""
    served = _served(replay, outputs)
    for node in replay.executions:
        left = [
            index
            for index in range(node.get_nb_inputs())
            if node.input_category(index).is_data and replay.left_over(node, index) > 0
        ]
        if left and node in served and _could_run(replay, node):
            raise SchedulingError.at(
                f"end of the schedule, input#{left[0]} of {node.label}",
                "the node could run once more",
                expected="no data left that it can take",
                found=f"{replay.left_over(node, left[0])} left",
            )


def _served(replay: Replay, outputs: list[Node]) -> set[Node]:
    """Return the nodes from which data can reach an output through nodes that get their data."""
    live: set[Node] = set()
    size = -1
    while size < len(live):
        size = len(live)
        for node in replay.executions:  # one after the other: most are found in the first round
            if node not in live and _lives(replay, node, live):
                live.add(node)
    served = set(outputs)
    pending = [node for node in outputs if node in live]
    for node in pending:
        for parent in node.get_parents():
            if parent in replay.executions and parent not in served:
                served.add(parent)
                pending += [parent] * (parent in live)
    return served


def _lives(replay: Replay, node: Node, live: set[Node]) -> bool:
    """Tell whether a node has its data, or gets them from Producers and such nodes."""
    ports = [node.source(i) for i in range(node.get_nb_inputs()) if replay.lacks(node, i)]
    return all(
        port is not None
        and port.node in replay.executions
        and (port.node.type() == "Producer" or port.node in live)
        for port in ports
    )


def _could_run(replay: Replay, node: Node) -> bool:
    """Tell whether a node has its data, or would after one more execution of empty Producers.

    A Producer that gives too little per execution ends a schedule: it is asked once only.
    """
    done = replay.executions[node]
    if any(replay.executions.get(each, done + 1) <= done for each in condition_nodes(node)):
        return False
    for index in range(node.get_nb_inputs()):
        port = node.source(index)
        if not replay.lacks(node, index):
            continue
        if port is None or port.node.type() != "Producer" or port.node not in replay.executions:
            return False
        source = replay.model(port.node)
        more = source.get_nb_produced_data(port.index) + source.get_required_memory(port.index, [])
        if replay.left_over(node, index) > 0 or replay.wanted(node, index) > more:
            return False
    return True


class Replayed(NamedTuple):
    """A replay that broke no rule, and the amounts that each execution took and gave."""

    replay: Replay
    amounts: Amounts


def balance_of(view: GraphView, replayed: Replayed) -> Balance:
    """Compare the executions of a replay with balanced rounds."""
    from aidge_nb.scheduling.model.balance import Balance, Leftover, rates_of, solve_balance

    replay, amounts = replayed
    names = view.unique_names()
    rates, left = [], []
    for node, name in names.items():
        for index, port in node.edges_in():
            if port.node not in names:
                continue
            amount = replay.left_over(node, index)
            if amount:
                left.append(Leftover(names[port.node], port.index, name, index, amount))
            mine, its = amounts.constant.get(node), amounts.constant.get(port.node)
            if mine is not None and its is not None:
                gives = its[1][port.index]
                rates.append((names[port.node], port.index, gives, name, index, mine[0][index]))
    executions = tuple((names[node], count) for node, count in replay.executions.items())
    constant = [names[node] for node, found in amounts.constant.items() if found is not None]
    try:
        solution = solve_balance(constant, rates_of(rates))
    except SchedulingError as error:
        return Balance(executions, None, str(error), tuple(left))
    return Balance(executions, tuple(solution.items()), "", tuple(left))
