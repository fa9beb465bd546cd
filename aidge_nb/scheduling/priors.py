"""What must run before a consumer can."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from aidge_nb.errors import SchedulingError, explain
from aidge_nb.graph.node import Node

if TYPE_CHECKING:
    from aidge_nb.scheduling.dataflow import Dataflow

__all__ = ["Prior", "PriorProducersConsumers", "find_prior", "prior_of"]


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


class Prior(NamedTuple):
    """The same by numbers of actors."""

    is_prior: bool
    producers: frozenset[int] = frozenset()
    consumers: frozenset[int] = frozenset()


class Lacking(NamedTuple):
    """Whom an actor waits for: actors, Producers, somebody outside the graph.

    ``is_cut`` says that a loop through Memorize ends the search.
    """

    givers: list[int]
    producers: list[int]
    is_outside: bool
    is_cut: bool = False


_WAITS = Prior(is_prior=False)


def prior_of(dataflow: Dataflow, node: Node) -> PriorProducersConsumers:
    """Find what must run before a node can, as nodes."""
    prior = find_prior(dataflow, dataflow.rank[node], {})
    return PriorProducersConsumers(
        prior.is_prior,
        frozenset(dataflow.order[number] for number in prior.producers),
        frozenset(dataflow.order[number] for number in prior.consumers),
    )


def find_prior(dataflow: Dataflow, consumer: int, known: dict[int, Prior]) -> Prior:
    """Find what must run before a consumer can; ``known`` remembers what was found already.

    Raises
    ------
    SchedulingError
        When nodes wait for each other in a circle.
    """
    lacking: dict[int, Lacking] = {}
    pending = [consumer]
    while pending:
        number = pending[-1]
        if number in known:
            pending.pop()
            continue
        begun = number in lacking
        if not begun:
            lacking[number] = _lacking_givers(dataflow, number)
        unknown = [giver for giver in lacking[number].givers if giver not in known]
        if not unknown:
            known[number] = _join(number, lacking[number], known)
            pending.pop()
        elif begun:
            raise SchedulingError(_describe_circle(dataflow, number, lacking, known))
        else:
            pending.extend(unknown)
    return known[consumer]


def _lacking_givers(dataflow: Dataflow, number: int) -> Lacking:
    """Tell whom an actor waits for."""
    givers: list[int] = []
    producers: list[int] = []
    is_outside = False
    for edge in dataflow.lacking(number):
        source = dataflow.source[edge]
        giver = dataflow.giver[source]
        if giver is None:
            index = dataflow.target[edge][1]
            is_outside |= dataflow.order[number].input(index) is not None
        elif dataflow.is_producer[giver]:
            producers.append(giver)
        elif dataflow.is_recurrent(source):
            return Lacking([], [], is_outside, is_cut=True)
        else:
            givers.append(giver)
    return Lacking(givers, producers, is_outside)


def _join(number: int, lacking: Lacking, known: dict[int, Prior]) -> Prior:
    givers, producers, is_outside, is_cut = lacking
    if is_cut:
        return _WAITS
    if len(givers) == 1 and not producers and not is_outside:
        return known[givers[0]]
    priors = [known[giver] for giver in givers]
    if not all(prior.is_prior for prior in priors):
        return _WAITS
    is_first = producers or is_outside or not priors
    return Prior(
        True,
        frozenset(producers).union(*[prior.producers for prior in priors]),
        frozenset((number,) if is_first else ()).union(*[prior.consumers for prior in priors]),
    )


def _describe_circle(
    dataflow: Dataflow,
    start: int,
    lacking: dict[int, Lacking],
    known: dict[int, Prior],
) -> str:
    walk = [start]
    while True:
        # What was begun and is not known lies on the way that led here.
        givers = lacking[walk[-1]].givers
        giver = next(each for each in givers if each in lacking and each not in known)
        if giver in walk:
            break
        walk.append(giver)
    circle = walk[walk.index(giver) :][::-1]
    return explain(
        "schedule",
        "nodes wait for each other in a circle",
        found=" -> ".join(dataflow.order[number].label for number in [*circle, circle[0]]),
        expected="; ".join(dataflow.describe_lack(number) for number in circle),
        cure="Give the circle initial data: close it through output#1 of a Memorize node.",
    )
