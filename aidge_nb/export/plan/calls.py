"""Ask the C kernels what computes each node of a program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from aidge_nb.export.plan.prepare import STATEFUL, enough_memory, known_inputs
from aidge_nb.graph.node import Node, Port
from aidge_nb.kernels.c import CCall, c_calls

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView

Array = NDArray[Any]
Calls = Mapping[Node, tuple[CCall, ...]]


def known_of(view: GraphView) -> dict[Node, dict[int, Array]]:
    """Return the known values of inputs that nothing in the graph feeds, by node."""
    known: dict[Node, dict[int, Array]] = {}
    for port, array in known_inputs(view).items():
        known.setdefault(port.node, {})[port.index] = array
    return known


def find_calls(
    view: GraphView, order: Sequence[Node], target: str, known: Mapping[Node, dict[int, Array]]
) -> Calls:
    """Ask the kernels what computes each node."""
    results = set(view.get_ordered_outputs())
    found: dict[Node, tuple[CCall, ...]] = {}
    for node in dict.fromkeys(order):
        operator = node.get_operator()
        unread = [
            index
            for index in operator.spec.optional_outputs
            if not node.output(index) and Port(node, index) not in results
        ]
        empty = all(operator.get_output(i).size == 0 for i in range(operator.nb_outputs))
        if not empty and not _moves_only(node):
            with enough_memory(node, "store its constants"):
                found[node] = c_calls(node, target, known=known.get(node), unread=unread)
    return found


def _moves_only(node: Node) -> bool:
    spec = node.get_operator().spec
    return spec.is_view or spec.cp in STATEFUL or node.type() == "Select"
