"""Controls above a view: their settings as one value, and a line with the result of a change.

This module needs ipywidgets; it is imported by views with controls only.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import ipywidgets

from aidge_nb.core.errors import AidgeError
from aidge_nb.core.garbage import put_off_collection
from aidge_nb.core.text import html_text
from aidge_nb.widgets.live.asked import said
from aidge_nb.widgets.live.base import Benched

if TYPE_CHECKING:
    from aidge_nb.widgets.live.asked import Askable

Settings = TypeVar("Settings")

WIDE: Any = {"description_width": "initial"}
CALM: Any = {"continuous_update": False, "style": WIDE}
"""Looks of controls: the whole description is seen; of sliders, it is planned when they rest."""

_STATUS_HEIGHT = "44px"
"""Room for two lines."""


class ChoiceSlider(ipywidgets.SelectionSlider):  # type: ignore[misc]  # ipywidgets ships no types
    """A slider over numbers that are written with their unit, or as a word.

    Examples
    --------
    >>> budget = ChoiceSlider(options=[("none", 0), ("1 KiB", 1024)])
    >>> budget.offer(1000)
    >>> [label for label, _ in budget.options]
    ['none', '1000 B', '1 KiB']
    """

    options: Any
    unit = "B"

    def offer(self, number: float) -> None:
        """Add a number to choose from, unless it is there."""
        if all(value != number for _, value in self.options):
            added = [*self.options, (f"{number} {self.unit}", number)]
            self.options = sorted(added, key=lambda option: option[1])


class ControlPanel(Generic[Settings]):
    """Controls by the name of the setting that each is for, and a line below them.

    Parameters
    ----------
    controls
        The widgets. One that has a method ``offer`` is told of each value that is set.
    settings
        Makes the value from the settings, by name.
    task
        A question that the settings answer: it stands above, and what is found in the line below.

    Examples
    --------
    >>> from ipywidgets import IntSlider
    >>> panel = ControlPanel({"stripes": IntSlider(4)}, dict)
    >>> panel.settings
    {'stripes': 4}
    >>> panel.replan(lambda: "peak 4 KiB")
    >>> panel.status.partition(" in ")[0]
    'peak 4 KiB · planned'
    >>> panel.cover(True)
    >>> panel.status.partition(" in ")[0]
    'planned'
    """

    def __init__(
        self,
        controls: Mapping[str, Any],
        settings: Callable[..., Settings],
        task: Askable | None = None,
    ) -> None:
        self._controls, self._settings, self._task = controls, settings, task
        for control in controls.values():
            control.layout.max_width = "100%"  # of a narrow cell
        # Of one height, whatever it says: what is below stays where it is.
        layout = ipywidgets.Layout(height=_STATUS_HEIGHT, overflow="auto", flex="0 0 auto")
        self._status = ipywidgets.HTML(layout=layout)
        self._heard: Callable[[], None] = lambda: None
        self._is_moving = self._is_covered = False
        self._verdict = self._took = ""

    def __getitem__(self, name: str) -> Any:
        """Return a control."""
        return self._controls[name]

    @property
    def parts(self) -> list[Any]:
        """The widgets to show, from the top down."""
        layout = ipywidgets.Layout(display="flex", flex_flow="row wrap")
        parts = [ipywidgets.Box(list(self._controls.values()), layout=layout), self._status]
        if self._task is None:
            return parts
        return [self._asked(self._task), *parts]

    def _asked(self, task: Askable) -> Any:
        """Return the line of a question: its text, hints one by one, and the solution."""
        hint, show = ipywidgets.Button(description="hint"), ipywidgets.Button(description="show me")
        given: list[str] = []

        def give(_: object) -> None:
            given.append(task.hint(len(given) + 1))
            self._status.value = html_text(given[-1])

        def solve(_: object) -> None:
            found = task.solution()
            if found.value is None:  # there was no try
                self._status.value = html_text(found.text)
                return
            self.move(found.value)
            self._heard()

        hint.on_click(give)
        show.on_click(solve)
        text = ipywidgets.HTML(f"<b>{html_text(task.text)}</b>")
        layout = ipywidgets.Layout(display="flex", flex_flow="row wrap", align_items="center")
        return ipywidgets.Box([text, hint, show], layout=layout)

    @property
    def settings(self) -> Settings:
        """Settings of the controls."""
        return self._settings(**{name: each.value for name, each in self._controls.items()})

    def move(self, settings: Settings) -> None:
        """Move the controls without calling observers."""
        self._is_moving = True
        try:
            for name, control in self._controls.items():
                value = getattr(settings, name)
                if hasattr(control, "offer"):
                    control.offer(value)
                control.value = value
        finally:
            self._is_moving = False

    def observe(self, changed: Callable[[], None]) -> None:
        """Call a function when the reader moves a control."""
        self._heard = changed

        def hear(_: object) -> None:
            if not self._is_moving:
                changed()

        for control in self._controls.values():
            control.observe(hear, "value")

    # --- what came of it ------------------------------------------------------------------------

    @property
    def status(self) -> str:
        """Result of the last change, as HTML."""
        return str(self._status.value)

    def replan(self, plan: Callable[[], str]) -> None:
        """Plan again; show the result in words and the time it took, or the reason of a refusal."""
        began = time.perf_counter()
        try:
            with put_off_collection():
                verdict = plan()
        except AidgeError as error:
            self.refuse(str(error))
            return
        took = 1000 * (time.perf_counter() - began)
        self._verdict, self._took = verdict, f"planned in {took:.0f} ms"
        if self._task is not None:
            found = self._task.check(self.settings)
            self._verdict = f"{'✓' if found.correct else '→'} {said(found)}"
        self._tell()

    def cover(self, covered: bool, *telling: str) -> None:
        """Hide the result of changes, and controls that tell it, as long as a view is covered.

        Parameters
        ----------
        covered
            Whether the view is covered.
        telling
            Names of the controls whose choices tell a result.
        """
        self._is_covered = covered
        for name in telling:
            # Its place stays: what is below does not move.
            self._controls[name].layout.visibility = "hidden" if covered else "visible"
        self._tell()

    def _tell(self) -> None:
        if self._took:
            parts = (self._took,) if self._is_covered else (html_text(self._verdict), self._took)
            self._status.value = " · ".join(filter(None, parts))

    def refuse(self, reason: str) -> None:
        """Show why the settings are not possible."""
        self._status.value = f"<b>Not possible:</b> {html_text(reason)}"


class Controlled(Benched, Generic[Settings]):
    """A view below controls that plan again: a mixin, to be listed before the widget's class."""

    _panel: ControlPanel[Settings]

    @property
    def settings(self) -> Settings:
        """Settings of the controls; setting it moves them and plans again."""
        return self._panel.settings

    @settings.setter
    def settings(self, settings: Settings) -> None:
        self._panel.move(settings)
        self._changed()

    @property
    def status(self) -> str:
        """Result of the last change, in words."""
        return self._panel.status

    def _changed(self) -> None:
        self._panel.replan(self._replanned)

    def _replanned(self) -> str:
        """Plan again, show the result in the view, and return it in words."""
        raise NotImplementedError
