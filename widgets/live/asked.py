"""Questions and feedback, as views need them; :mod:`aidge_nb.course` has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class Judged(Protocol):
    """Feedback on an answer."""

    @property
    def correct(self) -> bool:
        """True when it is right."""

    @property
    def text(self) -> str:
        """Findings in words."""

    @property
    def right(self) -> tuple[str, ...]:
        """Right parts of the answer."""

    @property
    def hint(self) -> str:
        """Hint where to look."""

    @property
    def reason(self) -> str:
        """Why it is so."""

    @property
    def score(self) -> float:
        """How much is right."""


class Askable(Protocol):
    """A question; see :class:`aidge_nb.course.Question`."""

    text: str
    hints: Sequence[str]
    tries: int

    @property
    def kind(self) -> str:
        """Which place for an answer the sheet shows."""

    @property
    def config(self) -> Mapping[str, Any]:
        """Facts for the sheet."""

    def check(self, answer: Any) -> Judged:
        """Check an answer."""

    def hint(self, number: int = 1) -> str:
        """Return a hint."""

    def solution(self) -> Any:
        """Return the model answer."""

    def shown(self, answer: Any) -> Mapping[str, Any]:
        """Return what is drawn beside the feedback."""

    def table(self) -> str:
        """Return the question as text."""


def said(found: Judged, *, hint: bool = True) -> str:
    """Return feedback as one text: what is right, what was found, where to look, and why.

    Examples
    --------
    >>> from aidge_nb.course import number
    >>> said(number("How many?", 4, why="2 + 2").check(4))
    '4. 2 + 2'
    """
    parts = [f"Right: {', '.join(found.right)}."] if found.right else []
    return " ".join(filter(None, [*parts, found.text, found.hint if hint else "", found.reason]))
