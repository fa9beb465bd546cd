"""Who reads a value, and until when it is needed; nodes may run several times."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.graph.spec import CpModel
from aidge_nb.memory.values.options import WhatIf

if TYPE_CHECKING:
    from aidge_nb.graph import GraphView, Node
    from aidge_nb.graph.node import Port


class Changes(NamedTuple):
    """The changes of a :class:`~aidge_nb.memory.WhatIf`, by node.

    Attributes
    ----------
    into
        For each fused node, the node that computes it.
    in_place
        Nodes that may write output 0 over input 0.
    """

    into: dict[Node, Node]
    in_place: frozenset[Node]

    @classmethod
    def of(cls, what_if: WhatIf, nodes: Mapping[str, Node]) -> Changes:
        """Find the nodes that ``what_if`` names.

        Raises
        ------
        MemoryPlanError
            When the graph has no node of some name.
        """
        for name in (*what_if.in_place, *(name for pair in what_if.fused for name in pair)):
            if name not in nodes:
                problem = f"the graph has no node {name!r}"
                raise MemoryPlanError.at("what_if", problem, expected="names of its nodes")
        return cls(
            {nodes[first]: nodes[second] for first, second in what_if.fused},
            frozenset(nodes[name] for name in what_if.in_place),
        )

    def computed_by(self, node: Node) -> Node:
        """Return the node that computes a node: itself unless it is fused."""
        while node in self.into:
            node = self.into[node]
        return node

    def fused_into(self, node: Node) -> list[Node]:
        """List the nodes that are fused into a node, directly or not."""
        found = [first for first, second in self.into.items() if second is node]
        return [*found, *(other for first in found for other in self.fused_into(first))]


class Lifetimes:
    """The ticks of an order, and what follows from them.

    Attributes
    ----------
    end
        The number of ticks.
    outputs
        The outputs of the graph, which live until then.
    ticks
        When each node runs.
    """

    def __init__(self, view: GraphView, executed: Sequence[Node], changes: Changes) -> None:
        self.end = len(executed)
        self.outputs = set(view.get_ordered_outputs())
        self.ticks: dict[Node, list[int]] = {}
        for tick, node in enumerate(executed):
            self.ticks.setdefault(node, []).append(tick)
        self._changes = changes
        self._uppers: dict[tuple[Port, int], int] = {}

    def reads(self, port: Port) -> Iterator[list[int]]:
        """Go over the readers of an output: when does each run."""
        for child, _ in port.node.output(port.index):
            if child in self.ticks:
                yield self.ticks_of(child)

    def ticks_of(self, reader: Node) -> list[int]:
        """Tell when a node reads: where it is fused, when the other one does."""
        return self.ticks.get(self._changes.computed_by(reader), [])

    def is_last(self, node: Node, execution: int) -> bool:
        """Whether an execution is the last one of its node."""
        return execution == len(self.ticks[node]) - 1

    def upper(self, port: Port, tick: int, execution: int, grows: bool) -> int:
        """Give the tick from which on a value is not needed any more; it is found once.

        Parameters
        ----------
        port
            The output.
        tick, execution
            When it is written, and by which execution of its node.
        grows
            Whether executions add up in one value.
        """
        key = (port, execution)
        if key not in self._uppers:
            self._uppers[key] = self._upper(port, tick, execution, grows)
        return self._uppers[key]

    def _upper(self, port: Port, tick: int, execution: int, grows: bool) -> int:
        writes = [tick] if grows else self.ticks[port.node]
        is_last = grows or self.is_last(port.node, execution)
        if is_last and port in self.outputs:
            return self.end
        if len(self.ticks[port.node]) == 1:  # all that is ever read of it
            return max([tick, *[reads[-1] for reads in self.reads(port) if reads]]) + 1
        after = self.end if is_last else writes[execution + 1]
        last = self.ticks[port.node][-1] if grows else tick
        waits = port.node.get_operator().spec.cp is not CpModel.MEMORIZE
        for reads in self.reads(port):
            first, beyond = bisect_right(reads, tick), bisect_right(reads, after)
            last = max([last, *reads[first:beyond]])
            if waits:
                # Nothing may be overwritten unread: a reader that lags behind gets its turn.
                share = len(reads) // len(writes)
                last = max([last, *reads[first : first + 1]])
                if share * len(writes) == len(reads):
                    last = max(last, reads[(execution + 1) * share - 1])
        return last + 1
