"""Ask for a graph query: it is right when it matches what the wanted one matches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from aidge_nb.core.errors import AidgeError
from aidge_nb.course.answers.question import ModelAnswer, Question
from aidge_nb.course.feedback import Feedback, not_understood
from aidge_nb.course.queries import FindQuery, groups_of

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView

KEYS = ("->", "~>", "<-", "<~", "#1", ";")
"""Parts of queries beside types: a button for each."""


@dataclass(eq=False, repr=False)
class QueryQuestion(Question):
    """Ask for a graph query; ``course.query`` for short.

    Parameters
    ----------
    text
        What is asked.
    view
        The graph.
    wanted
        A query that is right. Others are right if they match the same groups of nodes.
    hints, why
        As for :class:`Question`.

    Examples
    --------
    >>> from aidge_nb.course import graphs
    >>> asked = QueryQuestion("Find relu with tanh.", graphs.gated(), "ReLU~>Tanh")
    >>> asked.check("ReLU->Tanh")
    Not yet (0 %): 0 matches, and 1 is wanted.
    Hint: It does not match relu, tanh.
    >>> asked.check("Tanh<-ReLU").correct, asked.check("Tanh<~ReLU").correct
    (False, True)
    """

    kind = "text"
    form = "'A->B'"

    view: GraphView
    wanted: str

    @cached_property
    def _groups(self) -> set[frozenset[str]]:
        return groups_of(self.view, self.wanted)

    @property
    def config(self) -> Mapping[str, Any]:
        """Facts for the widget, beside the text."""
        return {"keys": list(KEYS), "label": "query"}

    def _judge(self, answer: Any) -> Feedback:
        if not isinstance(answer, str):
            return not_understood(f"text, as in {self.form}")
        feedback = FindQuery(self.view, self._groups).check(answer)
        if feedback.correct:
            return feedback
        try:
            found = groups_of(self.view, answer)
        except AidgeError:
            return replace(feedback, idea="syntax")
        near = (len(one & other) / len(one | other) for one in found for other in self._groups)
        score = max(feedback.score, 0.9 * max(near, default=0.0))
        return replace(feedback, score=score, idea="match")

    def _solve(self) -> ModelAnswer:
        return ModelAnswer(self.wanted, self.wanted, self.why)
