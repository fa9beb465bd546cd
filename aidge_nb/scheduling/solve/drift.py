"""Prove how often a stretch of rounds repeats, from the drift of its counters.

The algorithm reads its counters only to compare the backlog of an edge with a *threshold*: with 1
(is anything left?), or with the amount that the next execution needs. A :class:`Drift` holds for
every edge the change of its backlog over a stretch of rounds, and its lowest and highest point.

*Claim.* Let a stretch of rounds begin and end in the same discrete state (consumers,
still-consumers, phase of each model), and let no backlog that it changes cross a threshold of the
stretch between the lowest point of the first copy and the highest of the last of n + 1 copies.
Then the next n copies do what the first did. *Proof* by induction over the comparisons: a further
copy starts in the same discrete state, with each backlog shifted by a multiple of its change. As
long as all comparisons gave the same results as in the first copy, the same actors fired in the
same phases. So the next comparison reads the backlog of the first copy, unchanged or shifted to a
point between the two extremes. No threshold lies there, so the result is the same. A model's
behaviour depends on its phase alone; phases that count executions (Memorize) have their own bound.

A schedule with constant rates returns to its state (Lee and Messerschmitt, "Synchronous data
flow", 1987); Ghamarian, Geilen, Stuijk et al. (2006) detect the repeated state of a self-timed
execution in the same way. :class:`Watch` covers schedules without end in which no loop was found.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from aidge_nb.core.errors import SchedulingError, explain
from aidge_nb.scheduling.model.compiled import Transfer
from aidge_nb.scheduling.model.elts import EltType
from aidge_nb.scheduling.solve.dataflow import Dataflow, counter_of

Range = tuple[int, int, int]
"""Change of a backlog over a stretch, its lowest and its highest point in between."""


@dataclass(slots=True)
class Drift:
    """The effect of a stretch of rounds on the counters.

    Attributes
    ----------
    ranges
        By edge; ``~edge`` counts elements of an edge from which nothing was taken yet.
    transfers
        Number of executions by actor and transfer.
    phases
        Actors and the phases in which the algorithm read their needs.
    """

    ranges: dict[int, Range] = field(default_factory=dict)
    transfers: dict[tuple[int, Transfer], int] = field(default_factory=dict)
    phases: set[tuple[int, object]] = field(default_factory=set)

    def append(self, other: Drift) -> None:
        """Append another stretch."""
        ranges, transfers = self.ranges, self.transfers
        for edge, here in other.ranges.items():
            before = ranges.get(edge)
            if before is None:
                ranges[edge] = here
                continue
            moved, lowest, highest = before
            change, low, high = here
            low, high = moved + low, moved + high
            ranges[edge] = (
                moved + change,
                low if low < lowest else lowest,
                high if high > highest else highest,
            )
        for transfer, times in other.transfers.items():
            transfers[transfer] = transfers.get(transfer, 0) + times
        self.phases |= other.phases

    def times(self, count: int) -> Drift:
        """Return the effect of several copies."""
        last = count - 1
        ranges = {
            edge: (change * count, min(low, last * change + low), max(high, last * change + high))
            for edge, (change, low, high) in self.ranges.items()
        }
        transfers = {transfer: times * count for transfer, times in self.transfers.items()}
        return Drift(ranges, transfers, self.phases)


def drift_of_round(
    flow: Dataflow, transfers: Iterable[tuple[int, Transfer]], phases: Iterable[tuple[int, object]]
) -> Drift:
    """Return the drift of one round; the lowest point assumes that it takes all before it gives."""
    taken: dict[int, int] = {}
    given: dict[int, int] = {}
    counts: dict[tuple[int, Transfer], int] = {}
    for number, transfer in transfers:
        counts[number, transfer] = counts.get((number, transfer), 0) + 1
        takes, gives = transfer.loaded
        for edge, amount in takes:
            taken[edge] = taken.get(edge, 0) + amount
        for counter, amount in gives:
            for edge in flow.readers[counter // 2]:
                if flow.left_at[edge] == counter:
                    given[edge] = given.get(edge, 0) + amount
                elif flow.taken_kind[edge] is EltType.Undef:
                    given[~edge] = given.get(~edge, 0) + amount
    ranges = {edge: (-less, -less, 0) for edge, less in taken.items()}
    for edge, more in given.items():
        less = taken.get(edge, 0)
        ranges[edge] = (more - less, -less, more)
    return Drift(ranges, counts, set(phases))


class Copies(NamedTuple):
    """Number of further copies of a stretch that are certain.

    ``end_by_count`` is True when a model that counts executions ends the loop, not a backlog. The
    rounds of one more copy are then certain until this model fires.
    """

    number: int
    end_by_count: bool = False


def copies_to_come(flow: Dataflow, drift: Drift) -> Copies:
    """Return how many further copies of the stretch that just ended are certain."""
    counted = [
        left // times
        for (number, _), times in drift.transfers.items()
        if (left := flow.models[number].left()) is not None
    ]
    asked = {number for number, _ in drift.phases}
    bounds: list[int] = []
    for edge, (change, low, high) in drift.ranges.items():
        if not change:
            continue
        given = flow.left_at[edge] if edge >= 0 else counter_of(flow.source[~edge], EltType.Data)
        start = flow.given[given] - flow.taken[max(edge, ~edge)] - change
        for threshold in _thresholds(flow, edge if edge >= 0 else ~edge, drift, asked):
            if change < 0:
                if threshold <= start + low:
                    bounds.append((start + low - threshold) // -change)
                elif threshold <= start + high:
                    return Copies(0)
            elif threshold > start + high:
                bounds.append((threshold - 1 - start - high) // change)
            elif threshold > start + low:
                return Copies(0)
    if not counted and not bounds:
        raise SchedulingError(describe_endless(flow, drift))
    if counted and min(counted) < min(bounds, default=min(counted) + 1):
        return Copies(min(counted), end_by_count=True)
    return Copies(min(bounds))


def _thresholds(flow: Dataflow, edge: int, drift: Drift, asked: set[int]) -> set[int]:
    """Return the thresholds of the backlog of an edge."""
    number, index = flow.target[edge]
    found = {1}
    if index < 0:
        return found
    place = flow.edges[number].index(edge)
    if number not in asked:
        found.add(flow.need[edge])
    for phase in [phase for actor, phase in drift.phases if actor == number]:
        needs = flow.needs.get((number, phase))
        if needs is not None:
            found.add(needs[place])
    return found


def describe_endless(flow: Dataflow, drift: Drift) -> str:
    """Say which nodes run forever, and which backlogs grow."""
    actors = sorted({number for number, _ in drift.transfers})
    names = ", ".join(flow.order[number].label for number in actors[:8])
    growing = [
        f"{flow.order[giver].label} -> {flow.where(edge)}: {change} more each time"
        for edge, (change, _, _) in sorted(drift.ranges.items())
        if edge >= 0 and change > 0 and (giver := flow.giver[flow.source[edge]]) is not None
    ]
    if growing:
        return explain(
            "schedule",
            f"never ends: a backlog grows without bound while [{names}] run again and again",
            found="; ".join(growing[:3]),
            cure="Let the consumer take as much as the producer gives, in its consumer-producer "
            "model, or read the data that are left.",
        )
    return explain(
        "schedule",
        f"never ends: [{names}] run again and again, without any effect",
        cure="A Producer gives data on demand, without end: read it through a node that stops, "
        "such as Memorize with end_step, or set a tensor on the input instead.",
    )


class Watch:
    """Detect a schedule that never ends although no loop was found in it.

    Compares the state before each round with one earlier state, the *anchor*, which is replaced at
    growing distances: a period of any length is found within a few times its length (Brent, "An
    improved Monte Carlo factorization algorithm", 1980). If the discrete state is that of the
    anchor, and each backlog is unchanged, or has grown and was never near a threshold, then all
    comparisons repeat forever.
    """

    def __init__(self, flow: Dataflow) -> None:
        self._flow = flow
        self._seen = 0
        self._limit = 16
        self._anchor: object = None
        self._taken: list[int] = []
        self._backlogs: list[tuple[int, int]] = []
        self._left: list[int | None] = []
        self._transfers: dict[tuple[int, Transfer], int] = {}

    def append(self, transfers: Iterable[tuple[int, Transfer]]) -> None:
        """Record the transfers of a round."""
        self._transfers.update(dict.fromkeys(transfers, 1))

    def check(self, key: object) -> None:
        """Compare the state before a round with the anchor."""
        if key == self._anchor and self._transfers:
            self._compare()
        self._seen += 1
        if self._seen >= self._limit:
            self._limit += self._limit // 2
            self._seen = 0
            self._anchor = key
            self._taken = list(self._flow.taken)
            self._backlogs = self._find_backlogs()
            self._left = self._find_left()
            self._transfers.clear()

    def _find_left(self) -> list[int | None]:
        return [self._flow.models[number].left() for number in self._flow.varying]

    def _find_backlogs(self) -> list[tuple[int, int]]:
        """Return the backlogs of each edge as compared with 1 and with its need."""
        flow = self._flow
        pairs = zip(flow.taken, flow.left_at, flow.need_at, strict=True)
        return [(flow.given[left] - t, flow.given[need] - t) for t, left, need in pairs]

    def _compare(self) -> None:
        if self._find_left() != self._left:
            return  # a loop that a counting model ends
        ranges = {}
        for edge, (new, old) in enumerate(zip(self._find_backlogs(), self._backlogs, strict=True)):
            took = self._flow.taken[edge] - self._taken[edge]
            for now, before in zip(new, old, strict=True):
                if now < before or (now > before and before - took < self._highest(edge)):
                    return
            if new != old:
                ranges[edge] = (max(new[0] - old[0], new[1] - old[1]), 0, 0)
        raise SchedulingError(describe_endless(self._flow, Drift(ranges, self._transfers)))

    def _highest(self, edge: int) -> int:
        """Return the highest threshold of the backlog of an edge."""
        flow = self._flow
        number, index = flow.target[edge]
        if index < 0:
            return 1
        place = flow.edges[number].index(edge)
        needs = [needs[place] for (actor, _), needs in flow.needs.items() if actor == number]
        return max(1, flow.need[edge], *needs)
