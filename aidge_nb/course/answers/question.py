"""Question: the base of what is asked in a widget, with hints in steps and a model answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING, Any

from aidge_nb.course.feedback import NO_ANSWER, Feedback

if TYPE_CHECKING:
    from aidge_nb.widgets.live.answers import AnswerSheet
    from aidge_nb.widgets.live.blocks import BlockBoard


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """The right answer and its reason.

    Attributes
    ----------
    value
        The answer, in the form that ``check`` takes; None before the first try.
    text
        The same in words.
    reason
        Why it is right; may be empty.

    Examples
    --------
    >>> ModelAnswer(1, "1 step", "late 2 minus early 1")
    1 step: late 2 minus early 1
    """

    value: Any
    text: str
    reason: str = ""

    def __repr__(self) -> str:
        return f"{self.text}: {self.reason}" if self.reason else self.text

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        html = f"<div><strong>{escape(self.text)}</strong><br>{escape(self.reason)}</div>"
        return {"text/plain": repr(self), "text/html": html}


UNTRIED = ModelAnswer(None, "Give an answer first; then the solution opens.")


@dataclass(eq=False, repr=False)
class Question(ABC):
    """A question whose answers are checked, in a widget or by :meth:`check`.

    Parameters
    ----------
    text
        What is asked.
    hints
        Hints from "look here" to "the first step done", given one by one.
    why
        Derivation of the answer, shown when it is solved.

    Attributes
    ----------
    tries
        How many answers were checked.
    best
        The best score so far, between 0 and 1.

    Examples
    --------
    >>> from aidge_nb.course import number
    >>> asked = number("How many steps?", 4, "steps", hints=["Count."], why="1 + max(1, 2) + 1")
    >>> asked.hint()
    'Count.'
    >>> asked.solution()
    Give an answer first; then the solution opens.
    >>> asked.check(3)
    Not yet (0 %): 3 steps is not it.
    Hint: Count.
    >>> asked.solution()
    4 steps: 1 + max(1, 2) + 1
    """

    kind: str = field(init=False)
    text: str
    hints: Sequence[str] = field(default=(), kw_only=True)
    why: str = field(default="", kw_only=True)
    tries: int = field(default=0, init=False)
    best: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        self.hints = tuple(self.hints)

    def check(self, answer: Any) -> Feedback:
        """Check an answer; None is none."""
        if answer is None:
            return NO_ANSWER
        feedback = self._judge(answer)
        self.tries += 1
        self.best = max(self.best, feedback.score)
        if feedback.correct and self.why:
            return replace(feedback, reason=self.why)
        return feedback

    def hint(self, number: int = 1) -> str:
        """Return a hint by its number, from 1; the last one where there are fewer."""
        if not self.hints:
            return "There is no hint; an answer is met with one."
        return self.hints[max(1, min(number, len(self.hints))) - 1]

    def solution(self) -> ModelAnswer:
        """Return the right answer and its reason; only after a try."""
        return self._solve() if self.tries else UNTRIED

    def widget(self) -> AnswerSheet | BlockBoard:
        """Show the question with a place for the answer."""
        return self._sheet(self)

    def _sheet(self, checks: Question) -> AnswerSheet | BlockBoard:
        """Make the widget of this kind of question; `checks` checks what is answered there."""
        from aidge_nb.widgets.live.answers import AnswerSheet

        return AnswerSheet(checks)

    def _read(self, answer: Any) -> Any:
        """Return an answer in the form in which answers are compared with each other."""
        return answer

    def table(self) -> str:
        """Return the question as text, with the form of an answer."""
        return f"{self.text}\nAnswer with .check({self.form})"

    def shown(self, answer: Any) -> Mapping[str, Any]:
        """Return what the widget draws beside the feedback on an answer; mostly nothing."""
        return {}

    @property
    @abstractmethod
    def form(self) -> str:
        """An answer of the right form, as Python; not the right answer."""

    @property
    def config(self) -> Mapping[str, Any]:
        """Facts for the widget, beside the text; never the right answer."""
        return {}

    @abstractmethod
    def _judge(self, answer: Any) -> Feedback:
        """Check an answer that is not None."""

    @abstractmethod
    def _solve(self) -> ModelAnswer:
        """Work out the right answer."""

    def __repr__(self) -> str:
        return self.table()

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Any:
        """Show the widget where there are widgets, and a picture of the question elsewhere."""
        return self.widget()._repr_mimebundle_(include, exclude)
