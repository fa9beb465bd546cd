"""Plan memory for a graph and an order of executions.

Live ranges are found, it is decided what shares memory, and what remains is placed. Which Slice,
Split and Concat nodes work without a copy is decided for each of them, by what it does to the
lower bound; and the plan is never worse than the one in which all of them copy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.core.values import dataclass
from aidge_nb.memory.live.by_rows import find_streams
from aidge_nb.memory.live.chosen_parts import choose_parts, largest_joins
from aidge_nb.memory.live.facts import Schedule, check_outputs, nodes_in_order
from aidge_nb.memory.live.liveness import Lives
from aidge_nb.memory.live.loops import find_in_one_place
from aidge_nb.memory.live.sharing import has_parts
from aidge_nb.memory.place.footprints import place_footprints
from aidge_nb.memory.place.memories import spread
from aidge_nb.memory.place.planners import LARGEST, plan
from aidge_nb.memory.place.rings import find_rings
from aidge_nb.memory.values.live_range import (
    Footprint,
    LiveRange,
    Stream,
    bound_of,
    lower_bound,
    round_up,
)
from aidge_nb.memory.values.options import Memory, PlanOptions
from aidge_nb.memory.values.plan import Buffer, MemoryPlan, MemoryUse
from aidge_nb.memory.values.storages import Liveness, footprints_of

if TYPE_CHECKING:
    from aidge_nb.graph import GraphView, Node, Port
    from aidge_nb.memory.values.ring import Ring

_TRIES = 32
"""How many Concats may be made to copy to make room, at an effort of one."""

_VISITS = 64_000
"""How many executions are looked at for that, at an effort of one."""


def plan_memory(
    graph: GraphView,
    schedule: Schedule | None = None,
    options: PlanOptions | None = None,
    **changes: Any,
) -> MemoryPlan:
    """Plan the memory of a graph for an order of executions.

    Parameters
    ----------
    graph
        The graph, with known dimensions.
    schedule
        The order of executions: a :class:`~aidge_nb.StaticSchedule`, what
        :func:`~aidge_nb.order_for_memory` returned, or nodes or their names, once per execution.
        By default the static schedule of the graph.
    options
        What takes memory, what may share it, and how long to search.
    **changes
        Single options by keyword; they override ``options``.

    Returns
    -------
    MemoryPlan
        The plan, with its ``order`` and ``options``.

    Notes
    -----
    Generated code wants tensors in one piece at addresses that do not change:
    ``plan_memory(graph, schedule, looped=True)``, or with ``parts=True, contiguous=True`` where it
    leaves out the copies that ``Buffer.made_of`` and ``Buffer.view_of`` make unnecessary. Without
    ``by_rows`` nothing runs over its input, nothing wraps around, and the arena is ``peak`` bytes.

    Raises
    ------
    MemoryPlanError
        When dimensions are unknown, the order does not belong to the graph or does not compute all
        of its outputs, an option is unknown or invalid, or the memories do not suffice.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.FC(4, 2, name="b")])
    >>> view.forward_dims([[1, 4]])
    True
    >>> plan = plan_memory(view, aidge_nb.static_schedule(view), alignment=4)
    >>> plan, plan.order, plan.options
    (MemoryPlan(2 buffers, 2 ticks, peak 24 bytes, optimal), ('a', 'b'), PlanOptions(alignment=4))
    """
    chosen = PlanOptions.of(options, **changes)
    alignment, effort = chosen.alignment, chosen.effort
    order = nodes_in_order(graph, schedule)
    lives = Lives(graph, order, chosen)
    nodes = lives.nodes if chosen.by_rows else {}
    find = partial(find_in_one_place, lives) if chosen.looped else lives.find
    if chosen.rings:
        find = partial(_find_with_rings, lives, find_rings(graph, lives.executed))
    live = find()
    check_outputs(graph, order)
    is_plain = not (chosen.looped or chosen.rings)
    copied = live if is_plain else None
    without_copy, shared = (
        choose_parts(lives, has_parts(order), copied) if chosen.parts else ([], None)
    )
    work = _Work(live, nodes, alignment)
    if without_copy:
        other = shared if is_plain and shared is not None else find(without_copy)
        shares = _Work(other, nodes, alignment)
        best = _lay_out_better(work, shares, effort)
        bound = min(work.bound, shares.bound)
        best = _make_room(
            best, bound, without_copy, lambda kept: _Work(find(kept), nodes, alignment), effort
        )
    else:
        best = _lay_out(work, effort)
    if chosen.memories is not None:
        best = _spread_out(_Work(best.live, nodes, alignment), chosen.memories)
    return best.to_plan(chosen)


def _find_with_rings(
    lives: Lives, rings: Mapping[Port, Ring], without_copy: Sequence[Node] = ()
) -> Liveness:
    """Find live ranges, and let what lies alone in its memory lie in its ring."""
    live = lives.find(without_copy)
    ring_of = {(lives.names[port.node], port.index): ring for port, ring in rings.items()}
    for storage in live.storages:
        value = storage.values[0]
        ring = ring_of.get((value.node, value.output))
        if ring is None or value.kind != "activation" or len(storage.values) > 1:
            continue
        # Where executions write values of their own, each is one already.
        is_one = len(ring.pieces) > 1 and ring.pieces[-1].last == value.size
        if is_one and ring.is_aligned(lives.alignment):
            value.ring = ring
    return live


@dataclass(frozen=True, slots=True)
class _StorageLayout:
    """Offsets of storages; numbers of those that must lie by rows, and what streams over what.

    Where storages were placed as a ``whole`` there are no rings.
    """

    live: Liveness
    offsets: Sequence[int]
    peak: int
    lower_bound: int
    streams: Sequence[tuple[int, int]] = ()
    memories: tuple[MemoryUse, ...] = ()
    whole: bool = False

    def to_plan(self, options: PlanOptions) -> MemoryPlan:
        buffers: list[Buffer] = []
        rows = {number for pair in self.streams for number in pair}
        over = dict(self.streams)
        for number, (storage, offset) in enumerate(
            zip(self.live.storages, self.offsets, strict=True)
        ):
            first = min(storage.values, key=lambda value: value.lower)
            if first.ring is not None and not self.whole:
                buffers += first.ring.buffers(first.node, first.output, offset)
                continue
            for value in storage.values:
                buffer = value.at(offset)
                if number in rows:
                    buffer = replace(buffer, rows=value.rows)
                if number in over and value is first:
                    source = self.live.storages[over[number]].values[-1]
                    buffer = replace(buffer, in_place_of=(source.name,))
                buffers.append(buffer)
        return MemoryPlan(
            order=self.live.order,
            buffers=tuple(sorted(buffers, key=lambda buffer: buffer.lower)),
            peak=self.peak,
            lower_bound=self.lower_bound,
            alignment=options.alignment,
            memories=self.memories,
            options=options,
        )


class _Work:
    """Storages to place; with ``nodes`` by name, rows may be overwritten as they are consumed.

    Attributes
    ----------
    live, alignment
        The live ranges; what offsets are to be multiples of.
    footprints, streams, bound
        What the storages are as footprints, which run over which, and what they need at least.
    """

    def __init__(self, live: Liveness, nodes: Mapping[str, Node], alignment: int) -> None:
        _check_sizes(live)
        self.live, self.alignment = live, alignment
        self.footprints = footprints_of(live.storages, alignment)
        self.streams = find_streams(nodes, live, self.footprints, alignment) if nodes else {}
        self.bound = bound_of(self.footprints, self.streams).size


def _check_sizes(live: Liveness) -> None:
    """Check that sizes and their sum can be addressed; raise MemoryPlanError, naming the value."""
    total = 0
    for storage in live.storages:
        total += storage.live_range.size
        if total >= LARGEST:
            raise MemoryPlanError.at(
                storage.values[0].name,
                "takes more bytes than can be addressed",
                expected="less than 2**62 bytes in all",
                found=f"{total} bytes up to this one",
                cure="Give the inputs smaller dimensions.",
            )


def _lay_out_better(work: _Work, other: _Work, effort: float) -> _StorageLayout:
    """Place what is the same with other live ranges, and give the better; ``other`` if equal.

    No great effort is made for ``other`` where there is nothing to win, and none for the first
    where ``other`` needs no more than that one does at least.
    """
    if other.bound <= work.bound:
        # Where both need as much, what is reached at all is reached without an effort.
        placed = _lay_out(other, effort if other.bound < work.bound else 0.0)
        if placed.peak <= work.bound:
            return placed
    best = _lay_out(work, effort)
    if other.bound >= work.bound:
        placed = _lay_out(other, 0.0 if best.peak <= other.bound else effort)
    return placed if placed.peak <= best.peak else best


def _make_room(
    best: _StorageLayout,
    bound: int,
    chosen: Sequence[Node],
    work_of: Callable[[Sequence[Node]], _Work],
    effort: float,
) -> _StorageLayout:
    """Try whether copying some large Concats lets the other values be placed in less."""
    kept, most = list(chosen), min(_TRIES, _VISITS // len(best.live.order))
    for join in largest_joins(chosen, most=int(most * effort)):
        if best.peak <= bound:
            break
        fewer = [node for node in kept if node is not join]
        work = work_of(fewer)
        if work.bound < best.peak:
            kept, placed = fewer, _lay_out(work, effort)
            best = placed if placed.peak < best.peak else best
    return best


def _lay_out(work: _Work, effort: float) -> _StorageLayout:
    """Place storages."""
    if work.streams or all(len(footprint.rectangles) <= 1 for footprint in work.footprints):
        whole = lay_out_whole(work.live, work.alignment, effort)
        if not work.streams or whole.peak == work.bound:
            return whole
        placed = _lay_out_footprints(work, effort)
        return whole if whole.peak <= placed.peak else placed
    placed = _lay_out_footprints(work, effort)
    if lower_bound(_ranges(work.live, work.alignment)).size >= placed.peak:
        return placed
    whole = lay_out_whole(work.live, work.alignment, effort)
    return replace(whole, lower_bound=work.bound) if whole.peak < placed.peak else placed


def lay_out_whole(live: Liveness, alignment: int, effort: float) -> _StorageLayout:
    """Place storages as if each took all of its bytes from its beginning to its end."""
    ranges = _ranges(live, alignment)
    placement = plan([each for each in ranges if each.size], alignment=alignment, effort=effort)
    placed = iter(placement.offsets)
    offsets = [next(placed) if each.size else 0 for each in ranges]
    return _StorageLayout(live, offsets, placement.peak, placement.lower_bound, whole=True)


def _ranges(live: Liveness, alignment: int) -> list[LiveRange]:
    """Return the live ranges of storages, with sizes rounded up to the alignment."""
    ranges = (storage.live_range for storage in live.storages)
    return [each._replace(size=round_up(each.size, alignment)) for each in ranges]


def _lay_out_footprints(work: _Work, effort: float) -> _StorageLayout:
    """Place storages as steps in time, some of which run over others."""
    footprints, streams, bound = work.footprints, work.streams, work.bound
    placed = place_footprints(footprints, streams, bound, rounds=int(400 * effort))
    used = _used(streams, footprints, placed.offsets)
    if streams and not used:
        bound = bound_of(footprints, {}).size
    return _StorageLayout(work.live, placed.offsets, placed.peak, bound, used)


def _spread_out(work: _Work, memories: Sequence[Memory]) -> _StorageLayout:
    """Place storages in several memories."""
    live, footprints, streams = work.live, work.footprints, work.streams
    names = [storage.values[0].name for storage in live.storages]
    uses = [sum(value.upper - value.lower > 0 for value in s.values) + 1 for s in live.storages]
    found = spread(footprints, names, uses, streams, memories, work.alignment)
    last = found.uses[-1]
    used = _used(streams, footprints, found.offsets)
    bound = bound_of(footprints, streams if used else {}).size
    return _StorageLayout(
        live, found.offsets, last.base + last.peak, bound, used, tuple(found.uses)
    )


def _used(
    streams: Mapping[tuple[int, int], Stream],
    footprints: Sequence[Footprint],
    offsets: Sequence[int],
) -> list[tuple[int, int]]:
    """List the streams that run over their input where both lie."""
    return [
        (output, source)
        for output, source in streams
        if offsets[output] < offsets[source] + footprints[source].size
        and offsets[source] < offsets[output] + footprints[output].size
    ]
