"""Graph queries in the live view: matching nodes light up while the query is typed.

The search box takes words, which the browser searches, and graph queries, which the kernel
answers. This module needs anywidget, as :mod:`aidge_nb.widgets.live.workbench` does.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import traitlets

from aidge_nb.core.errors import GraphError
from aidge_nb.graph.fuse import fuse_to_metaops
from aidge_nb.graph.query import MatchingResult, SinglePassGraphMatching
from aidge_nb.graph.view import GraphView
from aidge_nb.widgets.live.asked import said
from aidge_nb.widgets.live.bundle import live_bundle
from aidge_nb.widgets.live.workbench import Workbench
from aidge_nb.widgets.still.mime import scene_of

if TYPE_CHECKING:
    from aidge_nb.widgets.live.asked import Askable

_IS_GRAPH_QUERY = re.compile(r"[<>;#$()\[\]{}|&]")
"""Characters of graph queries that names and types do not have."""

_WHERE = "Type a query into the search box."


class QueryBench(Workbench):
    """A graph whose search box takes graph queries. Made by :func:`aidge_nb.widgets.query_bench`.

    Parameters
    ----------
    graph
        The graph, or a matching on it whose predicates the query may ask.
    query
        What to look for; changing it, here or in the box, lights up other nodes.
    task
        A question that the query answers: what is found is met with feedback.
    **view
        Other keywords of :class:`~aidge_nb.widgets.live.workbench.Workbench`.
    """

    _found = traitlets.Dict(default_value=None, allow_none=True).tag(sync=True)

    def __init__(
        self,
        graph: GraphView | SinglePassGraphMatching,
        query: str = "",
        *,
        task: Askable | None = None,
        **view: Any,
    ) -> None:
        self._task = task
        self._matching: SinglePassGraphMatching = (
            graph if isinstance(graph, SinglePassGraphMatching) else SinglePassGraphMatching(graph)
        )
        self._matches: tuple[MatchingResult, ...] = ()
        super().__init__(scene_of(self._matching.graph), **{"panels": ["graph", "table"], **view})
        if task is not None:
            self.question, self.feedback = task.text, _WHERE
            self.on_answer(lambda _: self.set_trait("feedback", _WHERE))
        self.observe(self._search, "query")
        self.query = query

    @property
    def matches(self) -> tuple[MatchingResult, ...]:
        """The matches of the query; empty for words."""
        return self._matches

    @property
    def _opened(self) -> dict[str, Any]:
        return {**super()._opened, "found": self._found}

    def fuse(self, type: str) -> int:  # as fuse_to_metaops calls it
        """Fuse what the query found; each match collapses into a block. Return their number."""
        count = fuse_to_metaops(self._matching, self.query, type)
        self.refresh()
        self.query = type
        return count

    def refresh(self) -> None:
        """Draw the graph again after a change."""
        self.scene = scene_of(self._matching.graph)
        self._search()

    def _search(self, _: object = None) -> None:
        if not _IS_GRAPH_QUERY.search(self.query):
            self._matches = ()
            self.set_trait("_found", None)
            return
        try:
            self._matches = tuple(self._matching.find(self.query))
            hint = "" if self._matches else self._matching.missing_types(self.query)
        except GraphError as error:  # half a query: what it was before stays lit
            self._found = {"nodes": self._lit or [], "text": "", "hint": str(error)}
            return
        count = len(self._matches)
        text = f"{count} match" if count == 1 else f"{count} matches"
        self._found = {"nodes": self._places(), "text": text, "hint": hint}
        if self._task is not None:
            found = self._task.check(self.query)
            self.feedback = f"{'✓' if found.correct else '→'} {said(found)}"

    @property
    def _lit(self) -> list[int] | None:
        return self._found["nodes"] if self._found else None

    def _places(self) -> list[int]:
        """Find the matched nodes among those that are drawn; weights are drawn with their user."""
        place = {node.name: index for index, node in enumerate(self.scene.nodes)}
        names = self._matching.graph.unique_names()
        found = {place.get(names[node]) for match in self._matches for node in match}
        return sorted(each for each in found if each is not None)

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None, **_: object
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the live view, and a picture of the matches for where it cannot run."""
        said = f"{self!r}; {self._found['text']}" if self._matches else repr(self)
        return live_bundle(self.model_id, self._told(said), self._pictures(self._lit))
