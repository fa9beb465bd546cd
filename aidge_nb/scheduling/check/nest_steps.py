"""Check the early and late steps of a loop nest, without unrolling it.

The rules are those of :mod:`aidge_nb.scheduling.check.steps`. Checked are the first and last copies
of each loop, and the first and last of those between. In all copies between, a firing must follow
the same firings at the same distance in copies, so that all steps are linear in the number of the
copy. If an early step is late enough at both ends it is so everywhere; if it comes right after the
same firing at both ends, it is nowhere later than necessary. Late steps likewise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from aidge_nb.core.errors import SchedulingError
from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.scheduling.check.steps import describe_early, describe_late
from aidge_nb.scheduling.model.conditional import condition_nodes
from aidge_nb.scheduling.schedule.nest import Firing, Loop
from aidge_nb.scheduling.schedule.nest_walk import count_before, count_firings
from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule

_EDGE = 3
"""Number of copies at each end of a loop that are checked one by one."""

Nest = Sequence[Firing | Loop]
Path = tuple[int, ...]
"""A leaf of the nest: numbers of items, outermost first."""


class _FiringCopy(NamedTuple):
    """A firing with its position, its leaf in the nest, and its copy of each loop."""

    position: int
    path: Path
    copies: tuple[int, ...]
    firing: Firing


def check_nest_steps(view: GraphView, schedule: StaticSchedule) -> None:
    """Check all early and late steps, and the dependencies that the schedule states."""
    nest = _NestOrder(view, schedule)
    places = [
        (kind, nest.place(path, copies))
        for path in _leaves(schedule.loops)
        for copies, kind in _copies_of(schedule.loops, path)
    ]
    places.sort(key=lambda each: each[1].position)
    end = max((place.firing.early for _, place in places), default=0)
    for direction in (_check_early, _check_late):
        regular: dict[object, tuple[frozenset[object], frozenset[object]]] = {}
        for kind, place in places if direction is _check_early else reversed(places):
            neighbours, tight = direction(nest, place, end)
            same, binding = regular.setdefault((place.path, kind), (neighbours, tight))
            if neighbours != same or not binding & tight:
                raise SchedulingError.at(
                    nest.where(place), "the copies of its loop have different dependencies"
                )
            regular[place.path, kind] = same, binding & tight
    for _, place in places:
        _check_waits(nest, schedule, place)


_Found = tuple[frozenset[object], frozenset[object]]
"""Relative dependencies of a firing, and those of them that fix its step."""


def _check_early(nest: _NestOrder, place: _FiringCopy, end: int) -> _Found:
    before = nest.before(place)
    cause = max(before, key=lambda each: each.firing.early, default=None)
    earliest = 0 if cause is None else cause.firing.early + 1
    found = place.firing.early
    if found != earliest:
        name = None if cause is None else nest.names[cause.firing.actor]
        raise SchedulingError(describe_early(nest.where(place), name, earliest, found))
    tight = [each for each in before if each.firing.early + 1 == earliest]
    return _seen_from(place, before), _seen_from(place, tight) or frozenset({"the start"})


def _check_late(nest: _NestOrder, place: _FiringCopy, end: int) -> _Found:
    after = nest.after(place)
    cause = min(after, key=lambda each: each.firing.late, default=None)
    latest = end if cause is None else cause.firing.late - 1
    found = place.firing.late
    if found != latest:
        name = None if cause is None else nest.names[cause.firing.actor]
        raise SchedulingError(describe_late(nest.where(place), name, latest, found))
    tight = [each for each in after if each.firing.late - 1 == latest]
    return _seen_from(place, after), _seen_from(place, tight) or frozenset({"the end"})


def _check_waits(nest: _NestOrder, schedule: StaticSchedule, place: _FiringCopy) -> None:
    before = {(each.firing.actor, each.firing.execution) for each in nest.before(place)}
    said = {(each.actor, each.execution) for each in schedule.sources(place.firing)}
    if said != before:
        raise SchedulingError.at(
            nest.where(place),
            "waits for other firings than the schedule states",
            expected=sorted(before),
            found=sorted(said),
        )


def _seen_from(place: _FiringCopy, others: Sequence[_FiringCopy]) -> frozenset[object]:
    """Describe others relative to a firing, equal for all copies of a loop."""
    return frozenset(
        (
            other.path,
            *[
                copy - place.copies[depth]
                if other.path[: depth + 1] == place.path[: depth + 1] and depth < len(place.copies)
                else ("copy", copy)
                for depth, copy in enumerate(other.copies)
            ],
        )
        for other in others
    )


def _leaves(nest: Nest) -> Iterator[Path]:
    for number, item in enumerate(nest):
        if isinstance(item, Loop):
            yield from ((number, *path) for path in _leaves(item.body))
        else:
            yield (number,)


def _copies_of(nest: Nest, path: Path) -> Iterator[tuple[tuple[int, ...], tuple[object, ...]]]:
    """Return the copies of a leaf to check, and which of them are of one kind."""
    choices = []
    for number in path[:-1]:
        loop = nest[number]
        assert isinstance(loop, Loop)  # noqa: S101  # for the type checker
        choices.append(list(_chosen(loop.count)))
        nest = loop.body
    for chosen in product(*choices):
        yield tuple(copy for copy, _ in chosen), tuple(kind for _, kind in chosen)


def _chosen(count: int) -> Iterator[tuple[int, object]]:
    if count <= 2 * _EDGE + 2:
        yield from ((copy, copy) for copy in range(count))
        return
    yield from ((copy, copy) for copy in range(_EDGE))
    yield _EDGE, "between"
    yield count - 1 - _EDGE, "between"
    yield from ((copy, copy) for copy in range(count - _EDGE, count))


class _NestOrder:
    """Finds firings in a nest, and who comes before and after them."""

    def __init__(self, view: GraphView, schedule: StaticSchedule) -> None:
        self.loops = schedule.loops
        self.names = [actor.name for actor in schedule.actors]
        known = {name: node for node, name in view.unique_names().items()}
        nodes = [known[name] for name in self.names]
        number = {node: actor for actor, node in enumerate(nodes)}
        self.slots: list[list[int | None]] = [
            [None if each is None else number.get(each) for each in _feeding(node)]
            for node in nodes
        ]
        self.readers: list[list[int]] = [[] for _ in nodes]
        for reader, slots in enumerate(self.slots):
            for parent in dict.fromkeys(slots):
                if parent is not None:
                    self.readers[parent].append(reader)

    def where(self, place: _FiringCopy) -> str:
        """Return the name of a firing for messages."""
        firing = place.firing
        return (
            f"firing {place.position}, execution {firing.execution} of {self.names[firing.actor]}"
        )

    def place(self, path: Path, copies: tuple[int, ...]) -> _FiringCopy:
        """Return a copy of a leaf."""
        nest: Nest = self.loops
        position = execution = early = late = 0
        passed: list[tuple[Loop, int]] = []
        for depth, number in enumerate(path):
            position += count_firings(nest[:number])
            item = nest[number]
            if isinstance(item, Loop):
                position += copies[depth] * count_firings(item.body)
                passed.append((item, copies[depth]))
                nest = item.body
                continue
            for loop, copy in passed:
                shift = next(each for each in loop.shifts if each[0] == item.actor)
                execution += copy * shift[1]
                early += copy * shift[2]
                late += copy * shift[3]
            moved = Firing(
                item.actor, item.execution + execution, item.early + early, item.late + late
            )
            return _FiringCopy(position, path, copies, moved)
        raise LookupError(path)

    def find(self, actor: int, execution: int) -> _FiringCopy | None:
        """Return an execution of an actor; None if it does not exist."""
        nest: Nest = self.loops
        path: list[int] = []
        copies: list[int] = []
        while execution >= 0:
            for number, item in enumerate(nest):
                if isinstance(item, Firing):
                    each, count = int(item.actor == actor), 1
                else:
                    each = next((n for other, n, _, _ in item.shifts if other == actor), 0)
                    count = item.count
                if execution >= each * count:
                    execution -= each * count
                    continue
                path.append(number)
                if isinstance(item, Firing):
                    return self.place(tuple(path), tuple(copies))
                copy, execution = divmod(execution, each)
                copies.append(copy)
                nest = item.body
                break
            else:
                return None
        return None

    def last(self, actor: int | None, position: int) -> _FiringCopy | None:
        """Return the last firing of an actor before a position."""
        if actor is None:
            return None
        return self.find(actor, count_before(self.loops, actor, position) - 1)

    def next(self, actor: int | None, position: int) -> _FiringCopy | None:
        """Return the first firing of an actor after a position."""
        if actor is None:
            return None
        return self.find(actor, count_before(self.loops, actor, position + 1))

    def before(self, place: _FiringCopy) -> list[_FiringCopy]:
        """Return the firings that a firing must follow."""
        actor = place.firing.actor
        found = [self.last(parent, place.position) for parent in self.slots[actor]]
        previous = self.find(actor, place.firing.execution - 1)
        if previous is not None:
            readers = self.readers[actor] or [actor]
            found += [
                max(self.last(each, place.position) or previous, previous) for each in readers
            ]
        return [each for each in dict.fromkeys(found) if each is not None]

    def after(self, place: _FiringCopy) -> list[_FiringCopy]:
        """Return the firings that a firing must precede."""
        actor = place.firing.actor
        found = [self.next(reader, place.position) for reader in self.readers[actor]]
        again = self.find(actor, place.firing.execution + 1)
        if again is not None:
            slots = self.slots[actor]
            found += [min(self.next(each, place.position) or again, again) for each in slots]
        return [each for each in dict.fromkeys(found) if each is not None]


def _feeding(node: Node) -> list[Node | None]:
    return [*node.get_parents(), *condition_nodes(node)]
