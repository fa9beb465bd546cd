"""Describe missing data: inputs that lack data, deadlocks, cycles, amounts that do not mix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from aidge_nb.core.errors import SchedulingError, explain, listed
from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.scheduling.model.elts import Elts_t, EltType
from aidge_nb.scheduling.model.impl import prod_conso_of

if TYPE_CHECKING:
    from aidge_nb.scheduling.solve.dataflow import Dataflow


def describe_cycle(view: GraphView) -> str:
    """Describe a cycle without initial data: its nodes in order, and what each of them lacks."""
    stuck = _unordered(view)
    walk: dict[Node, tuple[int, Node]] = {}
    node = next(iter(stuck))
    while node not in walk:
        walk[node] = next(pair for pair in _feeders(node, view) if pair[1] in stuck)
        node = walk[node][1]
    names = list(walk)
    cycle = names[names.index(node) :][::-1]
    first = cycle.index(next(each for each in stuck if each in cycle))
    cycle = cycle[first:] + cycle[:first]
    lacks = [
        f"{each.label}, input#{walk[each][0]} needs "
        f"{prod_conso_of(each.get_operator()).get_nb_required_data(walk[each][0])} "
        f"of {walk[each][1].label}"
        for each in cycle
    ]
    return explain(
        "graph",
        "has a cycle without initial data",
        expected=listed(lacks, "; "),
        found=listed([each.label for each in [*cycle, cycle[0]]], " -> "),
        cure="Close the cycle through a Memorize node, whose second input gives the first value.",
    )


def _feeders(node: Node, view: GraphView) -> Iterator[tuple[int, Node]]:
    for index, parent in node.edges_in():
        if parent.node in view and not node.parent_is_back_edge(index):
            yield index, parent.node


def _unordered(view: GraphView) -> dict[Node, None]:
    """Return the nodes on or after a cycle: those that no topological order reaches (Kahn 1962)."""
    waits = {node: sum(1 for _ in _feeders(node, view)) for node in view.get_nodes()}
    ready = [node for node, count in waits.items() if not count]
    while ready:
        node = ready.pop()
        for ports in node.outputs():
            for child, index in ports:
                if child in view and not child.parent_is_back_edge(index):
                    waits[child] -= 1
                    if not waits[child]:
                        ready.append(child)
    return {node: None for node, count in waits.items() if count}


def check_deadlock(flow: Dataflow, remaining: Sequence[int]) -> None:
    """Refuse a schedule in which nothing but Producers fired.

    It is not a deadlock when a node that waits has run in an earlier schedule, such as one whose
    tensor is there once, or waits for a node outside of the graph.
    """
    stuck = _find_stuck(flow, remaining)
    if not stuck or any(_has_run(flow, n) or _waits_outside(flow, n) for n in stuck):
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


def _has_run(flow: Dataflow, number: int) -> bool:
    return any(flow.taken_kind[edge] is not EltType.Undef for edge in flow.edges[number])


def _waits_outside(flow: Dataflow, number: int) -> bool:
    return any(
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
    try:
        needed > given  # noqa: B015  # raises
    except SchedulingError as error:
        raise SchedulingError(f"{flow.where(edge)}: {error}") from error


def refuse_sum(where: str, kind: EltType, amount: Elts_t) -> None:
    """Raise the error of adding elements and tokens, with the name of the place."""
    try:
        Elts_t(kind, 0, 0) + amount
    except SchedulingError as error:
        raise SchedulingError(f"{where}: {error}") from error
