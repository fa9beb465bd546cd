"""Runs the cells of a tutorial, and collects the questions that it asks."""

from __future__ import annotations

import contextlib
import io
import json
import re
from pathlib import Path
from typing import Any
from unittest.mock import patch

from aidge_nb.core.log import Log
from aidge_nb.course import (
    BarsQuestion,
    ChoiceQuestion,
    CutQuestion,
    FaultQuestion,
    FoldQuestion,
    NumberQuestion,
    OrderQuestion,
    PickQuestion,
    PlaceBlocks,
    QueryQuestion,
    Question,
    ReachQuestion,
    RowsQuestion,
    ValuesQuestion,
)
from aidge_nb.export.write.plugin import _OWN
from aidge_nb.kernels.c.calls import _ADAPTERS
from aidge_nb.widgets.exploration import Settings
from aidge_nb.widgets.live.tile_controls import TileSettings

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
ASKING = (
    "01_scheduling",
    "02_cp_model",
    "03_policies",
    "04_memory",
    "05_queries",
    "06_tiling",
    "07_hardware",
    "07b_export",
    "08_your_own_model",
    "09_training",
    "10_quantization",
)
"""Tutorials that ask before they tell."""


ON_SLIDERS = (ReachQuestion, CutQuestion)
"""Questions whose widgets are JupyterLab's."""


def questions_of(name: str) -> list[Question]:
    """Run a tutorial; return its questions in order."""
    return asked_of(name)[0]


def boards_of(name: str) -> list[PlaceBlocks]:
    """Run a tutorial; return the boards on which it lets blocks be placed."""
    return asked_of(name)[1]


def asked_of(
    name: str, places: list[int] | None = None
) -> tuple[list[Question], list[PlaceBlocks]]:
    """Run a tutorial; return its questions and its boards in order.

    `places` is told the cell of each question.
    """
    found: list[Question] = []
    boards: list[PlaceBlocks] = []
    places, cell_number = [] if places is None else places, 0
    begin, show = Question.__post_init__, PlaceBlocks.widget

    def note(self: Question) -> None:
        begin(self)
        found.append(self)
        places.append(cell_number)

    def note_board(self: PlaceBlocks, **named: Any) -> Any:
        boards.append(self)
        return show(self, **named)

    names: dict[str, Any] = {"__name__": "__main__"}
    cells = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text("utf-8"))["cells"]
    own = set(_OWN)
    with (
        patch.object(Question, "__post_init__", note),
        patch.object(PlaceBlocks, "widget", note_board),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.ExitStack() as after,
    ):
        after.callback(Log.reset)  # a tutorial chooses which messages are shown
        for number, cell in enumerate(cells):
            cell_number = number
            if cell["cell_type"] == "code":
                exec("".join(cell["source"]), names)
    for key in _OWN.keys() - own:  # C kernels of a tutorial stay there
        del _OWN[key], _ADAPTERS[key]
    return found, boards


def wrong_answers(asked: Question) -> list[Any]:
    """Return answers to a question that are of the right form and wrong."""
    if isinstance(asked, NumberQuestion):
        return [*asked.near, asked.value * 3 + 1]
    right = asked._solve().value
    if isinstance(asked, ChoiceQuestion):
        return [option for option in asked.options if option != right]
    if isinstance(asked, PickQuestion):
        others = [name for name in asked.items if name not in right] or ["nobody"]
        return [others if asked.many else others[:1]]
    if isinstance(asked, OrderQuestion):
        return [right[::-1]]
    if isinstance(asked, FoldQuestion):
        return [f"{right} 2×({right})"]
    if isinstance(asked, QueryQuestion):
        return ["$", "Identity"]
    if isinstance(asked, RowsQuestion):
        return [dict.fromkeys(right, (0, 0))]
    if isinstance(asked, ReachQuestion):
        return [Settings(width=8), Settings(in_place=False)]
    if isinstance(asked, CutQuestion):
        return [TileSettings(rows=2), TileSettings(rows=16)]
    if isinstance(asked, FaultQuestion):
        return ["conv1 output#7 unknown"]
    assert isinstance(asked, BarsQuestion)
    zero: Any = (0, 0) if asked.ask in ("both", "ticks") else 0
    return [dict.fromkeys(right, zero)]


def half_right_answers(asked: Question) -> list[Any]:
    """Return answers that are right in part; numbers of one unit and choices have none."""
    right = asked._solve().value
    if isinstance(asked, NumberQuestion) and asked.unit == "bytes" and right % 1024 == 0:
        return [right / 1024]
    if isinstance(asked, ValuesQuestion) and len(right) > 1:
        first = next(iter(right))
        return [{**right, first: right[first] + 1}]
    if isinstance(asked, PickQuestion) and len(right) > 1:
        return [right[:1]]
    if isinstance(asked, OrderQuestion):
        return [right[:-1]]
    if isinstance(asked, FoldQuestion):
        return [" ".join(asked.schedule.order[:4])]
    if isinstance(asked, QueryQuestion) and ">" in right:
        return [re.split("[#~-]", right)[0]]
    if isinstance(asked, RowsQuestion) and len(right) > 1:
        return [{**right, next(iter(right)): (0, 0)}]
    if isinstance(asked, FaultQuestion):
        return [" ".join((asked.fault.node, "output#7", asked.fault.fault))]
    if isinstance(asked, BarsQuestion):
        last = max(right, key=lambda name: right[name])
        zero: Any = (0, 0) if asked.ask in ("both", "ticks") else 0
        return [{**right, last: zero}]
    return []
