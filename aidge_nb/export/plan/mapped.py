"""Programs of mapped networks: tiles are computed in the memories that the mapping gave them.

What a mapping cuts into tiles is rewritten so. What a tile reads and writes lies in the memory
where the element that computes it keeps its result; whole tensors lie where the mapping put them;
parameters stay where they are. Each memory becomes an arena. One processor does all of it.
"""

from __future__ import annotations

from collections.abc import Mapping as Values
from typing import TYPE_CHECKING

from aidge_nb.core.errors import ExportError, explain
from aidge_nb.export.plan.order import Layout, alignment_of
from aidge_nb.export.plan.prepare import without_producers
from aidge_nb.memory import MemoryPlan, MemoryUse, live_values, plan

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView
    from aidge_nb.hardware.mapping import Mapping
    from aidge_nb.memory import Buffer


def apply_mapping(view: GraphView, mapping: Mapping) -> dict[str, str]:
    """Cut a graph into the tiles of a mapping, in place; return the memory of each node by name.

    Raise GraphError when the mapping belongs to another graph.
    """
    from aidge_nb.hardware.map.adapted import cut_and_place

    _, memory_of = cut_and_place(view, mapping)
    return {node.name(): memory for node, memory in memory_of.items() if node.name()}


def mapped_layout(view: GraphView, mapping: Mapping, places: Values[str, str]) -> Layout:
    """Lay out the memory of a graph that was cut by a mapping, in the memories of the mapping.

    ``places`` is what :func:`apply_mapping` returned.
    Raise ExportError when a memory does not suffice, or a node runs more than once.
    """
    order = without_producers(view.topological_order())
    alignment = alignment_of(order)
    live = live_values(view, order, alignment=alignment)
    names = {name: node for node, name in view.unique_names().items()}
    groups: dict[str, list[int]] = {}
    for number, storage in enumerate(live.storages):
        if storage.live_range.size:
            node = names[storage.values[-1].node]
            groups.setdefault(_memory_of(node.name(), places), []).append(number)
    buffers: list[Buffer] = []
    uses: list[MemoryUse] = []
    base = 0
    for rank, (path, capacity) in enumerate(mapping.capacities):
        chosen = [live.storages[number] for number in groups.get(path, ())]
        placed = plan([storage.live_range for storage in chosen], alignment=alignment)
        if placed.peak > capacity:
            raise ExportError(_too_small(path, placed.peak, capacity))
        for storage, offset in zip(chosen, placed.offsets, strict=True):
            buffers += [value.at(base + offset) for value in storage.values]
        uses.append(MemoryUse(path, capacity, rank, base, placed.peak, placed.lower_bound))
        base += -(-placed.peak // alignment) * alignment
    buffers.sort(key=lambda buffer: buffer.lower)
    peak = max((use.base + use.peak for use in uses if use.peak), default=0)
    bound = sum(use.lower_bound for use in uses)
    memory = MemoryPlan(live.order, tuple(buffers), peak, bound, alignment, tuple(uses))
    return Layout(order, memory)


def _memory_of(name: str, places: Values[str, str]) -> str:
    """Find the memory of what a node writes."""
    found = places.get(name)
    if found is None:
        raise ExportError.at(
            name,
            "has no place in the mapping",
            cure="Map the graph as it is exported: with dimensions, its blocks expanded.",
        )
    return found


def _too_small(path: str, needed: int, capacity: int) -> str:
    return explain(
        f"memory {path}",
        f"what the mapping puts there does not fit: {needed - capacity} bytes too many",
        expected=f"at most {capacity} bytes",
        found=f"{needed} bytes",
        cure="Map it again with smaller tiles.",
    )
