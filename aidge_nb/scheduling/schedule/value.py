"""A static schedule as a value: who fires when, without any link to the graph it came from.

It is a loop nest: what is repeated is written once. Reading it firing by firing unrolls it;
everything else costs as much as the nest is large, however often its loops are repeated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from heapq import merge
from itertools import groupby
from typing import TYPE_CHECKING, Any

from aidge_nb.core.errors import SchedulingError, explain
from aidge_nb.core.pictures import Shown
from aidge_nb.scheduling.schedule import nest_walk
from aidge_nb.scheduling.schedule.links import Links
from aidge_nb.scheduling.schedule.nest import Firing, Loop, nest_from_list, nest_to_list
from aidge_nb.scheduling.schedule.parts import Actor, Section
from aidge_nb.scheduling.schedule.timing import firings_waited_for

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node
    from aidge_nb.scheduling.explain.explanation import Explanation

__all__ = ["MAX_UNROLLED", "Actor", "Firing", "Loop", "Section", "StaticSchedule"]

MAX_UNROLLED = 5_000_000
"""Schedules of more firings are not unrolled: they would not fit in memory."""


@dataclass(frozen=True, eq=False, repr=False)
class StaticSchedule(Shown):
    """The schedule of one pass through a graph.

    Parameters
    ----------
    actors
        The nodes, in topological order.
    loops
        Their executions, in the order in which they were scheduled: firings, and loops of them.
    remaining
        Numbers of the actors that still waited for data when the schedule ended.
    parents, children
        For each actor the numbers of the actors that feed its inputs (None where nothing in the
        graph does) and that decide whether it runs; and of those that read it, each once. Empty
        where that is not known.
    unrolled
        Names of actors whose consumer-producer model never came back to a state: what is repeated
        could not be found.

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
    loops: tuple[Firing | Loop, ...]
    remaining: tuple[int, ...] = ()
    parents: tuple[tuple[int | None, ...], ...] = ()
    children: tuple[tuple[int, ...], ...] = ()
    unrolled: tuple[str, ...] = ()

    # --- as a whole -------------------------------------------------------------------------

    @cached_property
    def n_firings(self) -> int:
        """Number of firings."""
        return nest_walk.count_firings(self.loops)

    @cached_property
    def n_steps(self) -> int:
        """Number of steps."""
        return 1 + nest_walk.last_step(self.loops)

    @property
    def is_flat(self) -> bool:
        """Whether there is no loop in it."""
        return not any(isinstance(item, Loop) for item in self.loops)

    @cached_property
    def firings(self) -> tuple[Firing, ...]:
        """All firings, loops unrolled.

        Raises
        ------
        SchedulingError
            When there are more than 5 million.
        """
        self._check_can_unroll("firings")
        return tuple(self.iter_firings())

    @property
    def flat(self) -> StaticSchedule:
        """The same schedule without loops."""
        return StaticSchedule(
            self.actors, self.firings, self.remaining, self.parents, self.children, self.unrolled
        )

    def _check_can_unroll(self, what: str) -> None:
        if self.n_firings > MAX_UNROLLED:
            raise SchedulingError(
                explain(
                    "schedule",
                    f"too long to list its {what} one by one",
                    expected=f"at most {MAX_UNROLLED} firings",
                    found=self.n_firings,
                    cure="Read the loop nest in `loops`, walk with iter_firings() or steps(), or "
                    "ask for single ones with firing() and at().",
                )
            )

    def iter_firings(self) -> Iterator[Firing]:
        """Walk over all firings, in order."""
        return nest_walk.walk_firings(self.loops)

    @property
    def order(self) -> tuple[str, ...]:
        """Names of the actors in order, once per firing."""
        return tuple(self.actors[firing.actor].name for firing in self.firings)

    @cached_property
    def waits_for(self) -> tuple[tuple[int, ...], ...]:
        """For each firing, by position, those that it must follow; empty where not known."""
        if not self.parents and not self.children:
            return ()
        numbers = [firing.actor for firing in self.firings]
        return tuple(firings_waited_for(numbers, self.parents, self.children))

    # --- single firings ---------------------------------------------------------------------

    def name_of(self, firing: Firing) -> str:
        """Name the actor of a firing."""
        return self.actors[firing.actor].name

    def firing(self, actor: int | str, execution: int = 0) -> Firing:
        """Give one execution of an actor, by its number or its name.

        Raises
        ------
        SchedulingError
            When there is no such actor or execution.
        """
        number = self._number(actor)
        found = nest_walk.find_firing(self.loops, number, execution) if execution >= 0 else None
        if found is None:
            count = self.count(number)
            raise SchedulingError(
                explain(
                    f"schedule, {self.actors[number].name}",
                    "no such execution",
                    expected=f"0 to {count - 1}" if count else "none at all",
                    found=execution,
                )
            )
        return found[1]

    def _number(self, actor: int | str) -> int:
        numbers = {each.name: number for number, each in enumerate(self.actors)}
        number = numbers.get(actor, -1) if isinstance(actor, str) else actor
        if not 0 <= number < len(self.actors):
            raise SchedulingError(explain("schedule", "no such actor", found=repr(actor)))
        return number

    def count(self, actor: int | str) -> int:
        """Count the executions of an actor, by its number or its name."""
        return nest_walk.count_before(self.loops, self._number(actor), self.n_firings)

    def sources(self, firing: Firing) -> tuple[Firing, ...]:
        """Give the firings that one must follow: those of what feeds it, and of its readers.

        Raises
        ------
        SchedulingError
            When there is no such execution, or nothing is known of who feeds whom.
        """
        links = self._links(firing)
        return tuple(links.sources(firing.actor, firing.execution))

    def targets(self, firing: Firing) -> Iterator[Firing]:
        """Walk over the firings that must follow one; there can be many.

        Raises
        ------
        SchedulingError
            When there is no such execution, or nothing is known of who feeds whom.
        """
        return self._links(firing).targets(firing.actor, firing.execution)

    def why(self, node: Node | str | Firing, execution: int = 0) -> Explanation:
        """Explain why a firing runs when it does; printed, it reads as text.

        Parameters
        ----------
        node
            A node of the graph, its name, or a firing. The node tells what feeds which input.
        execution
            Which of its executions, from 0.

        Raises
        ------
        SchedulingError
            When there is no such node or execution.
        """
        from aidge_nb.scheduling.explain.why import explain_firing

        return explain_firing(self, node, execution)

    def _links(self, firing: Firing) -> Links:
        if not self.parents:
            raise SchedulingError(
                explain("schedule", "does not know who feeds whom", cure="Make it from a graph.")
            )
        self.firing(firing.actor, firing.execution)
        return Links(self.loops, self.parents, self.children)

    # --- by step ----------------------------------------------------------------------------

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
        return tuple(nest_walk.firings_at(self.loops, step))

    def steps(self) -> Iterator[tuple[Firing, ...]]:
        """Walk over the steps, each with the firings whose early step it is."""
        if self.is_flat:
            by_step: list[list[Firing]] = [[] for _ in range(self.n_steps)]
            for firing in self.iter_firings():
                by_step[firing.early].append(firing)
            return (tuple(firings) for firings in by_step)
        return self._walk_steps()

    def _walk_steps(self) -> Iterator[tuple[Firing, ...]]:
        # The executions of an actor follow each other: its early steps grow.
        walks = (nest_walk.firings_of(self.loops, actor) for actor in range(len(self.actors)))
        rows = merge(*walks, key=lambda pair: (pair[1].early, pair[0]))
        number = 0
        for early, group in groupby(rows, key=lambda pair: pair[1].early):
            for _ in range(number, early):
                yield ()
            yield tuple(firing for _, firing in group)
            number = early + 1
        for _ in range(number, self.n_steps):
            yield ()

    def critical_path(self) -> tuple[Firing, ...]:
        """Give the firings without slack."""
        self._check_can_unroll("firings")
        return tuple(firing for firing in self.iter_firings() if firing.is_critical)

    # --- in short, and written down ---------------------------------------------------------

    def sections(self, min_repeat: int = 2) -> tuple[Section, ...]:
        """Fold repetitions: greedy from the left, the longest repeated stretch first.

        Steps of what runs beside a loop, and begins before it ends, can be negative.

        Parameters
        ----------
        min_repeat
            Smallest number of repetitions that is folded; with 1, everything is one section.

        Raises
        ------
        SchedulingError
            When ``min_repeat`` is no positive whole number, or the schedule too long to be cut.
        """
        from aidge_nb.scheduling.schedule.sections import fold_nest

        sections = []
        removed = 0
        for repeat, stretch, shift in fold_nest(self.loops, min_repeat):
            firings = tuple(
                Firing(f.actor, f.execution, f.early - removed, f.late - removed) for f in stretch
            )
            sections.append(Section(repeat, firings, shift))
            removed += shift * (repeat - 1)
        return tuple(sections)

    def to_text(self) -> str:
        """Write the loop nest on one line: ``image 3×(conv1) 41×(conv2 conv3 conv1)``."""
        from aidge_nb.scheduling.schedule.text import nest_text

        return nest_text(self)

    def to_mermaid(self, ignore_producers: bool = False, mark_critical: bool = False) -> str:
        """Draw the schedule as a Mermaid Gantt chart, perhaps with the critical path coloured."""
        from aidge_nb.scheduling.schedule.gantt import static_gantt

        return static_gantt(self, ignore_producers, mark_critical)

    def to_factorized_mermaid(
        self, ignore_producers: bool = False, min_repeat: int = 2, mark_critical: bool = False
    ) -> str:
        """Draw the schedule with repetitions folded, as a Mermaid Gantt chart."""
        from aidge_nb.scheduling.schedule.gantt import factorized_gantt

        return factorized_gantt(self, ignore_producers, min_repeat, mark_critical)

    def to_csv(self) -> str:
        """Write a table: name, type, execution, early, late, slack."""
        from aidge_nb.scheduling.schedule.text import schedule_csv

        return schedule_csv(self)

    def to_dict(self) -> dict[str, Any]:
        """Give plain Python values, for JSON; loops stay loops."""
        return {
            "actors": [[a.name, a.type, a.producer, a.given, a.rank] for a in self.actors],
            "firings": nest_to_list(self.loops),
            "remaining": list(self.remaining),
            "parents": [list(each) for each in self.parents],
            "children": [list(each) for each in self.children],
            "unrolled": list(self.unrolled),
        }

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> StaticSchedule:
        """Make a schedule of what :meth:`to_dict` gave."""
        return cls(
            tuple(Actor(*each) for each in values["actors"]),
            nest_from_list(values["firings"]),
            tuple(values["remaining"]),
            tuple(tuple(each) for each in values.get("parents", ())),
            tuple(tuple(each) for each in values.get("children", ())),
            tuple(values.get("unrolled", ())),
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StaticSchedule):
            return NotImplemented
        mine = (self.actors, self.remaining, self.parents, self.children, self.n_firings)
        if mine != (other.actors, other.remaining, other.parents, other.children, other.n_firings):
            return False
        # The same firings may be folded in several ways.
        return self.loops == other.loops or all(
            one == another
            for one, another in zip(self.iter_firings(), other.iter_firings(), strict=True)
        )

    def __hash__(self) -> int:
        return hash((self.actors, self.remaining, self.n_firings))

    def __repr__(self) -> str:
        return (
            f"StaticSchedule({len(self.actors)} actors, {self.n_firings} firings, "
            f"{self.n_steps} steps)"
        )
