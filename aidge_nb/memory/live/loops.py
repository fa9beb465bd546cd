"""Place all executions of an output at one offset, as programs with loops need.

In a loop of generated code a pointer does not depend on the turn, so what a node writes must lie
where it lay in the turn before. Storages that hold executions of one output are put together,
each where the others are. Sometimes what shares memory in one turn is still needed in the next:
then the nodes in question get memory of their own.

An executor of whole tensors has one tensor for each output. A value therefore ends at the latest
when the next execution writes the same output, even if a reader lags behind.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from aidge_nb.memory.live.liveness import Lives
from aidge_nb.memory.values.storages import Liveness, Storage, Value

if TYPE_CHECKING:
    from aidge_nb.graph import Node

_Key = tuple[str, int]


def find_in_one_place(lives: Lives, without_copy: Collection[Node] = ()) -> Liveness:
    """Find live ranges such that all executions of an output lie in one storage, at one place."""
    apart: set[Node] = set()
    while True:
        live = lives.find(without_copy, apart=apart)
        executions = _end_when_overwritten(live)
        storages: list[Storage] = []
        clashing: list[Value] = []
        for group in _groups(live, executions):
            clashing += _clashes(group)
            storages.append(_together(group))
        if not clashing:
            return Liveness(live.order, tuple(storages))
        nodes = {lives.nodes[value.node] for value in clashing} - apart
        # What begins the next turn over the last one is tried apart first: the rest may then stay.
        begins = {node for node in nodes if node.get_operator().spec.back_edges}
        apart |= begins or nodes


def _end_when_overwritten(live: Liveness) -> dict[_Key, list[tuple[Value, int]]]:
    """List the executions of each output, with the numbers of their storages."""
    executions: dict[_Key, list[tuple[Value, int]]] = {}
    for number, storage in enumerate(live.storages):
        for value in storage.values:
            if value.kind == "activation":
                executions.setdefault((value.node, value.output), []).append((value, number))
    for found in executions.values():
        found.sort(key=lambda each: each[0].lower)
        for (early, _), (late, _) in pairwise(found):
            early.upper = min(early.upper, late.lower)
    return executions


_Group = list[tuple[Storage, int]]
"""Storages, and how many bytes each is moved up so that executions of an output coincide."""


def _groups(live: Liveness, executions: dict[_Key, list[tuple[Value, int]]]) -> Iterator[_Group]:
    neighbours: list[list[tuple[int, int]]] = [[] for _ in live.storages]
    for found in executions.values():
        for (early, one), (late, other) in pairwise(found):
            neighbours[one].append((other, early.start - late.start))
            neighbours[other].append((one, late.start - early.start))
    seen: set[int] = set()
    for number in range(len(live.storages)):
        if number in seen:
            continue
        group, waiting = [], [(number, 0)]
        seen.add(number)
        while waiting:
            one, moved = waiting.pop()
            group.append((one, moved))
            for other, by in neighbours[one]:
                if other not in seen:
                    seen.add(other)
                    waiting.append((other, moved + by))
        lowest = min(moved for _, moved in group)
        yield [(live.storages[one], moved - lowest) for one, moved in sorted(group)]


def _clashes(group: _Group) -> list[Value]:
    """List the values that share memory in storages which cannot lie on each other as they are."""
    if len(group) == 1:
        return []
    everything = sorted(
        ((value, storage, moved) for storage, moved in group for value in storage.values),
        key=lambda each: each[0].lower,
    )
    starts: dict[_Key, int] = {}
    bad: list[Storage] = []
    live: list[tuple[Value, Storage, int]] = []
    for value, storage, moved in everything:
        live = [each for each in live if each[0].upper > value.lower]
        if starts.setdefault((value.node, value.output), value.start + moved) != (
            value.start + moved
        ):
            bad.append(storage)
        for other, its_storage, by in live:
            if its_storage is not storage and _overlap(value, moved, other, by):
                bad += [storage, its_storage]
        live.append((value, storage, moved))
    return [
        value
        for storage in bad
        for value in storage.values
        if value.in_place_of or value.view_of is not None or value.made_of
    ]


def _overlap(first: Value, moved: int, second: Value, by: int) -> bool:
    start, other = first.start + moved, second.start + by
    return start < other + second.extent and other < start + first.extent


def _together(group: _Group) -> Storage:
    if len(group) == 1:
        return group[0][0]
    for storage, moved in group:
        for value in storage.values:
            value.start += moved
    values = (value for storage, _ in group for value in storage.values)
    return Storage(sorted(values, key=lambda value: value.lower))
