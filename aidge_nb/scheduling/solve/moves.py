"""A move of an actor as additions to the counters of its edges and outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aidge_nb.core.errors import SchedulingError
from aidge_nb.scheduling.model.compiled import Move
from aidge_nb.scheduling.model.elts import Elts_t, EltType

if TYPE_CHECKING:
    from aidge_nb.scheduling.solve.dataflow import Dataflow

NONE, DATA, TOKEN = EltType.Undef, EltType.Data, EltType.Token

_Loaded = tuple[list[tuple[int, int]], list[tuple[int, int]]]
"""Additions: edge and amount, counter of an output and amount."""


def counter_of(output: int, kind: EltType) -> int:
    """Number the counter of an output: one counts what was given in elements, one in tokens."""
    return 2 * output if kind is DATA else 2 * output + 1


def load_move(flow: Dataflow, number: int, move: Move) -> _Loaded:
    """Translate a move, and settle what is counted at ports that it is the first to use."""
    takes: list[tuple[int, int]] = []
    taken_kind, given_kind, target = flow.taken_kind, flow.given_kind, flow.target
    for edge in flow.edges[number]:
        amount = move.takes[target[edge][1]]
        kind = amount.type
        if kind is NONE:
            continue
        if taken_kind[edge] is not kind:
            _settle_edge(flow, number, edge, amount)
        takes.append((edge, amount.data if kind is DATA else amount.token))
    if flow.conditions:
        takes += [(edge, 1) for edge in flow.conditions.get(number, ())]
    gives: list[tuple[int, int]] = []
    for output, amount in enumerate(move.gives, flow.first_output[number]):
        kind = amount.type
        if kind is NONE:
            continue
        if given_kind[output] is not kind:
            _settle_output(flow, number, output, amount)
        gives.append((2 * output + 1, amount.token))
        if amount.data:
            gives.append((2 * output, amount.data))
    if number in flow.fires_output:
        gives.append((counter_of(flow.fires_output[number], TOKEN), 1))
    return takes, gives


def _settle_edge(flow: Dataflow, number: int, edge: int, amount: Elts_t) -> None:
    if flow.taken_kind[edge] is not NONE:
        _refuse_sum(flow, number, flow.taken_kind[edge], amount)
    flow.taken_kind[edge] = amount.type
    counter = counter_of(flow.source[edge], amount.type)
    flow.left_at[edge] = counter
    if flow.need[edge] < 0 or flow.need_at[edge] != counter:
        flow.forget_needs(number)
    flow.changes += 1


def _settle_output(flow: Dataflow, number: int, output: int, amount: Elts_t) -> None:
    if flow.given_kind[output] is not NONE:
        _refuse_sum(flow, number, flow.given_kind[output], amount)
    flow.given_kind[output] = amount.type
    flow.given[counter_of(output, amount.type)] = 0
    flow.given[counter_of(output, TOKEN)] = 0
    flow.changes += 1


def _refuse_sum(flow: Dataflow, number: int, kind: EltType, amount: Elts_t) -> None:
    try:
        Elts_t(kind, 0, 0) + amount
    except SchedulingError as error:
        raise SchedulingError(f"{flow.order[number].label}: {error}") from error
