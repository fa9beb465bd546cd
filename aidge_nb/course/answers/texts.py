"""Ask for a text that a function checks: a query, a line of C, a choice of stripes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aidge_nb.course.answers.question import ModelAnswer, Question
from aidge_nb.course.feedback import Feedback, not_understood


@dataclass(eq=False, repr=False)
class TextQuestion(Question):
    """Ask for a text.

    Parameters
    ----------
    text
        What is asked.
    judge
        Checks an answer.
    right
        Works out a right answer.
    example
        An answer of the right form.
    label
        Name of the text field.
    keys
        Characters that keyboards lack: the widget shows a button for each.
    hints, why
        As for :class:`Question`.

    Examples
    --------
    >>> asked = TextQuestion(
    ...     "Which letter?", lambda text: Feedback(text == "a", "It is read."), lambda: "a", "z"
    ... )
    >>> asked.check(" a ")
    Solved (100 %): It is read.
    """

    kind = "text"

    judge: Callable[[str], Feedback]
    right: Callable[[], str]
    example: str
    label: str = field(default="answer", kw_only=True)
    keys: Sequence[str] = field(default=(), kw_only=True)

    @property
    def form(self) -> str:
        """An answer of the right form, as Python; not the right answer."""
        return repr(self.example)

    @property
    def config(self) -> Mapping[str, Any]:
        """Facts for the widget, beside the text."""
        return {"keys": list(self.keys), "label": self.label}

    def _read(self, answer: Any) -> Any:
        """Return the text without spaces around and between."""
        return "".join(answer.split()) if isinstance(answer, str) else answer

    def _judge(self, answer: Any) -> Feedback:
        if not isinstance(answer, str) or not answer.strip():
            return not_understood(f"a text, as in {self.form}")
        return self.judge(answer.strip())

    def _solve(self) -> ModelAnswer:
        right = self.right()
        return ModelAnswer(right, right, self.why)
