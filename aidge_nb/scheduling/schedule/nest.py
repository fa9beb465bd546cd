"""Elements of a schedule: actors, firings, and loops that store repeated firings once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from aidge_nb.core.errors import SchedulingError, listed
from aidge_nb.core.forms import Many, check_form
from aidge_nb.core.values import dataclass

T = TypeVar("T")
Slots = Sequence[Sequence[int | None]]
"""For each actor the actor at each of its inputs; None for an input fed from outside."""
Readers = Sequence[Sequence[int]]
"""For each actor its readers, without repetition."""


@dataclass(frozen=True, slots=True)
class Actor:
    """A node of the graph that was scheduled.

    Attributes
    ----------
    name, type
        Its name, unique in the graph, and its type.
    producer
        True for a Producer (parameter or constant), which gives its data on demand.
    given
        The name that the user gave to the node; can be empty.
    rank
        Its number among the nodes of its type, from 0.
    """

    name: str
    type: str
    producer: bool
    given: str
    rank: int

    @property
    def caption(self) -> str:
        """Name in diagrams: ``name (Type#rank)``."""
        return f"{self.given} ({self.type}#{self.rank})"


class Firing(NamedTuple):
    """One execution of an actor, between its early and its late step."""

    actor: int
    execution: int
    early: int
    late: int

    @property
    def slack(self) -> int:
        """Steps by which the firing can be delayed without delaying the end."""
        return self.late - self.early

    @property
    def is_critical(self) -> bool:
        """True when any delay would delay the end."""
        return self.late == self.early

    def moved(self, execution: int, early: int, late: int) -> Firing:
        """Return the firing of the same actor in another copy.

        Parameters
        ----------
        execution
            By how many executions it is later; below 0 it is earlier.
        early, late
            By how many steps its early and its late step are later.
        """
        return Firing(self.actor, self.execution + execution, self.early + early, self.late + late)


@dataclass(frozen=True, slots=True)
class Loop:
    """A stretch of firings that occurs ``count`` times in a row.

    Attributes
    ----------
    count
        Number of copies.
    body
        The first copy: firings and inner loops.
    shifts
        For each actor in the body, in order: the actor, and the growth of its execution, early
        step and late step from one copy to the next. Shifts of nested loops add up.
    """

    count: int
    body: tuple[Firing | Loop, ...]
    shifts: tuple[tuple[int, int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of a schedule that occurs several times in a row.

    Attributes
    ----------
    repeat
        Number of copies.
    firings
        The firings of the first copy, with steps as if earlier sections had one copy only.
    shift
        Steps from one copy to the next.
    """

    repeat: int
    firings: tuple[Firing, ...]
    shift: int = 0


@dataclass(frozen=True, slots=True)
class Repeat(Generic[T]):
    """A stretch of leaves and inner loops that occurs ``count`` times in a row."""

    count: int
    body: tuple[T | Repeat[T], ...]


def walk(nest: Sequence[T | Repeat[T]]) -> Iterator[T]:
    """Iterate over the leaves, with all loops unrolled.

    Examples
    --------
    >>> "".join(walk(("a", Repeat(2, ("b", Repeat(3, ("c",)))), "d")))
    'abcccbcccd'
    """
    for item in nest:
        if isinstance(item, Repeat):
            for _ in range(item.count):
                yield from walk(item.body)
        else:
            yield item


def nest_to_list(nest: Sequence[Firing | Loop]) -> list[Any]:
    """Return a loop nest as plain Python values, for JSON."""
    return [
        {
            "count": item.count,
            "body": nest_to_list(item.body),
            "shifts": [list(each) for each in item.shifts],
        }
        if isinstance(item, Loop)
        else [item.actor, item.execution, item.early, item.late]
        for item in nest
    ]


def nest_from_list(items: Sequence[Any]) -> tuple[Firing | Loop, ...]:
    """Make a loop nest from the result of :func:`nest_to_list`."""
    return tuple(
        Loop(
            item["count"],
            nest_from_list(item["body"]),
            tuple(tuple(each) for each in item["shifts"]),
        )
        if isinstance(item, dict)
        else Firing(*item)
        for item in items
    )


_LOOP: dict[str, Any] = {"count": int, "shifts": tuple[tuple[int, int, int, int], ...]}
_LOOP["body"] = Many([Firing, _LOOP])
_SCHEDULE: dict[str, Any] = {
    "actors": tuple[tuple[str, str, bool, str, int], ...],
    "firings": Many([Firing, _LOOP]),
    "remaining": tuple[int, ...],
    "parents?": tuple[tuple[int | None, ...], ...],
    "children?": tuple[tuple[int, ...], ...],
    "unrolled?": tuple[str, ...],
    "waits_for?": tuple[tuple[int, ...], ...],
}
"""The form of ``StaticSchedule.to_dict()``; older files have ``waits_for``, which is not used."""


def check_saved_schedule(values: Mapping[str, Any]) -> None:
    """Check what ``StaticSchedule.to_dict()`` returned; raise SchedulingError."""
    check_form(values, _SCHEDULE, "schedule", SchedulingError)
    count = len(values["actors"])
    for field in ("parents", "children", "remaining"):
        if len(values.get(field, ())) not in (0, count):
            found = len(values[field])
            problem = "has the wrong length"
            raise SchedulingError.at(f"schedule: {field}", problem, expected=count, found=found)
    for field in ("parents", "children"):
        for number, each in enumerate(values.get(field, ())):
            others = [other for other in each if other is not None]
            _check_actors(others, count, f"{field}[{number}]")
    _check_nest(values["firings"], count, "firings")


def _check_nest(items: Sequence[Any], count: int, path: str) -> set[int]:
    """Check actors and loops of a nest as plain values; return the actors."""
    found = {item[0] for item in items if not isinstance(item, Mapping)}
    _check_actors(found, count, path)
    for number, item in enumerate(items):
        if isinstance(item, Mapping):
            where = f"{path}[{number}]"
            if item["count"] < 1:
                problem, expected = "is not positive", "1 or more"
                place = f"schedule: {where}.count"
                raise SchedulingError.at(place, problem, expected=expected, found=item["count"])
            inside = _check_nest(item["body"], count, f"{where}.body")
            shifted = {shift[0] for shift in item["shifts"]}
            if shifted != inside:
                place, problem = f"schedule: {where}.shifts", "are not those of the actors in it"
                expected = listed(list(map(str, sorted(inside))))
                given = listed(list(map(str, sorted(shifted))))
                raise SchedulingError.at(place, problem, expected=expected, found=given)
            found |= inside
    return found


def _check_actors(numbers: Iterable[int], count: int, path: str) -> None:
    wrong = next((number for number in numbers if not 0 <= number < count), None)
    if wrong is not None:
        place, expected = f"schedule: {path}", f"a number below {count}"
        raise SchedulingError.at(place, "no such actor", expected=expected, found=wrong)
