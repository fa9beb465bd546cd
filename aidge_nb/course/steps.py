"""Exercise: predict the early and the late step of each node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aidge_nb.course.answers.spans import Span, span_of
from aidge_nb.course.feedback import NO_ANSWER, Feedback, not_understood
from aidge_nb.scheduling import StaticSchedule, static_schedule

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView


@dataclass(frozen=True)
class PredictSteps:
    """Predict at which step each node can run at the earliest, and must at the latest.

    Parameters
    ----------
    view
        A graph each of whose nodes runs once. Producers need no answer.

    Examples
    --------
    >>> import aidge_nb
    >>> long = aidge_nb.sequential([aidge_nb.Tanh(name="b"), aidge_nb.Sqrt(name="c")])
    >>> exercise = PredictSteps(aidge_nb.parallel([aidge_nb.ReLU(name="a"), long]))
    >>> exercise.check({"a": (0, 0), "b": (0, 0), "c": (1, 1)})
    Not yet (67 %): 2 of 3 nodes are right.
    Hint: a: its late step is not 0. Nothing reads it: when does the last node of all run?
    >>> exercise.check({"a": (0, 1), "b": (0, 0), "c": (1, 1)})
    Solved (100 %): All 3 nodes are right.
    """

    view: GraphView

    def check(self, answer: Mapping[str, Span] | None) -> Feedback:
        """Check an answer: (early, late) of each node, by name."""
        if answer is None:
            return NO_ANSWER
        steps = steps_of(self.view)
        if not isinstance(answer, Mapping):
            return not_understood(f"a dictionary, as in {{{next(iter(steps))!r}: (0, 2), …}}")
        unknown = [name for name in answer if name not in steps]
        if unknown:
            names = ", ".join(steps)
            return Feedback(
                False, f"There is no node {unknown[0]!r} to predict.", f"They are {names}.", 0.0
            )
        wrong = [name for name in steps if span_of(answer.get(name)) != steps[name]]
        if not wrong:
            return Feedback(True, f"All {len(steps)} nodes are right.")
        right = len(steps) - len(wrong)
        first = min(wrong, key=lambda name: (steps[name][0], list(steps).index(name)))
        given = span_of(answer.get(first))
        text = f"{right} of {len(steps)} nodes are right."
        return Feedback(False, text, step_hint(self.view, first, given), right / len(steps))


def steps_of(view: GraphView) -> dict[str, Span]:
    """Return the early and the late step of each operator, by name."""
    schedule = static_schedule(view)
    return {
        schedule.name_of(firing): (firing.early, firing.late)
        for firing in schedule.firings
        if not schedule.actors[firing.actor].producer
    }


def step_hint(view: GraphView, name: str, given: Span | None) -> str:
    """Return a hint on wrong steps of a node."""
    if given is None:
        return f"{name}: give its early and its late step as two numbers, as in (0, 2)."
    schedule = static_schedule(view)
    firing = schedule.firing(name)
    if given[0] != firing.early:
        return f"{name}: its early step is not {given[0]}. {_waits(schedule, name)}"
    is_read = any(view.get_node(name).outputs())
    if firing.late > given[1]:
        what = (
            "What reads it last, and could that wait?"
            if is_read
            else "Nothing reads it: when does the last node of all run?"
        )
    else:
        what = "That would delay what reads it." if is_read else "All would have run before."
    return f"{name}: its late step is not {given[1]}. {what}"


def _waits(schedule: StaticSchedule, name: str) -> str:
    """Say what a node waits for, and which step that has."""
    waits = schedule.why(name).waits_for
    if not waits:
        return "It waits for nothing."
    steps = [wait.step for wait in waits]
    causes = ", ".join(dict.fromkeys(wait.name for wait in waits))
    if len(set(steps)) > 1:
        return f"It waits for {causes}: the later one decides."
    return f"It waits for {causes}, whose early step is {steps[0]}: what is {steps[0]} + 1?"
