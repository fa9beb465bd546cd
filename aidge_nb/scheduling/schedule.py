"""A static schedule as a value: who fires when, without any link to the graph it came from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from aidge_nb.errors import SchedulingError, explain
from aidge_nb.scheduling.factorize import find_sections

__all__ = ["Actor", "Firing", "Section", "StaticSchedule"]


@dataclass(frozen=True, slots=True)
class Actor:
    """A node of the graph that was scheduled.

    ``name`` is unique in the graph, ``given`` is the name the node was given (perhaps none),
    ``rank`` its number among the nodes of its type.
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
class Firing:
    """One execution of an actor, between its early and its late step."""

    actor: int
    execution: int
    early: int
    late: int

    @property
    def slack(self) -> int:
        """Steps by which it can be put off without delaying anything."""
        return self.late - self.early

    @property
    def is_critical(self) -> bool:
        """Whether any delay would delay the end."""
        return self.late == self.early


@dataclass(frozen=True, slots=True)
class Section:
    """Firings that are repeated; steps are those of the first copy, with earlier copies closed up.

    ``shift`` is the number of steps from one copy to the next.
    """

    repeat: int
    firings: tuple[Firing, ...]
    shift: int = 0


@dataclass(frozen=True)
class StaticSchedule:
    """The schedule of one pass through a graph.

    Parameters
    ----------
    actors
        The nodes, in topological order.
    firings
        Their executions, in the order in which they were scheduled.
    remaining
        Actors that still waited for data when the schedule ended.
    waits_for
        For each firing, by position, those that it must follow.

    Examples
    --------
    >>> import aidge_nb
    >>> model = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.Tanh(name="b")])
    >>> schedule = aidge_nb.static_schedule(model)
    >>> schedule
    StaticSchedule(2 actors, 2 firings, 2 steps)
    >>> schedule.order
    ('a', 'b')
    """

    actors: tuple[Actor, ...]
    firings: tuple[Firing, ...]
    remaining: tuple[int, ...] = ()
    waits_for: tuple[tuple[int, ...], ...] = ()

    @cached_property
    def n_steps(self) -> int:
        """Number of steps."""
        return 1 + max((firing.late for firing in self.firings), default=-1)

    @property
    def order(self) -> tuple[str, ...]:
        """Names of the actors in order, once per firing."""
        return tuple(self.actors[firing.actor].name for firing in self.firings)

    def name_of(self, firing: Firing) -> str:
        """Name the actor of a firing."""
        return self.actors[firing.actor].name

    def at(self, step: int) -> tuple[Firing, ...]:
        """Give the firings that may run at a step: those with early ≤ step ≤ late.

        Raises
        ------
        SchedulingError
            When there is no such step.
        """
        if not 0 <= step < self.n_steps:
            raise SchedulingError(
                explain("schedule", "no such step", expected=f"0 to {self.n_steps - 1}", found=step)
            )
        return tuple(f for f in self.firings if f.early <= step <= f.late)

    def steps(self) -> Iterator[tuple[Firing, ...]]:
        """Walk over the steps, each with the firings whose early step it is."""
        by_step: list[list[Firing]] = [[] for _ in range(self.n_steps)]
        for firing in self.firings:
            by_step[firing.early].append(firing)
        return (tuple(firings) for firings in by_step)

    def critical_path(self) -> tuple[Firing, ...]:
        """Give the firings without slack."""
        return tuple(firing for firing in self.firings if firing.is_critical)

    def sections(self, min_repeat: int = 2) -> tuple[Section, ...]:
        """Fold repetitions: greedy from the left, the longest repeated stretch first.

        Parameters
        ----------
        min_repeat
            Smallest number of repetitions that is folded.
        """
        keys = [(f.actor, f.early, f.late) for f in self.firings]
        sections = []
        removed = 0
        for start, length, repeat, shift in find_sections(keys, min_repeat):
            firings = tuple(
                Firing(f.actor, f.execution, f.early - removed, f.late - removed)
                for f in self.firings[start : start + length]
            )
            sections.append(Section(repeat, firings, shift))
            removed += shift * (repeat - 1)
        return tuple(sections)

    def to_mermaid(self, ignore_producers: bool = False) -> str:
        """Draw the schedule as a Mermaid Gantt chart."""
        from aidge_nb.scheduling.gantt import static_gantt

        return static_gantt(self, ignore_producers)

    def to_factorized_mermaid(self, ignore_producers: bool = False, min_repeat: int = 2) -> str:
        """Draw the schedule with repetitions folded, as a Mermaid Gantt chart."""
        from aidge_nb.scheduling.gantt import factorized_gantt

        return factorized_gantt(self, ignore_producers, min_repeat)

    def to_csv(self) -> str:
        """Write a table: name, type, execution, early, late, slack."""
        rows = ["name,type,execution,early,late,slack"]
        for firing in self.firings:
            actor = self.actors[firing.actor]
            texts = ['"' + text.replace('"', '""') + '"' for text in (actor.name, actor.type)]
            numbers = map(str, (firing.execution, firing.early, firing.late, firing.slack))
            rows.append(",".join([*texts, *numbers]))
        return "\n".join(rows) + "\n"

    def to_dict(self) -> dict[str, Any]:
        """Give plain Python values, for JSON."""
        return {
            "actors": [[a.name, a.type, a.producer, a.given, a.rank] for a in self.actors],
            "firings": [[f.actor, f.execution, f.early, f.late] for f in self.firings],
            "remaining": list(self.remaining),
            "waits_for": [list(each) for each in self.waits_for],
        }

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> StaticSchedule:
        """Make a schedule of what :meth:`to_dict` gave."""
        return cls(
            tuple(Actor(*each) for each in values["actors"]),
            tuple(Firing(*each) for each in values["firings"]),
            tuple(values["remaining"]),
            tuple(tuple(each) for each in values["waits_for"]),
        )

    def __repr__(self) -> str:
        return (
            f"StaticSchedule({len(self.actors)} actors, {len(self.firings)} firings, "
            f"{self.n_steps} steps)"
        )

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        from aidge_nb.pictures import picture

        return picture(self)
