"""Finding repetitions in a schedule.

Greedy from the left, as Aidge does it: at each position the period and number of repetitions that
cover most are taken, the shortest period on ties.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["find_sections"]

Key = tuple[int, int, int]


def find_sections(keys: Sequence[Key], min_repeat: int = 2) -> list[tuple[int, int, int, int]]:
    """Cut a sequence into repeated sections.

    Parameters
    ----------
    keys
        Actor, early step and late step of each firing.
    min_repeat
        Smallest number of repetitions that is folded; 1 gives one section with everything.

    Returns
    -------
    list of (start, length, repeat, shift)
        ``length`` firings from ``start`` occur ``repeat`` times, ``shift`` steps apart.

    Examples
    --------
    >>> find_sections([(0, 0, 0), (1, 1, 1), (1, 2, 2), (1, 3, 3)])
    [(0, 1, 1, 0), (1, 1, 3, 1)]
    """
    if min_repeat <= 1:
        return [(0, len(keys), 1, 0)] if keys else []
    following = _next_same_actor(keys)
    sections = []
    start = 0
    while start < len(keys):
        length, repeat = _best(keys, following, start, min_repeat)
        shift = keys[start + length][1] - keys[start][1] if repeat > 1 else 0
        sections.append((start, length, repeat, shift))
        start += length * repeat
    return sections


def _next_same_actor(keys: Sequence[Key]) -> list[int]:
    """Give for each position the next one with the same actor, or the end."""
    following = [len(keys)] * len(keys)
    seen: dict[int, int] = {}
    for position in range(len(keys) - 1, -1, -1):
        following[position] = seen.get(keys[position][0], len(keys))
        seen[keys[position][0]] = position
    return following


def _best(
    keys: Sequence[Key], following: Sequence[int], start: int, min_repeat: int
) -> tuple[int, int]:
    """Find the period and count that cover most; only where the first actor comes again."""
    best = (1, 1)
    covered = 0
    other = following[start]
    while other < len(keys) and (other - start) * min_repeat <= len(keys) - start:
        length = other - start
        repeat = _count(keys, start, length)
        if repeat >= min_repeat and length * repeat > covered:
            best, covered = (length, repeat), length * repeat
        other = following[other]
    return best


def _count(keys: Sequence[Key], start: int, length: int) -> int:
    """Count how often ``length`` firings are repeated, shifted by a constant each time."""
    shift = keys[start + length][1] - keys[start][1]
    position = start + length
    while position < len(keys):
        actor, early, late = keys[position - length]
        if keys[position] != (actor, early + shift, late + shift):
            break
        position += 1
    return (position - start) // length
