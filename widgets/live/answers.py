"""The sheet on which questions of the course are answered, alone or above a covered view.

This module needs anywidget, as :mod:`aidge_nb.widgets.live.workbench` does.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import anywidget
import ipywidgets
import traitlets

from aidge_nb.widgets.live.asked import said
from aidge_nb.widgets.live.base import Drawn, Strict
from aidge_nb.widgets.live.workbench import Workbench
from aidge_nb.widgets.still.question import draw_question

if TYPE_CHECKING:
    from collections.abc import Callable

    from aidge_nb.widgets.live.asked import Askable, Judged
    from aidge_nb.widgets.live.base import Benched

    Asked = Workbench | Benched

FREE_AFTER = 3
"""After so many wrong answers, the answer is said with the feedback."""


FEW_NODES = 12
"""A view of so many nodes or fewer is drawn less high."""


class AnswerSheet(Strict, Drawn, anywidget.AnyWidget):
    """A question with a place for its answer, feedback, hints, and the solution after a try.

    Parameters
    ----------
    question
        The question.

    Attributes
    ----------
    answer
        The last answer that was checked; None before.
    feedback
        Feedback on it; None before.

    Examples
    --------
    >>> from aidge_nb.course import number
    >>> sheet = AnswerSheet(number("How many steps?", 4, "steps"))
    >>> sheet.check(4)
    Solved (100 %): 4 steps.
    >>> sheet
    AnswerSheet(How many steps?)
    """

    _esm = Path(__file__).parent.parent / "static" / "course.js"

    _question = traitlets.Dict().tag(sync=True)
    answer = traitlets.Any(None, allow_none=True).tag(sync=True)
    _asked = traitlets.Dict().tag(sync=True)
    _said = traitlets.Dict().tag(sync=True)
    _hints: traitlets.List[str] = traitlets.List().tag(sync=True)
    _solution = traitlets.Dict().tag(sync=True)

    feedback: Any

    def __init__(self, question: Askable) -> None:
        self._task = question
        self.feedback = None
        self._heard: list[Callable[[Judged], None]] = []
        super().__init__(
            _question={
                "kind": question.kind,
                "text": question.text,
                "hints": len(question.hints),
                **question.config,
            }
        )
        self.observe(self._hear, "_asked")

    def on_answer(self, call: Callable[[Judged], None]) -> None:
        """Call a function with the feedback on each answer."""
        self._heard.append(call)

    def check(self, answer: Any) -> Any:
        """Check an answer as if it had been given on the sheet; return the feedback."""
        self.feedback = self._task.check(answer)
        said = {
            "correct": self.feedback.correct,
            "right": list(self.feedback.right),
            "text": self.feedback.text,
            "hint": self.feedback.hint,
            "why": self.feedback.reason,
            "percent": round(100 * self.feedback.score),
            "tries": self._task.tries,
            **self._task.shown(answer),
        }
        with self.hold_sync():
            self.answer = answer
            self._said = said
            if self._task.tries >= FREE_AFTER and not self.feedback.correct:
                self._show()
        for call in self._heard:
            call(self.feedback)
        return self.feedback

    def to_svg(self) -> str:
        """Draw the question with an empty place for its answer, as SVG text."""
        return draw_question(self._question)

    def _hear(self, change: Any) -> None:
        """Do what the reader asked for."""
        asked = change["new"]
        if asked.get("do") == "check":
            self.check(asked.get("answer"))
        elif asked.get("do") == "hint":
            self._hints = [*self._hints, self._task.hint(len(self._hints) + 1)]
        elif asked.get("do") == "show":
            self._show()

    def _show(self) -> None:
        found = self._task.solution()
        # A field for text takes text, which reads as the value does.
        is_written = self._task.kind == "text" and not isinstance(found.value, str)
        value = found.text if is_written else found.value
        self._solution = {"value": value, "text": found.text, "reason": found.reason}

    def _words(self) -> str:
        return self._task.table()

    def __repr__(self) -> str:
        return f"AnswerSheet({self._task.text})"


class Prediction(Strict, Drawn, ipywidgets.VBox):  # type: ignore[misc]  # ipywidgets ships no types
    """A sheet above a view that is covered until the first answer. Made by ``course.predict``.

    Attributes
    ----------
    sheet, view
        The two.
    """

    sheet: AnswerSheet
    view: Any

    def __init__(self, question: Askable, view: Asked) -> None:
        self.sheet, self.view = AnswerSheet(question), view
        self._task = question
        self._bench = _bench_of(view)
        self._bench.covered = True
        _shorten(self._bench)
        self.sheet.on_answer(self._uncover)
        super().__init__([self.sheet, view])

    def _uncover(self, _: Judged) -> None:
        self._bench.covered = False

    def check(self, answer: Any) -> Any:
        """Check an answer, show the view, and return the feedback."""
        return self.sheet.check(answer)

    def to_svg(self) -> str:
        """Draw the question, as :meth:`AnswerSheet.to_svg` does: the view is covered."""
        return self.sheet.to_svg()

    def _words(self) -> str:
        return self._task.table()

    def __repr__(self) -> str:
        return f"Prediction({self._task.text})"


def _bench_of(view: Asked) -> Workbench:
    return view if isinstance(view, Workbench) else view.bench


def _shorten(bench: Workbench) -> None:
    """Make a view of few nodes as high as it needs: the next text stays in sight."""
    is_stacked = {"timeline", "memory"} <= set(bench.panels) or "devices" in bench.panels
    if len(bench.scene.nodes) <= FEW_NODES and not is_stacked:
        bench.add_class("anb-short")


def ask_in(question: Askable, view: Asked) -> None:
    """Ask in a view, whose picked nodes are the answer; its bar says what is found."""
    bench = _bench_of(view)
    _shorten(bench)
    bench.question = question.text
    bench.many = bool(question.config.get("many"))

    def judge(names: list[str]) -> None:
        found = question.check(names)
        bench.feedback = spoken(question, found)

    bench.on_answer(judge)


def spoken(question: Askable, found: Judged) -> str:
    """Return feedback as one text: what is right, what was found, and where to look.

    Examples
    --------
    >>> from aidge_nb.course import pick
    >>> asked = pick("Which?", ["a", "b"], ["b"])
    >>> spoken(asked, asked.check(["a"]))
    'a is not one of them.'
    """
    if not found.correct and question.tries >= FREE_AFTER:
        return f"{said(found, hint=False)} It is {question.solution()!r}."
    return said(found)
