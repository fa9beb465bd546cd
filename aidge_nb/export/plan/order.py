"""The order of a program and its memory plan: what needs the least, and where it lies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aidge_nb.core.errors import ExportError, listed
from aidge_nb.export.plan.prepare import without_producers
from aidge_nb.memory import Memory, MemoryPlan, plan_memory
from aidge_nb.memory.live.sharing import has_parts
from aidge_nb.runtime.schedulers.sequential import SequentialScheduler

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node
    from aidge_nb.graph.view import GraphView
    from aidge_nb.memory.live.facts import Ordered

WORD = 4
"""Buffers begin at multiples of it, or of their largest element, in bytes."""


@dataclass(frozen=True, eq=False)
class Layout:
    """The node of each execution, without Producers, and where the values lie."""

    # order, memory: the nodes, and the memory plan
    order: tuple[Node, ...]
    memory: MemoryPlan
    # whether the plan was given: then its arena does not grow for the working memory of kernels,
    # which lies in its holes or in an arena of its own
    fixed: bool = False


def choose_layout(view: GraphView, order: Ordered | Sequence[str] | None = None) -> Layout:
    """Schedule a graph and plan its memory.

    Raise ExportError when the order names what is not in the graph. The order is a schedule, or
    names of nodes, once per execution. By default it is that of the schedule or, where it needs
    less memory, a depth-first one, in which the tiles of a tiling follow each other.
    """
    if order is not None:
        given = _by_name(view, order if isinstance(order, Sequence) else order.order)
        return Layout(given, _plan(view, given))
    scheduler = SequentialScheduler(view)
    scheduler.generate_scheduling()
    found = [without_producers(scheduler.get_sequential_static_scheduling())]
    depth_first = without_producers(view.topological_order())
    if len(found[0]) == len(depth_first) and found[0] != depth_first:
        found.append(depth_first)
    return _least(view, found)


def _least(view: GraphView, orders: Sequence[tuple[Node, ...]]) -> Layout:
    """Plan the order that looks best; others only where they might need less."""
    if len(orders) == 1:
        return Layout(orders[0], _plan(view, orders[0]))
    quick = [(plan_memory(view, each, effort=0, looped=True), each) for each in orders]
    quick.sort(key=lambda pair: pair[0].peak)
    best = Layout(quick[0][1], _plan(view, quick[0][1]))
    for plan, order in quick[1:]:
        if plan.lower_bound < best.memory.peak:
            best = min(best, Layout(order, _plan(view, order)), key=_peak)
    return best


def _peak(layout: Layout) -> int:
    return layout.memory.peak


def layout_in_blocks(view: GraphView, layout: Layout) -> Layout | None:
    """Plan the same order, where it helps, so that parts lie in several blocks without a copy.

    Return None where that takes no less memory.
    """
    if not has_parts(layout.order):
        return None
    blocks = _plan(view, layout.order, contiguous=False)
    return Layout(layout.order, blocks) if blocks.peak < layout.memory.peak else None


def spread_out(view: GraphView, layout: Layout, memories: Sequence[Memory]) -> Layout:
    """Plan the same order for several memories; raise MemoryPlanError when they do not suffice."""
    return Layout(layout.order, _plan(view, layout.order, memories))


def _by_name(view: GraphView, order: Sequence[str]) -> tuple[Node, ...]:
    nodes = {name: node for node, name in view.unique_names().items()}
    unknown = [name for name in order if name not in nodes]
    if unknown:
        raise ExportError.at(
            "order",
            f"names what is not in the graph: {listed(unknown, most=3)}",
            expected="names of nodes, after meta-operators were expanded",
        )
    return without_producers([nodes[name] for name in order])


def alignment_of(order: Sequence[Node]) -> int:
    """Return what offsets must be multiples of, in bytes."""
    sizes = [
        node.get_operator().get_output(index).dtype.itemsize
        for node in order
        for index in range(node.get_nb_outputs())
    ]
    return max([WORD, *sizes])


def _plan(
    view: GraphView,
    order: Sequence[Node],
    memories: Sequence[Memory] | None = None,
    *,
    contiguous: bool = True,
) -> MemoryPlan:
    """Plan memory for kernels that want tensors in one piece: what would not lie so is copied."""
    return plan_memory(
        view,
        order,
        alignment=alignment_of(order),
        looped=True,
        parts=True,
        contiguous=contiguous,
        memories=memories,
    )
