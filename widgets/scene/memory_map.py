"""Draw the memory map of a scene: buffers of a plan as rectangles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from aidge_nb.widgets.scene.parts import KINDS, MemoryMap, ints

if TYPE_CHECKING:
    from aidge_nb.memory.values.plan import Buffer, MemoryPlan
    from aidge_nb.widgets.scene.index import NodeIndex

_COLOURS = {"scratch": "activation"}
"""The kinds of buffers that are drawn in the colour of another."""

_MOST_BLOCKS = 20_000
"""Most blocks that are drawn apart, for all buffers together."""


def memory_of(plan: MemoryPlan, index: NodeIndex) -> MemoryMap:
    """Draw a rectangle for each buffer, or for each block of it.

    Parameters
    ----------
    plan
        The plan.
    index
        The nodes of the scene; those that it does not know are appended.
    """
    for name in plan.order:
        index.find(name)
    pieces = list(_pieces(plan))
    buffers = [buffer for buffer, _, _ in pieces]
    is_cut = len(pieces) > len(plan.buffers)
    return MemoryMap(
        names=tuple(buffer.name for buffer in buffers),
        node=ints(
            index.find_user(buffer.node) if buffer.kind == "producer" else index.find(buffer.node)
            for buffer in buffers
        ),
        kind=ints(KINDS.index(_COLOURS.get(buffer.kind, buffer.kind)) for buffer in buffers),
        lower=ints(buffer.lower for buffer in buffers),
        upper=ints(buffer.upper for buffer in buffers),
        offset=ints(start for _, start, _ in pieces),
        size=ints(stop - start for _, start, stop in pieces),
        whole=ints(buffer.size for buffer in buffers) if is_cut else None,
        tick_node=ints(index.find(name) for name in plan.order),
        peak=plan.peak,
        lower_bound=plan.lower_bound,
    )


def _pieces(plan: MemoryPlan) -> Iterator[tuple[Buffer, int, int]]:
    """List the byte intervals of each buffer; of very many blocks, the outline of a level.

    In a large tensor the lines of tiles are thinner than a pixel.
    """
    many = sum(bool(buffer.levels) for buffer in plan.buffers)
    for buffer in plan.buffers:
        outline = buffer.part.outline(max(1, _MOST_BLOCKS // many)) if buffer.levels else None
        for start, stop in buffer.intervals if outline is None else outline:
            yield buffer, start, stop
