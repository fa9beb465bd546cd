"""A move of an actor as additions to the counters of its edges and outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aidge_nb.errors import SchedulingError
from aidge_nb.scheduling.compiled import Move
from aidge_nb.scheduling.elts import Elts_t, EltType

if TYPE_CHECKING:
    from aidge_nb.scheduling.dataflow import Dataflow

__all__ = ["counter_of", "load_move"]

NONE, DATA, TOKEN = EltType.Undef, EltType.Data, EltType.Token

_Loaded = tuple[list[tuple[int, int]], list[tuple[int, int]]]
"""Additions: edge and amount, counter of an output and amount."""


def counter_of(output: int, kind: EltType) -> int:
    """Number the counter of an output: one counts what was given in elements, one in tokens."""
    return 2 * output if kind is DATA else 2 * output + 1


def load_move(flow: Dataflow, number: int, move: Move) -> _Loaded:
    """Translate a move, and settle what is counted at ports that it is the first to use."""
    takes: list[tuple[int, int]] = []
    for edge in flow.edges[number]:
        amount = move.takes[flow.target[edge][1]]
        if amount.type is NONE:
            continue
        _settle_edge(flow, number, edge, amount)
        takes.append((edge, amount.data if flow.taken_kind[edge] is DATA else amount.token))
    takes += [(edge, 1) for edge in flow.conditions.get(number, ())]
    gives: list[tuple[int, int]] = []
    for index, amount in enumerate(move.gives):
        if amount.type is NONE:
            continue
        output = flow.first_output[number] + index
        _settle_output(flow, number, output, amount)
        gives.append((counter_of(output, TOKEN), amount.token))
        if amount.data:
            gives.append((counter_of(output, DATA), amount.data))
    if number in flow.fires_output:
        gives.append((counter_of(flow.fires_output[number], TOKEN), 1))
    return takes, gives


def _settle_edge(flow: Dataflow, number: int, edge: int, amount: Elts_t) -> None:
    kind = flow.taken_kind[edge]
    if kind is NONE:
        flow.taken_kind[edge] = amount.type
        counter = counter_of(flow.source[edge], amount.type)
        flow.left_at[edge] = counter
        if flow.need[edge] < 0 or flow.need_at[edge] != counter:
            flow.forget_needs(number)
        flow.changes += 1
    elif kind is not amount.type:
        _refuse_sum(flow, number, kind, amount)


def _settle_output(flow: Dataflow, number: int, output: int, amount: Elts_t) -> None:
    kind = flow.given_kind[output]
    if kind is NONE:
        flow.given_kind[output] = amount.type
        flow.given[counter_of(output, amount.type)] = 0
        flow.given[counter_of(output, TOKEN)] = 0
        flow.changes += 1
    elif kind is not amount.type:
        _refuse_sum(flow, number, kind, amount)


def _refuse_sum(flow: Dataflow, number: int, kind: EltType, amount: Elts_t) -> None:
    try:
        Elts_t(kind, 0, 0) + amount
    except SchedulingError as error:
        raise SchedulingError(f"{flow.order[number].label}: {error}") from error
