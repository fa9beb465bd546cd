"""Exercise: choose tiles so that a chain of layers fits into a memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from aidge_nb.core.errors import GraphError, ShapeError
from aidge_nb.course.feedback import NO_ANSWER, Feedback, not_understood
from aidge_nb.memory import plan_memory
from aidge_nb.tiling import apply_tiling, plan_tiling, tile_for

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView
    from aidge_nb.tiling import Tiling, TilingSearch


@dataclass(frozen=True)
class ChooseTiles:
    """Cut layers into tiles so that the model fits into a memory, for few extra MACs.

    Parameters
    ----------
    view
        A graph with known dimensions; it is not changed.
    memory
        Bytes for activations.
    slack
        How many more MACs than the best known answer count as solved, as a factor.

    Examples
    --------
    >>> import aidge_nb
    >>> convs = [aidge_nb.Conv2D(8, 8, [3, 3], f"conv{number}") for number in range(3)]
    >>> view = aidge_nb.sequential([*convs, aidge_nb.MaxPooling2D([4, 4], "pool", [4, 4])])
    >>> view.forward_dims([[1, 8, 38, 38]])
    True
    >>> exercise = ChooseTiles(view, memory=60_000)
    >>> exercise.check(["conv0", "conv1", "conv2", "pool"], {2: 1}).correct
    False
    """

    view: GraphView
    memory: int
    slack: float = 1.02

    @cached_property
    def best(self) -> TilingSearch:
        """The best known answer.

        Raises
        ------
        MemoryPlanError
            When no answer is known.
        """
        return tile_for(self.view, self.memory)

    @property
    def best_overhead(self) -> float:
        """Extra MACs of the best known answer, as a share of those of the whole graph."""
        return self.best.best.macs / self.best.untiled.macs - 1

    def _overhead(self, tiling: Tiling) -> float:
        """Extra MACs of an answer, as a share of those of the whole graph."""
        return (tiling.tiled_macs - tiling.macs) / self.best.untiled.macs

    def _peak(self, tiling: Tiling) -> int:
        """Peak of an answer, tiles put together without copies."""
        tiled = self.view.clone()
        apply_tiling(tiled, tiling)
        return plan_memory(tiled, tiled.topological_order(), parts=True).peak

    def check(
        self,
        nodes: Sequence[str] | None,
        grid: Mapping[int, int] | None = None,
        halo: str = "recompute",
    ) -> Feedback:
        """Check an answer.

        Parameters
        ----------
        nodes
            Names of the layers that are tiled together.
        grid
            For each axis that is cut, into how many parts.
        halo
            ``"recompute"`` or ``"cache"``.
        """
        if nodes is None or grid is None:
            return NO_ANSWER
        try:
            tiling = plan_tiling(
                self.view, [self.view.get_node(name) for name in nodes], grid, halo=halo
            )
        except (GraphError, ShapeError) as error:
            return Feedback(False, "That cannot be tiled.", str(error), 0.0)
        peak, overhead = self._peak(tiling), self._overhead(tiling)
        text = f"The peak is {peak:,} bytes, for {overhead:.1%} more MACs."
        if peak > self.memory:
            hint = (
                f"{self.memory:,} bytes are there: {peak - self.memory:,} too many. Smaller "
                "tiles, or more of the layers at the peak."
            )
            return Feedback(False, text, hint, self.memory / peak)
        allowed = (1 + self.best_overhead) * self.slack - 1
        if overhead <= allowed + 1e-9:
            return Feedback(True, text)
        hint = (
            f"It fits, and so do tilings with {self.best_overhead:.1%}. Halos cost: fewer tiles, "
            "fewer layers, or a cache for the halos."
        )
        return Feedback(False, text, hint, (1 + self.best_overhead) / (1 + overhead))

    def check_stripes(self, nodes: Sequence[str], answer: Sequence[Any] | None) -> Feedback:
        """Check an answer: the number of horizontal stripes, and the treatment of halos.

        Examples
        --------
        >>> import aidge_nb
        >>> view = aidge_nb.sequential([aidge_nb.Conv2D(8, 8, [3, 3], "conv")])
        >>> view.forward_dims([[1, 8, 34, 34]])
        True
        >>> ChooseTiles(view, memory=60_000).check_stripes(["conv"], 4)
        Not yet (0 %): That has not the form of an answer.
        Hint: Give two things, as in (8, "recompute").
        """
        if answer is None:
            return NO_ANSWER
        form: object = answer
        if not isinstance(form, Sequence) or len(form) != 2 or not isinstance(form[0], int):
            return not_understood('two things, as in (8, "recompute")')
        return self.check(nodes, {2: form[0]}, form[1])
