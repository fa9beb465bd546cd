"""Ask the C kernels what computes each node of a program, and find the memory that they work in.

A kernel's working memory lives at the ticks at which its node runs, and at no other. It goes to the
lowest place that is free at all of them; the arena grows only where there is no such place. What
kernels keep in local variables is on the stack.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import lcm
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from aidge_nb.core.errors import ExportError
from aidge_nb.export.boards.targets import ExportTarget
from aidge_nb.export.plan.parts import Action, ActionLoop, ProgramLoop, Step
from aidge_nb.export.plan.prepare import STATEFUL, enough_memory, known_inputs
from aidge_nb.graph.node import Node, Port
from aidge_nb.kernels.c import CCall, Site, describe_site
from aidge_nb.kernels.c.node_calls import calls_at
from aidge_nb.kernels.c.units import stack_of
from aidge_nb.memory import Buffer, MemoryPlan, MemoryUse

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


Sites = Callable[[Node], Site]


def sites_of(
    view: GraphView, known: Mapping[Node, dict[int, Array]], memory: MemoryPlan
) -> tuple[Sites, frozenset[Node]]:
    """Return what describes a node to the kernels, and the nodes with parameters in the arena.

    Kernels read those where they lie: they are not known before the program runs.
    """
    names = view.unique_names()
    there = {b.node for b in memory.buffers if b.kind == "producer"}
    loaded: dict[Node, set[int]] = {}
    for node in view.get_nodes() if there else ():
        for index, port in node.edges_in():
            if port.node.type() == "Producer" and names[port.node] in there:
                loaded.setdefault(node, set()).add(index)
    results = set(view.get_ordered_outputs())

    def site_of(node: Node) -> Site:
        unread = [
            index
            for index in node.get_operator().spec.optional_outputs
            if not node.output(index) and Port(node, index) not in results
        ]
        site = describe_site(node, known.get(node), unread)
        if node not in loaded:
            return site
        left = {i: array for i, array in site.constants.items() if i not in loaded[node]}
        return replace(site, constants=MappingProxyType(left))

    return site_of, frozenset(loaded)


def find_calls(order: Sequence[Node], target: str, site_of: Sites) -> Calls:
    """Ask the kernels what computes each node."""
    found: dict[Node, tuple[CCall, ...]] = {}
    for node in dict.fromkeys(order):
        operator = node.get_operator()
        empty = all(operator.get_output(i).size == 0 for i in range(operator.nb_outputs))
        if empty or node.type() == "Producer" or _moves_only(node):
            continue
        with enough_memory(node, "store its constants"):
            site = site_of(node)
            try:
                found[node] = calls_at(site, operator, target)
            except ExportError:
                # A kernel that wants to know a parameter keeps it in a form of its own.
                whole = describe_site(node, site.constants, site.unread)
                if len(whole.constants) == len(site.constants):
                    raise
                found[node] = calls_at(whole, operator, target)
    return found


def _moves_only(node: Node) -> bool:
    spec = node.get_operator().spec
    return spec.is_view or spec.cp in STATEFUL or node.type() == "Select"


# --- working memory ---------------------------------------------------------------------------


SCRATCH = "scratch"
"""The kind of buffers that hold working memory, and the memory of those that fit in no hole."""

ALIGNMENT = 16
"""Working memory beside a given plan begins at multiples of it, in bytes."""


def with_scratch(plan: MemoryPlan, wanted: Mapping[str, int], *, fixed: bool = False) -> MemoryPlan:
    """Add working memory to a plan.

    ``wanted`` are bytes by the name of the node that works with them. With ``fixed`` the arena does
    not grow: what fits in none of its holes goes to a memory of its own, ``scratch``, after it.

    Examples
    --------
    >>> buffers = Buffer("a", "a", 0, 64, 0, 2, 0), Buffer("b", "b", 0, 32, 1, 2, 64)
    >>> plan = with_scratch(MemoryPlan(("a", "b"), buffers, 96, 96), {"a": 32, "b": 8})
    >>> [(buffer.name, buffer.offset) for buffer in plan.buffers if buffer.kind == "scratch"]
    [('a scratch', 64), ('b scratch', 96)]
    >>> plan.peak
    104
    """
    if fixed:
        return _beside(plan, wanted)
    for node, size in wanted.items():
        ticks = [tick for tick, name in enumerate(plan.order) if name == node]
        if size and ticks:
            plan = _with_one(plan, node, size, ticks)
    return plan


def _beside(plan: MemoryPlan, wanted: Mapping[str, int]) -> MemoryPlan:
    """Add working memory in holes of the arena, or in a memory after it."""
    whole = MemoryUse("arena", plan.peak, 0, 0, plan.peak, plan.lower_bound)
    uses = plan.memories or (whole,)
    end = -(-plan.peak // ALIGNMENT) * ALIGNMENT
    found = replace(plan, memories=uses)  # holes are looked for inside these
    for node, size in wanted.items():
        ticks = [tick for tick, name in enumerate(plan.order) if name == node]
        if size and ticks:
            found = _with_one(found, node, size, ticks, end)
    size = found.peak - end
    if size <= 0:
        return replace(found, memories=plan.memories)
    own = MemoryUse(SCRATCH, size, len(uses), end, size, size)
    return replace(found, memories=(*uses, own))


def _with_one(
    plan: MemoryPlan, node: str, size: int, ticks: Sequence[int], behind: int | None = None
) -> MemoryPlan:
    taken = sorted(
        interval
        for buffer in plan.buffers
        if any(buffer.is_live(tick) for tick in ticks)
        for interval in buffer.intervals
    )
    offset = _hole(plan, taken, size, 1 if behind is None else ALIGNMENT)
    if offset is None:
        offset = _end(plan, taken) if behind is None else behind
    made = [
        Buffer(
            name=f"{node} scratch" + (f"[{execution}]" if len(ticks) > 1 else ""),
            node=node,
            output=-1,
            size=size,
            lower=tick,
            upper=tick + 1,
            offset=offset,
            kind=SCRATCH,
            execution=execution,
        )
        for execution, tick in enumerate(ticks)
    ]
    grown = max(plan.peak, offset + size)
    memories = plan.memories
    if memories and grown > plan.peak and behind is None:
        last = memories[-1]
        memories = (*memories[:-1], replace(last, peak=grown - last.base))
    # What is live at one tick together with its working memory is needed in any case.
    needed = max(plan.lower_bound, _live(taken) + size)
    buffers = tuple(sorted((*plan.buffers, *made), key=lambda buffer: buffer.lower))
    return replace(
        plan,
        buffers=buffers,
        peak=grown,
        lower_bound=needed if len(ticks) == 1 else plan.lower_bound,
        memories=memories,
    )


def _regions(plan: MemoryPlan) -> list[tuple[int, int]]:
    return [(use.base, use.base + use.peak) for use in plan.memories] or [(0, plan.peak)]


def _hole(
    plan: MemoryPlan, taken: Sequence[tuple[int, int]], size: int, alignment: int
) -> int | None:
    """Find the lowest free place inside one memory."""
    step = lcm(plan.alignment, alignment)
    for low, high in _regions(plan):
        start = -(-low // step) * step
        for begin, end in (*taken, (high, high)):
            if start + size <= min(begin, high):
                return start
            start = max(start, -(-end // step) * step)
    return None


def _end(plan: MemoryPlan, taken: Sequence[tuple[int, int]]) -> int:
    """Return the first place after everything in the last memory."""
    step = plan.alignment
    return max([_regions(plan)[-1][0], *(-(-end // step) * step for _, end in taken)])


def _live(taken: Sequence[tuple[int, int]]) -> int:
    total = covered = 0
    for start, stop in taken:
        total += max(0, stop - max(start, covered))
        covered = max(covered, stop)
    return total


# --- stack ------------------------------------------------------------------------------------


FORWARD = 192
"""Bytes of the forward function itself: its loops' counters, and what calls hand over."""


