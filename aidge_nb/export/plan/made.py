"""A planned program beside the graph and the arrays that it was made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from aidge_nb.export.plan.value import ExportPlan
from aidge_nb.graph.node import Node, Port

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Made:
    """An export plan, and what it was made of."""

    plan: ExportPlan  # the plan
    arrays: Mapping[str, Array]  # the parameters by symbol
    # view, order: the graph, and the node of each execution
    view: GraphView
    order: tuple[Node, ...]
    inputs: tuple[tuple[Port, ...], ...]  # for each input of the program the ports that read it

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the graph as a whole, and its nodes by their place in it."""
        place = {node: number for number, node in enumerate(self.view)}
        order = [place[node] for node in self.order]
        inputs = [[(place[port.node], port.index) for port in ports] for ports in self.inputs]
        return _made_again, (self.plan, dict(self.arrays), self.view, order, inputs)


def _made_again(
    plan: ExportPlan,
    arrays: Mapping[str, Array],
    view: GraphView,
    order: Sequence[int],
    inputs: Sequence[Sequence[tuple[int, int]]],
) -> Made:
    nodes = list(view)
    ports = tuple(tuple(Port(nodes[at], index) for at, index in each) for each in inputs)
    return Made(plan, arrays, view, tuple(nodes[at] for at in order), ports)
