"""Problems whose solution is known: rectangles cut into pieces, and pieces forgotten where."""

from __future__ import annotations

from random import Random

from aidge_nb.memory import LiveRange


def guillotine(
    seed: int, pieces: int, ticks: int = 40, height: int = 64, pinwheels: float = 0.25
) -> list[LiveRange]:
    """Cut a rectangle again and again, and a pinwheel of five now and then."""
    random = Random(seed)
    whole = [(0, ticks, 0, height)]
    while len(whole) < pieces:
        areas = [(b - a) * (d - c) for a, b, c, d in whole]
        at = random.choices(range(len(whole)), areas)[0]
        whole[at : at + 1] = _cut(random, *whole[at], pinwheels)
    random.shuffle(whole)
    return [LiveRange(left, right, top - low) for left, right, low, top in whole]


def _cut(
    random: Random, left: int, right: int, low: int, top: int, pinwheels: float
) -> list[tuple[int, int, int, int]]:
    if min(right - left, top - low) >= 4 and random.random() < pinwheels:
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


def grown(seed: int, cells: int, ticks: int = 400, height: int = 1024) -> list[LiveRange]:
    """Fill a grid of cells by rectangles that grow at random: no order of cuts leads to them."""
    random = Random(seed)
    at = [0, *sorted(random.sample(range(1, ticks), cells - 1)), ticks]
    floors = [0, *sorted(random.sample(range(1, height), cells - 1)), height]
    free = {(x, y) for x in range(cells) for y in range(cells)}
    ranges = []
    for cell in random.sample(sorted(free), len(free)):
        if cell not in free:
            continue
        box = (cell[0], cell[0] + 1, cell[1], cell[1] + 1)
        while random.random() < 0.65:
            side, by = random.randrange(4), (-1, 1, -1, 1)
            wider = tuple(each + by[side] * (index == side) for index, each in enumerate(box))
            if _cells(*wider) - _cells(*box) <= free:
                box = wider[0], wider[1], wider[2], wider[3]
        free -= _cells(*box)
        ranges.append(LiveRange(at[box[0]], at[box[1]], floors[box[3]] - floors[box[2]]))
    random.shuffle(ranges)
    return ranges


def _cells(left: int, right: int, low: int, top: int) -> set[tuple[int, int]]:
    return {(x, y) for x in range(left, right) for y in range(low, top)}
