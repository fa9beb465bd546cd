"""Who reads a value, and until when it is needed, in an order in which nodes may run repeatedly."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from aidge_nb.graph.spec import CpModel
from aidge_nb.memory.values.what_if import WhatIf

if TYPE_CHECKING:
    from aidge_nb.graph import GraphView, Node
    from aidge_nb.graph.node import Port


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

    def __init__(self, view: GraphView, executed: Sequence[Node], what_if: WhatIf) -> None:
        self.end = len(executed)
        self.outputs = set(view.get_ordered_outputs())
        self.ticks: dict[Node, list[int]] = {}
        for tick, node in enumerate(executed):
            self.ticks.setdefault(node, []).append(tick)
        self._what_if = what_if
        self._uppers: dict[tuple[Port, int], int] = {}

    def reads(self, port: Port) -> Iterator[list[int]]:
        """Go over the readers of an output: when does each run."""
        for child, _ in port.node.output(port.index):
            if child in self.ticks:
                yield self.ticks_of(child)

    def ticks_of(self, reader: Node) -> list[int]:
        """Tell when a node reads: where it is fused, when the other one does."""
        return self.ticks.get(self._what_if.done_with(reader), [])

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
