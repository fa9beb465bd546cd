"""PriorProducersConsumers: the priors of one node, in the seeds' API."""

from __future__ import annotations

from dataclasses import dataclass

from aidge_nb.graph.node import Node
from aidge_nb.scheduling.solve.dataflow import Dataflow
from aidge_nb.scheduling.solve.static import find_priors


@dataclass(frozen=True, slots=True)
class PriorProducersConsumers:
    """The nodes that must run before a consumer.

    Attributes
    ----------
    is_prior
        True when only Producers, at any depth, are lacking; otherwise the consumer keeps waiting.
    required_producers
        Producers that must give their data.
    prior_consumers
        Nodes that can run after these Producers.
    """

    is_prior: bool = False
    required_producers: frozenset[Node] = frozenset()
    prior_consumers: frozenset[Node] = frozenset()


def prior_of(dataflow: Dataflow, node: Node) -> PriorProducersConsumers:
    """Return the priors of one node, as nodes."""
    number = dataflow.rank[node]
    found = find_priors(dataflow, {number: dataflow.lacking(number)})
    return PriorProducersConsumers(
        not found.waiting,
        frozenset(dataflow.order[number] for number in found.producers),
        frozenset(dataflow.order[number] for number in found.consumers),
    )
