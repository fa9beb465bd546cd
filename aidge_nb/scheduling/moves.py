"""A move of an actor as additions to the counters of its edges and outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aidge_nb.errors import SchedulingError
from aidge_nb.scheduling.compiled import Move
from aidge_nb.scheduling.elts import Elts_t, EltType

if TYPE_CHECKING:
    from aidge_nb.scheduling.dataflow import Dataflow

__all__ = ["load_move"]

NONE, DATA = EltType.Undef, EltType.Data


_Loaded = tuple[list[tuple[int, int]], list[tuple[int, int, int]]]
"""Additions: edge and amount; output, elements and tokens."""


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
    gives: list[tuple[int, int, int]] = []
    for index, amount in enumerate(move.gives):
        if amount.type is NONE:
            continue
        output = flow.first_output[number] + index
        _settle_output(flow, number, output, amount)
        gives.append((output, amount.data, amount.token))
    if number in flow.fires_output:
        gives.append((flow.fires_output[number], 0, 1))
    return takes, gives


def _settle_edge(flow: Dataflow, number: int, edge: int, amount: Elts_t) -> None:
    kind = flow.taken_kind[edge]
    if kind is NONE:
        flow.taken_kind[edge] = amount.type
        unit = flow.given_data if amount.type is DATA else flow.given_tokens
        flow.left_from[edge] = flow.need_from[edge] = unit
        flow.forget_needs(number)
        flow.changes += 1
    elif kind is not amount.type:
        _refuse_sum(flow, number, kind, amount)


def _settle_output(flow: Dataflow, number: int, output: int, amount: Elts_t) -> None:
    kind = flow.given_kind[output]
    if kind is NONE:
        flow.given_kind[output] = amount.type
        flow.given_tokens[output] = 0
        if amount.type is DATA:
            flow.given_data[output] = 0
        flow.changes += 1
    elif kind is not amount.type:
        _refuse_sum(flow, number, kind, amount)


def _refuse_sum(flow: Dataflow, number: int, kind: EltType, amount: Elts_t) -> None:
    try:
        Elts_t(kind, 0, 0) + amount
    except SchedulingError as error:
        raise SchedulingError(f"{flow.order[number].label}: {error}") from error
