"""Loop nests: sequences in which stretches are repeated, written once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

T = TypeVar("T")


class Firing(NamedTuple):
    """One execution of an actor, between its early and its late step."""

    actor: int
    execution: int
    early: int
    late: int

    @property
    def slack(self) -> int:
        """Steps by which it can be put off without delaying anything."""
        return self.late - self.early

    @property
    def is_critical(self) -> bool:
        """Whether any delay would delay the end."""
        return self.late == self.early


@dataclass(frozen=True, slots=True)
class Loop:
    """Firings that are repeated.

    Attributes
    ----------
    count
        Number of copies.
    body
        The first copy: firings, and loops within.
    shifts
        For each actor in the body, in order: the actor, and by how much its execution, its early
        and its late step grow from one copy to the next. Those of loops within loops add up.
    """

    count: int
    body: tuple[Firing | Loop, ...]
    shifts: tuple[tuple[int, int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Repeat(Generic[T]):
    """A stretch of leaves and further loops that occurs ``count`` times in a row."""

    count: int
    body: tuple[T | Repeat[T], ...]


def walk(nest: Sequence[T | Repeat[T]]) -> Iterator[T]:
    """Walk over the leaves, all loops unrolled.

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


def count_leaves(nest: Sequence[T | Repeat[T]]) -> int:
    """Count the leaves, all loops unrolled.

    Examples
    --------
    >>> count_leaves(("a", Repeat(10**9, ("b", "c"))))
    2000000001
    """
    return sum(
        item.count * count_leaves(item.body) if isinstance(item, Repeat) else 1 for item in nest
    )


def nest_to_list(nest: Sequence[Firing | Loop]) -> list[Any]:
    """Give a loop nest as plain Python values, for JSON."""
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
    """Make a loop nest of what :func:`nest_to_list` gave."""
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
