"""The screen of "Fit it in 16 KB" in a notebook; Python works out the states that are asked for.

This module needs anywidget, as :mod:`aidge_nb.widgets.live.workbench` does.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

import anywidget
import traitlets

from aidge_nb.widgets.live.base import Drawn, Strict
from aidge_nb.widgets.still.fit_page import FIT_BUNDLE, TITLE, draw_fit
from aidge_nb.widgets.still.question import ask_above
from aidge_nb.widgets.still.saved import SavedPictures, bounded


class FitSource(Protocol):
    """A source of states; see :class:`aidge_nb.course.fit.game.FitGame`."""

    @property
    def facts(self) -> Mapping[str, Any]:
        """Levels and moves."""

    @property
    def start(self) -> str:
        """Key of the state in which nothing is moved."""

    def state(self, key: str) -> Mapping[str, Any]:
        """Return the state of a key."""

    def run(self, key: str) -> str:
        """Run the network of a key; return words on it."""

    def page(self) -> str:
        """Return the page that holds all states."""


class FitBoard(Strict, Drawn, anywidget.AnyWidget):
    """The puzzle: moves, a prediction before each, and memory over time.

    Parameters
    ----------
    source
        What works out states.

    Attributes
    ----------
    played
        The last move: key of the state, level, moves, and how many of them were foreseen.
    """

    _esm = FIT_BUNDLE

    _facts = traitlets.Dict().tag(sync=True)
    _states = traitlets.Dict().tag(sync=True)
    _runs = traitlets.Dict().tag(sync=True)
    _asked = traitlets.Dict().tag(sync=True)
    played = traitlets.Dict().tag(sync=True)

    def __init__(self, source: FitSource) -> None:
        self._source = source
        start = source.start
        super().__init__(_facts=dict(source.facts), _states={start: dict(source.state(start))})
        self.observe(self._hear, "_asked")

    def _hear(self, change: Any) -> None:
        """Work out what the screen asked for."""
        key = str(change["new"].get("key"))
        if change["new"].get("do") == "run":
            self._runs = {**self._runs, key: self._source.run(key)}
        else:
            self._states = {**self._states, key: dict(self._source.state(key))}

    def to_html(self, path: str | PathLike[str] | None = None) -> str:
        """Return the puzzle as a page that opens without Python; write it where a path is given.

        Parameters
        ----------
        path
            File to write.
        """
        page = self._source.page()
        if path is not None:
            Path(path).write_text(page, "utf-8")
        return page

    def to_svg(self) -> str:
        """Draw the memory of the puzzle as it is now, as SVG text."""
        key, level = self.played.get("key", self._source.start), self.played.get("level", 0)
        return draw_fit(self._source.state(key), self._facts["levels"][level]["budget"])

    def _words(self) -> str:
        return f"{TITLE}. {self._source.state(self._source.start)['text']}"

    def _pictures(self) -> SavedPictures:
        return bounded(ask_above(self.to_svg(), TITLE))

    def __repr__(self) -> str:
        return f"FitBoard({TITLE})"
