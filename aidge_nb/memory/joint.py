"""Choose an order and a memory layout together.

The order of least live bytes is found first (:mod:`aidge_nb.scheduling.order`), since no layout
goes below its peak. Where placement does not reach it, other orders whose peak lies below the best
layout so far are tried: of orders that are equally good on paper, some pack better.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from aidge_nb.core.forms import as_plain
from aidge_nb.core.pictures import picture
from aidge_nb.core.values import dataclass
from aidge_nb.memory.live.facts import Schedule, nodes_in_order
from aidge_nb.memory.plan import plan_memory
from aidge_nb.memory.values.options import PlanOptions, WhatIf
from aidge_nb.scheduling.order.from_graph import firing_order
from aidge_nb.scheduling.order.order_result import OrderResult, order_for_memory
from aidge_nb.scheduling.order.solve import MAX_STATES
from aidge_nb.scheduling.order.variants import other_orders
from aidge_nb.scheduling.schedule.names import nodes_named

if TYPE_CHECKING:
    from aidge_nb.graph import GraphView, Node
    from aidge_nb.memory.values.plan import MemoryPlan


@dataclass(frozen=True, slots=True)
class JointPlan:
    """An order of a graph with its memory layout.

    Attributes
    ----------
    order
        Names of the nodes, once per firing, Producers too.
    plan
        The layout for that order.
    default_peak
        The arena that the order it started from needs, in bytes.
    lower_bound
        Bytes that no order and no layout can do without; None when parts, rows or rings share
        memory, for which no bound over all orders is known.
    tried
        How many orders were laid out.
    found
        What was proven about orders alone.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.FC(4, 2, name="b")])
    >>> view.forward_dims([[1, 4]])
    True
    >>> plan_jointly(view)
    JointPlan(peak 24 bytes, optimal, default order 24 bytes, 1 order tried)
    """

    order: tuple[str, ...]
    plan: MemoryPlan
    default_peak: int
    lower_bound: int | None
    tried: int
    found: OrderResult

    @property
    def peak(self) -> int:
        """Size of the arena in bytes."""
        return self.plan.peak

    @property
    def is_optimal(self) -> bool:
        """Return whether no order and no layout needs less."""
        return self.peak == self.lower_bound

    def nodes(self, view: GraphView) -> list[Node]:
        """Return the nodes in order.

        Raises
        ------
        SchedulingError
            When the graph has no node of some name.
        """
        return nodes_named(view, self.order)

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values, for JSON."""
        return as_plain(self)

    def __repr__(self) -> str:
        verdict = "no bound" if self.lower_bound is None else f"bound {self.lower_bound} bytes"
        orders = "1 order" if self.tried == 1 else f"{self.tried} orders"
        return (
            f"JointPlan(peak {self.peak} bytes, {'optimal' if self.is_optimal else verdict}, "
            f"default order {self.default_peak} bytes, {orders} tried)"
        )

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return {**picture(self.plan), "text/plain": repr(self)}


def plan_jointly(
    graph: GraphView,
    schedule: Schedule | None = None,
    options: PlanOptions | None = None,
    *,
    max_states: int = MAX_STATES,
    tries: int = 16,
    **changes: Any,
) -> JointPlan:
    """Choose an order and a memory layout for it; never worse than the given order.

    Parameters
    ----------
    graph
        The graph, with known dimensions.
    schedule
        An order to start from, as for :func:`~aidge_nb.memory.plan_memory`; by default the static
        schedule of the graph.
    options, **changes
        As for :func:`~aidge_nb.memory.plan_memory`.
    max_states
        How many states the exact search for an order may expand.
    tries
        How many other orders to look for where the layout does not reach the bound.

    Raises
    ------
    MemoryPlanError
        When dimensions are unknown, or the order does not belong to the graph.
    """
    start, chosen = nodes_in_order(graph, schedule), PlanOptions.of(options, **changes)
    best, nodes = plan_memory(graph, start, chosen), start
    default_peak, tried = best.peak, 1
    about_order: dict[str, Any] = {
        "inc_producers": chosen.inc_producers,
        "inc_inputs": chosen.inc_inputs,
        "alignment": chosen.alignment,
        "in_place": chosen.in_place,
    }
    found = order_for_memory(graph, start, max_states=max_states, **about_order)
    has_bound = not (chosen.parts or chosen.by_rows or chosen.rings)
    has_bound = has_bound and chosen.what_if == WhatIf() and chosen.memories is None
    bound = found.lower_bound if has_bound else None
    for candidate in _candidates(graph, start, found, about_order, default_peak, tries):
        if best.peak == bound:
            break
        plan = plan_memory(graph, candidate, chosen)
        tried += 1
        if plan.peak < best.peak:
            best, nodes = plan, candidate
    names = graph.unique_names()
    return JointPlan(tuple(names[node] for node in nodes), best, default_peak, bound, tried, found)


def _candidates(
    graph: GraphView,
    start: Sequence[Node],
    found: OrderResult,
    options: dict[str, Any],
    limit: int,
    tries: int,
) -> Iterator[list[Node]]:
    """Yield the order of least live bytes, others as good, then those that might beat the limit."""
    if found.method != "default":
        yield found.nodes(graph)
    stated = firing_order(graph, start, **options)
    seen: set[tuple[int, ...]] = set()
    for below in (found.peak_bytes + 1, limit):
        for order in other_orders(stated.problem, below, tries):
            if order not in seen:
                seen.add(order)
                yield [start[position] for position in stated.firings(order)]
