"""Read the layout of a memory manager as a :class:`MemoryPlan`.

The manager knows spaces and planes; when a plane is read for the last time follows from the graph
and the order. A plane that overlaps a plane dying at the same tick is *in place* of it, even if
only in part, after it or around the end of their space.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from aidge_nb.graph.node import Port
from aidge_nb.memory.aidge.generate import is_memorize
from aidge_nb.memory.live.facts import Schedule, is_connected
from aidge_nb.memory.live.liveness import live_values
from aidge_nb.memory.values.live_range import round_up
from aidge_nb.memory.values.plan import Buffer, MemoryPlan, MemoryUse
from aidge_nb.memory.values.storages import Value

if TYPE_CHECKING:
    from aidge_nb.graph import GraphView, Node
    from aidge_nb.memory.aidge.manager import MemoryManager
    from aidge_nb.memory.aidge.spaces import MemoryPlane, MemorySpace


class Output(NamedTuple):
    """An output of a node: whose, which, and the ticks at which it is read."""

    node: str
    number: int
    is_memorize: bool
    reads: list[int]


def plan_of_manager(
    manager: MemoryManager,
    view: GraphView,
    order: Schedule,
    *,
    inc_producers: bool = False,
    alignment: int = 1,
) -> MemoryPlan:
    """Read the layout that :func:`~aidge_nb.memory.generate_memory` made.

    Parameters
    ----------
    manager
        The manager that it returned.
    view, order, inc_producers
        Its arguments.
    alignment
        Its alignment, in bytes.

    Returns
    -------
    MemoryPlan
        With one buffer per plane. Its lower bound counts the bytes in use at each tick under the
        sharing that was chosen, so a peak above it is due to holes.
    """
    live = live_values(view, order, inc_producers=inc_producers, in_place=False)
    values = {
        (value.node, value.output, value.execution): value
        for storage in live.storages
        for value in storage.values
    }
    names = view.unique_names()
    ticks: dict[str, list[int]] = {}
    for tick, name in enumerate(live.order):
        ticks.setdefault(name, []).append(tick)
    outputs = set(view.get_ordered_outputs())
    found: list[tuple[Buffer, MemorySpace]] = []
    peaks = manager.get_peak_usages()
    bases = list(accumulate((round_up(peak, alignment) for peak in peaks[:-1]), initial=0))
    for node, planes in manager.get_planes().items():
        indices = _outputs_with_planes(node, outputs)
        for index in indices:
            mine = planes[indices.index(index) :: len(indices)]
            reads = [
                t for port in node.output(index) for t in ticks.get(names.get(port.node, ""), ())
            ]
            output = Output(names[node], index, is_memorize(node), reads)
            found += _buffers_of(output, mine, values, bases)
    found.sort(key=lambda each: (each[0].lower, each[0].name))
    kept = {value.name for value in values.values() if value.is_kept}
    buffers = tuple(_with_sharing(found, kept))
    plan = MemoryPlan(live.order, buffers, bases[-1] + peaks[-1], 0, 1)
    bound = max(plan.live_bytes(), default=0)
    uses = _uses(manager, plan, bases) if len(peaks) > 1 else ()
    return replace(plan, lower_bound=bound, alignment=alignment, memories=uses)


def _uses(manager: MemoryManager, plan: MemoryPlan, bases: Sequence[int]) -> tuple[MemoryUse, ...]:
    """Describe several memories, which follow each other in the plan."""
    found = []
    sizes = zip(manager.get_capacities(), manager.get_peak_usages(), bases, strict=True)
    for number, (capacity, peak, base) in enumerate(sizes):
        use = MemoryUse(f"memory {number}", capacity or peak, number, base, peak, 0)
        mine = tuple(buffer for buffer in plan.buffers if use.holds(buffer))
        bound = max(replace(plan, buffers=mine).live_bytes(), default=0)
        found.append(replace(use, lower_bound=bound))
    return tuple(found)


def _outputs_with_planes(node: Node, outputs: set[Port]) -> list[int]:
    if is_memorize(node):
        return [0]
    return [
        index for index in range(node.get_nb_outputs()) if is_connected(Port(node, index), outputs)
    ]


def _buffers_of(
    output: Output,
    planes: Sequence[MemoryPlane],
    values: dict[tuple[str, int, int], Value],
    bases: Sequence[int],
) -> list[tuple[Buffer, MemorySpace]]:
    """Make the buffers of one output: one per execution."""
    one_each = len(planes) == 1 or (output.node, output.number, 1) in values
    made = []
    for execution, plane in enumerate(planes):
        value = values[output.node, output.number, execution if one_each else 0]
        if one_each or execution == len(planes) - 1:
            upper = _end(output, value, values)
        else:
            upper = _end_before(output, value, plane.allocated, planes[execution + 1].allocated)
        base = bases[plane.mem_component_id]
        buffer = Buffer(
            name=value.name if one_each else f"{value.name}[{execution}]",
            node=output.node,
            output=output.number,
            size=plane.get_size(),
            lower=plane.allocated,
            upper=upper,
            offset=base + plane.get_contiguous_offset(),
            kind=value.kind,
            execution=execution,
            wrapped_offset=base + plane.get_wrapped_offset() if plane.get_wrapped_size() else 0,
            wrapped_size=plane.get_wrapped_size(),
        )
        made.append((buffer, plane.mem_space))
    return made


def _end(output: Output, value: Value, values: dict[tuple[str, int, int], Value]) -> int:
    """Find until when a value is needed; the outputs of Memorize are one value."""
    twin = values.get((output.node, 1, value.execution)) if output.is_memorize else None
    return value.upper if twin is None else max(value.upper, twin.upper)


def _end_before(output: Output, value: Value, allocated: int, following: int) -> int:
    """Find until when a plane is needed that another one of the same value follows."""
    if value.kind != "producer":
        return following  # executions add up in the same bytes
    reads = [tick for tick in output.reads if tick < following]
    return max([allocated, *reads]) + 1  # parameters are loaded anew each time


def _with_sharing(found: list[tuple[Buffer, MemorySpace]], kept: set[str]) -> list[Buffer]:
    """Note which buffer each one overwrites: one in its space that dies as it is written."""
    buffers: list[Buffer] = []
    for buffer, space in found:
        dying = tuple(
            other.name
            for other, its_space in found
            if its_space is space
            and other.upper == buffer.lower + 1
            and other.lower < buffer.lower
            and other.name not in kept
            and _overlap(buffer, other)
        )
        buffers.append(replace(buffer, in_place_of=dying) if dying else buffer)
    return buffers


def _overlap(first: Buffer, second: Buffer) -> bool:
    return any(max(a, c) < min(b, d) for a, b in first.intervals for c, d in second.intervals)
