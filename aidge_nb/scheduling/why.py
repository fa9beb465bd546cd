"""Why a firing runs when it does: found in who waits for whom."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from aidge_nb.errors import SchedulingError, explain
from aidge_nb.graph.node import Node
from aidge_nb.scheduling.conditional import condition_nodes
from aidge_nb.scheduling.explanation import Explanation, Reason, Wait
from aidge_nb.scheduling.schedule import StaticSchedule

__all__ = ["why"]

LONGEST_PATH = 100
"""The chain that leads to a firing is followed no further back than this."""


# What is asked of a schedule beyond its actors: positions count firings in the scheduled order.


def _positions(schedule: StaticSchedule, actor: int) -> Sequence[int]:
    """Give where an actor fires."""
    return [place for place, firing in enumerate(schedule.firings) if firing.actor == actor]


def _before(schedule: StaticSchedule, position: int) -> Sequence[int]:
    """Give the firings that the one at a position must follow."""
    return schedule.waits_for[position]


def _after(schedule: StaticSchedule, position: int) -> Sequence[int]:
    """Give the firings that must follow the one at a position."""
    return [place for place, before in enumerate(schedule.waits_for) if position in before]


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
    places = _positions(schedule, actor)
    name = schedule.actors[actor].name
    if not 0 <= execution < len(places):
        raise SchedulingError(_describe_no_execution(schedule, actor, execution, len(places)))
    position = places[execution]
    firing = schedule.firings[position]
    around = _Neighbours(schedule, actor, node if isinstance(node, Node) else None)
    previous = places[execution - 1] if execution else None
    path = _path(schedule, position)
    return Explanation(
        name=name,
        execution=execution,
        executions=len(places),
        early=firing.early,
        late=firing.late,
        end=schedule.n_steps - 1,
        is_producer=schedule.actors[actor].producer,
        waits_for=tuple(
            around.wait(place, previous) for place in sorted(_before(schedule, position))
        ),
        bound_by=around.bound(_after(schedule, position), firing.late),
        path=tuple(schedule.name_of(schedule.firings[place]) for place in path),
        path_start=schedule.firings[path[0]].early,
    )


class _Neighbours:
    """What lies around an actor: of a node known exactly, of a name told by who waited for whom."""

    def __init__(self, schedule: StaticSchedule, actor: int, node: Node | None) -> None:
        self.schedule, self.actor, self.is_known = schedule, actor, node is not None
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

    def wait(self, place: int, previous: int | None) -> Wait:
        """Describe a firing that comes before; ``previous`` is the execution before, if any."""
        firing = self.schedule.firings[place]
        inputs = self.inputs.get(firing.actor, ())
        if firing.actor == self.actor:
            reason = Reason.Itself
        elif firing.actor in self.conditions and not inputs:
            reason = Reason.Condition
        elif inputs or previous is None or place < previous:
            reason = Reason.Input
        elif self.is_known or self._only_reads(firing.actor):
            reason = Reason.Reader
        else:
            reason = Reason.Input
        name = self.schedule.name_of(firing)
        return Wait(name, firing.execution, firing.early, reason, inputs)

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
        firings = self.schedule.firings
        first = _positions(self.schedule, actor)[0]
        return any(firings[place].actor == other for place in _before(self.schedule, first))

    def bound(self, places: Iterable[int], late: int) -> Wait | None:
        """Describe the firing that must follow one step after the late step."""
        for place in places:
            firing = self.schedule.firings[place]
            if firing.late == late + 1:
                reason = Reason.Output if self._reads(firing.actor) else Reason.Refill
                if firing.actor == self.actor:
                    reason = Reason.Again
                name = self.schedule.name_of(firing)
                return Wait(name, firing.execution, firing.late, reason)
        return None


def _path(schedule: StaticSchedule, position: int) -> list[int]:
    """Go back from cause to cause, at each step to the one that came last."""
    path = [position]
    while len(path) < LONGEST_PATH:
        early = schedule.firings[path[-1]].early
        causes = [p for p in _before(schedule, path[-1]) if schedule.firings[p].early == early - 1]
        if not causes:
            break
        path.append(min(causes))
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
