"""How far counters move while something is repeated, and how often that changes nothing.

The algorithm looks at its counters only to compare the backlog of an edge with a *threshold*:
with 1 (is anything left?), or with what the next execution needs. A :class:`Drift` says of every
edge by how much a stretch of rounds changes its backlog, and how far down and up it can go within.

*Claim.* Let a stretch of rounds begin and end in the same discrete state (consumers,
still-consumers, phase of each model), and let no backlog that it changes cross a threshold of the
stretch between the lowest point of the first copy and the highest of the last of n + 1 copies.
Then the next n copies do what the first did. *Proof* by induction over the comparisons: a further
copy starts in the same discrete state, with each backlog moved by a multiple of its change. As
long as all comparisons came out as in the first copy, the same actors fired in the same phases, so
the backlog that the next comparison looks at is that of the first copy, moved by that multiple:
either not moved at all, or between the two points; no threshold lies there, so it comes out the
same. What a model does depends on its phase alone, and the phases that count executions (the loop
of Memorize) are held by a bound of their own.

That a schedule of constant rates comes back to its state is the observation of Lee and
Messerschmitt (Synchronous data flow, 1987); looking for the repeated state of a self-timed
execution is how Ghamarian, Geilen, Stuijk and others (2006) compute its throughput.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from aidge_nb.core.errors import SchedulingError, explain
from aidge_nb.scheduling.model.compiled import Move
from aidge_nb.scheduling.model.elts import EltType
from aidge_nb.scheduling.solve.dataflow import Dataflow
from aidge_nb.scheduling.solve.moves import counter_of

Range = tuple[int, int, int]
"""Change of a backlog from the beginning to the end, its lowest and its highest point between."""


@dataclass(slots=True)
class Drift:
    """What a stretch of rounds does to the counters.

    Attributes
    ----------
    ranges
        By edge; by ``~edge`` where elements are counted while nothing was taken yet.
    moves
        How often each actor makes each of its moves.
    phases
        Actors and the phases in which they were asked what they need.
    """

    ranges: dict[int, Range] = field(default_factory=dict)
    moves: dict[tuple[int, Move], int] = field(default_factory=dict)
    phases: set[tuple[int, object]] = field(default_factory=set)

    def append(self, other: Drift) -> None:
        """Go through another stretch after this one."""
        ranges, moves = self.ranges, self.moves
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
        for move, times in other.moves.items():
            moves[move] = moves.get(move, 0) + times
        self.phases |= other.phases

    def times(self, count: int) -> Drift:
        """Give what several copies do together."""
        last = count - 1
        ranges = {
            edge: (change * count, min(low, last * change + low), max(high, last * change + high))
            for edge, (change, low, high) in self.ranges.items()
        }
        moves = {move: times * count for move, times in self.moves.items()}
        return Drift(ranges, moves, self.phases)


def drift_of_round(
    flow: Dataflow, moves: Iterable[tuple[int, Move]], phases: Iterable[tuple[int, object]]
) -> Drift:
    """Find what one round did: all it took at once at the lowest, all it gave at the highest."""
    taken: dict[int, int] = {}
    given: dict[int, int] = {}
    counts: dict[tuple[int, Move], int] = {}
    for number, move in moves:
        counts[number, move] = counts.get((number, move), 0) + 1
        takes, gives = move.loaded
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
    """How many further copies of a stretch are certain.

    ``end_by_count`` tells that all backlogs would do for one more: it is a model that ends the
    loop, one whose executions are counted. Till such a model runs, one more copy is certain too.
    """

    number: int
    end_by_count: bool = False


def copies_to_come(flow: Dataflow, drift: Drift) -> Copies:
    """Find how many further copies of the stretch that just ended are certain.

    Raises
    ------
    SchedulingError
        When there is no end to it.
    """
    counted = [
        left // times
        for (number, _), times in drift.moves.items()
        if (left := flow.models[number].left()) is not None
    ]
    asked = {number for number, _ in drift.phases}
    bounds: list[int] = []
    for edge, (change, low, high) in drift.ranges.items():
        if not change:
            continue
        start = _backlog(flow, edge) - change
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


def _backlog(flow: Dataflow, edge: int) -> int:
    if edge < 0:
        return flow.given[counter_of(flow.source[~edge], EltType.Data)] - flow.taken[~edge]
    return flow.given[flow.left_at[edge]] - flow.taken[edge]


def _thresholds(flow: Dataflow, edge: int, drift: Drift, asked: set[int]) -> set[int]:
    """List what the backlog of an edge is compared with."""
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
    """Say who runs for ever, and what grows by it."""
    actors = sorted({number for number, _ in drift.moves})
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
        f"never ends: [{names}] run again and again, and nothing changes by it",
        cure="A Producer gives data on demand, for ever: take from it through a node that stops, "
        "such as Memorize with end_step, or set a tensor on the input instead.",
    )
