"""The live view in a notebook. This module needs anywidget; ``aidge_nb.widgets`` alone does not."""

from __future__ import annotations

import math
from typing import Any

from aidge_nb.core.errors import AidgeError, MissingExtraError, explain
from aidge_nb.core.text import drawn_text
from aidge_nb.widgets.live.base import Forms, Strict
from aidge_nb.widgets.scene.scene import PANELS, Scene
from aidge_nb.widgets.still.mime import images, live_bundle, summary

try:
    import anywidget
    import traitlets
    from ipywidgets import widget_serialization

    from aidge_nb.widgets.live.front import LOADER, FrontEnd, front_end
except ImportError as error:
    raise MissingExtraError("anywidget", "lab") from error

THEMES = ("auto", "light", "dark")
CLOCKS = ("tick", "step", "cycle")


class Workbench(Strict, Forms, anywidget.AnyWidget):
    """Graph, schedule and memory of a model as one linked view.

    Nodes hovered or selected in one panel are highlighted in all, in the browser, without the
    kernel. Made by :func:`aidge_nb.widgets.workbench`.

    Parameters
    ----------
    scene
        What to show.
    panels
        Which panels, in order; by default all that have something to draw.
    selected, hovered
        Name of a node, or None.
    query
        Words that the name or type of a node must hold; the others fade.
    clock
        What time is counted in: ``"tick"``, the place of a firing in the order that runs;
        ``"step"``, what can run at once; ``"cycle"`` on a machine. None takes the first that
        the data have, in this order.
    time_range
        Units of the clock that are shown, half-open; None shows all.
    tick
        The tick of the playhead, from 0: what runs, and what lies in memory.
    step
        The step of the playhead, which follows the tick.
    theme
        ``"auto"`` follows JupyterLab, or ``"light"`` or ``"dark"``.

    Raises
    ------
    TypeError
        For a keyword that is not listed above.
    AidgeError
        For an unknown node, a clock that the data do not have, and a range that ends before it
        begins.
    AttributeError
        When an unknown attribute is set, as in ``view.querry = "conv"``.
    """

    _esm = LOADER

    _front = traitlets.Instance(FrontEnd).tag(sync=True, **widget_serialization)
    _meta = traitlets.Dict().tag(sync=True)
    _columns = traitlets.Bytes().tag(sync=True)
    panels = traitlets.List(traitlets.Enum(PANELS)).tag(sync=True)
    selected = traitlets.Unicode(None, allow_none=True).tag(sync=True)
    hovered = traitlets.Unicode(None, allow_none=True).tag(sync=True)
    query = traitlets.Unicode("").tag(sync=True)
    time_range = traitlets.Tuple(
        traitlets.Float(), traitlets.Float(), default_value=None, allow_none=True
    ).tag(sync=True)
    clock = traitlets.Enum(CLOCKS, None, allow_none=True).tag(sync=True)
    tick = traitlets.Int(None, allow_none=True).tag(sync=True)
    step = traitlets.Int(None, allow_none=True).tag(sync=True)
    theme = traitlets.Enum(THEMES, "auto").tag(sync=True)

    def __init__(
        self,
        scene: Scene,
        *,
        panels: tuple[str, ...] | list[str] | None = None,
        selected: str | None = None,
        hovered: str | None = None,
        query: str = "",
        clock: str | None = None,
        time_range: tuple[float, float] | None = None,
        tick: int | None = None,
        step: int | None = None,
        theme: str = "auto",
    ) -> None:
        self._scene = scene
        meta, columns = scene.payload()
        super().__init__(
            _front=front_end(),
            _meta=meta,
            _columns=columns,
            panels=list(scene.panels if panels is None else panels),
            selected=selected,
            hovered=hovered,
            query=query,
            clock=clock,
            time_range=time_range,
            tick=tick,
            step=step,
            theme=theme,
        )

    @property
    def scene(self) -> Scene:
        """The scene; setting it redraws every panel and keeps a selection that still exists."""
        return self._scene

    @scene.setter
    def scene(self, scene: Scene) -> None:
        if not isinstance(scene, Scene):
            found, cure = type(scene).__name__, "Make one with build_scene(), or with scene_of()."
            problem = "only a scene can be shown"
            raise AidgeError(explain("view", problem, expected="Scene", found=found, cure=cure))
        self._scene = scene
        meta, columns = scene.payload()
        names = {drawn_text(node.name) for node in scene.nodes}
        with self.hold_sync():
            self._meta, self._columns = meta, columns
            self.clock = self.clock if self.clock in scene.clocks else None
            self.selected = self.selected if self.selected in names else None
            self.hovered = self.hovered if self.hovered in names else None

    @traitlets.validate("selected", "hovered")
    def _known_node(self, proposal: dict[str, Any]) -> str | None:
        name: str | None = proposal["value"]
        name = None if name is None else drawn_text(name)
        if name is not None and all(drawn_text(n.name) != name for n in self._scene.nodes):
            problem = f"no node has this name, it cannot be {proposal['trait'].name}"
            cure = "The names are those of scene.nodes."
            raise AidgeError(explain(self._scene.title, problem, found=repr(name), cure=cure))
        return name

    @traitlets.validate("clock")
    def _known_clock(self, proposal: dict[str, Any]) -> str | None:
        given: str | None = proposal["value"]
        known = self._scene.clocks
        if given is not None and given not in known:
            problem = "the data have no such clock"
            expected = ", ".join(map(repr, known)) or "None"
            raise AidgeError(
                explain(self._scene.title, problem, expected=expected, found=repr(given))
            )
        return given

    @traitlets.validate("panels")
    def _each_once(self, proposal: dict[str, Any]) -> list[str]:
        return list(dict.fromkeys(proposal["value"]))

    @traitlets.validate("time_range")
    def _known_range(self, proposal: dict[str, Any]) -> tuple[float, float] | None:
        given: tuple[float, float] | None = proposal["value"]
        if given is not None and not -math.inf < given[0] <= given[1] < math.inf:
            problem, expected = (
                "no such range of time",
                "(first, behind the last), or None for all",
            )
            raise AidgeError(explain("time_range", problem, expected=expected, found=given))
        return given

    @property
    def _opened(self) -> dict[str, Any]:
        return {
            "panels": self.panels,
            "selected": self.selected,
            "query": self.query,
            "clock": self.clock,
            "timeRange": self.time_range,
            "tick": self.tick,
            "step": self.step,
            "theme": self.theme,
        }

    def __repr__(self) -> str:
        return f"Workbench({summary(self._scene)})"

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None, **_: object
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the live view, which notebooks prefer, and a picture for where it cannot run."""
        return live_bundle(self.model_id, repr(self), images(self._scene, self.panels)), {}
