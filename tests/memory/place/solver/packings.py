"""Problems whose solution is known: rectangles cut into pieces, and pieces forgotten where."""

from __future__ import annotations

from random import Random

from aidge_nb.memory import LiveRange


def guillotine(seed: int, pieces: int, ticks: int = 40, height: int = 64) -> list[LiveRange]:
    """Cut a rectangle again and again, and a pinwheel of five now and then."""
    random = Random(seed)
    whole = [(0, ticks, 0, height)]
    while len(whole) < pieces:
        areas = [(b - a) * (d - c) for a, b, c, d in whole]
        at = random.choices(range(len(whole)), areas)[0]
        whole[at : at + 1] = _cut(random, *whole[at])
    random.shuffle(whole)
    return [LiveRange(left, right, top - low) for left, right, low, top in whole]


def _cut(
    random: Random, left: int, right: int, low: int, top: int
) -> list[tuple[int, int, int, int]]:
    if min(right - left, top - low) >= 4 and random.random() < 0.25:
        a, c = sorted(random.sample(range(left + 1, right), 2))
        b, d = sorted(random.sample(range(low + 1, top), 2))
        return [
            (left, c, low, b),
            (c, right, low, d),
            (a, right, d, top),
            (left, a, b, top),
            (a, c, b, d),
        ]
    if right - left > 1 and (top - low == 1 or random.random() < 0.5):
        tick = random.randrange(left + 1, right)
        return [(left, tick, low, top), (tick, right, low, top)]
    if top - low == 1:
        return [(left, right, low, top)]
    cut = random.randrange(low + 1, top)
    return [(left, right, low, cut), (left, right, cut, top)]
