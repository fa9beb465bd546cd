"""Ask to move the sliders of a tile explorer until the memory is small enough, for little work."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aidge_nb.course.answers.question import ModelAnswer, Question
from aidge_nb.course.feedback import Feedback, not_understood
from aidge_nb.course.tiles import ChooseTiles
from aidge_nb.tiling import HALOS
from aidge_nb.tiling.chain import as_chain

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node
    from aidge_nb.graph.view import GraphView

_MOST_STRIPES = 16


@dataclass(eq=False, repr=False)
class CutQuestion(Question):
    """Ask for stripes and halos with which a chain fits; ``course.cut`` for short.

    Parameters
    ----------
    text
        What is asked.
    view
        The graph, with dimensions.
    nodes
        The nodes that are tiled together.
    memory
        Bytes for activations.
    hints, why
        As for :class:`Question`.

    Examples
    --------
    >>> from aidge_nb.course import graphs
    >>> from aidge_nb.widgets.live.tile_controls import TileSettings
    >>> view = graphs.stripes()
    >>> chain = [view.get_node(name) for name in ("conv0", "conv1", "pool")]
    >>> asked = CutQuestion("It has 1,800 bytes.", view, chain, 1800)
    >>> asked.check(TileSettings(rows=2))
    Not yet (70 %): The peak is 2,560 bytes, for 6.2% more MACs.
    Hint: 1,800 bytes are there: 760 too many. Smaller tiles, or more of the layers at the peak.
    >>> asked.solution()
    4 stripes, halos kept
    """

    kind = "settings"
    form = "TileSettings(rows=2)"

    view: GraphView
    nodes: Node | Iterable[Node]
    memory: int

    def __post_init__(self) -> None:
        super().__post_init__()
        self._chain = as_chain(self.view, self.nodes).nodes
        self._exercise = ChooseTiles(self.view, self.memory)

    def _sheet(self, checks: Question) -> Any:
        """Make an explorer whose sliders answer."""
        from aidge_nb.widgets import explore_tiling

        return explore_tiling(self.view, self._chain, task=checks)

    def _judge(self, answer: Any) -> Feedback:
        rows, columns = getattr(answer, "rows", None), getattr(answer, "columns", None)
        if rows is None or columns is None:
            return not_understood(f"settings, as in {self.form}")
        names = [node.name() for node in self._chain]
        grid = {2: rows} if columns == 1 else {2: rows, 3: columns}
        return self._exercise.check(names, grid, answer.halo)

    def _solve(self) -> ModelAnswer:
        from aidge_nb.widgets.live.tile_controls import TileSettings

        for rows in range(1, _MOST_STRIPES + 1):
            for halo in HALOS:
                settings = TileSettings(rows=rows, halo=halo)
                if self._judge(settings).correct:
                    kept = "kept" if halo == "cache" else "computed again"
                    return ModelAnswer(settings, f"{rows} stripes, halos {kept}", self.why)
        return ModelAnswer(None, "No stripes are known that fit.", self.why)
