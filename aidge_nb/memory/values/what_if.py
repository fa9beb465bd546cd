"""Changes to a model that are not made, but planned for, to see what they would bring.

*Fusing* a node into the element-wise operator that reads it: both are computed in one go, the value
between them is never stored, and what the first one reads lives until then. *In place*: an operator
is allowed to write over input 0 although its declaration does not permit it, as if it had a kernel
that can. Memory is then planned anew; nothing is estimated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aidge_nb.graph import GraphView, Node


@dataclass(frozen=True, slots=True)
class WhatIf:
    """Changes to plan for.

    Attributes
    ----------
    fused
        Pairs of a node and the one that reads it, to be computed together.
    in_place
        Nodes that may write output 0 over input 0.
    """

    fused: tuple[tuple[Node, Node], ...] = ()
    in_place: tuple[Node, ...] = ()

    @property
    def gone(self) -> set[Node]:
        """The nodes whose results are never stored."""
        return {first for first, _ in self.fused}

    def done_with(self, node: Node) -> Node:
        """Give the node together with which a node is computed: itself where it is not fused."""
        into = dict(self.fused)
        while node in into:
            node = into[node]
        return node

    def parts_of(self, node: Node) -> list[Node]:
        """List the nodes that are computed together with a node, itself not included."""
        found = [first for first, second in self.fused if second is node]
        return [*found, *(part for first in found for part in self.parts_of(first))]


def fusions(view: GraphView, order: Sequence[Node]) -> Iterator[tuple[Node, Node]]:
    """Find the nodes that an element-wise operator could take in: those that it alone reads."""
    kept = {port.node for port in view.get_ordered_outputs()}
    times = Counter(order)
    for node in order:
        spec = node.get_operator().spec
        if times[node] > 1 or not spec.overwrites or spec.is_view:
            continue
        for _, port in node.edges_in():
            parent = port.node
            if (
                times[parent] == 1
                and parent.type() != "Producer"
                and not parent.get_operator().spec.is_view
                and port.index == 0
                and len(parent.output(0)) == 1
                and sum(map(len, parent.outputs())) == 1
                and parent not in kept
            ):
                yield parent, node


def in_place_candidates(order: Sequence[Node]) -> Iterator[Node]:
    """Find operators with an output as large as input 0 that may not be written over it."""
    for node in dict.fromkeys(order):
        operator = node.get_operator()
        if node.type() == "Producer" or operator.spec.in_place or operator.spec.is_view:
            continue
        source = operator.get_input(0) if operator.nb_inputs else None
        if source is not None and 0 < source.nbytes == operator.get_output(0).nbytes:
            yield node
