"""Feedback on answers to exercises."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any


@dataclass(frozen=True, slots=True)
class Feedback:
    """Feedback on an answer: right or wrong, with a hint where to look next.

    Attributes
    ----------
    correct
        Whether the exercise is solved.
    text
        What was found.
    hint
        What to look at next; empty when it is solved.
    score
        Between 0 and 1: how much of it is right, or how close to the best there is.
    right
        Parts of the answer that are right; they are said first.
    idea
        Key of the misconception that the answer shows, for a teacher's statistics; often empty.
    reason
        Derivation of the right answer; only where it is solved.

    Examples
    --------
    >>> Feedback(False, "2 of 3 nodes are right.", "Look at relu.", 2 / 3)
    Not yet (67 %): 2 of 3 nodes are right.
    Hint: Look at relu.
    >>> bool(Feedback(True, "All is right."))
    True
    """

    correct: bool
    text: str
    hint: str = ""
    score: float = 1.0
    right: tuple[str, ...] = ()
    idea: str = ""
    reason: str = ""

    def __bool__(self) -> bool:
        return self.correct

    @property
    def _verdict(self) -> str:
        return "Solved" if self.correct else "Not yet"

    @property
    def _percent(self) -> str:
        shown = min(round(100 * self.score), 100 if self.correct else 99)
        return f"{shown} %"

    def __repr__(self) -> str:
        lines = [f"{self._verdict} ({self._percent}): {self.words}"]
        if self.hint:
            lines.append(f"Hint: {self.hint}")
        if self.reason:
            lines.append(f"Why: {self.reason}")
        return "\n".join(lines)

    @property
    def words(self) -> str:
        """Findings as one text, the right parts first."""
        return f"Right: {', '.join(self.right)}. {self.text}" if self.right else self.text

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        mark, colour = ("✓", "#1a7f37") if self.correct else ("→", "#9a6700")
        hint = f"<br><em>Hint:</em> {escape(self.hint)}" if self.hint else ""
        hint += f"<br><em>Why:</em> {escape(self.reason)}" if self.reason else ""
        return {
            "text/plain": repr(self),
            "text/html": (
                f'<div role="status" style="border-left:4px solid {colour};padding:4px 12px">'
                f"<strong>{mark} {self._verdict}</strong> ({self._percent}): "
                f"{escape(self.words)}{hint}</div>"
            ),
        }


def not_understood(expected: str) -> Feedback:
    """Return feedback on an answer of the wrong form.

    Examples
    --------
    >>> not_understood("a pair of numbers, as in (0, 2)")
    Not yet (0 %): That has not the form of an answer.
    Hint: Give a pair of numbers, as in (0, 2).
    """
    return Feedback(False, "That has not the form of an answer.", f"Give {expected}.", 0.0)


NO_ANSWER = Feedback(False, "There is no answer yet.", "Give one in the cell above.", 0.0)
"""Feedback on None, with which the cells of students begin."""
