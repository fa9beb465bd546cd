"""Find the priors of consumers: the nodes that must fire before them.

The search walks up from each consumer along the inputs that lack data. It ends at Producers, which
give on demand, and at nodes that only Producers keep from running: these are the priors. A consumer
whose way up ends at the loop output of a Memorize waits for the next turn of that loop.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aidge_nb.core.errors import SchedulingError, explain
from aidge_nb.graph.node import Node

if TYPE_CHECKING:
    from aidge_nb.scheduling.solve.dataflow import Dataflow


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


@dataclass(slots=True)
class Priors:
    """The priors of several consumers together, by numbers of actors.

    Attributes
    ----------
    waiting
        Consumers that wait for the next turn of a loop.
    producers, consumers
        Producers that must run for the other consumers, and the nodes that run after them.
    """

    waiting: list[int]
    producers: set[int]
    consumers: set[int]


def prior_of(dataflow: Dataflow, node: Node) -> PriorProducersConsumers:
    """Return the priors of one node, as nodes."""
    number = dataflow.rank[node]
    found = find_priors(dataflow, {number: dataflow.lacking(number)})
    return PriorProducersConsumers(
        not found.waiting,
        frozenset(dataflow.order[number] for number in found.producers),
        frozenset(dataflow.order[number] for number in found.consumers),
    )


def find_priors(dataflow: Dataflow, lacking: Mapping[int, list[int]]) -> Priors:
    """Find the priors of consumers, each given with the edges that lack data."""
    search = _PriorSearch(dataflow)
    search.walk_up(lacking)
    waiting = [number for number in lacking if number in search.waiting]
    if len(waiting) == len(lacking):
        return Priors(waiting, set(), set())
    if waiting:  # ignore what was found on their ways up
        others = {number: lacking[number] for number in lacking if number not in search.waiting}
        search = _PriorSearch(dataflow)
        search.walk_up(others)
    return Priors(waiting, search.producers, search.priors)


class _PriorSearch:
    """A walk up from consumers, along the edges that lack data.

    Attributes
    ----------
    waiting
        Actors that wait, directly or not, for the next turn of a loop.
    producers, priors
        Producers found, and actors that wait for nothing else in the graph.
    """

    def __init__(self, dataflow: Dataflow) -> None:
        self.flow = dataflow
        self.waiting: set[int] = set()
        self.producers: set[int] = set()
        self.priors: set[int] = set()
        self._givers: dict[int, list[int]] = {}
        self._may_turn_back = False

    def walk_up(self, lacking: Mapping[int, list[int]]) -> None:
        """Visit the consumers that lack data, and all actors that they wait for."""
        givers = self._givers
        for number, edges in lacking.items():
            givers[number] = self._look_at(number, edges)
        lacks = self.flow.lacking
        pending = list(lacking)
        for number in pending:
            for giver in givers[number]:
                if giver not in givers:
                    givers[giver] = self._look_at(giver, lacks(giver))
                    pending.append(giver)
        # Numbers grow along all other edges, so that no circle is possible.
        if self.waiting or self._may_turn_back:
            self._hand_down()

    def _look_at(self, number: int, lacking: list[int]) -> list[int]:
        """Classify the lacking edges of an actor by their givers; return the givers to visit."""
        flow = self.flow
        givers: list[int] = []
        is_prior = False
        for edge in lacking:
            source = flow.source[edge]
            giver = flow.giver[source]
            if giver is None:
                index = flow.target[edge][1]
                is_prior |= flow.order[number].input(index) is not None
            elif flow.is_producer[giver]:
                self.producers.add(giver)
                is_prior = True
            elif source in flow.recurrent:
                self.waiting.add(number)
                return []
            else:
                givers.append(giver)
                self._may_turn_back |= giver >= number
        if is_prior or not givers:
            self.priors.add(number)
        return givers

    def _hand_down(self) -> None:
        """Mark all actors that wait for a waiting actor, from the top down."""
        unknown = {number: len(givers) for number, givers in self._givers.items() if givers}
        takers: dict[int, list[int]] = {}
        for number, givers in self._givers.items():
            for giver in givers:
                takers.setdefault(giver, []).append(number)
        known = [number for number in self._givers if number not in unknown]
        for number in known:
            for taker in takers.get(number, ()):
                if number in self.waiting:
                    self.waiting.add(taker)
                unknown[taker] -= 1
                if not unknown[taker]:
                    del unknown[taker]
                    known.append(taker)
        if unknown:
            raise SchedulingError(self._describe_circle(unknown))

    def _describe_circle(self, unknown: Mapping[int, int]) -> str:
        """Describe a circle: each unresolved actor has an unresolved giver."""
        flow = self.flow
        walk = [max(unknown)]
        while True:
            giver = next(each for each in self._givers[walk[-1]] if each in unknown)
            if giver in walk:
                break
            walk.append(giver)
        circle = walk[walk.index(giver) :][::-1]
        from aidge_nb.scheduling.solve.lacks import describe_lack

        return explain(
            "schedule",
            "nodes wait for each other in a circle",
            found=" -> ".join(flow.order[number].label for number in [*circle, circle[0]]),
            expected="; ".join(describe_lack(flow, number) for number in circle),
            cure="Give the circle initial data: close it through output#1 of a Memorize node.",
        )
