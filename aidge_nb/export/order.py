"""The order of a program and its memory plan: that of the schedule, or a depth-first one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aidge_nb.memory import MemoryPlan, plan_memory
from aidge_nb.runtime.sequential import SequentialScheduler

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node
    from aidge_nb.graph.view import GraphView

__all__ = ["Layout", "choose_layout"]

WORD = 4
"""Buffers begin at multiples of it, or of their largest element, in bytes."""


@dataclass(frozen=True, eq=False)
class Layout:
    """The node of each execution, without Producers, and where the values lie."""

    order: tuple[Node, ...]
    memory: MemoryPlan


def choose_layout(view: GraphView) -> Layout:
    """Schedule a graph and plan its memory; of two orders the one that needs less is taken."""
    scheduler = SequentialScheduler(view)
    scheduler.generate_scheduling()
    found = [_without_producers(scheduler.get_sequential_static_scheduling())]
    depth_first = _without_producers(view.topological_order())
    if len(found[0]) == len(depth_first) and found[0] != depth_first:
        found.append(depth_first)
    layouts = [Layout(order, _plan(view, order)) for order in found]
    return min(layouts, key=lambda layout: layout.memory.peak)


def _without_producers(order: Sequence[Node]) -> tuple[Node, ...]:
    return tuple(node for node in order if node.type() != "Producer")


def _plan(view: GraphView, order: Sequence[Node]) -> MemoryPlan:
    largest = max(
        node.get_operator().get_output(index).dtype.itemsize
        for node in order
        for index in range(node.get_nb_outputs())
    )
    return plan_memory(view, order, alignment=max(WORD, largest))
