"""The live view in a notebook. This module needs anywidget; ``aidge_nb.widgets`` alone does not."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

from aidge_nb.core.errors import AidgeError, MissingExtraError
from aidge_nb.core.text import drawn_text
from aidge_nb.tiling.plan import HALOS
from aidge_nb.widgets.live.base import Forms, Strict
from aidge_nb.widgets.live.bundle import live_bundle
from aidge_nb.widgets.live.data import view_data
from aidge_nb.widgets.scene.scene import PANELS, Scene
from aidge_nb.widgets.still.mime import summary
from aidge_nb.widgets.still.saved import SavedPictures, saved_pictures

try:
    import anywidget
    import traitlets
    from ipywidgets import widget_serialization

    from aidge_nb.widgets.live.front import LOADER, FrontEnd, front_end
except ImportError as error:
    raise MissingExtraError("anywidget", "lab") from error

THEMES = ("auto", "light", "dark")
CLOCKS = ("tick", "step", "cycle", "µs")
_OPENED = (
    "panels selected picked query clock time_range tick step stripes halo theme _steady question "
    "feedback many covered"
)
_IN_FRONT = {"time_range": "timeRange", "_steady": "steady"}  # the front-end's own names
_ANSWERS = ("without slack",)  # figures that a view with a question does not tell


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
    picked
        Names of the nodes that are marked: with Ctrl, Shift or the key ``m``; by a plain click as
        well where a question asks for ``many``. Empty where ``selected`` says all.
    query
        Words that the name or type of a node must hold; the others fade.
    clock
        What time is counted in: ``"tick"``, the place of a firing in the order that runs;
        ``"step"``, what can run at once; ``"cycle"`` on a machine. None takes the first that
        the data have, in this order.
    time_range
        Units of the clock that are shown, half-open; None shows all.
    tick
        The tick of the playhead, from 0: what runs, and what lies in memory. A cycle, where the
        clock counts cycles.
    step
        The step of the playhead, which follows the tick.
    question
        What the reader is asked about the view. Enter or the button "check" gives the answer.
    feedback
        What is said about the last answer.
    many
        Whether the question asks for several nodes: then each click, and Space, marks one.
    covered
        Whether the panels, the findings and the figures are hidden, until it is set to False or
        the reader clicks "show me".
    stripes, halo
        Of a chain in stripes: how many are looked at, and what becomes of halos, ``"recompute"``
        or ``"cache"``. None stands for those that were asked for.
    theme
        ``"auto"`` follows JupyterLab, or ``"light"`` or ``"dark"``.

    Attributes
    ----------
    answer
        Names of the nodes of the last answer: those marked, or the selected one. None before.
    answers
        How many answers were given; it changes with each of them. See :meth:`on_answer`.

    Raises
    ------
    TypeError
        For a keyword that is not listed above.
    AidgeError
        For an unknown node, a clock that the data do not have, a tick or step out of range, a
        number of stripes that was not planned, and a range of time that ends before it begins.
    AttributeError
        When an unknown attribute is set, as in ``view.querry = "conv"``.
    """

    _esm = LOADER

    _front = traitlets.Instance(FrontEnd).tag(sync=True, **widget_serialization)
    _meta = traitlets.Dict().tag(sync=True)
    _columns = traitlets.Bytes().tag(sync=True)
    _packed = traitlets.Bytes().tag(sync=True)
    _apart = traitlets.Int(0).tag(sync=True)
    _steady = traitlets.Bool(False).tag(sync=True)
    panels = traitlets.List(traitlets.Enum(PANELS)).tag(sync=True)
    selected = traitlets.Unicode(None, allow_none=True).tag(sync=True)
    picked = traitlets.List(traitlets.Unicode()).tag(sync=True)
    hovered = traitlets.Unicode(None, allow_none=True).tag(sync=True)
    query = traitlets.Unicode("").tag(sync=True)
    time_range = traitlets.Tuple(
        traitlets.Float(), traitlets.Float(), default_value=None, allow_none=True
    ).tag(sync=True)
    clock = traitlets.Enum(CLOCKS, None, allow_none=True).tag(sync=True)
    tick = traitlets.Int(None, allow_none=True).tag(sync=True)
    step = traitlets.Int(None, allow_none=True).tag(sync=True)
    stripes = traitlets.Int(None, allow_none=True).tag(sync=True)
    halo = traitlets.Enum(HALOS, None, allow_none=True).tag(sync=True)
    theme = traitlets.Enum(THEMES, "auto").tag(sync=True)
    question = traitlets.Unicode("").tag(sync=True)
    feedback = traitlets.Unicode("").tag(sync=True)
    many = traitlets.Bool(False).tag(sync=True)
    covered = traitlets.Bool(False).tag(sync=True)
    answer = traitlets.List(traitlets.Unicode(), default_value=None, allow_none=True).tag(sync=True)
    answers = traitlets.Int(0).tag(sync=True)

    def __init__(
        self,
        scene: Scene,
        *,
        panels: tuple[str, ...] | list[str] | None = None,
        selected: str | None = None,
        picked: tuple[str, ...] | list[str] = (),
        hovered: str | None = None,
        query: str = "",
        clock: str | None = None,
        time_range: tuple[float, float] | None = None,
        tick: int | None = None,
        step: int | None = None,
        stripes: int | None = None,
        halo: str | None = None,
        theme: str = "auto",
        question: str = "",
        feedback: str = "",
        many: bool = False,
        covered: bool = False,
    ) -> None:
        self._scene = scene
        super().__init__(
            _front=front_end(),
            **self._laid_out(),
            panels=list(scene.panels if panels is None else panels),
            selected=selected,
            picked=list(picked),
            hovered=hovered,
            query=query,
            clock=clock,
            time_range=time_range,
            tick=tick,
            step=step,
            stripes=stripes,
            halo=halo,
            theme=theme,
            question=question,
            feedback=feedback,
            many=many,
            covered=covered,
        )
        self.on_msg(self._give_data)

    def _laid_out(self) -> dict[str, Any]:
        """Return the traits that carry the data of the scene."""
        data = view_data(*self._scene.payload())
        self._kept_apart = data.packed if data.is_apart else b""
        return {
            "_meta": data.meta,
            "_columns": data.columns,
            "_packed": b"" if data.is_apart else data.packed,
            "_apart": self._apart + 1 if data.is_apart else 0,
        }

    def _give_data(self, _: object, content: object, __: object) -> None:
        """Send the data that are too large to be saved, when a page asks for them."""
        if isinstance(content, dict) and content.get("ask") == "data" and self._kept_apart:
            self.send({"data": self._apart}, buffers=[self._kept_apart])

    def on_answer(self, call: Callable[[list[str]], None]) -> Callable[[], None]:
        """Call a function with the names of the nodes each time that an answer is given.

        Parameters
        ----------
        call
            Called with :attr:`answer`, even when it is the same as before.

        Returns
        -------
        Callable
            Ends that.
        """

        def hear(_: object) -> None:
            call(list(self.answer or ()))

        self.observe(hear, "answers")
        return lambda: self.unobserve(hear, "answers")

    @property
    def scene(self) -> Scene:
        """The scene; setting it redraws every panel and keeps a selection that still exists."""
        return self._scene

    @scene.setter
    def scene(self, scene: Scene) -> None:
        if not isinstance(scene, Scene):
            found, cure = type(scene).__name__, "Make one with build_scene(), or with scene_of()."
            problem = "only a scene can be shown"
            raise AidgeError.at("view", problem, expected="Scene", found=found, cure=cure)
        self._scene = scene
        names = {drawn_text(node.name) for node in scene.nodes}
        with self.hold_sync():
            for name, value in self._laid_out().items():
                setattr(self, name, value)
            self.clock = self.clock if self.clock in scene.clocks else None
            self.tick = self.tick if self._is_inside("tick", self.tick) else None
            self.step = self.step if self._is_inside("step", self.step) else None
            self.stripes = self.stripes if self.stripes in self._stripe_counts else None
            self.picked = [name for name in self.picked if name in names]
            self.selected = self.selected if self.selected in names else None
            self.hovered = self.hovered if self.hovered in names else None

    @traitlets.validate("selected", "hovered")
    def _known_node(self, proposal: dict[str, Any]) -> str | None:
        name: str | None = proposal["value"]
        name = None if name is None else drawn_text(name)
        if name is not None and all(drawn_text(n.name) != name for n in self._scene.nodes):
            problem = f"no node has this name, it cannot be {proposal['trait'].name}"
            cure = "The names are those of scene.nodes."
            raise AidgeError.at(self._scene.title, problem, found=repr(name), cure=cure)
        return name

    @traitlets.validate("picked")
    def _known_nodes(self, proposal: dict[str, Any]) -> list[str]:
        given: list[str] = proposal["value"]
        known = {node.name for node in self._scene.nodes}
        unknown = [name for name in given if name not in known]
        if unknown:
            problem, cure = "no node has this name", "The names are those of scene.nodes."
            found = ", ".join(map(repr, unknown))
            raise AidgeError.at("picked", problem, found=found, cure=cure)
        return list(dict.fromkeys(given))

    @traitlets.validate("tick", "step")
    def _known_time(self, proposal: dict[str, Any]) -> int | None:
        given: int | None = proposal["value"]
        unit = proposal["trait"].name
        if not self._is_inside(unit, given):
            count = self._count(unit)
            expected = f"0 to {count - 1}, or None" if count else "None"
            problem = f"the view has no such {unit}"
            raise AidgeError.at(unit, problem, expected=expected, found=given)
        return given

    def _count(self, unit: str) -> int:
        """Count the units of time; those of the first clock where the data do not have this one."""
        lengths = self._scene.lengths
        return lengths.get(unit, next(iter(lengths.values()), 0))

    def _is_inside(self, unit: str, time: int | None) -> bool:
        return time is None or 0 <= time < self._count(unit)

    @property
    def _stripe_counts(self) -> tuple[int, ...]:
        return () if self._scene.stripes is None else self._scene.stripes.counts

    @traitlets.validate("stripes")
    def _known_stripes(self, proposal: dict[str, Any]) -> int | None:
        given: int | None = proposal["value"]
        known = self._stripe_counts
        if given is not None and given not in known:
            problem = "this number of stripes was not planned"
            expected = f"one of {', '.join(map(str, known))}, or None" if known else "None"
            raise AidgeError.at("stripes", problem, expected=expected, found=given)
        return given

    @traitlets.validate("clock")
    def _known_clock(self, proposal: dict[str, Any]) -> str | None:
        given: str | None = proposal["value"]
        known = self._scene.clocks
        if given is not None and given not in known:
            problem = "the data have no such clock"
            expected = ", ".join(map(repr, known)) or "None"
            raise AidgeError.at(self._scene.title, problem, expected=expected, found=repr(given))
        return given

    @traitlets.validate("panels")
    def _each_once(self, proposal: dict[str, Any]) -> list[str]:
        return list(dict.fromkeys(proposal["value"]))

    @traitlets.validate("time_range")
    def _known_range(self, proposal: dict[str, Any]) -> tuple[float, float] | None:
        given: tuple[float, float] | None = proposal["value"]
        if given is not None and not -math.inf < given[0] <= given[1] < math.inf:
            expected = "(first, behind the last), or None for all"
            problem = "no such range of time"
            raise AidgeError.at("time_range", problem, expected=expected, found=given)
        return given

    @property
    def _opened(self) -> dict[str, Any]:
        return {_IN_FRONT.get(name, name): getattr(self, name) for name in _OPENED.split()}

    def __repr__(self) -> str:
        shown = f"{self._scene.title}: covered" if self.covered else summary(self._told_scene)
        return f"Workbench({shown})"

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None, **_: object
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the live view, which notebooks prefer, and a picture for where it cannot run."""
        return live_bundle(self.model_id, self._told(repr(self)), self._pictures())

    def _told(self, words: str) -> str:
        """Say what is asked, and what the view shows."""
        return f"{self.question}\n{words}" if self.question else words

    def _pictures(self, lit: Collection[int] | None = None) -> SavedPictures:
        """Draw what stands for the view, with the question that it asks."""
        scene, panels = self._told_scene, self.panels
        if self.question and "algorithm" in panels:  # the schedule grows in the live view
            panels = [panel for panel in panels if panel != "timeline"]
        return saved_pictures(scene, panels, lit, question=self.question, covered=self.covered)

    @property
    def _told_scene(self) -> Scene:
        """The scene; of a view that asks, without the figures that would answer."""
        if not self.question:
            return self._scene
        kept = tuple(each for each in self._scene.figures if each[0] not in _ANSWERS)
        return replace(self._scene, figures=kept)
