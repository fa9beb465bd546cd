"""Ask for a schedule in its folded form; it is unrolled and compared firing by firing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from aidge_nb.core.errors import SchedulingError
from aidge_nb.course.answers.question import ModelAnswer, Question
from aidge_nb.course.feedback import Feedback, not_understood

if TYPE_CHECKING:
    from aidge_nb.scheduling import StaticSchedule

MOST_FIRINGS = 100_000
"""An answer that unrolls to more is refused."""

_PART = re.compile(r"\s*(?:(\d+)\s*[×x*]\s*|([\w./]+)|([()]))")


@dataclass(eq=False, repr=False)
class FoldQuestion(Question):
    """Ask for the folded text of a schedule; ``course.fold`` for short.

    Parameters
    ----------
    text
        What is asked.
    schedule
        The schedule. Whatever unrolls to it is right.
    hints, why
        As for :class:`Question`.

    Examples
    --------
    >>> import aidge_nb
    >>> from aidge_nb.course import graphs
    >>> schedule = aidge_nb.static_schedule(graphs.rates(12, (2, 1), (3, 1)))
    >>> asked = FoldQuestion("Write it shorter.", schedule)
    >>> asked.check("source 2×(3×(a) b)")
    Solved (100 %): 9 firings, the same as in the schedule; the text is as short as the library's.
    >>> asked.check("source 4×(a) b")
    Not yet (44 %): Right: the first 4 firings. Then it differs: a, not b.
    Hint: Which stretch repeats as it is?
    """

    kind = "text"
    form = "'source 2×(a b)'"

    schedule: StaticSchedule

    @property
    def config(self) -> Mapping[str, Any]:
        """Facts for the widget, beside the text."""
        return {"keys": ["×", "(", ")"], "label": "folded schedule"}

    def _read(self, answer: Any) -> Any:
        """Return the text without spaces that do not matter."""
        return " ".join(answer.split()) if isinstance(answer, str) else answer

    def _judge(self, answer: Any) -> Feedback:
        if not isinstance(answer, str):
            return not_understood(f"text, as in {self.form}")
        try:
            found = unroll(answer)
        except SchedulingError as error:
            return Feedback(False, "The text cannot be read.", str(error), 0.0)
        wanted = self.schedule.order
        if found and found[0] not in self._producers:
            wanted = tuple(name for name in wanted if name not in self._producers)
        same = next(
            (
                place
                for place, (one, other) in enumerate(zip(found, wanted, strict=False))
                if one != other
            ),
            min(len(found), len(wanted)),
        )
        if same == len(found) == len(wanted):
            return Feedback(True, self._praise(answer, len(found)))
        right = (f"the first {same} firings",) if same > 1 else ()
        score = min(same / max(len(wanted), 1), 0.99)
        if same == len(found):
            text = f"It unrolls to {len(found)} of {len(wanted)} firings."
            hint = f"{wanted[same]} should run next."
        elif same == len(wanted):
            text = f"It unrolls to {len(found)} firings, and there are {len(wanted)}."
            hint = "Which count is too large?"
        else:
            text = f"Then it differs: {found[same]}, not {wanted[same]}."
            hint = "Which stretch repeats as it is?"
        return Feedback(False, text, self.hint(1) if self.hints else hint, score, right, "unroll")

    @cached_property
    def _producers(self) -> frozenset[str]:
        return frozenset(actor.name for actor in self.schedule.actors if actor.producer)

    def _praise(self, answer: str, count: int) -> str:
        ours, theirs = len(_parts(self.schedule.to_text())), len(_parts(answer))
        if theirs > ours:
            return f"{count} firings, the same as in the schedule. A shorter text is possible."
        return (
            f"{count} firings, the same as in the schedule; the text is as short as the library's."
        )

    def _solve(self) -> ModelAnswer:
        return ModelAnswer(self.schedule.to_text(), self.schedule.to_text(), self.why)


def unroll(text: str) -> tuple[str, ...]:
    """Unroll a folded schedule.

    Raises
    ------
    SchedulingError
        For a text that cannot be read, or that has more than 100,000 firings.

    Examples
    --------
    >>> unroll("source 2×(2×(a) b)")
    ('source', 'a', 'a', 'b', 'a', 'a', 'b')
    >>> unroll("2×(a")
    Traceback (most recent call last):
    ...
    aidge_nb.core.errors.SchedulingError: folded text: a bracket is left open. ...
    """
    opened: list[tuple[int, list[str]]] = [(1, [])]
    pending: int | None = None
    for count, name, bracket in _parts(text):
        if pending is not None and bracket != "(":
            raise _refuse(f"{pending}× needs a bracket, as in {pending}×(a)")
        if count:
            pending = int(count)
        elif name:
            opened[-1][1].append(name)
        elif bracket == "(":
            opened.append((1 if pending is None else pending, []))
            pending = None
        elif len(opened) > 1:
            times, inner = opened.pop()
            if len(inner) * times > MOST_FIRINGS:
                raise _refuse(f"it has more than {MOST_FIRINGS:,} firings")
            opened[-1][1].extend(inner * times)
        else:
            raise _refuse("a bracket is closed that was not opened")
    if pending is not None:
        raise _refuse(f"{pending}× stands before nothing")
    if len(opened) > 1:
        raise _refuse("a bracket is left open")
    return tuple(opened[0][1])


def _refuse(problem: str) -> SchedulingError:
    return SchedulingError.at("folded text", problem, cure="Write it as in 'source 2×(3×(a) b)'.")


def _parts(text: str) -> list[tuple[str, str, str]]:
    """Split a text into counts, names and brackets."""
    found, at = [], 0
    while text[at:].strip():
        part = _PART.match(text, at)
        if part is None:
            raise _refuse(f"{text[at:].strip()[:12]!r} cannot be read")
        found.append((part[1] or "", part[2] or "", part[3] or ""))
        at = part.end()
    return found
