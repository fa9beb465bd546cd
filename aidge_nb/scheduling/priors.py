"""What must run before a consumer can."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aidge_nb.errors import SchedulingError, explain
from aidge_nb.graph.node import Node

if TYPE_CHECKING:
    from aidge_nb.scheduling.dataflow import Dataflow

__all__ = ["PriorProducersConsumers", "Priors", "find_priors", "prior_of"]


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

    is_prior: bool = False
    required_producers: frozenset[Node] = frozenset()
    prior_consumers: frozenset[Node] = frozenset()


@dataclass(slots=True)
class Priors:
    """The same of several consumers together, by numbers of actors.

    Attributes
    ----------
    waiting
        The consumers that keep waiting: what they lack is the next turn of a loop.
    producers, consumers
        What must run before the others can: the Producers, and then those who need them.
    """

    waiting: list[int]
    producers: set[int]
    consumers: set[int]


def prior_of(dataflow: Dataflow, node: Node) -> PriorProducersConsumers:
    """Find what must run before a node can, as nodes."""
    number = dataflow.rank[node]
    found = find_priors(dataflow, {number: dataflow.lacking(number)})
    return PriorProducersConsumers(
        not found.waiting,
        frozenset(dataflow.order[number] for number in found.producers),
        frozenset(dataflow.order[number] for number in found.consumers),
    )


def find_priors(dataflow: Dataflow, lacking: Mapping[int, list[int]]) -> Priors:
    """Find what must run before consumers can, each given with the edges that it lacks.

    Raises
    ------
    SchedulingError
        When nodes wait for each other in a circle.
    """
    search = _Search(dataflow)
    search.walk_up(lacking)
    waiting = [number for number in lacking if search.waits[number]]
    if len(waiting) == len(lacking):
        return Priors(waiting, set(), set())
    if waiting:  # what was found on their ways up does not count
        others = {number: lacking[number] for number in lacking if not search.waits[number]}
        search = _Search(dataflow)
        search.walk_up(others)
    return Priors(waiting, search.producers, search.priors)


class _Search:
    """A walk up from consumers, along the edges that lack data.

    Attributes
    ----------
    waits
        Whether an actor, or one that it waits for, waits for the next turn of a loop.
    producers, priors
        The Producers that were met, and the actors that nothing else in the graph keeps waiting.
    """

    def __init__(self, dataflow: Dataflow) -> None:
        self.flow = dataflow
        self.waits: dict[int, bool] = {}
        self.producers: set[int] = set()
        self.priors: set[int] = set()
        self._givers: dict[int, list[int]] = {}
        self._begun: set[int] = set()

    def walk_up(self, lacking: Mapping[int, list[int]]) -> None:
        """Look at the consumers that lack data, and at all actors above them."""
        for number, edges in lacking.items():
            self._look_at(number, edges)
        waits = self.waits
        pending = list(lacking)
        while pending:
            number = pending[-1]
            if number in waits:
                pending.pop()
                continue
            if number not in self._givers:
                self._look_at(number, self.flow.lacking(number))
                continue
            unknown = [giver for giver in self._givers[number] if giver not in waits]
            if not unknown:
                waits[number] = any(map(waits.__getitem__, self._givers[number]))
            elif number in self._begun:
                raise SchedulingError(self._describe_circle(number))
            else:
                self._begun.add(number)
                pending += unknown

    def _look_at(self, number: int, lacking: list[int]) -> None:
        """Sort what an actor lacks by who gives it."""
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
                self.waits[number] = True
                return
            else:
                givers.append(giver)
        if givers:
            self._givers[number] = givers
        else:
            self.waits[number] = False
        if is_prior or not givers:
            self.priors.add(number)

    def _describe_circle(self, start: int) -> str:
        flow = self.flow
        walk = [start]
        while True:
            # What was begun and is not known lies on the way that led here.
            givers = self._givers[walk[-1]]
            giver = next(each for each in givers if each in self._begun - self.waits.keys())
            if giver in walk:
                break
            walk.append(giver)
        circle = walk[walk.index(giver) :][::-1]
        return explain(
            "schedule",
            "nodes wait for each other in a circle",
            found=" -> ".join(flow.order[number].label for number in [*circle, circle[0]]),
            expected="; ".join(flow.describe_lack(number) for number in circle),
            cure="Give the circle initial data: close it through output#1 of a Memorize node.",
        )
