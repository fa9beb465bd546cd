"""Compute early and late steps of a flat sequence of firings, with their dependencies.

The early step of a firing is one after the last firing that it must follow: of its parents, the
last one before it in the sequence, whichever gave the data; and, if its node ran before, of the
children that read that output. The late step is the last one that delays nothing. A firing whose
steps are equal is on the critical path.
"""

from __future__ import annotations

from collections.abc import Sequence

from aidge_nb.core.values import dataclass
from aidge_nb.scheduling.schedule.nest import Readers, Slots


@dataclass(frozen=True, slots=True)
class Timing:
    """Steps of each firing, and positions of the firings before and after it that fix them."""

    early: list[int]
    late: list[int]
    waits_for: list[tuple[int, ...]]
    awaited_by: list[tuple[int, ...]]


def compute_timing(sequence: Sequence[int], parents: Slots, children: Readers) -> Timing:
    """Compute the steps of a sequence of firings.

    Parameters
    ----------
    sequence
        The actor of each firing, by number.
    parents
        For each actor the actor at each of its inputs; None for an input fed from outside.
    children
        For each actor its readers, without repetition.

    Examples
    --------
    >>> timing = compute_timing([0, 1, 2], [[], [0], [1]], [[1], [2], []])
    >>> timing.early, timing.late
    ([0, 1, 2], [0, 1, 2])
    """
    early, waits_for = early_steps(sequence, parents, children)
    late, awaited_by = _late(sequence, early, parents, children)
    return Timing(early, late, waits_for, awaited_by)


def early_steps(
    sequence: Sequence[int], parents: Slots, children: Readers
) -> tuple[list[int], list[tuple[int, ...]]]:
    """Return the early step of each firing, and the positions of those that it waits for."""
    last: dict[int, int] = {}
    early: list[int] = []
    waits_for: list[tuple[int, ...]] = []
    for position, actor in enumerate(sequence):
        wanted = [last[p] for p in parents[actor] if p is not None and p in last]
        before = last.get(actor)
        if before is not None:
            readers = [max(last.get(child, before), before) for child in children[actor]]
            wanted += readers or [before]
        found = tuple(dict.fromkeys(wanted))
        waits_for.append(found)
        early.append(max((early[other] + 1 for other in found), default=0))
        last[actor] = position
    return early, waits_for


def _late(
    sequence: Sequence[int], early: Sequence[int], parents: Slots, children: Readers
) -> tuple[list[int], list[tuple[int, ...]]]:
    end = max(early, default=0)
    following: dict[int, int] = {}
    late = [end] * len(sequence)
    awaited_by: list[tuple[int, ...]] = [()] * len(sequence)
    for position in range(len(sequence) - 1, -1, -1):
        actor = sequence[position]
        wanting = [following[child] for child in children[actor] if child in following]
        again = following.get(actor)
        if again is not None:
            sources = [again if p is None else following.get(p, again) for p in parents[actor]]
            wanting += [min(source, again) for source in sources]
        found = tuple(dict.fromkeys(wanting))
        awaited_by[position] = found
        late[position] = min((late[other] - 1 for other in found), default=end)
        following[actor] = position
    return late, awaited_by
