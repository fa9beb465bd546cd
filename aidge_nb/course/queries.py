"""Exercise: find the query that matches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aidge_nb.core.errors import AidgeError
from aidge_nb.course.feedback import NO_ANSWER, Feedback
from aidge_nb.graph.query import SinglePassGraphMatching

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView


@dataclass(frozen=True)
class FindQuery:
    """Find a query that matches certain groups of nodes, and nothing else.

    Parameters
    ----------
    view
        The graph.
    groups
        The groups, each a set of names; Producers do not count.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential(
    ...     [aidge_nb.ReLU(name="a"), aidge_nb.Tanh(name="b"), aidge_nb.ReLU(name="c")]
    ... )
    >>> exercise = FindQuery(view, [{"a", "b"}])
    >>> exercise.check("ReLU")
    Not yet (0 %): 2 matches, and 1 is wanted.
    Hint: It matches c, which is in no group. What tells it apart?
    >>> exercise.check("ReLU->Tanh")
    Solved (100 %): 1 match, as wanted.
    """

    view: GraphView
    groups: Iterable[Iterable[str]]

    def check(self, query: str | None) -> Feedback:
        """Check an answer: a query, as text."""
        if query is None:
            return NO_ANSWER
        wanted = {frozenset(group) for group in self.groups}
        try:
            found = self._matches(query)
        except AidgeError as error:
            return Feedback(False, "The query cannot be read.", str(error), 0.0)
        right = len(found & wanted)
        count = f"{len(found)} match{'es' * (len(found) != 1)}"
        if found == wanted:
            return Feedback(True, f"{count}, as wanted.")
        text = f"{count}, and {len(wanted)} {'is' if len(wanted) == 1 else 'are'} wanted."
        score = right / max(len(found | wanted), 1)
        return Feedback(False, text, _hint(found, wanted), score)

    def _matches(self, query: str) -> set[frozenset[str]]:
        matches = SinglePassGraphMatching(self.view).match(query)
        return {
            frozenset(node.name() for node in match.nodes if node.type() != "Producer")
            for match in matches
        }


def _hint(found: set[frozenset[str]], wanted: set[frozenset[str]]) -> str:
    known = frozenset().union(*wanted)
    outside = sorted(frozenset().union(*found) - known)
    if outside:
        return f"It matches {outside[0]}, which is in no group. What tells it apart?"
    for group in sorted(wanted - found, key=sorted):
        parts = [match for match in found if match < group]
        if parts:
            lacking = ", ".join(sorted(group - max(parts, key=len)))
            return f"It matches a part of a group: {lacking} is missing."
        return f"It does not match {', '.join(sorted(group))}."
    return "Some matches overlap: they are larger than a group, or two groups at once."
