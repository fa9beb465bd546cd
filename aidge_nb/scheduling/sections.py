"""Sections of a loop nest: what is repeated, in Aidge's way of folding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aidge_nb.scheduling.factorize import find_sections
from aidge_nb.scheduling.nest import Firing, Loop
from aidge_nb.scheduling.nest_walk import walk_firings

__all__ = ["fold_nest"]

Folded = tuple[int, Sequence[Firing], int]
"""Number of repetitions, the firings of the first, and steps from one to the next."""


def fold_nest(nest: Sequence[Firing | Loop], min_repeat: int) -> Iterator[Folded]:
    """Fold a loop nest."""
    firings = list(walk_firings(nest))
    keys = [(f.actor, f.early, f.late) for f in firings]
    for start, length, repeat, shift in find_sections(keys, min_repeat):
        yield repeat, firings[start : start + length], shift
