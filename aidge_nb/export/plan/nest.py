"""Executions of nodes as a loop nest: what becomes loops of the forward function.

The schedule's own nest counts Producers, which an exported program does not run, and other orders
than its own have none. So repetitions are looked for in the order itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from aidge_nb.scheduling.schedule.nest import Repeat
from aidge_nb.scheduling.schedule.repetitions import find_sections

T = TypeVar("T", bound=Hashable)


def fold(order: Sequence[T]) -> tuple[T | Repeat[T], ...]:
    """Find the loops in a sequence.

    Examples
    --------
    >>> fold("abcbcbcd")
    ('a', Repeat(count=3, body=('b', 'c')), 'd')
    >>> fold("abbcabbc")
    (Repeat(count=2, body=('a', Repeat(count=2, body=('b',)), 'c')),)
    """
    numbers = {item: number for number, item in enumerate(dict.fromkeys(order))}
    if len(numbers) == len(order):
        return tuple(order)
    nest: list[T | Repeat[T]] = []
    keys = [(numbers[item], 0, 0) for item in order]
    for start, length, repeat, _ in find_sections(keys):
        body = order[start : start + length]
        if repeat == 1:
            nest += body
        else:
            nest.append(Repeat(repeat, fold(body)))
    return tuple(nest)


@dataclass(frozen=True, slots=True)
class Turn:
    """Which execution of its node a place in the nest is.

    Attributes
    ----------
    base
        Its number in the first copy of all loops around it.
    steps
        By how much the number grows with each turn of these loops, the outermost first.
    counts
        How often these loops turn.
    """

    base: int
    steps: tuple[int, ...] = ()
    counts: tuple[int, ...] = ()

    @property
    def total(self) -> int:
        """How many executions it stands for."""
        found = 1
        for count in self.counts:
            found *= count
        return found

    @property
    def last(self) -> int:
        """The number of the last execution that it stands for."""
        return self.base + sum(
            step * (count - 1) for step, count in zip(self.steps, self.counts, strict=True)
        )

    @property
    def first_alone(self) -> bool:
        """Tell whether it stands for the first execution alone."""
        return self.base == 0 and self.total == 1

    @property
    def has_first(self) -> bool:
        """Tell whether it stands for the first execution, among others."""
        return self.base == 0


def turns(nest: Sequence[T | Repeat[T]]) -> Iterator[Turn]:
    """Walk over the leaves of a nest, loops not unrolled, and tell which execution each is.

    Examples
    --------
    >>> [str(turn.base) + str(turn.steps) for turn in turns(("a", Repeat(3, ("b", "a"))))]
    ['0()', '0(1,)', '1(1,)']
    """
    done: Counter[T] = Counter()

    def walk(items: Sequence[T | Repeat[T]], loops: tuple[Repeat[T], ...]) -> Iterator[Turn]:
        for item in items:
            if isinstance(item, Repeat):
                before = Counter(done)
                yield from walk(item.body, (*loops, item))
                each = done - before
                for key, count in each.items():
                    done[key] = before[key] + count * item.count
            else:
                steps = tuple(_count(loop.body, item) for loop in loops)
                yield Turn(done[item], steps, tuple(loop.count for loop in loops))
                done[item] += 1

    yield from walk(nest, ())


def _count(items: Sequence[T | Repeat[T]], wanted: T) -> int:
    """Count a leaf in a nest, loops unrolled."""
    return sum(
        item.count * _count(item.body, wanted) if isinstance(item, Repeat) else item == wanted
        for item in items
    )
