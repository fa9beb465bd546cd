"""Balance equations: how often each node runs in a round that leaves no data over.

A connection whose producer gives ``g`` per execution and whose consumer takes ``t`` is in balance
after ``q`` and ``r`` executions if ``g q = t r``. The smallest positive whole solution over all
connections is the repetition vector. Without one the graph is inconsistent: it starves, or data
pile up. Source: Lee and Messerschmitt, "Synchronous data flow", Proc. IEEE 75(9), 1987.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm

from aidge_nb.core.errors import SchedulingError, explain
from aidge_nb.core.values import dataclass
from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.scheduling.model.elts import Elts_t, EltType
from aidge_nb.scheduling.model.replay import count_of, fresh_model

PROBES = 8
"""Number of executions after which unchanged amounts count as constant."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Amounts that one execution gives to a connection and takes from it (elements or tokens)."""

    producer: str
    output: int
    gives: int
    consumer: str
    input: int
    takes: int

    def __str__(self) -> str:
        return (
            f"{self.producer}, output#{self.output} gives {self.gives} each time, "
            f"{self.consumer}, input#{self.input} takes {self.takes}"
        )


@dataclass(frozen=True, slots=True)
class Leftover:
    """Data left on a connection at the end of a schedule.

    Attributes
    ----------
    producer, output
        Name of the node that gave them, and number of its output, from 0.
    consumer, input
        Name of the node that would take them, and number of its input, from 0.
    amount
        Elements left, or tokens where the models count tokens.
    """

    producer: str
    output: int
    consumer: str
    input: int
    amount: int

    def __str__(self) -> str:
        return (
            f"{self.amount} left between {self.producer}, output#{self.output} "
            f"and {self.consumer}, input#{self.input}"
        )


@dataclass(frozen=True, slots=True)
class Balance:
    """The executions of a schedule compared with balanced rounds.

    Attributes
    ----------
    executions
        Number of executions by node.
    repetitions
        Number of executions of each node with constant amounts in a balanced round; None if no
        round is balanced.
    conflict
        Why no round is balanced; empty otherwise.
    leftovers
        Data left; empty if the schedule consists of whole rounds.
    """

    executions: tuple[tuple[str, int], ...]
    repetitions: tuple[tuple[str, int], ...] | None
    conflict: str
    leftovers: tuple[Leftover, ...]


def repetition_vector(view: GraphView) -> dict[str, int]:
    """Solve the balance equations of a graph, separately for each connected part.

    Amounts count as constant if the first eight executions of a fresh model have the same.

    Returns
    -------
    dict
        The number of executions by unique name of the node.

    Raises
    ------
    SchedulingError
        When a node's amounts change, or no round leaves all connections as they were.

    Examples
    --------
    >>> import aidge_nb
    >>> model = aidge_nb.sequential([aidge_nb.Pop(name="pop"), aidge_nb.Stack(4, name="stack")])
    >>> relu = aidge_nb.ReLU(name="relu")
    >>> model.add_child(relu)
    >>> model.forward_dims([[4, 3]])
    True
    >>> repetition_vector(model)
    {'pop': 4, 'stack': 4, 'relu': 1}
    """
    names = view.unique_names()
    amounts = {node: _constant_amounts(node) for node in view}
    rates = []
    for node in view:
        for index, port in node.edges_in():
            if port.node in names:
                takes, gives = amounts[node][0][index], amounts[port.node][1][port.index]
                rates.append((names[port.node], port.index, gives, names[node], index, takes))
    return solve_balance(names.values(), rates_of(rates))


def rates_of(amounts: Iterable[tuple[str, int, Elts_t, str, int, Elts_t]]) -> list[Rate]:
    """Convert amounts to the unit of their consumer; skip inputs from which nothing is taken."""
    return [
        Rate(producer, output, count_of(gives, takes), consumer, index, count_of(takes, takes))
        for producer, output, gives, consumer, index, takes in amounts
        if takes.type is not EltType.Undef
    ]


def _constant_amounts(node: Node) -> tuple[list[Elts_t], list[Elts_t]]:
    """Return the amounts that each execution takes and gives."""
    model = fresh_model(node.get_operator())
    operator = node.get_operator()
    tensors = [operator.get_input(index) for index in range(operator.nb_inputs)]
    dims = [[] if tensor is None else list(tensor.dims) for tensor in tensors]

    def ask() -> tuple[list[Elts_t], list[Elts_t]]:
        takes = [model.get_nb_required_data(index) for index in range(operator.nb_inputs)]
        gives = [model.get_required_memory(index, dims) for index in range(operator.nb_outputs)]
        return takes, gives

    first = ask()
    for number in range(1, PROBES):
        model.update_consummer_producer()
        now = ask()
        if repr(now) != repr(first):
            raise SchedulingError.at(
                node.label,
                "takes or gives other amounts from execution to execution, so that there are "
                "no balance equations",
                expected=_describe_amounts(first),
                found=f"{_describe_amounts(now)} in execution {number}",
                cure="Schedule the graph, and count its firings.",
            )
    return first


def _describe_amounts(amounts: tuple[list[Elts_t], list[Elts_t]]) -> str:
    takes, gives = amounts
    return f"{takes} in and {gives} out"


def solve_balance(names: Iterable[str], rates: Sequence[Rate]) -> dict[str, int]:
    """Return the smallest numbers of executions that leave nothing on any connection.

    Examples
    --------
    >>> solve_balance("ab", [Rate("a", 0, 3, "b", 0, 2)])
    {'a': 2, 'b': 3}
    """
    around: dict[str, list[Rate]] = {name: [] for name in names}
    for rate in rates:
        around[rate.producer].append(rate)
        around[rate.consumer].append(rate)
    solution: dict[str, int] = {}
    for name in around:
        if name not in solution:
            solution |= _solve_part(name, around)
    return {name: solution[name] for name in around}


def _solve_part(first: str, around: Mapping[str, Sequence[Rate]]) -> dict[str, int]:
    """Start from one execution of a node, follow all connections, scale to whole numbers."""
    found = {first: Fraction(1)}
    pending = [first]
    while pending:
        name = pending.pop()
        for rate in around[name]:
            if rate.gives == rate.takes == 0:
                continue
            if rate.gives == 0 or rate.takes == 0:
                raise SchedulingError(_describe_conflict(rate, "no number of executions"))
            other, wanted = rate.consumer, found[name] * rate.gives / rate.takes
            if name == rate.consumer:
                other, wanted = rate.producer, found[name] * rate.takes / rate.gives
            if other not in found:
                found[other] = wanted
                pending.append(other)
            elif found[other] != wanted:
                ratio = found[rate.producer] / found[rate.consumer]
                raise SchedulingError(
                    _describe_conflict(
                        rate,
                        f"{ratio.numerator} executions of {rate.producer} for "
                        f"{ratio.denominator} of {rate.consumer}",
                    )
                )
    scale = lcm(*(number.denominator for number in found.values()))
    whole = {name: int(number * scale) for name, number in found.items()}
    common = gcd(*whole.values())
    return {name: number // common for name, number in whole.items()}


def _describe_conflict(rate: Rate, found: str) -> str:
    return explain(
        f"{rate.consumer}, input#{rate.input}",
        f"the graph is inconsistent: {rate}, which does not fit the rest of the graph",
        expected=f"{rate.gives} × executions of {rate.producer} = "
        f"{rate.takes} × executions of {rate.consumer}",
        found=found,
        cure="No round of executions leaves all connections as they were, so data pile up or run "
        "out: check the amounts of the consumer-producer models on the way.",
    )
