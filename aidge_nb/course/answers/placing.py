"""Ask for a layout of blocks, on a board on which they are dragged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aidge_nb.course.answers.question import ModelAnswer, Question
from aidge_nb.course.blocks import PlaceBlocks

if TYPE_CHECKING:
    from aidge_nb.course.feedback import Feedback
    from aidge_nb.widgets.live.blocks import BlockBoard


@dataclass(eq=False, repr=False)
class PlacingQuestion(Question):
    """Ask to place blocks of memory for the lowest peak.

    Parameters
    ----------
    text
        What is asked.
    blocks
        By name, (lower, upper, size), as for :class:`PlaceBlocks`.
    hints, why
        As for :class:`Question`.

    Examples
    --------
    >>> asked = PlacingQuestion("Place them.", {"a": (0, 2, 4), "b": (1, 3, 4)})
    >>> asked.check({"a": 0, "b": 4})
    Solved (100 %): The blocks fit in 8 bytes, and no layout is smaller.
    """

    kind = "blocks"

    blocks: Mapping[str, tuple[int, int, int]]

    def __post_init__(self) -> None:
        super().__post_init__()
        self.exercise = PlaceBlocks(dict(self.blocks))

    @property
    def form(self) -> str:
        """An answer of the right form, as Python; not the right answer."""
        return repr(dict.fromkeys(self.exercise.blocks, 0))

    @property
    def config(self) -> Mapping[str, Any]:
        """Facts for the widget, beside the text."""
        return {"blocks": {name: list(block) for name, block in self.exercise.blocks.items()}}

    def _sheet(self, checks: Question) -> BlockBoard:
        """Make a board on which the blocks are dragged."""
        from aidge_nb.widgets.live.blocks import BlockBoard

        return BlockBoard(self.exercise, check=checks.check)

    def _judge(self, answer: Any) -> Feedback:
        return self.exercise.check(answer)

    def _solve(self) -> ModelAnswer:
        offsets = dict(zip(self.exercise.blocks, self.exercise.best.offsets, strict=True))
        shown = ", ".join(f"{name} at {offset}" for name, offset in offsets.items())
        return ModelAnswer(offsets, shown, self.why)
