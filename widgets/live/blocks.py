"""A board on which blocks of memory are dragged; the exercise on layouts uses it.

This module needs anywidget, as :mod:`aidge_nb.widgets.live.workbench` does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import anywidget
import traitlets

from aidge_nb.widgets.live.base import Drawn, Strict
from aidge_nb.widgets.still.board import draw_board

if TYPE_CHECKING:
    from aidge_nb.memory import Placement


class LayoutExercise(Protocol):
    """An exercise on a layout."""

    @property
    def blocks(self) -> Mapping[str, tuple[int, int, int]]:
        """By name, (lower, upper, size)."""

    @property
    def best(self) -> Placement:
        """The best known layout."""

    @property
    def fast(self) -> int:
        """Bytes of a fast memory, below the slow one; 0 where there is one memory."""

    def check(self, offsets: Mapping[str, int]) -> Any:
        """Check an answer."""


class BlockBoard(Strict, Drawn, anywidget.AnyWidget):
    """Blocks of memory over time; pointer and arrow keys move them up and down.

    Overlaps are red, and the text below compares the peak with the best one, without the kernel.

    Parameters
    ----------
    exercise
        The exercise.
    offsets
        Where blocks are at first, in bytes; by default one above the other.
    tells_best
        Say the least peak; without it, only the peak of the layout.
    check
        What :meth:`check` asks about a layout; by default the exercise.

    Attributes
    ----------
    offsets
        Where they are now.

    Raises
    ------
    TypeError
        For a keyword that is not listed above.

    Examples
    --------
    >>> from aidge_nb.course import PlaceBlocks
    >>> board = BlockBoard(PlaceBlocks({"a": (0, 2, 4), "b": (1, 3, 4)}))
    >>> board.offsets
    {'a': 0, 'b': 4}
    >>> board.check()
    Solved (100 %): The blocks fit in 8 bytes, and no layout is smaller.
    """

    _esm = Path(__file__).parent.parent / "static" / "board.js"

    _blocks: traitlets.List[dict[str, object]] = traitlets.List().tag(sync=True)
    _best = traitlets.Int().tag(sync=True)
    _fast = traitlets.Int().tag(sync=True)
    offsets = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        exercise: LayoutExercise,
        *,
        offsets: Mapping[str, int] | None = None,
        tells_best: bool = True,
        check: Callable[[Mapping[str, int]], Any] | None = None,
    ) -> None:
        self._exercise, self._check = exercise, check or exercise.check
        fast = exercise.fast
        stacked, top = {}, fast
        for name, (_, _, size) in exercise.blocks.items():
            stacked[name] = top
            top += size
        super().__init__(
            _blocks=[
                {"name": name, "lower": lower, "upper": upper, "size": size}
                for name, (lower, upper, size) in exercise.blocks.items()
            ],
            _best=exercise.best.peak if tells_best else 0,
            _fast=fast,
            offsets={**stacked, **(offsets or {})},
        )

    def to_svg(self) -> str:
        """Draw the board as it is now, as SVG text."""
        return draw_board(self._exercise.blocks, self.offsets, self._best, self._fast)

    def check(self) -> Any:
        """Check the current layout; return the feedback."""
        return self._check(self.offsets)

    def __repr__(self) -> str:
        return f"BlockBoard({len(self._blocks)} blocks)"
