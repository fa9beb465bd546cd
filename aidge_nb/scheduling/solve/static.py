"""Static scheduling: find which nodes run in which order, from the C-P models alone.

The algorithm is that of the seed tutorial, section "Master the C-P model". It starts from the
nodes that give the graph outputs, the first *consumers*, and goes in *rounds*:

1. Replace each consumer that lacks data by its *priors*, the nodes that must run before it.
2. Run the Producers that priors need; they give on demand.
3. Run all consumers that have their data, as one batch.
4. The children of these nodes are the next consumers. A node with data left becomes a
   *still-consumer*: it asks again only when no other node can run, so that data flow on.

It ends when no consumer is left or none can run. Data that can still reach an output are drained
first (the literal rule starves the slow end of multi-rate chains); other data stay where they are,
as in Aidge. A loop that no consumer asked for, but for which an output waits, is begun then, too.

Rounds that are certain to repeat are counted instead of executed
(:mod:`aidge_nb.scheduling.solve.loops`), so that time grows with the size of the loop nest only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from aidge_nb.core.errors import SchedulingError, explain, listed
from aidge_nb.core.values import dataclass
from aidge_nb.scheduling.model.compiled import Transfer
from aidge_nb.scheduling.model.elts import EltType
from aidge_nb.scheduling.schedule.nest import Repeat, walk
from aidge_nb.scheduling.solve.dataflow import Dataflow
from aidge_nb.scheduling.solve.lacks import describe_lack
from aidge_nb.scheduling.solve.loops import Key, LoopFinder

MAX_FIRINGS = 1_000_000
"""Limit on the firings outside of loops, which are kept in memory one by one."""


@dataclass(frozen=True)
class BaseSchedule:
    """Batches of actors, by number, without steps.

    Attributes
    ----------
    nest
        Batches of actors that ran together, and loops of batches.
    remaining
        Actors that still wait.
    """

    nest: tuple[tuple[int, ...] | Repeat[tuple[int, ...]], ...]
    remaining: tuple[int, ...]

    @property
    def batches(self) -> Iterator[tuple[int, ...]]:
        """All batches, with loops unrolled."""
        return walk(self.nest)

    def fired(self) -> Iterator[int]:
        """Iterate over the actors that ran; an actor can occur several times."""
        pending = list(self.nest)
        while pending:
            item = pending.pop()
            if isinstance(item, Repeat):
                pending += item.body
            else:
                yield from item


def schedule_batches(
    dataflow: Dataflow, max_firings: int = MAX_FIRINGS, *, find_loops: bool = True
) -> BaseSchedule:
    """Schedule a graph from its present C-P state, and advance that state.

    Parameters
    ----------
    dataflow
        The graph and its state.
    max_firings
        Limit on the number of executed firings; repetitions of loops do not count.
    find_loops
        Count repetitions instead of executing them; the schedule is the same, only faster.
    """
    scheduling = _Scheduling(dataflow)
    finder = LoopFinder(dataflow)
    while scheduling.consumers:
        while find_loops and (key := finder.arrive(scheduling.key())) is not None:
            scheduling.go_to(key)
        batches, transfers = scheduling.round()
        finder.append(batches, transfers)
        if scheduling.is_stuck:
            break
        if finder.n_firings > max_firings:
            running = dict.fromkeys(dataflow.order[n].label for batch in batches for n in batch)
            raise SchedulingError.at(
                "schedule",
                f"does not end within {max_firings} firings",
                found="still running: " + ", ".join(list(running)[:5]),
                cure="A Producer gives data on demand to consumers that never take it all: check "
                "the amounts of their consumer-producer models.",
            )
    return BaseSchedule(finder.nest(), tuple(sorted(scheduling.consumers)))


class _Scheduling:
    """The state of the algorithm between two rounds."""

    def __init__(self, dataflow: Dataflow) -> None:
        self.flow = dataflow
        self.consumers = set(dataflow.outputs)
        self.still: set[int] = set()
        self.is_stuck = False

    def key(self) -> Key:
        """Return the discrete state: all that decides the next round, except for counters."""
        models = self.flow.models
        return (
            frozenset(self.consumers),
            frozenset(self.still),
            self.flow.changes,
            *[models[number].phase for number in self.flow.varying],
        )

    def go_to(self, key: Key) -> None:
        """Restore consumers and still-consumers from a discrete state."""
        consumers, still, *_ = key
        self.consumers = set(consumers)
        self.still = set(still)

    def round(self) -> tuple[tuple[tuple[int, ...], ...], list[tuple[int, Transfer]]]:
        """Execute one round; return the batches that ran, and the transfer of each execution."""
        flow = self.flow
        fire = flow.fire
        ready, priors, producers = self._replace_by_priors()
        transfers = [(producer, fire(producer)) for producer in producers]
        ready += [number for number in priors if not flow.lacking(number)]
        if flow.conditions:
            ready = [number for number in ready if flow.knows_conditions(number)]
        runnable = sorted(ready)
        transfers += [(number, fire(number)) for number in runnable]
        if runnable:
            self._hand_on(runnable)
        else:
            self.still = self._serving()
            if not self.still:
                begun = self._loops_to_begin()
                self.consumers |= begun
                self.is_stuck = not begun
        if not self.is_stuck and (not runnable or not self.consumers):
            self.consumers.update(number for number in self.still if flow.has_backlog(number))
            self.still = set()
        batches = [tuple(batch) for batch in (producers, runnable) if batch]
        return tuple(batches), transfers

    def _replace_by_priors(self) -> tuple[list[int], list[int], list[int]]:
        """Replace consumers that lack data by their priors.

        Returns
        -------
        tuple
            Consumers that have their data; priors of the others; Producers that these need.
        """
        flow = self.flow
        lacking: dict[int, list[int]] = {}
        ready: list[int] = []
        for number in sorted(self.consumers):
            if edges := flow.lacking(number):
                lacking[number] = edges
            else:
                ready.append(number)
        if not lacking:
            return ready, [], []
        found = find_priors(flow, lacking)
        new = found.consumers.difference(ready)
        self.consumers = new.union(ready, found.waiting)
        producers = sorted(found.producers)
        if flow.conditions:  # conditional ones last
            producers.sort(key=flow.conditions.__contains__)
        return ready, sorted(new), producers

    def _serving(self) -> set[int]:
        """Return the still-consumers whose data can reach an output through actors that can run."""
        flow = self.flow
        behind = dict.fromkeys(self.still)
        pending = list(behind)
        for number in pending:
            pending += [child for child in flow.children[number] if child not in behind]
            behind.update(dict.fromkeys(flow.children[number]))
        waits: dict[int, list[int | None]] = {}
        pending = list(behind)
        for number in pending:
            if number not in waits and not flow.is_producer[number]:
                waits[number] = [flow.giver[flow.source[edge]] for edge in flow.lacking(number)]
                pending += [giver for giver in waits[number] if giver is not None]
        live = _grow(
            sorted(waits),
            lambda number, live: all(
                giver is not None and (flow.is_producer[giver] or giver in live)
                for giver in waits[number]
            ),
        )
        serving = _grow(
            sorted(behind, reverse=True),
            lambda number, serving: (
                number in flow.outputs
                or any(child in live and child in serving for child in flow.children[number])
            ),
        )
        return self.still & serving

    def _loops_to_begin(self) -> set[int]:
        """Return the Memorize actors that never ran and that consumers wait for."""
        flow = self.flow
        begun: set[int] = set()
        seen = dict.fromkeys(self.consumers)
        pending = list(seen)
        for number in pending:
            for edge in flow.lacking(number):
                source = flow.source[edge]
                giver = flow.giver[source]
                if giver is None:
                    continue
                if source in flow.recurrent and flow.given_kind[source] is EltType.Undef:
                    begun.add(giver)
                if giver not in seen:
                    seen[giver] = None
                    pending.append(giver)
        return begun - self.consumers

    def _hand_on(self, ran: Iterable[int]) -> None:
        """Make the children of the actors that ran the next consumers."""
        flow, consumers = self.flow, self.consumers
        consumers.difference_update(ran)
        for number in ran:
            if flow.feeds(number):
                consumers.update(flow.children[number])
            if flow.has_backlog(number):
                self.still.add(number)


# --- priors -------------------------------------------------------------------------------------
#
# The search for priors walks up from each consumer along the inputs that lack data. It ends at
# Producers, which give on demand, and at nodes that only Producers keep from running: the priors.
# A consumer whose way up ends at the loop output of a Memorize waits for the next turn of the loop.


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
                is_prior |= flow.order[number].source(index) is not None
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
        return explain(
            "schedule",
            "nodes wait for each other in a circle",
            found=listed([flow.order[each].label for each in [*circle, circle[0]]], " -> "),
            expected=listed([describe_lack(flow, number) for number in circle], "; "),
            cure="Give the circle initial data: close it through output#1 of a Memorize node.",
        )


def _grow(numbers: list[int], belongs: Callable[[int, set[int]], bool]) -> set[int]:
    """Return the smallest set that contains every number that belongs to it (a fixed point)."""
    found: set[int] = set()
    size = -1
    while size < len(found):
        size = len(found)
        for number in numbers:
            if belongs(number, found):
                found.add(number)
    return found
