"""Ask for a number, with units, and name the misconception where a known wrong one is given."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from types import MappingProxyType
from typing import Any

from aidge_nb.course.answers.question import ModelAnswer, Question
from aidge_nb.course.feedback import Feedback, not_understood

_SCALES = MappingProxyType(
    {"b": 1, "byte": 1, "bytes": 1, "kib": 1024, "kb": 1000, "mib": 1024**2, "mb": 1000**2}
)
_NUMBER = re.compile(r"([-+]?[\d.][\d.,' _]*)\s*([^\d\s.,]*)")


class NumberQuestion(Question):
    """Ask for a number; ``course.number`` for short.

    Parameters
    ----------
    text
        What is asked.
    value
        The right number, or a function that works it out when it is needed.
    unit
        Its unit, such as ``"bytes"``, ``"steps"`` or ``"%"``.
    within
        The relative error that is accepted: 0.1 accepts 10 % more or less.
    near
        By wrong number, the sentence that names the idea behind it.
    hints, why
        As for :class:`Question`.

    Examples
    --------
    >>> asked = NumberQuestion("Slack of quick?", 1, "steps", near={2: "That is its late step."})
    >>> asked.check(2)
    Not yet (0 %): 2 steps is not it.
    Hint: That is its late step.
    >>> asked.check("1 step").correct
    True
    """

    kind = "number"
    form = "0"

    def __init__(
        self,
        text: str,
        value: float | Callable[[], float],
        unit: str = "",
        *,
        within: float = 0.0,
        near: Mapping[float, str] = MappingProxyType({}),
        hints: Sequence[str] = (),
        why: str = "",
    ) -> None:
        super().__init__(text, hints=hints, why=why)
        self._value = value
        self.unit = unit
        self.within = within
        self.near = dict(near)

    @property
    def value(self) -> float:
        """The right number."""
        return self._value() if callable(self._value) else self._value

    @property
    def config(self) -> Mapping[str, Any]:
        """Facts for the widget, beside the text."""
        return {"unit": self.unit}

    def _read(self, answer: Any) -> Any:
        """Return the number."""
        return _number_of(answer, self.unit)

    def _judge(self, answer: Any) -> Feedback:
        given = _number_of(answer, self.unit)
        if given is None:
            return not_understood(f"a number{f' of {self.unit}' if self.unit else ''}, as in 12")
        value = self.value
        if abs(given - value) <= self.within * abs(value) + 1e-9 * abs(value):
            about = f"; exactly {number_text(value)}" if not math.isclose(given, value) else ""
            return Feedback(True, f"{self._with_unit(given)}{about}.")
        text = f"{self._with_unit(given)} is not it."
        for wrong, sentence in self.near.items():
            if math.isclose(given, wrong):
                return Feedback(False, text, sentence, 0.0, idea=f"near {number_text(wrong)}")
        for factor, name in ((1024, "KiB"), (1000, "kB")):
            if self.unit == "bytes" and math.isclose(given * factor, value):
                hint = f"The number is right, but of {name}; bytes are asked for."
                return Feedback(False, text, hint, 0.5, ("the number",), "unit")
        hint = self.hint(1) if self.hints else ("Less." if given > value else "More.")
        return Feedback(False, text, hint, 0.0)

    def _with_unit(self, number: float) -> str:
        unit = self.unit.removesuffix("s") if number == 1 else self.unit
        return f"{number_text(number)} {unit}".strip()

    def _solve(self) -> ModelAnswer:
        return ModelAnswer(self.value, self._with_unit(self.value), self.why)


def number_text(number: float) -> str:
    """Return a number as text, thousands apart.

    Examples
    --------
    >>> number_text(2048.0), number_text(0.5)
    ('2,048', '0.5')
    """
    return f"{number:,.10g}"


def _number_of(answer: Any, unit: str) -> float | None:
    """Return a number that is given as one, or as text with a unit."""
    if isinstance(answer, bool):
        return None
    if isinstance(answer, Real):
        return float(answer) if is_finite(answer) else None
    found = _NUMBER.fullmatch(answer.strip()) if isinstance(answer, str) else None
    if found is None:
        return None
    try:
        number = float(re.sub(r"[,' _]", "", found[1]))
    except ValueError:
        return None
    scale = _SCALES.get(found[2].lower(), 1) if unit == "bytes" else 1
    return number * scale


def is_finite(number: Real) -> bool:
    """Return whether a number is one as a float, too.

    Examples
    --------
    >>> is_finite(3), is_finite(10**400), is_finite(float("nan"))
    (True, False, False)
    """
    try:
        return math.isfinite(number)
    except OverflowError:
        return False
