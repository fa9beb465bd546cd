"""Base classes of live views: reject unknown attributes, write other forms, show a picture."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Protocol

from aidge_nb.core.errors import explain
from aidge_nb.widgets.live.bundle import live_bundle
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.still.html import to_html
from aidge_nb.widgets.still.mermaid import show_mermaid, to_mermaid
from aidge_nb.widgets.still.mime import first_picture, summary
from aidge_nb.widgets.still.png.picture import svg_png
from aidge_nb.widgets.still.saved import SavedPictures, bounded
from aidge_nb.widgets.still.svg.picture import to_svg
from aidge_nb.widgets.still.svg.shown import shown_svg
from aidge_nb.widgets.still.table import to_csv
from aidge_nb.widgets.still.traces import to_trace_json

if TYPE_CHECKING:
    from aidge_nb.widgets.live.workbench import Workbench


class Strict:
    """Mixin that rejects unknown attributes, so that typos raise; list it first.

    Examples
    --------
    >>> class Lamp(Strict):
    ...     colour = "white"
    >>> Lamp().color = "red"
    Traceback (most recent call last):
    ...
    AttributeError: Lamp: nothing is called color here. Did you mean colour?
    """

    def __setattr__(self, name: str, value: Any) -> None:
        kind = type(self)
        if not name.startswith("_") and not hasattr(kind, name) and not _is_declared(kind, name):
            problem, cure = f"nothing is called {name} here", self._meant(name)
            raise AttributeError(explain(kind.__name__, problem, cure=cure))
        super().__setattr__(name, value)

    def _meant(self, name: str) -> str:
        """Suggest the closest attribute."""
        known = [each for each in dir(type(self)) if not each.startswith("_")]
        close = get_close_matches(name, known, n=1, cutoff=0.7)
        return f"Did you mean {close[0]}?" if close else ""


def _is_declared(kind: type, name: str) -> bool:
    return any(name in vars(each).get("__annotations__", ()) for each in kind.__mro__)


class Drawn:
    """Mixin of widgets that draw themselves: as SVG, as PNG, and for saved notebooks."""

    model_id: Any

    def to_svg(self) -> str:
        """Draw the widget as it is now, as SVG text."""
        raise NotImplementedError

    def to_png(self, *, scale: float | None = None, width: float | None = None) -> bytes:
        """Draw it as PNG; see :func:`aidge_nb.widgets.to_png`."""
        return svg_png(self.to_svg(), scale, width)

    def _words(self) -> str:
        """Say in words what the widget shows."""
        return repr(self)

    def _pictures(self) -> SavedPictures:
        """Draw what stands for the widget."""
        return bounded(self.to_svg())

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None, **_: object
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the widget, which notebooks prefer, and a picture for where it cannot run."""
        return live_bundle(self.model_id, self._words(), self._pictures())


class HasScene(Protocol):
    """Interface that :class:`Forms` needs of a view."""

    @property
    def scene(self) -> Scene:
        """The scene of the view."""

    @property
    def _opened(self) -> dict[str, Any]:
        """Panels and selection, by the front-end's names."""


class Forms:
    """Mixin that writes the scene of a view in other forms."""

    def to_svg(self: HasScene, picture: str = "", *, shown: bool = False) -> str:
        """Draw a picture as SVG: its first panel; see :func:`aidge_nb.widgets.to_svg`.

        With ``shown``, draw the window of time that the view shows, and not all of it, and a chain
        in as many stripes as are looked at. Where a graph is scrolled to, and how far it is zoomed,
        the browser alone knows: the button of the view saves that.
        """
        picture = picture or first_picture(self.scene, self._opened["panels"])
        if shown:
            return shown_svg(self.scene, self._opened, picture)
        return to_svg(self.scene, picture)

    def to_png(
        self: HasScene,
        picture: str = "",
        *,
        scale: float | None = None,
        width: float | None = None,
        shown: bool = False,
    ) -> bytes:
        """Draw a picture as PNG, as :meth:`to_svg` does; see :func:`aidge_nb.widgets.to_png`."""
        svg = Forms.to_svg(self, picture, shown=shown)
        return svg_png(svg, scale, width)

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


class Benched(Strict, Forms):
    """A widget around a view: a mixin, to stand before the class of the widget."""

    bench: Workbench
    _model_id: str

    @property
    def scene(self) -> Scene:
        """The scene of the view."""
        return self.bench.scene

    @property
    def _opened(self) -> dict[str, Any]:
        return self.bench._opened

    def _meant(self, name: str) -> str:
        if hasattr(type(self.bench), name):
            return f"The view has it: .bench.{name}."
        return super()._meant(name)

    def __repr__(self) -> str:
        shown = f"{self.scene.title}: covered" if self.bench.covered else summary(self.scene)
        return f"{type(self).__name__}({shown})"

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None, **_: object
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the widget, which notebooks prefer, and a picture for where it cannot run."""
        bench = self.bench
        return live_bundle(self._model_id, bench._told(repr(self)), bench._pictures())
