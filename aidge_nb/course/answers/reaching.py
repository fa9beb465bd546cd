"""Ask to move the controls of an explorer until the memory is small enough."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

from aidge_nb.core.errors import AidgeError
from aidge_nb.course.answers.question import ModelAnswer, Question
from aidge_nb.course.feedback import Feedback, not_understood

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView
    from aidge_nb.widgets.exploration import Exploration, Settings

_BY_LENGTH = ("ShortestBranchFirst", "LonguestBranchFirst")
_BY_STEP = ("Default", "AsSoonAsPossible", "AsLateAsPossible")
_STRIPES = (1, 2, 4, 8)


@dataclass(eq=False, repr=False)
class ReachQuestion(Question):
    """Ask for settings of an explorer with which a peak is reached; ``course.reach`` for short.

    Parameters
    ----------
    text
        What is asked.
    view
        The graph, with dimensions.
    peak
        Bytes that the plan may take at most; a function is called when it is first needed.
    hints, why
        As for :class:`Question`.

    Examples
    --------
    >>> from aidge_nb.course import graphs
    >>> from aidge_nb.widgets.exploration import Settings
    >>> asked = ReachQuestion("At most 2,688 bytes.", graphs.two_branches(), 2688)
    >>> asked.check(Settings(width=2))
    Not yet (66 %): 4,096 bytes: 1,408 too many.
    Hint: What runs at once is alive at once.
    >>> asked.solution()
    order: branch with the smallest result first
    """

    kind = "settings"
    form = "Settings(width=2)"

    view: GraphView
    peak: int | Callable[[], int]

    @cached_property
    def _most(self) -> int:
        """Bytes that the plan may take at most."""
        return self.peak() if callable(self.peak) else self.peak

    @cached_property
    def _exploration(self) -> Exploration:
        from aidge_nb.widgets.exploration import Exploration

        return Exploration(self.view)

    def _sheet(self, checks: Question) -> Any:
        """Make an explorer whose controls answer."""
        from aidge_nb.widgets import explore

        return explore(self.view, task=checks)

    def _judge(self, answer: Any) -> Feedback:
        from aidge_nb.widgets.exploration import Settings

        if not isinstance(answer, Settings):
            return not_understood(f"settings, as in {self.form}")
        try:
            memory = self._exploration.planned(answer).memory
        except (AidgeError, KeyError) as error:  # a name that no control has
            return Feedback(False, "That is not possible.", str(error), 0.0)
        peak = 0 if memory is None else memory.peak
        if peak <= self._most:
            return Feedback(True, f"{peak:,} bytes.")
        text = f"{peak:,} bytes: {peak - self._most:,} too many."
        return Feedback(False, text, _idea(answer), self._most / peak)

    def _solve(self) -> ModelAnswer:
        from aidge_nb.widgets.exploration import controls_for

        for settings in _settings():
            if self._judge(settings).correct:
                said = [
                    f"{control.label}: {_label(control.options, value)}"
                    for control in controls_for(self._exploration.first)
                    if (value := getattr(settings, control.name)) != control.value
                ]
                return ModelAnswer(settings, ", ".join(said) or "all as at first", self.why)
        return ModelAnswer(None, "No settings are known that reach it.", self.why)


def _settings() -> Iterator[Settings]:
    """Yield settings to try, those that change little first."""
    from aidge_nb.scheduling import SchedulingPolicy
    from aidge_nb.widgets.exploration import Settings

    names = [policy.name for policy in SchedulingPolicy]
    tried = [Settings(policy=name, stripes=stripes) for name in names for stripes in _STRIPES]
    first = Settings()
    yield from sorted(
        tried,
        key=lambda each: sum(
            getattr(each, field.name) != getattr(first, field.name) for field in fields(each)
        ),
    )


def _label(options: Sequence[tuple[str, Any]], value: Any) -> str:
    return next((text for text, each in options if each == value), str(value))


def _idea(settings: Settings) -> str:
    """Say what to look at, by what was set."""
    if settings.width > 1:
        return "What runs at once is alive at once."
    if not settings.in_place:
        return "No result may overwrite its input now."
    if settings.policy in _BY_LENGTH:
        return "Length is time. Here bytes count."
    if settings.policy in _BY_STEP:
        return "Who is alive at the peak? Another order may part them."
    return "Look at the largest results: which other control makes them smaller?"
