"""Exercise: find the query that matches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from aidge_nb.core.errors import AidgeError
from aidge_nb.course.feedback import NO_ANSWER, Feedback
from aidge_nb.graph.query import SinglePassGraphMatching

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView

TRANSFORMER = MappingProxyType(
    {
        "Linear": "MatMul-*>Add",
        "LayerNorm": (
            "ReduceMean-*>Sub#1~>(Pow#1->ReduceMean-*>Add#1->Sqrt)-*>Div#1-*>Mul#1-*>Add#2;"
            "Sub#1~*>Div#1;"  # the difference is read twice
            # 2, epsilon, scale, bias:
            "Pow#1<1~Producer;Add#1<*~Producer;Mul#1<*~Producer;Add#2<*~Producer;"
            "Sub#1~>$"  # and by nobody else
        ),
        "ScaledDotProductAttention": "MatMul->Div#1->Softmax-*>MatMul;Div#1<1~Producer",
        "MultiHeadAttention": (
            "ScaledDotProductAttention#1->Transpose->Reshape#1->Linear;Reshape#1<1~Producer;"
            "ScaledDotProductAttention#1<0-(Transpose<-Reshape#2<-Add#1);"
            "ScaledDotProductAttention#1<1-(Transpose<-Reshape#3<-Add#2);"
            "ScaledDotProductAttention#1<2-(Transpose<-Reshape#4<-Add#3);"
            "Reshape#2<1~Producer;"
            "Add#1<*-0-Split#1;Add#2<*-1-Split#1;Add#3<*-2-Split#1;"
            "Split#1<-MatMul;Split#1<1~Producer"
        ),
        "GeLU": "Div#1->Erf->Add#1-*>Mul->Mul#2;Div#1<1~Producer;Add#1<*~Producer;Mul#2<*~Producer",
    }
)
"""By kind of block, the query that finds it in an exported vision transformer; in this order."""


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
            found = groups_of(self.view, query)
        except AidgeError as error:
            return Feedback(False, "The query cannot be read.", str(error), 0.0)
        right = len(found & wanted)
        count = f"{len(found)} match{'es' * (len(found) != 1)}"
        if found == wanted:
            return Feedback(True, f"{count}, as wanted.")
        text = f"{count}, and {len(wanted)} {'is' if len(wanted) == 1 else 'are'} wanted."
        score = right / max(len(found | wanted), 1)
        return Feedback(False, text, _hint(found, wanted), score)


def groups_of(view: GraphView, query: str) -> set[frozenset[str]]:
    """Return what a query matches, as sets of names; Producers do not count.

    Raises
    ------
    GraphError
        For a query that cannot be read.

    Examples
    --------
    >>> from aidge_nb.course import graphs
    >>> [sorted(group) for group in groups_of(graphs.gated(), "ReLU->ReLU")]
    [['first', 'second']]
    """
    return {
        frozenset(node.name() for node in match.nodes if node.type() != "Producer")
        for match in SinglePassGraphMatching(view).match(query)
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
