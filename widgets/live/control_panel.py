"""Controls above a view: their settings as one value, and a line with the result of a change.

This module needs ipywidgets; it is imported by views with controls only.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Generic, TypeVar

import ipywidgets

from aidge_nb.core.errors import AidgeError
from aidge_nb.core.garbage import put_off_collection
from aidge_nb.core.text import html_text
from aidge_nb.widgets.live.base import Benched

Settings = TypeVar("Settings")

_UNITS = MappingProxyType({"budget": 1024})

_STATUS_HEIGHT = "44px"
"""Room for two lines."""


class ControlPanel(Generic[Settings]):
    """Controls by the name of the setting that each is for, and a line below them.

    Parameters
    ----------
    controls
        The widgets. One that has a method ``offer`` is told of each value that is set.
    settings
        Makes the value from the settings, by name.
    units
        By how much the value of a control is multiplied to give the setting; by default that of
        ``budget`` counts KiB, and the setting bytes.

    Examples
    --------
    >>> from ipywidgets import IntSlider
    >>> panel = ControlPanel({"budget": IntSlider(4)}, dict)
    >>> panel.settings
    {'budget': 4096}
    >>> panel.replan(lambda: "within the budget")
    >>> panel.status.partition(" in ")[0]
    'within the budget · planned'
    """

    def __init__(
        self,
        controls: Mapping[str, Any],
        settings: Callable[..., Settings],
        *,
        units: Mapping[str, int] = _UNITS,
    ) -> None:
        self._controls, self._settings, self._units = controls, settings, units
        # Of one height, whatever it says: what is below stays where it is.
        layout = ipywidgets.Layout(height=_STATUS_HEIGHT, overflow="auto", flex="0 0 auto")
        self._status = ipywidgets.HTML(layout=layout)
        self._is_moving = False

    def __getitem__(self, name: str) -> Any:
        """Return a control."""
        return self._controls[name]

    @property
    def parts(self) -> list[Any]:
        """The widgets to show, from the top down."""
        layout = ipywidgets.Layout(display="flex", flex_flow="row wrap")
        return [ipywidgets.Box(list(self._controls.values()), layout=layout), self._status]

    @property
    def settings(self) -> Settings:
        """Settings of the controls."""
        values = {
            name: control.value * self._units[name] if name in self._units else control.value
            for name, control in self._controls.items()
        }
        return self._settings(**values)

    def move(self, settings: Settings) -> None:
        """Move the controls without calling observers."""
        self._is_moving = True
        try:
            for name, control in self._controls.items():
                value = getattr(settings, name)
                if hasattr(control, "offer"):
                    control.offer(value)
                control.value = value // self._units[name] if name in self._units else value
        finally:
            self._is_moving = False

    def observe(self, changed: Callable[[], None]) -> None:
        """Call a function when the reader moves a control."""

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
        self._status.value = f"{html_text(verdict)} · planned in {took:.0f} ms".removeprefix(" · ")

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
