"""StaticSchedule: the firings of one pass with their early and late steps, as a frozen value.

It is a loop nest and holds no reference to the graph: repeated firings are stored once. Methods
that list firings unroll it; all others cost as much as the nest is large, not as its repetitions.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from heapq import merge
from itertools import groupby
from typing import TYPE_CHECKING, Any

from aidge_nb.core.errors import SchedulingError, explain, reading
from aidge_nb.core.pictures import Shown
from aidge_nb.core.values import dataclass
from aidge_nb.scheduling.schedule import nest_walk, text
from aidge_nb.scheduling.schedule.names import find_actor, nodes_named
from aidge_nb.scheduling.schedule.nest import (
    Actor,
    Firing,
    Loop,
    Section,
    check_saved_schedule,
    nest_from_list,
    nest_to_list,
)
from aidge_nb.scheduling.schedule.timing import early_steps

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node
    from aidge_nb.graph.view import GraphView
    from aidge_nb.scheduling.schedule.why import Explanation

MAX_UNROLLED = 5_000_000
"""Limit on the number of firings that are listed one by one."""


@dataclass(frozen=True, eq=False, repr=False)
class StaticSchedule(Shown):
    """The schedule of one pass through a graph: which node fires when.

    Parameters
    ----------
    actors
        The nodes, in topological order.
    loops
        Firings, and loops of firings, in the order in which they were scheduled.
    remaining
        Numbers of the actors that still waited for data when the schedule ended.
    parents, children
        For each actor: numbers of the actors that feed its inputs (None for an input fed from
        outside) or decide whether it runs, and numbers of its readers without repetition. Empty
        when unknown.
    unrolled
        Names of actors whose consumer-producer model never returned to an earlier state, so that
        repetitions could not be found.

    Examples
    --------
    >>> import aidge_nb
    >>> model = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.Tanh(name="b")])
    >>> schedule = aidge_nb.static_schedule(model)
    >>> schedule
    StaticSchedule(2 actors, 2 firings, 2 steps)
    >>> schedule.order
    ('a', 'b')
    >>> schedule.early("b"), schedule.late("b"), schedule.slack("b")
    (1, 1, 0)
    """

    actors: tuple[Actor, ...]
    loops: tuple[Firing | Loop, ...]
    remaining: tuple[int, ...] = ()
    parents: tuple[tuple[int | None, ...], ...] = ()
    children: tuple[tuple[int, ...], ...] = ()
    unrolled: tuple[str, ...] = ()

    # --- the whole schedule -----------------------------------------------------------------

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
        """True when the schedule has no loops."""
        return not any(isinstance(item, Loop) for item in self.loops)

    @cached_property
    def firings(self) -> tuple[Firing, ...]:
        """All firings, loops unrolled.

        Raises
        ------
        SchedulingError
            For more than 5 million firings.
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
            raise SchedulingError.at(
                "schedule",
                f"too long to list its {what} one by one",
                expected=f"at most {MAX_UNROLLED} firings",
                found=self.n_firings,
                cure="Read the loop nest in `loops`, walk with iter_firings() or steps(), or "
                "ask for single ones with firing() and at().",
            )

    def iter_firings(self) -> Iterator[Firing]:
        """Iterate over all firings, in order."""
        return nest_walk.walk_firings(self.loops)

    @property
    def order(self) -> tuple[str, ...]:
        """Names of the actors in order, once per firing."""
        return tuple(self.actors[firing.actor].name for firing in self.firings)

    @cached_property
    def waits_for(self) -> tuple[tuple[int, ...], ...]:
        """For each firing the positions of those that it must follow; empty when unknown."""
        if not self.parents and not self.children:
            return ()
        numbers = [firing.actor for firing in self.firings]
        return tuple(early_steps(numbers, self.parents, self.children)[1])

    # --- single firings ---------------------------------------------------------------------

    def early(self, name: str, firing: int = 0) -> int:
        """Return the first step at which a node can run; ``firing`` counts its executions from 0.

        Raises
        ------
        SchedulingError
            For an unknown node or execution.
        """
        return self.firing(name, firing).early

    def late(self, name: str, firing: int = 0) -> int:
        """Return the last step at which a node can run without delaying the end.

        It is finite: where no other firing waits for this one, it is the last step of the
        schedule, ``n_steps - 1``. Arguments and errors are those of :meth:`early`.
        """
        return self.firing(name, firing).late

    def slack(self, name: str, firing: int = 0) -> int:
        """Return the steps between :meth:`early` and :meth:`late`; 0 on the critical path."""
        return self.firing(name, firing).slack

    def nodes(self, view: GraphView) -> list[Node]:
        """Return the node of each firing, in order.

        Raises
        ------
        SchedulingError
            When the graph lacks one of the nodes, or there are more than 5 million firings.
        """
        return nodes_named(view, self.order)

    def name_of(self, firing: Firing) -> str:
        """Return the name of the actor of a firing."""
        return self.actors[firing.actor].name

    def firing(self, actor: int | str, execution: int = 0) -> Firing:
        """Return one execution of an actor, given by number or name.

        Raises
        ------
        SchedulingError
            For an unknown actor or execution.
        """
        number = self._number(actor)
        found = nest_walk.find_firing(self.loops, number, execution) if execution >= 0 else None
        if found is None:
            raise SchedulingError(self._describe_no_firing(number, execution))
        return found[1]

    def _number(self, actor: int | str) -> int:
        return find_actor(self.actors, actor)

    def _describe_no_firing(self, number: int, execution: int) -> str:
        name, count = self.actors[number].name, self.count(number)
        if count:
            expected = f"0 to {count - 1}"
            return explain(
                f"schedule, {name}", "no such execution", expected=expected, found=execution
            )
        cure = "Nothing that the outputs need depends on it."
        if number in self.remaining:
            cure = "It still waited for data when the schedule ended."
        return explain(name, "never runs in this schedule", cure=cure)

    def count(self, actor: int | str) -> int:
        """Return the number of executions of an actor (number or name)."""
        return nest_walk.count_before(self.loops, self._number(actor), self.n_firings)

    def sources(self, firing: Firing) -> tuple[Firing, ...]:
        """Return the firings that one must follow: of its parents, and of its earlier readers.

        Raises
        ------
        SchedulingError
            For an unknown execution, or when the schedule does not know parents and children.
        """
        links = self._links(firing)
        return tuple(links.sources(firing.actor, firing.execution))

    def targets(self, firing: Firing) -> Iterator[Firing]:
        """Iterate over the firings that must follow one; there can be many.

        Raises
        ------
        SchedulingError
            For an unknown execution, or when the schedule does not know parents and children.
        """
        return self._links(firing).targets(firing.actor, firing.execution)

    def why(self, node: Node | str | Firing, execution: int = 0) -> Explanation:
        """Explain why a firing runs when it does; ``print`` shows the explanation as text.

        Parameters
        ----------
        node
            A node of the graph, its name, or a firing. A node tells which input is fed by whom.
        execution
            Number of the execution, from 0.

        Raises
        ------
        SchedulingError
            For an unknown node or execution.
        """
        from aidge_nb.scheduling.schedule.why import explain_firing

        return explain_firing(self, node, execution)

    def _links(self, firing: Firing) -> nest_walk.Links:
        if not self.parents:
            raise SchedulingError.at(
                "schedule",
                "does not know which actor feeds which",
                cure="Make the schedule from a graph with static_schedule().",
            )
        self.firing(firing.actor, firing.execution)
        return nest_walk.Links(self.loops, self.parents, self.children)

    # --- by step ----------------------------------------------------------------------------

    def at(self, step: int) -> tuple[Firing, ...]:
        """Return the firings that may run at a step: those with early ≤ step ≤ late.

        Raises
        ------
        SchedulingError
            For a step outside of the schedule.
        """
        if not 0 <= step < self.n_steps:
            raise SchedulingError.at(
                "schedule", "no such step", expected=f"0 to {self.n_steps - 1}", found=step
            )
        return tuple(nest_walk.firings_at(self.loops, step))

    def steps(self) -> Iterator[tuple[Firing, ...]]:
        """Iterate over the steps, each as the firings whose early step it is."""
        if self.is_flat:
            by_step: list[list[Firing]] = [[] for _ in range(self.n_steps)]
            for firing in self.iter_firings():
                by_step[firing.early].append(firing)
            return (tuple(firings) for firings in by_step)
        return self._walk_steps()

    def _walk_steps(self) -> Iterator[tuple[Firing, ...]]:
        # Early steps of an actor grow from execution to execution, so that its rows are sorted.
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
        """Return the firings without slack."""
        self._check_can_unroll("firings")
        return tuple(firing for firing in self.iter_firings() if firing.is_critical)

    # --- summaries and formats --------------------------------------------------------------

    def sections(self, min_repeat: int = 2) -> tuple[Section, ...]:
        """Fold repetitions: greedy from the left, the repetition that covers most first.

        Steps are as if earlier sections had one copy only. Firings that run beside a loop and
        begin before it ends can so get negative steps.

        Parameters
        ----------
        min_repeat
            Smallest number of repetitions that is folded; 1 makes the whole schedule one section.

        Raises
        ------
        SchedulingError
            When ``min_repeat`` is not a positive whole number, or the schedule is too long.
        """
        from aidge_nb.scheduling.schedule.sections import fold_nest

        sections = []
        removed = 0
        for repeat, stretch, shift in fold_nest(self.loops, min_repeat):
            firings = tuple(firing.moved(0, -removed, -removed) for firing in stretch)
            sections.append(Section(repeat, firings, shift))
            removed += shift * (repeat - 1)
        return tuple(sections)

    def to_text(self) -> str:
        """Return the loop nest as one line: ``image 3×(conv1) 41×(conv2 conv3 conv1)``."""
        return text.nest_text(self)

    def to_mermaid(self, ignore_producers: bool = False, mark_critical: bool = False) -> str:
        """Return a Mermaid Gantt chart; ``mark_critical`` colours the critical path."""
        return text.static_gantt(self, ignore_producers, mark_critical)

    def to_factorized_mermaid(
        self, ignore_producers: bool = False, min_repeat: int = 2, mark_critical: bool = False
    ) -> str:
        """Return a Mermaid Gantt chart with repetitions folded."""
        return text.factorized_gantt(self, ignore_producers, min_repeat, mark_critical)

    def to_csv(self) -> str:
        """Return a CSV table: name, type, execution, early, late, slack."""
        return text.schedule_csv(self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values, for JSON; loops stay loops."""
        return {
            "actors": [[a.name, a.type, a.producer, a.given, a.rank] for a in self.actors],
            "firings": nest_to_list(self.loops),
            "remaining": list(self.remaining),
            "parents": [list(each) for each in self.parents],
            "children": [list(each) for each in self.children],
            "unrolled": list(self.unrolled),
        }

    @classmethod
    @reading("schedule", SchedulingError)
    def from_dict(cls, values: dict[str, Any]) -> StaticSchedule:
        """Make a schedule from the result of :meth:`to_dict`, or raise SchedulingError."""
        check_saved_schedule(values)
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
