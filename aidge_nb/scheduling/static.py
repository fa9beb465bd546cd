"""Static scheduling: which nodes run, in which order, found on the C-P model alone.

The algorithm is that of the seed tutorial, section "Master the C-P model". It works backwards from
the outputs: a consumer that lacks data is replaced by whatever must run before it, its *priors*;
Producers give their data on demand; all consumers that have their data run together, as a batch.
A node that ran passes the turn to its children, and asks again only when nobody else can run, so
that data flow on rather than pile up. It ends when no consumer is left, or none can run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from aidge_nb.errors import SchedulingError, explain
from aidge_nb.graph.node import Node
from aidge_nb.scheduling.conditional import condition_nodes
from aidge_nb.scheduling.dataflow import Dataflow

__all__ = ["MAX_FIRINGS", "BaseSchedule", "PriorProducersConsumers", "schedule_batches"]

MAX_FIRINGS = 1_000_000
"""A schedule of more firings is refused: it grew without bound, or would not fit in memory."""


@dataclass(frozen=True, slots=True)
class PriorProducersConsumers:
    """What must run before a consumer can.

    Attributes
    ----------
    is_prior
        Whether Producers alone, at any depth, are lacking; if not, the consumer keeps waiting.
    required_producers
        The Producers that must give their data.
    prior_consumers
        The nodes that can run once they did.
    """

    is_prior: bool
    required_producers: frozenset[Node] = frozenset()
    prior_consumers: frozenset[Node] = frozenset()


@dataclass(frozen=True, slots=True)
class BaseSchedule:
    """What the algorithm found: batches of nodes that ran together, and who still waits."""

    batches: tuple[tuple[Node, ...], ...]
    remaining: tuple[Node, ...]

    @property
    def nodes(self) -> list[Node]:
        """The nodes in order, once per execution."""
        return [node for batch in self.batches for node in batch]


def schedule_batches(dataflow: Dataflow, max_firings: int = MAX_FIRINGS) -> BaseSchedule:
    """Schedule a graph from its present C-P state, which is changed.

    Parameters
    ----------
    dataflow
        The graph and its state.
    max_firings
        Bound on the length of the schedule.

    Raises
    ------
    SchedulingError
        When a model needs elements where only tokens are known, or the schedule does not end.
    """
    consumers = dict.fromkeys(dataflow.outputs)
    still: dict[Node, None] = {}
    batches: list[tuple[Node, ...]] = []
    firings = 0
    while consumers:
        consumers, producers = _replace_by_priors(dataflow, consumers)
        runnable = _fire_runnable(dataflow, producers, consumers, batches)
        if runnable:
            _hand_on(dataflow, runnable, consumers, still)
        elif not still:
            break
        if not runnable or not consumers:
            waiting = [node for node in still if dataflow.has_backlog(node)]
            consumers.update(dict.fromkeys(dataflow.sorted(waiting)))
            still = {}
        firings += len(producers) + len(runnable)
        if firings > max_firings:
            raise SchedulingError(_describe_endless(runnable, max_firings))
    return BaseSchedule(tuple(batches), tuple(dataflow.sorted(consumers)))


def _replace_by_priors(
    dataflow: Dataflow, consumers: Iterable[Node]
) -> tuple[dict[Node, None], list[Node]]:
    """Put the priors of each consumer in its place; list the Producers that are needed."""
    known: dict[Node, PriorProducersConsumers] = {}
    found: dict[Node, None] = {}
    producers: set[Node] = set()
    for consumer in consumers:
        prior = find_prior(dataflow, consumer, known)
        if prior.is_prior:
            producers |= prior.required_producers
            found.update(dict.fromkeys(dataflow.sorted(prior.prior_consumers)))
        else:
            found[consumer] = None
    ordered = dataflow.sorted(producers)
    return found, sorted(ordered, key=lambda node: bool(condition_nodes(node)))


def find_prior(
    dataflow: Dataflow, consumer: Node, known: dict[Node, PriorProducersConsumers]
) -> PriorProducersConsumers:
    """Find what must run before a consumer can; ``known`` remembers what was found already."""
    pending = [consumer]
    while pending:
        node = pending[-1]
        if node in known:
            pending.pop()
            continue
        lacking = _lacking_parents(dataflow, node)
        unknown = [parent for parent in lacking or () if parent not in known]
        if unknown:
            pending.extend(unknown)
        else:
            known[node] = _join_priors(dataflow, node, lacking, known)
            pending.pop()
    return known[consumer]


def _lacking_parents(dataflow: Dataflow, node: Node) -> list[Node] | None:
    """List the parents to look at in turn; None when a cycle cuts the search."""
    parents = []
    for index, port in node.edges_in():
        if not dataflow.lacks(node, index) or port.node not in dataflow.view:
            continue
        if port.node.type() == "Memorize" and port.index == 1:
            return None
        if port.node.type() != "Producer":
            parents.append(port.node)
    return parents


def _join_priors(
    dataflow: Dataflow,
    node: Node,
    lacking: list[Node] | None,
    known: dict[Node, PriorProducersConsumers],
) -> PriorProducersConsumers:
    priors = [known[parent] for parent in lacking or ()]
    if lacking is None or not all(prior.is_prior for prior in priors):
        return PriorProducersConsumers(is_prior=False)
    producers = {
        port.node
        for index, port in node.edges_in()
        if port.node.type() == "Producer"
        and port.node in dataflow.view
        and dataflow.lacks(node, index)
    }
    outside = any(
        port.node not in dataflow.view and dataflow.lacks(node, index)
        for index, port in node.edges_in()
    )
    consumers = {node} if producers or outside or not priors else set()
    return PriorProducersConsumers(
        is_prior=True,
        required_producers=frozenset(producers).union(*(p.required_producers for p in priors)),
        prior_consumers=frozenset(consumers).union(*(p.prior_consumers for p in priors)),
    )


def _fire_runnable(
    dataflow: Dataflow,
    producers: list[Node],
    consumers: dict[Node, None],
    batches: list[tuple[Node, ...]],
) -> list[Node]:
    """Fire the Producers, then all consumers that have their data; list the latter."""
    for producer in producers:
        dataflow.fire(producer)
    runnable = dataflow.sorted(node for node in consumers if dataflow.is_runnable(node))
    for node in runnable:
        dataflow.fire(node)
    batches.extend(tuple(batch) for batch in (producers, runnable) if batch)
    return runnable


def _hand_on(
    dataflow: Dataflow, ran: list[Node], consumers: dict[Node, None], still: dict[Node, None]
) -> None:
    """Make the children of the nodes that ran the next consumers."""
    for node in ran:
        del consumers[node]
    for node in ran:
        if dataflow.feeds(node):
            children = [child for child in node.get_children() if child in dataflow.view]
            consumers.update(dict.fromkeys(children))
        if dataflow.has_backlog(node):
            still[node] = None


def _describe_endless(ran: list[Node], max_firings: int) -> str:
    return explain(
        "schedule",
        f"does not end within {max_firings} firings",
        found="still running: " + ", ".join(node.label for node in ran[:5]),
        cure="A Producer that gives data on demand feeds consumers that never take it all: check "
        "the amounts of their consumer-producer models.",
    )
