"""Concatenation by placement: inputs of a Concat computed where the Concat wants them.

When nothing but ones stands before the axis, a concatenated tensor is its inputs one after the
other. If each input is computed at its place in the result, the Concat has nothing to do.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from math import prod
from typing import TYPE_CHECKING

from aidge_nb.graph.node import Port
from aidge_nb.memory.live.facts import output_bytes

if TYPE_CHECKING:
    from aidge_nb.graph import GraphView, Node


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of an output in the result of a Concat, in bytes."""

    concat: Node
    offset: int
    total: int


def concat_slots(view: GraphView, nodes: Iterable[Node], alignment: int = 1) -> dict[Port, Slot]:
    """Find the outputs that can be computed at their place in the result of a Concat.

    That is done when the Concat stacks whole blocks (every dimension before its axis is 1) and is
    the only reader of all its inputs, and all of them begin at a multiple of ``alignment`` bytes.
    Only ``nodes`` count; each has to be executed once.
    """
    executed = set(nodes)
    outputs = set(view.get_ordered_outputs())
    slots: dict[Port, Slot] = {}
    for concat in executed:
        if concat.type() != "Concat" or not _stacks_blocks(concat):
            continue
        parents = [
            port
            for port in concat.inputs()
            if port is not None
            and port.node in executed
            and port not in outputs
            and len(port.node.output(port.index)) == 1
        ]
        if len(parents) < concat.get_nb_inputs():
            continue
        starts = list(accumulate(map(output_bytes, parents), initial=0))
        if not any(start % alignment for start in starts[:-1]):
            for parent, start in zip(parents, starts, strict=False):
                slots[parent] = Slot(concat, start, starts[-1])
    return slots


def _stacks_blocks(concat: Node) -> bool:
    operator = concat.get_operator()
    dims = operator.get_output(0).dims
    axis = int(operator.attr["axis"])
    return prod(dims[: axis % len(dims)] if dims else ()) == 1
