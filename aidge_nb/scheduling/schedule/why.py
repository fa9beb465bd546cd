"""Explain why a firing runs when it does: which firings it waits for, and which wait for it.

A firing follows the last execution before it of each node that gives it an input, even where an
earlier one gave all that it takes; see :mod:`aidge_nb.scheduling.schedule.timing`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from aidge_nb.core.errors import SchedulingError
from aidge_nb.graph.node import Node
from aidge_nb.scheduling.model.conditional import condition_nodes
from aidge_nb.scheduling.schedule.names import find_actor
from aidge_nb.scheduling.schedule.nest import Firing

if TYPE_CHECKING:
    from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule

LONGEST_PATH = 100
"""Maximum number of firings in the chain of causes of an explanation."""


class Reason(Enum):
    """Why one firing follows another."""

    Input = "gives an input"
    Condition = "decides whether it runs"
    Reader = "takes what the execution before gave"
    Itself = "is the execution before"
    Output = "takes what it gives"
    Again = "is the next execution"
    Refill = "gives new input for the next execution"


@dataclass(frozen=True, slots=True)
class Wait:
    """A firing before or after the explained one.

    Attributes
    ----------
    name, execution
        The firing.
    step
        Its early step if it comes before, its late step if it comes after.
    reason
        Why one follows the other.
    inputs
        Numbers of the inputs that it gives, from 0, where they are known.
    executions
        Number of executions of its node in the schedule.
    """

    name: str
    execution: int
    step: int
    reason: Reason
    inputs: tuple[int, ...] = ()
    executions: int = 1


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a firing runs when it does; ``print`` shows it as text.

    Attributes
    ----------
    name, execution
        The firing.
    executions
        Number of executions of its node in the schedule.
    early, late, end
        First and last step at which it can run, and last step of the schedule.
    is_producer
        True for a Producer, which gives its data on demand.
    waits_for
        Firings that it must follow.
    bound_by
        The firing that fixes its late step; None where the end of the schedule does.
    path
        Names along the chain of last causes: at most 100, the firing itself last.
    path_start
        Step of the first of them; 0 unless the chain was cut.
    """

    name: str
    execution: int
    executions: int
    early: int
    late: int
    end: int
    is_producer: bool
    waits_for: tuple[Wait, ...]
    bound_by: Wait | None
    path: tuple[str, ...]
    path_start: int

    @property
    def slack(self) -> int:
        """Steps by which the firing can be delayed without delaying the end."""
        return self.late - self.early

    @property
    def is_critical(self) -> bool:
        """True when any delay would delay the end."""
        return self.slack == 0

    @property
    def last_causes(self) -> tuple[Wait, ...]:
        """The firings that fix its early step."""
        return tuple(wait for wait in self.waits_for if wait.step == self.early - 1)

    def __str__(self) -> str:
        count = f"execution {self.execution}" + (f" of {self.executions}" * (self.executions > 1))
        lines = [f"{self.name}, {count}: can run from step {self.early} to step {self.late}."]
        if self.is_producer:
            lines.append("It is a Producer: it gives its data on demand.")
        lines += self._describe_waits()
        bound = "the schedule ends then."
        if self.bound_by is not None:
            bound = f"{_describe(self.bound_by, 'late step')} {self.bound_by.reason.value}."
        lines.append(f"It can wait until step {self.late}: {bound}")
        lines.append(self._describe_path())
        return "\n".join(lines)

    def _describe_waits(self) -> list[str]:
        if not self.waits_for:
            return ["It waits for nothing."]
        last = self.last_causes
        earlier = [wait for wait in self.waits_for if wait not in last]
        return [
            *(f"It waits for {_describe(wait, 'step')}, {_because(wait)}." for wait in last),
            *(f"{_describe(wait, 'step')}, {_because(wait)}, ran before that." for wait in earlier),
        ]

    def _describe_path(self) -> str:
        if not self.is_critical:
            steps = "1 step" if self.slack == 1 else f"{self.slack} steps"
            return f"It is not on the critical path: it has {steps} of slack."
        names = list(self.path)
        if self.path_start:
            names[:-5] = ["…"]
        elif len(names) > 12:
            names[6:-5] = ["…"]
        return f"It is on the critical path, where any delay delays the end: {' → '.join(names)}."


def _describe(wait: Wait, step: str) -> str:
    return f"{wait.name} (execution {wait.execution}, {step} {wait.step})"


def _because(wait: Wait) -> str:
    given = ", ".join(f"input#{index}" for index in wait.inputs)
    is_last = wait.reason is Reason.Input and wait.executions > 1
    which = "the last before it that" if is_last else "which"
    return f"{which} gives {given}" if given else f"{which} {wait.reason.value}"


