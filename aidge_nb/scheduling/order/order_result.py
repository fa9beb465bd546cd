"""Find the order of a graph with the smallest peak of live bytes, and prove a lower bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from time import perf_counter
from typing import TYPE_CHECKING, Any

from aidge_nb.core.values import dataclass
from aidge_nb.graph.node import Node
from aidge_nb.scheduling.order.from_graph import firing_order
from aidge_nb.scheduling.order.solve import MAX_STATES, solve
from aidge_nb.scheduling.schedule.nest import Firing
from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule
from aidge_nb.scheduling.solve.outline import schedule_nodes, static_schedule

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView


@dataclass(frozen=True, slots=True)
class OrderResult:
    """A schedule of a graph with its peak of live bytes, and a lower bound for all orders.

    Attributes
    ----------
    schedule
        The schedule in the order that was found; planners and views take it.
    peak_bytes
        Maximum of live bytes in this order: a lower bound for any memory layout.
    default_bytes
        The same, in bytes, for the order that the search started from.
    lower_bound
        Bytes that every order needs.
    method
        How the order was found or proved: ``default`` (no order is better), ``grouping``,
        ``exact search`` or ``beam search``.
    states
        Number of states that the exact search expanded.
    keeps_turns
        True when some nodes fire several times. The search and the bound then cover only orders
        in which these nodes alternate with their neighbours as before.
    seconds
        Run time in seconds; ignored in comparisons.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.Tanh(name="b")])
    >>> view.forward_dims([[1, 3]])
    True
    >>> found = aidge_nb.order_for_memory(view)
    >>> found
    OrderResult(2 firings, peak 12 bytes, optimal, by default)
    >>> found.schedule
    StaticSchedule(2 actors, 2 firings, 2 steps)
    """

    schedule: StaticSchedule
    peak_bytes: int
    default_bytes: int
    lower_bound: int
    method: str
    states: int = 0
    keeps_turns: bool = False
    seconds: float = field(default=0.0, compare=False, repr=False)

    @property
    def order(self) -> tuple[str, ...]:
        """Names of the nodes, once per firing."""
        return self.schedule.order

    @property
    def proven(self) -> bool:
        """True when no order has a smaller peak."""
        return self.peak_bytes == self.lower_bound

    @property
    def gap(self) -> int:
        """Bytes between the peak and the lower bound."""
        return self.peak_bytes - self.lower_bound

    def nodes(self, view: GraphView) -> list[Node]:
        """Return the node of each firing, in order.

        Raises
        ------
        SchedulingError
            When the graph lacks one of the nodes.
        """
        return self.schedule.nodes(view)

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values, for JSON."""
        names = ("peak_bytes", "default_bytes", "lower_bound", "method", "states", "keeps_turns")
        return {"order": list(self.order), **{name: getattr(self, name) for name in names}}

    def __repr__(self) -> str:
        verdict = "optimal" if self.proven else f"lower bound {self.lower_bound} bytes"
        return (
            f"OrderResult({len(self.order)} firings, peak {self.peak_bytes} bytes, {verdict}, "
            f"by {self.method})"
        )


def order_for_memory(
    view: GraphView,
    order: StaticSchedule | Sequence[Node] | None = None,
    *,
    inc_producers: bool = False,
    inc_inputs: bool = False,
    in_place: bool = True,
    alignment: int = 1,
    max_states: int = MAX_STATES,
    time_limit: float | None = None,
) -> OrderResult:
    """Find the order of a graph that needs least memory; never worse than the given one.

    Minimises the peak of live bytes: at each firing, the bytes still needed plus those written.
    :func:`~aidge_nb.memory.plan_memory` nearly always reaches this peak for the order found;
    :func:`~aidge_nb.memory.plan_jointly` searches on where it does not.

    Parameters
    ----------
    view
        The graph, with known dimensions.
    order
        A schedule of the graph, or a node per firing, to start from; by default the graph is
        scheduled.
    inc_producers, inc_inputs, in_place, alignment
        As for :func:`~aidge_nb.memory.plan_memory`.
    max_states
        Maximum number of states that the exact search expands. Unlike ``time_limit`` it gives
        the same answer on every machine.
    time_limit
        Seconds after which the exact search gives up; None for no limit.

    Raises
    ------
    SchedulingError
        When dimensions are unknown, or the order belongs to another graph.

    Examples
    --------
    Two branches that grow and shrink: the best order finishes one before the other.

    >>> import aidge_nb
    >>> fork, join = aidge_nb.Tanh(), aidge_nb.Add()
    >>> for index in range(2):
    ...     grow, shrink = aidge_nb.FC(4, 64), aidge_nb.FC(64, 4)
    ...     fork.add_child(grow)
    ...     grow.add_child(shrink)
    ...     shrink.add_child(join, 0, index)
    >>> view = aidge_nb.get_connected_graph_view(fork)
    >>> view.forward_dims([[1, 4]])
    True
    >>> found = order_for_memory(view)
    >>> found, found.default_bytes
    (OrderResult(14 firings, peak 288 bytes, optimal, by beam search), 528)
    """
    begin = perf_counter()
    if order is None:
        order = static_schedule(view)
    schedule = order if isinstance(order, StaticSchedule) else None
    nodes = order.nodes(view) if isinstance(order, StaticSchedule) else list(order)
    stated = firing_order(
        view,
        nodes,
        inc_producers=inc_producers,
        inc_inputs=inc_inputs,
        in_place=in_place,
        alignment=alignment,
    )
    found = solve(stated.problem, max_states, time_limit)
    if not found.is_default:
        nodes, schedule = [nodes[position] for position in stated.firings(found.order)], None
    return OrderResult(
        schedule_nodes(view, nodes) if schedule is None else schedule,
        found.peak,
        found.default_peak,
        found.lower_bound,
        found.method,
        found.states,
        stated.repeats,
        perf_counter() - begin,
    )


def minimum_memory_firings(view: GraphView, schedule: StaticSchedule) -> list[Firing]:
    """Return the firings of a schedule in the order that needs least memory."""
    firings = list(schedule.firings)
    stated = firing_order(view, schedule.nodes(view))
    found = solve(stated.problem)
    if found.is_default:
        return firings
    return [firings[position] for position in stated.firings(found.order)]
