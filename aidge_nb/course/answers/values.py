"""Ask for several numbers at once, each with its name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from typing import Any

from aidge_nb.course.answers.number import is_finite, number_text
from aidge_nb.course.answers.question import ModelAnswer, Question
from aidge_nb.course.feedback import Feedback, not_understood

_NUMBER = re.compile(r"(?<![\w.])[-+−]?(?:\d[\d,']*\.?\d*|\.\d+)(?:e[-+]?\d+)?(?![\w.]*\w)", re.I)

Numbers = Mapping[str, float]


@dataclass(eq=False, repr=False)
class ValuesQuestion(Question):
    """Ask for several numbers, in a given order.

    Parameters
    ----------
    text
        What is asked.
    right
        The right numbers by name, or a function that works them out when they are needed.
    within
        The absolute error that is accepted.
    accepts
        Accepts other answers that are right as well; by default there are none.
    hints, why
        As for :class:`Question`.

    Examples
    --------
    >>> asked = ValuesQuestion("How often?", {"a": 3, "b": 1})
    >>> asked.check("3 2")
    Not yet (50 %): Right: a. b is not 2.
    >>> asked.check({"a": 3, "b": 1})
    Solved (100 %): a 3, b 1.
    """

    kind = "text"

    right: Numbers | Callable[[], Numbers]
    within: float = field(default=0.0, kw_only=True)
    accepts: Callable[[Numbers], bool] | None = field(default=None, kw_only=True)

    @cached_property
    def _numbers(self) -> dict[str, float]:
        """The right numbers, by name."""
        return dict(self.right() if callable(self.right) else self.right)

    @property
    def form(self) -> str:
        """An answer of the right form, as Python; not the right answer."""
        return repr(" ".join("0" for _ in self._numbers))

    @property
    def config(self) -> Mapping[str, Any]:
        """Facts for the widget, beside the text."""
        return {"keys": [], "label": ", ".join(self._numbers)}

    def _read(self, answer: Any) -> Any:
        """Return the numbers by name; None where they are not as many as are asked for."""
        names = list(self._numbers)
        if isinstance(answer, Mapping):
            if answer.keys() != self._numbers.keys():
                return None
            found: list[Any] = [answer[name] for name in names]
        elif isinstance(answer, str):
            texts = (match[0] for match in _NUMBER.finditer(_without(names, answer)))
            found = [float(re.sub("[,']", "", text.replace("−", "-"))) for text in texts]
        elif isinstance(answer, Iterable):
            found = list(answer)
        else:
            found = [answer]
        if len(found) != len(names) or not all(map(_is_number, found)):
            return None
        return dict(zip(names, map(float, found), strict=True))

    def _judge(self, answer: Any) -> Feedback:
        given = self._read(answer)
        if given is None:
            names = ", ".join(self._numbers)
            return not_understood(f"numbers for {names}, in this order, as in {self.form}")
        good = tuple(name for name in given if self._is_right(name, given[name]))
        if len(good) == len(given) or (self.accepts is not None and self.accepts(given)):
            return Feedback(True, f"{_listed(given)}.")
        wrong = next(name for name in given if name not in good)
        text = f"{wrong} is not {number_text(given[wrong])}."
        hint = self.hint(1) if self.hints else ""
        score = len(good) / len(given) if self.accepts is None else 0.0
        return Feedback(False, text, hint, score, good if self.accepts is None else ())

    def _is_right(self, name: str, given: float) -> bool:
        right = self._numbers[name]
        return abs(given - right) <= self.within + 1e-9 * abs(right)

    def _solve(self) -> ModelAnswer:
        return ModelAnswer(self._numbers, _listed(self._numbers), self.why)


def _listed(numbers: Numbers) -> str:
    return ", ".join(f"{name} {number_text(number)}" for name, number in numbers.items())


def _without(names: Iterable[str], text: str) -> str:
    """Return a text without names: they may hold digits."""
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", text)
    return text.replace("–", " ")


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    return is_finite(value)
