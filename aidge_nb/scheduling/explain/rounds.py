"""Rounds of the scheduling algorithm as values: who was asked, what they lacked, who fired."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from aidge_nb.scheduling.model.availability import AvailableDataStatus


class TraceEnd(Enum):
    """Why no round follows."""

    Done = "no consumer is left"
    Stuck = "no consumer can run"
    CutOff = "more rounds would follow than were asked for"


@dataclass(frozen=True, slots=True)
class Lack:
    """An input that has too little for the next execution.

    Attributes
    ----------
    consumer, input
        The node and the number of its input.
    source
        The node that feeds it; empty where it is none.
    status
        Where its data come from.
    needed, available
        How much must have been given since the start, and how much was, in ``unit``.
    unit
        What is counted: ``"elements"`` or ``"tokens"``.
    """

    consumer: str
    input: int
    source: str
    status: AvailableDataStatus
    needed: int
    available: int
    unit: str

    def __str__(self) -> str:
        source = f" from {self.source}" if self.source else ""
        return (
            f"{self.consumer}, input#{self.input}: needs {self.needed} {self.unit}{source}, "
            f"has {self.available}"
        )


@dataclass(frozen=True, slots=True)
class Round:
    """One round of the algorithm; nodes by unique name.

    Attributes
    ----------
    number
        The round, from 0.
    consumers
        Who was asked.
    lacks
        What each of them lacked.
    priors
        Who took the place of those that lacked what can be had.
    producers
        The Producers that fired, in order.
    fired
        Who ran then, in order.
    still
        Who has data left and waits to be asked again.
    asked_again
        Those of them that were asked again because nobody else could run.
    following
        The consumers of the next round.
    end
        Why there is none; None where there is one.
    """

    number: int
    consumers: tuple[str, ...]
    lacks: tuple[Lack, ...]
    priors: tuple[str, ...]
    producers: tuple[str, ...]
    fired: tuple[str, ...]
    still: tuple[str, ...]
    asked_again: tuple[str, ...]
    following: tuple[str, ...]
    end: TraceEnd | None

    @property
    def firings(self) -> tuple[str, ...]:
        """Who fired, Producers first."""
        return self.producers + self.fired

    def __str__(self) -> str:
        lines = [f"round {self.number}: {_names(self.consumers)} asked"]
        lines += [f"  {lack}" for lack in self.lacks]
        if self.priors:
            lines.append(f"  priors: {_names(self.priors)}")
        if self.producers:
            lines.append(f"  Producers give: {_names(self.producers)}")
        lines.append(f"  fired: {_names(self.fired)}")
        if self.still:
            lines.append(f"  still has data: {_names(self.still)}")
        if self.end is not None:
            lines.append(f"  the end: {self.end.value}")
        return "\n".join(lines)


def _names(nodes: tuple[str, ...]) -> str:
    return ", ".join(nodes) or "nobody"