def stack_bytes(
    steps: Iterable[Step | ProgramLoop], target: ExportTarget
) -> tuple[tuple[str, int], ...]:
    """Return the bytes of stack that a call of the forward function takes at most, by compiler.

    It is the sum of its own and of the kernel that takes most, whatever the optimization; see
    :mod:`aidge_nb.kernels.c.units`. Each loop over parts of a step has a counter of its own, which
    without optimization lies there. Interrupts come on top.

    Examples
    --------
    >>> from aidge_nb.export.boards.targets import find_target
    >>> stack_bytes([], find_target("host"))
    (('gcc', 192), ('clang', 192))
    """
    steps = tuple(steps)
    figures = [stack_of(function) for function in set(_functions(steps))]
    own = FORWARD + (8 if target.is_host else 4) * sum(map(_loops, steps))
    if not target.is_host:
        return (("gcc", own + max((each.cortex_m for each in figures), default=0)),)
    gcc = max((each.gcc for each in figures), default=0)
    clang = max((each.clang for each in figures), default=0)
    return ("gcc", own + gcc), ("clang", own + clang)


def _loops(item: Step | ProgramLoop) -> int:
    """Count the loops that steps need to work part by part, and tests to look at blocks."""
    if isinstance(item, ProgramLoop):
        return sum(map(_loops, item.body))
    inside = sum(map(_loops_of, item.actions))
    return inside + sum(len(each.levels) + 3 * each.value.by_rows for each in item.writes)


def _loops_of(action: Action) -> int:
    return 1 + sum(map(_loops_of, action.body)) if isinstance(action, ActionLoop) else 0


def _functions(steps: Iterable[Step | ProgramLoop]) -> Iterable[str]:
    for item in steps:
        if isinstance(item, ProgramLoop):
            yield from _functions(item.body)
        else:
            yield from (call.function for call in item.calls)
