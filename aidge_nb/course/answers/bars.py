"""Ask for early and late steps, or for live ranges: bars that are dragged along a ruler."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any

from aidge_nb.course.answers.question import ModelAnswer, Question
from aidge_nb.course.answers.spans import Span, span_of, span_text
from aidge_nb.course.feedback import Feedback, not_understood
from aidge_nb.course.steps import step_hint, steps_of
from aidge_nb.memory import plan_memory
from aidge_nb.scheduling import static_schedule

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView

ASKS = ("early", "late", "both", "ticks")


@dataclass(eq=False, repr=False)
class BarsQuestion(Question):
    """Ask when each operator can run, or when its result is alive; ``course.drag_bars`` for short.

    Parameters
    ----------
    text
        What is asked.
    view
        A graph each of whose nodes runs once. Producers need no answer.
    ask
        ``"early"`` or ``"late"`` steps, ``"both"``, or ``"ticks"``: the first and the last tick at
        which each result is alive, both included.
    only
        Names of the bars that are asked for; all without it.
    hints, why
        As for :class:`Question`.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.Tanh(name="b")])
    >>> asked = BarsQuestion("When can each begin?", view, "early")
    >>> asked.check({"a": 0, "b": 0})
    Not yet (50 %): Right: a. 1 of 2 are right.
    Hint: b: its early step is not 0. It waits for a, whose early step is 0: what is 0 + 1?
    >>> asked.check({"a": 0, "b": 1}).correct
    True
    """

    kind = "bars"

    view: GraphView
    ask: str = "both"
    only: Sequence[str] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ask not in ASKS:
            raise ValueError(f"ask must be one of {', '.join(ASKS)}, not {self.ask!r}")
        unknown = [name for name in self.only or () if name not in self._every_span]
        if unknown:
            raise ValueError(f"there is no bar {unknown[0]!r}")

    @cached_property
    def _spans(self) -> dict[str, Span]:
        """First and last of each bar that is asked for, both included, by name."""
        names = self._every_span if self.only is None else self.only
        return {name: self._every_span[name] for name in names}

    @cached_property
    def _every_span(self) -> dict[str, Span]:
        if self.ask == "ticks":
            plan = plan_memory(self.view, static_schedule(self.view))
            return {buffer.name: (buffer.lower, buffer.upper - 1) for buffer in plan.buffers}
        return steps_of(self.view)

    @property
    def _is_pair(self) -> bool:
        return self.ask in ("both", "ticks")

    @property
    def form(self) -> str:
        """An answer of the right form, as Python; not the right answer."""
        given = "(0, 0)" if self._is_pair else "0"
        return f"{{{next(iter(self._spans))!r}: {given}, …}}"

    @property
    def config(self) -> Mapping[str, Any]:
        """Facts for the widget, beside the text."""
        last = max(last for _, last in self._every_span.values())
        fixed = {name: first for name, (first, _) in self._spans.items()}
        return {
            "ask": self.ask,
            "names": list(self._spans),
            "length": max(len(self._spans), last + 1),
            "early": fixed if self.ask == "late" else {},
        }

    def _wanted(self, name: str) -> Span | int:
        span = self._spans[name]
        return span if self._is_pair else span[self.ask == "late"]

    def _read(self, answer: Any) -> Any:
        """Return whole numbers, or pairs of them, by name."""
        if not isinstance(answer, Mapping):
            return answer
        return {name: self._whole(given) for name, given in answer.items()}

    def _whole(self, given: Any) -> Span | int | None:
        """Return one or two whole numbers, or None for other values."""
        if self._is_pair:
            return span_of(given)
        return int(given) if isinstance(given, Integral) else None

    def _judge(self, answer: Any) -> Feedback:
        if not isinstance(answer, Mapping):
            return not_understood(f"a dictionary, as in {self.form}")
        names = list(self._spans)
        for unknown in answer.keys() - self._spans.keys():
            text = f"There is no bar {unknown!r}."
            return Feedback(False, text, f"They are {', '.join(names)}.", 0.0)
        given = {name: self._whole(answer.get(name)) for name in names}
        wrong = [name for name in names if given[name] != self._wanted(name)]
        if not wrong:
            return Feedback(True, f"All {len(names)} are right.")
        first = min(wrong, key=lambda name: (self._spans[name][0], names.index(name)))
        right = tuple(name for name in names if name not in wrong)
        text = f"{len(right)} of {len(names)} are right."
        hint, idea = self._hint(first, given[first])
        return Feedback(False, text, hint, len(right) / len(names), right, idea)

    def _hint(self, name: str, given: Span | int | None) -> tuple[str, str]:
        if given is None:
            return f"{name}: give {'two numbers' if self._is_pair else 'one number'}.", "form"
        if self.ask == "ticks":
            return self._hint_alive(name, given)
        span = self._spans[name]
        if isinstance(given, tuple):
            pair = given
        else:
            pair = (given, span[1]) if self.ask == "early" else (span[0], given)
        idea = "early" if pair[0] != span[0] else "late"
        return step_hint(self.view, name, pair), idea

    def _hint_alive(self, name: str, given: Span | int) -> tuple[str, str]:
        first, last = self._spans[name]
        assert isinstance(given, tuple)  # noqa: S101  # the form was checked
        if given[0] != first:
            return f"{name}: it is alive from the tick that writes it. Who writes it?", "first"
        if given[1] == last - 1:
            return f"{name}: while its last reader runs, it is being read: both ends count.", "last"
        return f"{name}: it is alive until its last reader has run. Who is that?", "last"

    def _solve(self) -> ModelAnswer:
        value = {name: self._wanted(name) for name in self._spans}
        shown = (
            f"{name} {each if isinstance(each, int) else span_text(each)}"
            for name, each in value.items()
        )
        return ModelAnswer(value, ", ".join(shown), self.why)
