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

    is_prior: bool = False
    required_producers: frozenset[Node] = frozenset()
    prior_consumers: frozenset[Node] = frozenset()


class Prior(NamedTuple):
    """The same by numbers of actors."""

    is_prior: bool
    producers: frozenset[int] = frozenset()
    consumers: frozenset[int] = frozenset()


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
    lacking: dict[int, tuple[list[int], Prior | None]] = {}
    pending = [consumer]
    while pending:
        number = pending[-1]
        if number in known:
            pending.pop()
            continue
        begun = number in lacking
        if not begun:
            lacking[number] = _look_up(dataflow, number)
        givers, own = lacking[number]
        unknown = [giver for giver in givers if giver not in known]
        if not unknown:
            known[number] = _join([known[giver] for giver in givers], own)
            pending.pop()
        elif begun:
            raise SchedulingError(_describe_circle(dataflow, number, lacking, known))
        else:
            pending += unknown
    return known[consumer]


def _look_up(dataflow: Dataflow, number: int) -> tuple[list[int], Prior | None]:
    """Tell for which actors one waits, and what it needs beside, if anything.

    That are Producers, a tensor from outside, or the next turn of a loop through Memorize, which
    ends the search.
    """
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
            return [], _WAITS
        else:
            givers.append(giver)
    if producers or is_outside or not givers:
        return givers, Prior(True, frozenset(producers), frozenset((number,)))
    return givers, None


def _join(priors: list[Prior], own: Prior | None) -> Prior:
    """Give what must run before an actor, from the same of all it waits for and its own needs."""
    if own is not None:
        priors.append(own)
    first = priors[0]
    if priors.count(first) == len(priors):
        return first
    if not all(prior.is_prior for prior in priors):
        return _WAITS
    return Prior(
        True,
        first.producers.union(*[prior.producers for prior in priors]),
        first.consumers.union(*[prior.consumers for prior in priors]),
    )


def _describe_circle(
    dataflow: Dataflow,
    start: int,
    lacking: dict[int, tuple[list[int], Prior | None]],
    known: dict[int, Prior],
) -> str:
    walk = [start]
    while True:
        # What was begun and is not known lies on the way that led here.
        givers, _ = lacking[walk[-1]]
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
