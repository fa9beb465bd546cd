"""Why a firing runs when it does: found in who waits for whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from difflib import get_close_matches

from aidge_nb.errors import SchedulingError, explain
from aidge_nb.graph.node import Node
from aidge_nb.scheduling.conditional import condition_nodes
from aidge_nb.scheduling.explanation import Explanation, Reason, Wait
from aidge_nb.scheduling.schedule import Firing, StaticSchedule

__all__ = ["why"]

LONGEST_PATH = 100
"""The chain that leads to a firing is followed no further back than this."""


class _Firings:
    """All that is asked of a schedule beyond its actors."""

    def __init__(self, schedule: StaticSchedule) -> None:
        self._firings = schedule.firings
        self._waits_for = schedule.waits_for
        self._places = {(f.actor, f.execution): place for place, f in enumerate(self._firings)}
        self._counts = Counter(firing.actor for firing in self._firings)

    def count(self, actor: int) -> int:
        """Give the number of executions of an actor."""
        return self._counts[actor]

    def firing(self, actor: int, execution: int) -> Firing:
        """Give one execution of an actor."""
        return self._firings[self._places[actor, execution]]

    def sources(self, firing: Firing) -> list[Firing]:
        """Give the firings that one must follow, in the scheduled order."""
        place = self._places[firing.actor, firing.execution]
        return [self._firings[other] for other in sorted(self._waits_for[place])]

    def targets(self, firing: Firing) -> list[Firing]:
        """Give the firings that must follow one, in the scheduled order."""
        place = self._places[firing.actor, firing.execution]
        return [
            self._firings[other] for other, before in enumerate(self._waits_for) if place in before
        ]


def why(schedule: StaticSchedule, node: Node | str, execution: int = 0) -> Explanation:
    """Explain why a firing runs when it does.

    Parameters
    ----------
    schedule
        The schedule.
    node
        The node or its name. The node itself tells which inputs are fed by whom, and what decides
        whether it runs; a name leaves that to be guessed from who waited for whom.
    execution
        Which of its executions, from 0.

    Raises
    ------
    SchedulingError
        When there is no such node or execution.

    Examples
    --------
    >>> import aidge_nb
    >>> model = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.Tanh(name="b")])
    >>> print(why(aidge_nb.static_schedule(model), model.get_node("b")))
    b, execution 0: can run from step 1 to step 1.
    It waits for a (execution 0, step 0), which gives input#0.
    It can wait until step 1: the schedule ends then.
    It is on the critical path, where any delay delays the end: a → b.
    """
    actor = _find_actor(schedule, node)
    firings = _Firings(schedule)
    count = firings.count(actor)
    if not 0 <= execution < count:
        raise SchedulingError(_describe_no_execution(schedule, actor, execution, count))
    firing = firings.firing(actor, execution)
    around = _Neighbours(schedule, firings, actor, node if isinstance(node, Node) else None)
    path = _path(firings, firing)
    return Explanation(
        name=schedule.actors[actor].name,
        execution=execution,
        executions=count,
        early=firing.early,
        late=firing.late,
        end=schedule.n_steps - 1,
        is_producer=schedule.actors[actor].producer,
        waits_for=tuple(around.wait(source, execution) for source in firings.sources(firing)),
        bound_by=around.bound(firings.targets(firing), firing.late),
        path=tuple(schedule.name_of(each) for each in path),
        path_start=path[0].early,
    )


class _Neighbours:
    """What lies around an actor: of a node known exactly, of a name told by who waited for whom."""

    def __init__(
        self, schedule: StaticSchedule, firings: _Firings, actor: int, node: Node | None
    ) -> None:
        self.schedule, self.firings, self.actor = schedule, firings, actor
        self.is_known = node is not None
        self.inputs: dict[int, tuple[int, ...]] = {}
        self.conditions: set[int] = set()
        self.readers: set[int] = set()
        if node is None:
            return
        for index, port in node.edges_in():
            for number in _actors_called(schedule, port.node):
                self.inputs[number] = (*self.inputs.get(number, ()), index)
        for group, nodes in (
            (self.conditions, condition_nodes(node)),
            (self.readers, node.get_children()),
        ):
            for each in nodes:
                group.update(_actors_called(schedule, each))

    def wait(self, source: Firing, execution: int) -> Wait:
        """Describe a firing that comes before an execution of the actor."""
        inputs = self.inputs.get(source.actor, ())
        if source.actor == self.actor:
            reason = Reason.Itself
        elif source.actor in self.conditions and not inputs:
            reason = Reason.Condition
        elif inputs or self._ran_before_previous(source, execution):
            reason = Reason.Input
        elif self.is_known or self._only_reads(source.actor):
            reason = Reason.Reader
        else:
            reason = Reason.Input
        return Wait(self.schedule.name_of(source), source.execution, source.early, reason, inputs)

    def _ran_before_previous(self, source: Firing, execution: int) -> bool:
        """Whether a firing cannot have taken what the execution before gave."""
        return (
            execution == 0 or source.early <= self.firings.firing(self.actor, execution - 1).early
        )

    def bound(self, targets: Iterable[Firing], late: int) -> Wait | None:
        """Describe the firing that must follow one step after the late step."""
        for target in targets:
            if target.late == late + 1:
                reason = Reason.Output if self._reads(target.actor) else Reason.Refill
                if target.actor == self.actor:
                    reason = Reason.Again
                name = self.schedule.name_of(target)
                return Wait(name, target.execution, target.late, reason)
        return None

    def _reads(self, other: int) -> bool:
        if self.is_known:
            return other in self.readers
        # Who must follow reads or feeds; a Memorize reads although it begins with something else.
        return self._waits_first(other, self.actor) or not self._waits_first(self.actor, other)

    def _only_reads(self, other: int) -> bool:
        # Who feeds is waited for at first already, but by a Memorize, which begins without.
        if self.schedule.actors[self.actor].type == "Memorize":
            return self._waits_first(other, self.actor)
        return not self._waits_first(self.actor, other)

    def _waits_first(self, actor: int, other: int) -> bool:
        """Whether the first execution of an actor follows another; it waits for inputs alone."""
        sources = self.firings.sources(self.firings.firing(actor, 0))
        return any(source.actor == other for source in sources)


def _path(firings: _Firings, last: Firing) -> list[Firing]:
    """Go back from cause to cause, at each step to one that came last."""
    path = [last]
    while len(path) < LONGEST_PATH:
        causes = [each for each in firings.sources(path[-1]) if each.early == path[-1].early - 1]
        if not causes:
            break
        path.append(causes[0])
    return path[::-1]


def _find_actor(schedule: StaticSchedule, node: Node | str) -> int:
    actors = schedule.actors
    if isinstance(node, Node):
        found = _actors_called(schedule, node)
        called = node.name() or node.label
    else:
        found = [number for number, actor in enumerate(actors) if actor.name == node]
        found = found or [number for number, actor in enumerate(actors) if actor.given == node]
        called = node
    if len(found) == 1:
        return found[0]
    names = [actor.name for actor in actors]
    close = get_close_matches(called, names, n=3, cutoff=0.5)
    if found:
        raise SchedulingError(
            explain(
                "why",
                "several nodes are called so",
                expected="one of " + ", ".join(names[number] for number in found[:8]),
                found=repr(called),
            )
        )
    raise SchedulingError(
        explain(
            "why",
            "no such node in the schedule",
            found=repr(called),
            cure=f"Did you mean {' or '.join(close)}?" if close else "schedule.order lists them.",
        )
    )


def _actors_called(schedule: StaticSchedule, node: Node) -> list[int]:
    return [
        number
        for number, actor in enumerate(schedule.actors)
        if actor.given == node.name() and actor.type == node.type()
    ]


def _describe_no_execution(schedule: StaticSchedule, actor: int, execution: int, count: int) -> str:
    name = schedule.actors[actor].name
    if count == 0:
        cure = "Nothing that the outputs need depends on it."
        if actor in schedule.remaining:
            cure = "It still waited for data when the schedule ended."
        return explain(name, "never runs in this schedule", cure=cure)
    return explain(name, "no such execution", expected=f"0 to {count - 1}", found=execution)
