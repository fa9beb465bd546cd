"""Ask for one or several of some options, with a sentence for each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aidge_nb.course.answers.question import ModelAnswer, Question
from aidge_nb.course.feedback import Feedback, not_understood


@dataclass(eq=False, repr=False)
class ChoiceQuestion(Question):
    """Ask which option is right; ``course.choose`` for short.

    Parameters
    ----------
    text
        What is asked.
    options
        By option, the sentence that answers who chooses it.
    right
        The right option, or a function that works it out when it is needed.
    hints, why
        As for :class:`Question`.

    Examples
    --------
    >>> asked = ChoiceQuestion("Faster?", {"yes": "Both work.", "no": "Who waits?"}, "yes")
    >>> asked.check("no")
    Not yet (0 %): no: that is not it.
    Hint: Who waits?
    >>> asked.check("yes")
    Solved (100 %): Both work.
    """

    kind = "choose"

    options: Mapping[str, str]
    right: str | Callable[[], str]

    @property
    def form(self) -> str:
        """An answer of the right form, as Python; not the right answer."""
        return repr(next(iter(self.options)))

    @property
    def config(self) -> Mapping[str, Any]:
        """Facts for the widget, beside the text."""
        return {"options": list(self.options), "many": False}

    def _judge(self, answer: Any) -> Feedback:
        if not isinstance(answer, str) or answer not in self.options:
            return not_understood(f"one of {', '.join(map(repr, self.options))}")
        sentence = self.options[answer]
        if answer == self._solve().value:
            return Feedback(True, sentence)
        return Feedback(False, f"{answer}: that is not it.", sentence, 0.0, idea=answer)

    def _solve(self) -> ModelAnswer:
        right = self.right() if callable(self.right) else self.right
        return ModelAnswer(right, right, self.why or self.options[right])


@dataclass(eq=False, repr=False)
class PickQuestion(Question):
    """Ask to pick nodes, in a list or in a view; ``course.pick`` for short.

    Parameters
    ----------
    text
        What is asked.
    items
        The names among which to pick.
    right
        The right names, or a function that works them out when they are needed.
    because
        Says why a wrongly picked name is wrong.
    many
        Whether several may be picked.
    hints, why
        As for :class:`Question`.

    Examples
    --------
    >>> asked = PickQuestion("Which wait?", ["a", "b", "c"], ["b", "c"], lambda name: "It runs.")
    >>> asked.check(["b"])
    Not yet (50 %): Right: b. 1 more is to be found.
    >>> asked.check(["a", "b"])
    Not yet (33 %): Right: b. a is not one of them.
    Hint: It runs.
    """

    kind = "choose"

    items: Iterable[str]
    right: Iterable[str] | Callable[[], Iterable[str]]
    because: Callable[[str], str] | None = None
    many: bool = field(default=True, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.items = tuple(self.items)

    @property
    def form(self) -> str:
        """An answer of the right form, as Python; not the right answer."""
        return repr(list(self.items)[:1])

    @property
    def config(self) -> Mapping[str, Any]:
        """Facts for the widget, beside the text."""
        return {"options": list(self.items), "many": self.many}

    def _read(self, answer: Any) -> Any:
        """Return the names as a set."""
        given = [answer] if isinstance(answer, str) else answer
        return frozenset(given) if isinstance(given, Iterable) else given

    def _judge(self, answer: Any) -> Feedback:
        given = [answer] if isinstance(answer, str) else answer
        if not isinstance(given, Iterable):
            return not_understood(f"names, as in {self.form}")
        given = list(dict.fromkeys(given))
        unknown = [name for name in given if name not in self.items]
        if unknown:
            text, names = f"{unknown[0]!r} cannot be picked.", ", ".join(self.items)
            return Feedback(False, text, f"They are {names}.", 0.0)
        return self._judged(given)

    def _judged(self, given: Sequence[str]) -> Feedback:
        """Return feedback on names that can be picked."""
        wanted = self._solve().value
        right = tuple(name for name in given if name in wanted)
        wrong = [name for name in given if name not in wanted]
        score = len(right) / len({*wanted, *given})
        if score == 1:
            return Feedback(True, f"Yes: {', '.join(right)}.")
        if wrong:
            text = f"{wrong[0]} is not one of them."
            because = self.because(wrong[0]) if self.because else ""
            return Feedback(False, text, because, score, right, wrong[0])
        missing = len(wanted) - len(right)
        text = f"{missing} more {'is' if missing == 1 else 'are'} to be found."
        return Feedback(False, text, self.hint(1) if self.hints else "", score, right)

    def _solve(self) -> ModelAnswer:
        right = list(self.right() if callable(self.right) else self.right)
        return ModelAnswer(right, ", ".join(right), self.why)
