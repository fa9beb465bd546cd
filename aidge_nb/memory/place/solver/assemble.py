"""Assembling: join the buffers of a dense strip to ever larger blocks, and take back what misled.

Joining what matches best goes far but not to the end: some blocks match by accident, and what they
should have matched stays over. So some of the blocks that are left, and some that touch them, are
taken apart again, a few levels deep, and their parts joined anew, with some noise. What leaves
fewer blocks is kept, and now and then what leaves more. (Ruin and recreate: Schrimpf et al.,
Journal of Computational Physics 159, 2000.) When few blocks are left, the search valley by valley
lays them. It proves nothing: a packing that no joins lead to is not found.
"""

from __future__ import annotations

from itertools import groupby
from math import exp
from random import Random

from aidge_nb.memory.place.solver.assembly import Assembly
from aidge_nb.memory.place.solver.clock import Clock
from aidge_nb.memory.place.solver.strip import Improvement, Strip
from aidge_nb.memory.place.solver.valleys import Valleys
from aidge_nb.memory.values.live_range import LiveRange

_METHOD = "assembling blocks"

_SHARE = 0.25
"""Of the time or the work that is left, the part that assembling may take."""

_MOST_FREE = 0.1
"""Where more is free than this, by the number of buffers, joining is hopeless."""

_FEW = 100
"""With so few blocks left, the search valley by valley is asked to lay them."""

_PATIENCE = 30
"""Moves per block of that search."""

_ROUNDS_PER_LAYING = 64
"""It is asked again now and then when other blocks are left, though not fewer."""

_ROUNDS_PER_BUFFER = 40
"""After so many rounds without fewer blocks left, by the number of buffers, assembling ends."""

_LENIENCY = 0.35
"""How readily a change is kept that leaves more blocks: one in e of those that leave this more."""

_NOISES = (0.3, 1.0, 2.0, 3.0)
"""How far surprises are off when blocks are joined anew."""

_DEPTHS = (1, 1, 2, 2, 3, 4, 6)
"""How many levels of a block are taken apart."""

_MOST_TAKEN = 8
"""Most blocks that are taken apart in one place."""

_ALSO_FAR = 0.3
"""How often others are taken apart besides, anywhere."""

_TAKEN_FAR = 3
"""How many these are, and how deep they are taken apart at most."""

_STOP_HALFWAY = 0.2
"""How often a part is left as it is, though its siblings are taken apart."""

_BLOCKS_PER_STEP = 8
"""Blocks that are looked at in the time of a move of the search valley by valley."""


def assemble(strip: Strip, lower_bound: int, clock: Clock) -> Improvement:
    """Look for a packing: an arena of the size of the lower bound, in which (almost) all is used.

    Parameters
    ----------
    strip
        What is to be laid.
    lower_bound
        What is known, in bytes; it stays as it is.
    clock
        When to stop; no more than a quarter of it is taken.
    """
    search = _Assemble(strip, lower_bound // strip.unit, clock)
    placed = search.run() if search.is_dense else None
    clock.spend(search.steps)
    if placed is None:
        return Improvement(None, lower_bound)
    clock.report(lower_bound, lower_bound, _METHOD)
    return Improvement(strip.offsets(placed), lower_bound, _METHOD)


def free_boxes(strip: Strip, capacity: int) -> list[tuple[int, int, int]]:
    """Return what stays free at a capacity: sections [first, behind) and a height, as few as go.

    Examples
    --------
    >>> free_boxes(Strip([LiveRange(0, 2, 3), LiveRange(0, 1, 1), LiveRange(1, 2, 2)]), 5)
    [(0, 1, 1)]
    """
    found = []
    first = 0
    for free, run in groupby(capacity - load for load in strip.load):
        behind = first + len(list(run))
        if free:
            found.append((first, behind, free))
        first = behind
    return found


class _Assemble:
    """Works in units of the strip; what stays free are buffers like others."""

    def __init__(self, strip: Strip, capacity: int, clock: Clock) -> None:
        free = free_boxes(strip, capacity)
        boxes = [*zip(strip.first, strip.behind, strip.height, strict=True), *free]
        self.is_dense = len(free) <= _MOST_FREE * len(strip)
        self._size = len(strip)
        self._capacity = capacity
        self._clock = clock.part(_SHARE)
        self._most_steps = _SHARE * clock.steps_left
        self._assembly = Assembly(boxes)
        self._random = Random(0)
        self._moves = 0

    def run(self) -> list[int] | None:
        """Return offsets, or None."""
        assembly, random = self._assembly, self._random
        assembly.grow(random, _NOISES[0], is_over=self._is_over)
        assembly.commit()
        current = fewest = len(assembly.roots)
        placed = self._lay()
        rounds = last_gain = 0
        while placed is None and rounds - last_gain < _ROUNDS_PER_BUFFER * self._size:
            if self._is_over():
                break
            rounds += 1
            assembly.grow(random, random.choice(_NOISES), self._ruin(), self._is_over)
            left = len(assembly.roots)
            if left > current and random.random() >= exp((current - left) / _LENIENCY):
                assembly.undo()
                continue
            assembly.commit()
            current = left
            if left < fewest:
                last_gain = rounds
            if left < fewest or (left == fewest and rounds % _ROUNDS_PER_LAYING == 0):
                fewest, placed = left, self._lay()
        return placed

    @property
    def steps(self) -> int:
        """Work that was done, counted as for the search valley by valley."""
        return self._assembly.work // _BLOCKS_PER_STEP + self._moves

    def _is_over(self) -> bool:
        return self.steps >= self._most_steps or self._clock.is_late()

    def _ruin(self) -> list[int]:
        """Take apart some roots that touch at one; return what is left of them."""
        assembly, random = self._assembly, self._random
        roots = list(assembly.roots)
        near = assembly.neighbours(random.choice(roots))
        random.shuffle(near)
        depth = random.choice(_DEPTHS)
        depths = dict.fromkeys(near[: random.randint(2, _MOST_TAKEN)], depth)
        if random.random() < _ALSO_FAR:
            for number in random.sample(roots, min(_TAKEN_FAR, len(roots))):
                depths.setdefault(number, random.randint(1, _TAKEN_FAR))
        todo = list(depths.items())
        left = []
        while todo:
            number, depth = todo.pop()
            if not depth or not assembly.roots[number].parts:
                left.append(number)
                continue
            todo += (
                (part, 0 if random.random() < _STOP_HALFWAY else depth - 1)
                for part in assembly.split(number)
            )
        return left

    def _lay(self) -> list[int] | None:
        """Lay the roots, if they are few."""
        blocks = {
            number: block
            for number, block in self._assembly.roots.items()
            if number < self._size or block.parts
        }
        if len(blocks) > _FEW:
            return None
        strip = Strip([LiveRange(*block[:3]) for block in blocks.values()])
        boxes = zip(strip.first, strip.behind, strip.height, strict=True)
        areas = [(first - behind) * height for first, behind, height in boxes]
        valleys = Valleys(strip, self._capacity // strip.unit)
        placed = valleys.fill(strip.ranks(areas), _PATIENCE * len(strip)).offsets
        self._moves += valleys.steps
        if placed is None:
            return None
        offsets = self._assembly.offsets(dict(zip(blocks, strip.offsets(placed), strict=True)))
        return [offsets[number] for number in range(self._size)]
