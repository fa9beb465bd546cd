"""Partial fillings of a strip, and what the search keeps to come back to them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class Valley(NamedTuple):
    """Sections [first, behind) at one floor, and the section of it to decide next."""

    first: int
    behind: int
    floor: int
    wall: int
    inside: int
    section: int
    nb_moves: int


class Part(NamedTuple):
    """Sections that wait until those before them are filled."""

    waiting: int
    lo: int
    hi: int
    dirty: tuple[int, int]
    valleys: list[Valley]
    base: int
    next: Part | None


@dataclass(slots=True)
class State:
    """A partial filling of the sections [lo, hi).

    ``raised`` are the sections whose floor is not the top of a buffer; ``dirty`` the sections that
    the last move changed; ``base`` how many choices were made before this part was begun.
    """

    waiting: int
    floor: list[int]
    slack: list[int]
    raised: int
    lo: int
    hi: int
    dirty: tuple[int, int]
    valleys: list[Valley] = field(default_factory=list)
    parts: Part | None = None
    base: int = 0

    def copy(self) -> State:
        """Give an independent copy."""
        return State(
            self.waiting,
            self.floor.copy(),
            self.slack.copy(),
            self.raised,
            self.lo,
            self.hi,
            self.dirty,
            self.valleys,
            self.parts,
            self.base,
        )


class Choice(NamedTuple):
    """A state that offered several moves, those left to try, and the key under which it dies."""

    state: State
    valley: Valley
    moves: list[int]
    key: tuple[object, ...]
