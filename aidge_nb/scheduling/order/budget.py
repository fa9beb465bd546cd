"""What searches may spend, and what they give."""

from __future__ import annotations

from time import monotonic
from typing import NamedTuple


class Budget:
    """How many states may be expanded, over all segments, and until when; ``spent`` counts them."""

    def __init__(self, states: int, seconds: float | None = None) -> None:
        self.states = states
        self.spent = 0
        self._deadline = None if seconds is None else monotonic() + seconds

    @property
    def is_over(self) -> bool:
        """Whether nothing is left, or no time."""
        late = self._deadline is not None and monotonic() > self._deadline
        return late or self.spent >= self.states


class Found(NamedTuple):
    """The best order of the groups of a segment (None when the given one stays the best)."""

    order: list[int] | None
    peak: int
    bound: int
