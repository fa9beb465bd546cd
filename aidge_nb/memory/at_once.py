"""Plan memory for executions that run at the same time.

Executions come in *waves*: those of one wave run at once, and waves run one after the other. What a
wave reads or writes must be in memory from its first tick to its last one, and no execution may
write over what another one of its wave reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.memory.live.chosen_parts import choose_parts
from aidge_nb.memory.live.facts import check_outputs
from aidge_nb.memory.live.liveness import Lives
from aidge_nb.memory.live.sharing import has_parts
from aidge_nb.memory.plan import lay_out_whole
from aidge_nb.memory.values.options import PlanOptions
from aidge_nb.memory.values.plan import MemoryPlan
from aidge_nb.memory.values.storages import Storage

if TYPE_CHECKING:
    from aidge_nb.graph import GraphView, Node

_SEQUENTIAL = ("looped", "rings", "by_rows", "memories")


def plan_at_once(
    graph: GraphView,
    waves: Sequence[Sequence[Node]],
    options: PlanOptions | None = None,
    **changes: Any,
) -> MemoryPlan:
    """Plan the memory of a graph for waves of executions that run at once.

    Raise MemoryPlanError when an option needs one execution after the other, dimensions are
    unknown, the order does not belong to the graph, or a node reads what its own wave writes.

    Parameters
    ----------
    graph
        The graph, with known dimensions.
    waves
        The nodes of each wave, once per execution; none may read what its own wave writes.
    options, **changes
        As for :func:`~aidge_nb.memory.plan_memory`; options that need one execution after the
        other are refused.

    Returns
    -------
    MemoryPlan
        The plan. Its order lists the waves one after the other.

    Examples
    --------
    >>> import aidge_nb
    >>> a, b, c = (aidge_nb.ReLU(name=name) for name in "abc")
    >>> a.add_child(b)
    >>> a.add_child(c)
    >>> view = aidge_nb.get_connected_graph_view(a)
    >>> view.forward_dims([[1, 8]])
    True
    >>> plan_at_once(view, [[a], [b], [c]]).peak, plan_at_once(view, [[a], [b, c]]).peak
    (64, 96)
    """
    chosen = PlanOptions.of(options, **changes)
    for name in _SEQUENTIAL:
        if getattr(chosen, name):
            problem = f"{name} needs one execution after the other"
            raise MemoryPlanError.at("plan_at_once", problem, cure=f"Leave {name} out.")
    order = [node for wave in waves for node in wave]
    lives = Lives(graph, order, chosen)
    check_outputs(graph, order)
    spans = _spans(waves, chosen)
    _check_waves(lives.executed, spans)
    best = _placed(lives, spans, chosen, ())
    if chosen.parts:
        without_copy, _ = choose_parts(lives, has_parts(order), lives.find())
        other = _placed(lives, spans, chosen, without_copy)
        best = other if other.peak <= best.peak else best
    return best


def _spans(waves: Sequence[Sequence[Node]], options: PlanOptions) -> list[tuple[int, int]]:
    """Return for each tick the first tick of its wave, and the first one after the wave."""
    spans: list[tuple[int, int]] = []
    for wave in waves:
        counted = [node for node in wave if options.inc_producers or node.type() != "Producer"]
        first = len(spans)
        spans += [(first, first + len(counted))] * len(counted)
    return spans


def _check_waves(executed: Sequence[Node], spans: Sequence[tuple[int, int]]) -> None:
    for tick, (first, stop) in enumerate(spans):
        others = set(executed[first:stop]) - {executed[tick]}
        for parent in executed[tick].get_parents():
            if parent is not None and parent in others and parent.type() != "Producer":
                problem = f"reads what {parent.label} writes in the same wave"
                cure = "Put it into a later wave."
                raise MemoryPlanError.at(executed[tick].label, problem, cure=cure)


def _placed(
    lives: Lives,
    spans: Sequence[tuple[int, int]],
    options: PlanOptions,
    without_copy: Sequence[Node],
) -> MemoryPlan:
    """Plan so that nobody writes over what another one of its wave reads."""
    reads = _reads(lives.executed)
    apart: set[Node] = set()
    while True:
        live = lives.find(without_copy, apart=apart)
        found = {
            lives.executed[tick]
            for storage in live.storages
            for tick in _conflicts(storage, lives, spans, reads)
        }
        if found <= apart:
            break
        apart |= found
    for storage in live.storages:
        _widen(storage, spans)
    return lay_out_whole(live, options.alignment, options.effort).to_plan(options)


def _reads(executed: Sequence[Node]) -> dict[Node, list[int]]:
    """List the ticks at which what a node writes is read."""
    found: dict[Node, list[int]] = {}
    for tick, node in enumerate(executed):
        for parent in set(node.get_parents()):
            if parent is not None:
                found.setdefault(parent, []).append(tick)
    return found


def _conflicts(
    storage: Storage,
    lives: Lives,
    spans: Sequence[tuple[int, int]],
    reads: dict[Node, list[int]],
) -> set[int]:
    """Return the ticks that write over what is read in the same wave."""
    found: set[int] = set()
    for value in storage.values:
        tick = value.lower
        if not value.in_place_of or value.view_of is not None:
            continue
        first, stop = spans[tick]
        for other in storage.values:
            readers = reads.get(lives.nodes[other.node], ()) if other.lower < tick else ()
            if any(first <= reader < stop and reader != tick for reader in readers):
                found.add(tick)
    return found


def _widen(storage: Storage, spans: Sequence[tuple[int, int]]) -> None:
    """Let what is in a storage live for the whole of its first and last wave."""
    lower, upper = storage.live_range[:2]
    replaced = {name for value in storage.values for name in value.in_place_of}
    for value in storage.values:
        if value.lower == lower < len(spans):
            value.lower = spans[lower][0]
        if value.upper == upper > 0 and value.name not in replaced:
            value.upper = spans[upper - 1][1]
