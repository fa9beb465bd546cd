"""The other forms of a live view: pictures, a page, Mermaid, a table, a trace."""

from __future__ import annotations

from typing import Any, Protocol

from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.still.html import to_html
from aidge_nb.widgets.still.mermaid import show_mermaid, to_mermaid
from aidge_nb.widgets.still.png.picture import to_png
from aidge_nb.widgets.still.svg.picture import to_svg
from aidge_nb.widgets.still.table import to_csv
from aidge_nb.widgets.still.traces import to_trace_json


class HasScene(Protocol):
    """What the forms need of a view."""

    @property
    def scene(self) -> Scene:
        """What the view shows."""

    @property
    def _opened(self) -> dict[str, Any]:
        """Its panels, and what is picked there, in the words of the front-end."""


class Forms:
    """What can be made of the scene of a view: a mixin for views that have one."""

    def to_svg(self: HasScene, picture: str = "") -> str:
        """Draw a picture as SVG: its first panel; see :func:`aidge_nb.widgets.to_svg`."""
        return to_svg(self.scene, picture or _first_picture(self))

    def to_png(self: HasScene, picture: str = "", *, scale: float = 1.0) -> bytes:
        """Draw a picture as PNG: its first panel; see :func:`aidge_nb.widgets.to_png`."""
        return to_png(self.scene, picture or _first_picture(self), scale=scale)

    def to_html(self: HasScene, title: str = "") -> str:
        """Write one page that begins as the view is now; see :func:`aidge_nb.widgets.to_html`."""
        return to_html(self.scene, title, opened=self._opened)

    def to_mermaid(self: HasScene, picture: str = "") -> tuple[str, ...]:
        """Write Mermaid texts; see :func:`aidge_nb.widgets.to_mermaid`."""
        return to_mermaid(self.scene, picture)

    def show_mermaid(self: HasScene, picture: str = "") -> None:
        """Show the Mermaid charts in a notebook; see :func:`aidge_nb.widgets.show_mermaid`."""
        show_mermaid(self.scene, picture)

    def to_trace_json(self: HasScene) -> str:
        """Write a trace that Perfetto opens; see :func:`aidge_nb.widgets.to_trace_json`."""
        return to_trace_json(self.scene)

    def to_csv(self: HasScene) -> str:
        """Write the table of the view; see :func:`aidge_nb.widgets.to_csv`."""
        return to_csv(self.scene)


def _first_picture(view: HasScene) -> str:
    drawn = view.scene.pictures
    return next((panel for panel in view._opened["panels"] if panel in drawn), "")
