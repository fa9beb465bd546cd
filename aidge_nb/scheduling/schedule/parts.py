"""What a schedule is made of besides firings and loops: actors, and sections that repeat."""

from __future__ import annotations

from dataclasses import dataclass

from aidge_nb.scheduling.schedule.nest import Firing


@dataclass(frozen=True, slots=True)
class Actor:
    """A node of the graph that was scheduled.

    Attributes
    ----------
    name, type
        Its name, unique in the graph, and its type.
    producer
        Whether it gives its data whenever somebody asks: a parameter or a constant.
    given
        The name that the node was given; perhaps none.
    rank
        Its number among the nodes of its type, from 0.
    """

    name: str
    type: str
    producer: bool
    given: str
    rank: int

    @property
    def caption(self) -> str:
        """How diagrams call it: ``name (Type#rank)``."""
        return f"{self.given} ({self.type}#{self.rank})"


@dataclass(frozen=True, slots=True)
class Section:
    """Firings that are repeated.

    Attributes
    ----------
    repeat
        Number of copies.
    firings
        Those of the first copy; their steps are as if earlier sections were closed up.
    shift
        Number of steps from one copy to the next.
    """

    repeat: int
    firings: tuple[Firing, ...]
    shift: int = 0
