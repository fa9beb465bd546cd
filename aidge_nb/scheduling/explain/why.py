"""Why a firing runs when it does: found in who waits for whom."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

import numpy as np

from aidge_nb.core.errors import SchedulingError, explain
from aidge_nb.graph.node import Node
from aidge_nb.scheduling.explain.explanation import Explanation, Reason, Wait
from aidge_nb.scheduling.model.conditional import condition_nodes
from aidge_nb.scheduling.schedule.value import Firing, StaticSchedule

LONGEST_PATH = 100
"""The chain that leads to a firing is followed no further back than this."""


def explain_firing(
    schedule: StaticSchedule, node: Node | str | Firing, execution: int = 0
) -> Explanation:
    """Explain why a firing runs when it does.

    Parameters
    ----------
    schedule
        The schedule.
    node
        The node or its name. The node itself tells which inputs are fed by whom, and tells apart
        what feeds it and what decides whether it runs. A firing of the schedule stands for its
        node and its execution.
    execution
        Which of its executions, from 0.

    Raises
    ------
    SchedulingError
        When there is no such node or execution, or something is neither.

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
        actor = _find_actor(schedule, _checked_node(node, execution))
    count = schedule.count(actor)
    if not 0 <= execution < count:
        raise SchedulingError(_describe_no_execution(schedule, actor, execution, count))
    firing = schedule.firing(actor, execution)
    around = _Neighbours(schedule, actor, node if isinstance(node, Node) else None)
    path = _path(schedule, firing)
    return Explanation(
        name=schedule.actors[actor].name,
        execution=execution,
        executions=count,
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
    """What lies around an actor, and in which role."""

    def __init__(self, schedule: StaticSchedule, actor: int, node: Node | None) -> None:
        self.schedule, self.actor = schedule, actor
        self.readers = set(schedule.children[actor])
        self.inputs: dict[int, tuple[int, ...]] = {}
        self.conditions: set[int] = set()
        if node is None:
            self.inputs = {each: () for each in schedule.parents[actor] if each is not None}
            return
        for index, port in node.edges_in():
            for number in _actors_called(schedule, port.node):
                self.inputs[number] = (*self.inputs.get(number, ()), index)
        for each in condition_nodes(node):
            self.conditions.update(_actors_called(schedule, each))

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
        inputs = self.inputs.get(source.actor, ())
        return Wait(self.schedule.name_of(source), source.execution, source.early, reason, inputs)

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
    """Go back from cause to cause, at each step to one that came last."""
    path = [last]
    while len(path) < LONGEST_PATH:
        causes = [each for each in schedule.sources(path[-1]) if each.early == path[-1].early - 1]
        if not causes:
            break
        path.append(causes[0])
    return path[::-1]


def _checked_node(node: object, execution: object) -> Node | str:
    """Give what names a node; refuse what does not, and what counts no executions."""
    if not isinstance(node, (Node, str)):
        raise SchedulingError(
            explain(
                "why",
                "tells about a node",
                expected="a node, its name, or one of schedule.firings",
                found=repr(node),
            )
        )
    if isinstance(execution, bool) or not isinstance(execution, (int, np.integer)):
        raise SchedulingError(
            explain(
                "why, execution",
                "is no number of an execution",
                expected="0 for the first",
                found=repr(execution),
                cure="It tells about one node at a time.",
            )
        )
    return node


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