def explain_firing(
    schedule: StaticSchedule, node: Node | str | Firing, execution: int = 0
) -> Explanation:
    """Explain why a firing runs when it does.

    Examples
    --------
    >>> import aidge_nb
    >>> model = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.Tanh(name="b")])
    >>> print(explain_firing(aidge_nb.static_schedule(model), model.get_node("b")))
    b, execution 0: can run from step 1 to step 1.
    It waits for a (execution 0, step 0), which gives input#0.
    It can wait until step 1: the schedule ends then.
    It is on the critical path, where any delay delays the end: a → b.
    """
    if isinstance(node, Firing) and node.actor < len(schedule.actors):
        actor, execution = node.actor, node.execution
    else:
        actor = _find_actor(schedule, node, execution)
    firing = schedule.firing(actor, execution)
    around = _Neighbours(schedule, actor, node if isinstance(node, Node) else None)
    path = _path(schedule, firing)
    return Explanation(
        name=schedule.actors[actor].name,
        execution=execution,
        executions=schedule.count(actor),
        early=firing.early,
        late=firing.late,
        end=schedule.n_steps - 1,
        is_producer=schedule.actors[actor].producer,
        waits_for=tuple(around.wait(source) for source in schedule.sources(firing)),
        bound_by=around.bound(schedule.targets(firing), firing.late),
        path=tuple(schedule.name_of(each) for each in path),
        path_start=path[0].early,
    )


class _Neighbours:
    """The actors around one actor, and their roles."""

    def __init__(self, schedule: StaticSchedule, actor: int, node: Node | None) -> None:
        self.schedule, self.actor = schedule, actor
        self.readers = set(schedule.children[actor])
        self.inputs: dict[int, tuple[int, ...]] = {}
        self.conditions: set[int] = set()
        if node is None:
            self.inputs = {each: () for each in schedule.parents[actor] if each is not None}
            return
        for index, port in node.edges_in():
            for number in _actors_of(schedule, port.node):
                self.inputs[number] = (*self.inputs.get(number, ()), index)
        for each in condition_nodes(node):
            self.conditions.update(_actors_of(schedule, each))

    def wait(self, source: Firing) -> Wait:
        """Describe a firing that comes before an execution of the actor."""
        if source.actor == self.actor:
            reason = Reason.Itself
        elif source.actor in self.inputs:
            reason = Reason.Input
        elif source.actor in self.conditions:
            reason = Reason.Condition
        else:
            reason = Reason.Reader
        return Wait(
            self.schedule.name_of(source),
            source.execution,
            source.early,
            reason,
            self.inputs.get(source.actor, ()),
            self.schedule.count(source.actor),
        )

    def bound(self, targets: Iterable[Firing], late: int) -> Wait | None:
        """Describe the firing that must follow one step after the late step."""
        for target in targets:
            if target.late == late + 1:
                reason = Reason.Output if target.actor in self.readers else Reason.Refill
                if target.actor == self.actor:
                    reason = Reason.Again
                name = self.schedule.name_of(target)
                return Wait(name, target.execution, target.late, reason)
        return None


def _path(schedule: StaticSchedule, last: Firing) -> list[Firing]:
    """Follow last causes backwards from a firing."""
    path = [last]
    while len(path) < LONGEST_PATH:
        causes = [each for each in schedule.sources(path[-1]) if each.early == path[-1].early - 1]
        if not causes:
            break
        path.append(causes[0])
    return path[::-1]


def _find_actor(schedule: StaticSchedule, node: object, execution: object) -> int:
    """Check the arguments and return the number of the actor."""
    if isinstance(execution, bool) or not isinstance(execution, (int, np.integer)):
        raise SchedulingError.at(
            "why, execution",
            "not the number of an execution",
            expected="0 for the first",
            found=repr(execution),
            cure="Ask about one node at a time.",
        )
    if isinstance(node, str):
        return find_actor(schedule.actors, node)
    if isinstance(node, Node):
        found = _actors_of(schedule, node)
        if len(found) == 1:
            return found[0]
        return find_actor(schedule.actors, node.name() if found else node.label)
    raise SchedulingError.at(
        "why",
        "expected a node of the schedule",
        expected="a node, its name, or one of schedule.firings",
        found=repr(node),
    )


def _actors_of(schedule: StaticSchedule, node: Node) -> list[int]:
    """List the actors with the name and type that a node has now."""
    return [
        number
        for number, actor in enumerate(schedule.actors)
        if actor.given == node.name() and actor.type == node.type()
    ]
