"""Notebook display of values.

Values of every room have a picture, and pictures are drawn by ``aidge_nb.widgets``, which imports
those rooms. This module is the one place that reaches the other way, when a picture or a live view
is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def picture(value: object) -> dict[str, Any]:
    """Return the MIME bundle of a value: a picture and its text."""
    bundle: dict[str, Any] = import_module("aidge_nb.widgets").picture(value)
    return bundle


class Shown:
    """Mixin for values with a static picture and a live view."""

    __slots__ = ()

    def widget(self, **view: Any) -> Any:
        """Make the live view, as an :class:`aidge_nb.widgets.Workbench`.

        Parameters
        ----------
        **view
            ``panels``, ``selected``, ``hovered``, ``query``, ``clock``, ``time_range``, ``tick``,
            ``step``, ``theme``.

        Raises
        ------
        MissingExtraError
            When anywidget is not installed.
        TypeError
            For a keyword that the view does not know.
        """
        return import_module("aidge_nb.widgets").show(self, **view)

    def to_svg(self, picture: str = "") -> str:
        """Draw the value as SVG text; see :func:`aidge_nb.widgets.to_svg`."""
        views = import_module("aidge_nb.widgets")
        text: str = views.to_svg(views.scene_of(self), picture)
        return text

    def to_png(
        self, picture: str = "", *, scale: float | None = None, width: float | None = None
    ) -> bytes:
        """Draw the value as PNG; see :func:`aidge_nb.widgets.to_png`."""
        views = import_module("aidge_nb.widgets")
        image: bytes = views.to_png(views.scene_of(self), picture, scale=scale, width=width)
        return image

    def to_html(self, title: str = "") -> str:
        """Write one page that needs nothing else; see :func:`aidge_nb.widgets.to_html`."""
        views = import_module("aidge_nb.widgets")
        page: str = views.to_html(views.scene_of(self), title)
        return page

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return picture(self)
