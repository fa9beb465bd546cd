"""Changes worth trying: fusions, operators in place, another order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aidge_nb.graph import GraphView, Node
    from aidge_nb.memory import PlanOptions


def fusions(view: GraphView, order: Sequence[Node]) -> Iterator[tuple[Node, Node]]:
    """Find pairs of a node and the element-wise operator that alone reads it."""
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
    """Find operators that may not write over input 0, although their output is as large."""
    for node in dict.fromkeys(order):
        operator = node.get_operator()
        if node.type() == "Producer" or operator.spec.in_place or operator.spec.is_view:
            continue
        source = operator.get_input(0) if operator.nb_inputs else None
        if source is not None and 0 < source.nbytes == operator.get_output(0).nbytes:
            yield node


def apart(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Keep the pairs that have no node in common with an earlier pair."""
    seen: set[str] = set()
    kept = []
    for first, second in pairs:
        if first not in seen and second not in seen:
            kept.append((first, second))
            seen |= {first, second}
    return tuple(kept)


def better_order(graph: GraphView, order: Sequence[Node], options: PlanOptions) -> list[Node]:
    """Return an order that needs less memory, or ``order`` if none was found."""
    from aidge_nb.scheduling.order.order_result import order_for_memory  # slow to import

    found = order_for_memory(
        graph,
        order,
        inc_producers=options.inc_producers,
        inc_inputs=options.inc_inputs,
        in_place=options.in_place,
        alignment=options.alignment,
    )
    return found.nodes(graph)
