"""Describe missing data: inputs that lack data, deadlocks, cycles, amounts that do not mix."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from aidge_nb.core.errors import SchedulingError, explain, listed, saying_where
from aidge_nb.graph.node import Node
from aidge_nb.graph.topology import describe_cycle
from aidge_nb.scheduling.model.elts import Elts_t, EltType
from aidge_nb.scheduling.model.impl import prod_conso_of

if TYPE_CHECKING:
    from aidge_nb.scheduling.solve.dataflow import Dataflow


def cycle_lacks(cycle: Sequence[Node], order: Iterable[Node]) -> str:
    """Describe a cycle without initial data: its nodes in order, and what each of them lacks."""
    first = cycle.index(next(node for node in order if node in cycle))
    cycle = [*cycle[first:], *cycle[:first]]
    lacks = []
    for node, giver in zip(cycle, [cycle[-1], *cycle], strict=False):
        edges = (i for i, port in node.edges_in() if port.node is giver)
        index = next(i for i in edges if not node.parent_is_back_edge(i))
        needed = prod_conso_of(node.get_operator()).get_nb_required_data(index)
        lacks.append(f"{node.label}, input#{index} needs {needed} of {giver.label}")
    return describe_cycle(cycle, listed(lacks, "; "))


def check_deadlock(flow: Dataflow, remaining: Sequence[int]) -> None:
    """Refuse a schedule in which nothing but Producers fired.

    It is not a deadlock when a node that waits has run in an earlier schedule, such as one whose
    tensor is there once, or waits for a node outside of the graph.
    """
    stuck = _find_stuck(flow, remaining)
    if not stuck or any(_has_run_or_waits_outside(flow, n) for n in stuck):
        return
    raise SchedulingError.at(
        "schedule",
        "nothing can run: a deadlock",
        found=listed([describe_lack(flow, number) for number in stuck], "; "),
        cure="Check that each node can get what its consumer-producer model needs: from "
        "Producers, from tensors that are large enough, or from initial data of a loop.",
    )


def _find_stuck(flow: Dataflow, remaining: Sequence[int]) -> list[int]:
    """Return the nodes that wait for data, and all nodes that they wait for."""
    found: dict[int, None] = {}
    pending = [number for number in remaining if flow.lacking(number)]
    while pending:
        number = pending.pop()
        if number in found:
            continue
        lacking = flow.lacking(number)
        if lacking:
            found[number] = None
        givers = [flow.giver[flow.source[edge]] for edge in lacking]
        pending += [giver for giver in givers if giver is not None]
    return sorted(found)


def _has_run_or_waits_outside(flow: Dataflow, number: int) -> bool:
    has_run = any(flow.taken_kind[edge] is not EltType.Undef for edge in flow.edges[number])
    return has_run or any(
        flow.giver[flow.source[edge]] is None
        and flow.order[number].source(flow.target[edge][1]) is not None
        for edge in flow.lacking(number)
    )


def describe_lack(flow: Dataflow, number: int) -> str:
    """Say which inputs of an actor lack how much."""
    parts = []
    for edge in flow.lacking(number):
        port = flow.order[number].source(flow.target[edge][1])
        source = "a tensor" if port is None else port.node.label
        needed, given = _amounts(flow, edge)
        parts.append(explain(flow.where(edge), f"waits for {source}", expected=needed, found=given))
    return "; ".join(parts)


def _amounts(flow: Dataflow, edge: int) -> tuple[Elts_t, Elts_t]:
    """Return the amount that an edge must have been given for the next execution, and was given."""
    source, needed = flow.source[edge], flow.taken[edge] + flow.need[edge]
    counts_elements = flow.need_at[edge] % 2 == 0
    wanted = Elts_t.data_elts(needed) if counts_elements else Elts_t.token_elts(needed)
    data, tokens = flow.given[2 * source], flow.given[2 * source + 1]
    match flow.given_kind[source]:
        case EltType.Undef:
            return wanted, Elts_t.none_elts()
        case EltType.Data:
            return wanted, Elts_t.data_elts(data, tokens)
    return wanted, Elts_t.token_elts(tokens)


def refuse_tokens(flow: Dataflow, edge: int) -> None:
    """Raise the error of comparing elements with tokens, with the name of the edge."""
    needed, given = _amounts(flow, edge)
    with saying_where(flow.where(edge)):
        needed > given  # noqa: B015  # raises


def refuse_sum(where: str, kind: EltType, amount: Elts_t) -> None:
    """Raise the error of adding elements and tokens, with the name of the place."""
    with saying_where(where):
        Elts_t(kind, 0, 0) + amount
