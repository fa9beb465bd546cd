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

from aidge_nb.core.errors import SchedulingError
from aidge_nb.graph.view import GraphView
from aidge_nb.scheduling.check.steps import (
    FiringCopy,
    FiringOrderRules,
    Path,
    check_early,
    check_late,
    check_waits,
)
from aidge_nb.scheduling.schedule.nest import Firing, Loop
from aidge_nb.scheduling.schedule.nest_walk import count_before, count_firings
from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule

_EDGE = 3
"""Number of copies at each end of a loop that are checked one by one."""

Nest = Sequence[Firing | Loop]


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
    for check, some in ((check_early, places), (check_late, places[::-1])):
        regular: dict[object, tuple[frozenset[object], frozenset[object]]] = {}
        for kind, place in some:
            others, binding = check(nest, place, end)
            neighbours = _seen_from(place, others)
            tight = _seen_from(place, binding) or frozenset({"nothing"})
            same, fixed = regular.setdefault((place.path, kind), (neighbours, tight))
            if neighbours != same or not fixed & tight:
                raise SchedulingError.at(
                    nest.where(place), "the copies of its loop have different dependencies"
                )
            regular[place.path, kind] = same, fixed & tight
    for _, place in places:
        said = (nest.find(each.actor, each.execution) for each in schedule.sources(place.firing))
        check_waits(nest, place, [-1 if each is None else each.position for each in said])


def _seen_from(place: FiringCopy, others: Sequence[FiringCopy]) -> frozenset[object]:
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


class _NestOrder(FiringOrderRules):
    """The firings of a loop nest, each found by its leaf and the copies of its loops."""

    def __init__(self, view: GraphView, schedule: StaticSchedule) -> None:
        super().__init__(view, schedule)
        self.loops = schedule.loops

    def count_before(self, actor: int, position: int) -> int:
        """Return the number of executions of an actor before a position."""
        return count_before(self.loops, actor, position)

    def place(self, path: Path, copies: tuple[int, ...]) -> FiringCopy:
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
            return FiringCopy(position, item.moved(execution, early, late), path, copies)
        raise LookupError(path)

    def find(self, actor: int, execution: int) -> FiringCopy | None:
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
