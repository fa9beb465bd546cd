"""The order of a graph that needs least memory, with what was proven about it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

from aidge_nb.core.errors import SchedulingError, explain
from aidge_nb.graph.node import Node
from aidge_nb.scheduling.order.from_graph import firing_order
from aidge_nb.scheduling.order.solve import MAX_STATES, solve
from aidge_nb.scheduling.schedule.value import Firing, StaticSchedule

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView


@dataclass(frozen=True, slots=True)
class OrderResult:
    """An order of a graph and its peak of live bytes.

    Attributes
    ----------
    order
        Names of the nodes, once per firing; :meth:`nodes` gives the nodes themselves.
    peak_bytes
        The most bytes that are live at once. What no placement in memory goes below.
    default_bytes
        The same, in bytes, for the order that it started from.
    lower_bound
        Bytes that no order can do without.
    method
        What found or proved it: ``default`` (nothing was better), ``grouping``, ``exact search``
        or ``beam search``.
    states
        How many states the exact search expanded.
    keeps_turns
        Whether some nodes fire several times. Only orders in which they keep their turns with
        their neighbours are looked at then, and the bound speaks of those.
    seconds
        How many seconds it took; not compared.

    Examples
    --------
    >>> OrderResult(("a", "b"), 24, 24, 24, "default")
    OrderResult(2 firings, peak 24 bytes, optimal, by default)
    """

    order: tuple[str, ...]
    peak_bytes: int
    default_bytes: int
    lower_bound: int
    method: str
    states: int = 0
    keeps_turns: bool = False
    seconds: float = field(default=0.0, compare=False, repr=False)

    @property
    def proven(self) -> bool:
        """Whether no order has a smaller peak."""
        return self.peak_bytes == self.lower_bound

    @property
    def gap(self) -> int:
        """Bytes between the peak and the lower bound."""
        return self.peak_bytes - self.lower_bound

    def nodes(self, view: GraphView) -> list[Node]:
        """Give the nodes in order, for planners.

        Raises
        ------
        SchedulingError
            When the graph has no node of some name.
        """
        return nodes_named(view, self.order)

    def to_dict(self) -> dict[str, Any]:
        """Give plain Python values, for JSON."""
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
    order: Sequence[Node] | None = None,
    *,
    inc_producers: bool = False,
    inc_inputs: bool = False,
    in_place: bool = True,
    alignment: int = 1,
    max_states: int = MAX_STATES,
    time_limit: float | None = None,
) -> OrderResult:
    """Find the order of a graph that needs least memory; never worse than the one given.

    What is minimised is the peak of live bytes: while a node runs, what is still needed and what
    it writes. It is the lower bound that :func:`~aidge_nb.memory.plan_memory` has for the order,
    and nearly always what it reaches; :func:`~aidge_nb.memory.plan_jointly` goes on from there.

    Parameters
    ----------
    view
        The graph, with known dimensions.
    order
        An order to start from, a node per firing; by default the graph is scheduled.
    inc_producers, inc_inputs, in_place, alignment
        As for :func:`~aidge_nb.memory.plan_memory`.
    max_states
        How many states the exact search may expand. The answer depends on it alone, and not on how
        fast the machine is.
    time_limit
        Seconds after which the exact search gives up too, if wanted.

    Raises
    ------
    SchedulingError
        When dimensions are unknown, or the order is not one of this graph.

    Examples
    --------
    Two branches that grow and shrink: one is finished before the other begins.

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
        from aidge_nb.scheduling.scheduler import Scheduler

        scheduler = Scheduler(view)
        scheduler.generate_scheduling()
        order = scheduler.get_sequential_static_scheduling()
    stated = firing_order(
        view,
        order,
        inc_producers=inc_producers,
        inc_inputs=inc_inputs,
        in_place=in_place,
        alignment=alignment,
    )
    found = solve(stated.problem, max_states, time_limit)
    names = view.unique_names()
    positions = range(len(order)) if found.is_default else stated.firings(found.order)
    return OrderResult(
        tuple(names[order[position]] for position in positions),
        found.peak,
        found.default_peak,
        found.lower_bound,
        found.method,
        found.states,
        stated.repeats,
        perf_counter() - begin,
    )


def minimum_memory_firings(view: GraphView, schedule: StaticSchedule) -> list[Firing]:
    """Put the firings of a schedule into the order that needs least memory."""
    firings = list(schedule.firings)
    nodes = nodes_of(schedule, view)
    stated = firing_order(view, [nodes[firing.actor] for firing in firings])
    found = solve(stated.problem)
    if found.is_default:
        return firings
    return [firings[position] for position in stated.firings(found.order)]


def nodes_of(schedule: StaticSchedule, view: GraphView) -> list[Node]:
    """Give the node of each actor of a schedule.

    Raises
    ------
    SchedulingError
        When the graph is not the one that was scheduled, or was changed since.
    """
    return nodes_named(view, [actor.name for actor in schedule.actors])


def nodes_named(view: GraphView, names: Iterable[str]) -> list[Node]:
    """Give the nodes of these names.

    Raises
    ------
    SchedulingError
        When the graph has no node of some name.
    """
    named = {name: node for node, name in view.unique_names().items()}
    found = []
    for name in names:
        if name not in named:
            raise SchedulingError(
                explain(
                    "order",
                    f"the graph has no node {name!r}",
                    found=f"{len(named)} nodes",
                    cure="Give the graph that was scheduled; if it was changed, schedule it again.",
                )
            )
        found.append(named[name])
    return found
