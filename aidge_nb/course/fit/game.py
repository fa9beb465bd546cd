"""The puzzle as the front-end needs it: facts, states and runs by key, and a page with all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from aidge_nb.core.errors import AidgeError
from aidge_nb.course.fit.moves import (
    FEW_MACS,
    LEVELS,
    STRIPES,
    FitSetting,
    orders,
    setting_of,
    settings,
)
from aidge_nb.course.fit.run import recorded, run
from aidge_nb.course.fit.states import state_of
from aidge_nb.course.fit.trained import picture
from aidge_nb.course.fit.words import as_wire
from aidge_nb.tiling import HALOS

if TYPE_CHECKING:
    from collections.abc import Mapping


class FitGame:
    """The puzzle.

    Attributes
    ----------
    facts
        Levels and moves, as JSON.
    start
        Key of the state in which nothing is moved.

    Examples
    --------
    >>> game = FitGame()
    >>> game.state(game.start)["peak"]
    67584
    """

    def __init__(self) -> None:
        self.facts: Mapping[str, Any] = {
            "levels": [
                {
                    "name": level.name,
                    "variant": level.variant,
                    "budget": level.budget,
                    "moves": list(level.moves),
                    "program": level.is_program,
                    "says": level.says,
                }
                for level in LEVELS
            ],
            "orders": [list(order) for order in orders()],
            "stripes": list(STRIPES),
            "halos": list(HALOS),
            "few": FEW_MACS,
            "picture": _points(),
        }
        self.start = FitSetting().key

    def state(self, key: str) -> Mapping[str, Any]:
        """Return the state of a key, as JSON.

        Parameters
        ----------
        key
            Text of a choice; see :class:`aidge_nb.course.fit.moves.FitSetting`.

        Raises
        ------
        ValueError
            For a key of no choice.
        """
        return as_wire(state_of(setting_of(key)))

    def run(self, key: str) -> str:
        """Run the network of a choice; return words on the run, or on why it cannot run.

        Parameters
        ----------
        key
            Text of a choice.
        """
        try:
            return run(setting_of(key)).text
        except AidgeError as error:
            return str(error)

    def page(self) -> str:
        """Return a page that holds all states, and the recorded runs."""
        from aidge_nb.widgets.still.fit_page import fit_page

        states = {setting.key: as_wire(state_of(setting)) for setting in settings()}
        runs = {key: run(setting_of(key), use_recorded=True).text for key in recorded()}
        return fit_page(self.facts, states, runs)


def _points() -> list[str]:
    """Return the rows of the picture that is run on at the end: a digit from 0 to f for a point."""
    seen = picture()[0][0, 0]
    grey = np.rint(15 * (seen - seen.min()) / np.ptp(seen)).astype(int)
    return ["".join(f"{point:x}" for point in row) for row in grey.tolist()]
