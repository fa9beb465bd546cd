"""Check the early and late steps of a schedule, which follow from the order of firings alone.

A firing must follow the last execution of each node that feeds it and, if its node ran before, of
the readers of that output. It must precede the next execution of its readers and, if its node runs
again, of the nodes that feed it until then. Its early step is one after the last firing that it
must follow, its late step one before the first firing that it must precede.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from aidge_nb.core.errors import SchedulingError, explain
from aidge_nb.graph.view import GraphView
from aidge_nb.scheduling.model.conditional import condition_nodes
from aidge_nb.scheduling.schedule.nest import Firing
from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule

Path = tuple[int, ...]
"""A leaf of a loop nest: numbers of items, outermost first."""


class FiringCopy(NamedTuple):
    """A firing with its position; in a loop nest, with its leaf and its copy of each loop."""

    position: int
    firing: Firing
    path: Path = ()
    copies: tuple[int, ...] = ()


class FiringOrderRules(ABC):
    """Find who must come before and after each firing of a schedule."""

    def __init__(self, view: GraphView, schedule: StaticSchedule) -> None:
        self.names = [actor.name for actor in schedule.actors]
        known = {name: node for node, name in view.unique_names().items()}
        self.nodes = [known.get(name) for name in self.names]
        number = {node: actor for actor, node in enumerate(self.nodes) if node is not None}
        self.slots: list[list[int | None]] = []
        for node in self.nodes:
            feeding = () if node is None else (*node.get_parents(), *condition_nodes(node))
            self.slots.append([None if each is None else number.get(each) for each in feeding])
        self.readers: list[list[int]] = [[] for _ in self.nodes]
        for reader, slots in enumerate(self.slots):
            for parent in dict.fromkeys(slots):
                if parent is not None:
                    self.readers[parent].append(reader)

    @abstractmethod
    def find(self, actor: int, execution: int) -> FiringCopy | None:
        """Return an execution of an actor; None if it does not exist."""

    @abstractmethod
    def count_before(self, actor: int, position: int) -> int:
        """Return the number of executions of an actor before a position."""

    def where(self, place: FiringCopy) -> str:
        """Return the name of a firing for messages."""
        firing, name = place.firing, self.names[place.firing.actor]
        return f"firing {place.position}, execution {firing.execution} of {name}"

    def last(self, actor: int | None, position: int) -> FiringCopy | None:
        """Return the last firing of an actor before a position."""
        return None if actor is None else self.find(actor, self.count_before(actor, position) - 1)

    def next(self, actor: int | None, position: int) -> FiringCopy | None:
        """Return the first firing of an actor after a position."""
        return None if actor is None else self.find(actor, self.count_before(actor, position + 1))

    def before(self, place: FiringCopy) -> list[FiringCopy]:
        """Return the firings that a firing must follow."""
        actor, position = place.firing.actor, place.position
        found = [self.last(parent, position) for parent in self.slots[actor]]
        previous = self.last(actor, position)
        if previous is not None:
            readers = self.readers[actor] or [actor]
            found += [max(self.last(each, position) or previous, previous) for each in readers]
        return [each for each in dict.fromkeys(found) if each is not None]

    def after(self, place: FiringCopy) -> list[FiringCopy]:
        """Return the firings that a firing must precede."""
        actor, position = place.firing.actor, place.position
        found = [self.next(reader, position) for reader in self.readers[actor]]
        again = self.next(actor, position)
        if again is not None:
            found += [min(self.next(each, position) or again, again) for each in self.slots[actor]]
        return [each for each in dict.fromkeys(found) if each is not None]


class FlatOrder(FiringOrderRules):
    """The firings of a schedule one after the other."""

    def __init__(
        self, view: GraphView, schedule: StaticSchedule, firings: Sequence[Firing]
    ) -> None:
        super().__init__(view, schedule)
        self.places = [FiringCopy(position, firing) for position, firing in enumerate(firings)]
        self._of_actor: list[list[FiringCopy]] = [[] for _ in self.names]
        for place in self.places:
            self._of_actor[place.firing.actor].append(place)

    def find(self, actor: int, execution: int) -> FiringCopy | None:
        """Return an execution of an actor; None if it does not exist."""
        places = self._of_actor[actor]
        return places[execution] if 0 <= execution < len(places) else None

    def count_before(self, actor: int, position: int) -> int:
        """Return the number of executions of an actor before a position."""
        return bisect_left(self._of_actor[actor], position, key=lambda place: place.position)


def check_steps(order: FlatOrder, waits_for: Sequence[Iterable[int]]) -> None:
    """Check the steps of all firings, and the dependencies that the schedule states."""
    end = max((place.firing.early for place in order.places), default=0)
    for place in order.places:
        check_early(order, place, end)
    for place in reversed(order.places):
        check_late(order, place, end)
    if len(waits_for) != len(order.places):
        raise SchedulingError.at(
            "schedule",
            "does not state the dependencies of each firing",
            expected=f"{len(order.places)} entries in waits_for",
            found=len(waits_for),
        )
    for place, said in zip(order.places, waits_for, strict=True):
        check_waits(order, place, said)


Found = tuple[list[FiringCopy], list[FiringCopy]]
"""The firings that one must follow or precede, and those of them that fix its step."""


def check_early(order: FiringOrderRules, place: FiringCopy, end: int) -> Found:
    """Check that an early step is one after the last firing that it must follow."""
    before = order.before(place)
    cause = max(before, key=lambda each: each.firing.early, default=None)
    earliest = 0 if cause is None else cause.firing.early + 1
    found = place.firing.early
    if found != earliest:
        problem = "early step is not the first possible"
        if cause is not None and found < earliest:
            name = order.names[cause.firing.actor]
            problem = f"early step is not after that of {name}, which it waits for"
        where = order.where(place)
        raise SchedulingError(explain(where, problem, expected=earliest, found=found))
    return before, [each for each in before if each.firing.early + 1 == earliest]


def check_late(order: FiringOrderRules, place: FiringCopy, end: int) -> Found:
    """Check that a late step is one before the first firing that it must precede."""
    after = order.after(place)
    cause = min(after, key=lambda each: each.firing.late, default=None)
    latest = end if cause is None else cause.firing.late - 1
    found = place.firing.late
    if found != latest:
        problem = "late step is not the last possible"
        if found > latest:
            name = None if cause is None else order.names[cause.firing.actor]
            problem = "late step would delay the end" + (f": {name} waits for it" if name else "")
        where = order.where(place)
        raise SchedulingError(explain(where, problem, expected=latest, found=found))
    return after, [each for each in after if each.firing.late - 1 == latest]


def check_waits(order: FiringOrderRules, place: FiringCopy, said: Iterable[int]) -> None:
    """Check the positions of the firings that the schedule says one waits for."""
    before, stated = sorted(each.position for each in order.before(place)), sorted(set(said))
    if stated != before:
        problem = "waits for other firings than the schedule states"
        raise SchedulingError.at(order.where(place), problem, expected=before, found=stated)
