"""The live view of a quantized network: layers go to 16 bits, to floating point, and back.

This module needs anywidget and ipywidgets; :func:`aidge_nb.widgets.explore_quantized` imports it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anywidget
import ipywidgets
import traitlets

from aidge_nb.core.errors import AidgeError
from aidge_nb.memory import plan_memory
from aidge_nb.quantization.post_training import QuantizedNetwork
from aidge_nb.scheduling import static_schedule
from aidge_nb.widgets.live.base import Drawn, Strict
from aidge_nb.widgets.live.workbench import Workbench
from aidge_nb.widgets.scene.build import build_scene
from aidge_nb.widgets.scene.quantized import quantized_facts
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.still.quantized import draw_quantized, said


class QuantizedBoard(Strict, Drawn, anywidget.AnyWidget):
    """Errors, ranges and prices of layers, each with a switch: codes of 8 or 16 bits, or float.

    Parameters
    ----------
    found
        The network; prices that are not known yet are measured.

    Attributes
    ----------
    floats
        Names of the layers in floating point; setting it quantizes again, from the same samples.
    wides
        Names of the layers whose results have codes of 16 bits unless they are in floating point;
        setting it quantizes again, too.
    selected
        The layer whose range is drawn.
    network
        The network as it is now.
    """

    _esm = Path(__file__).parent.parent / "static" / "quantized.js"

    _facts = traitlets.Dict().tag(sync=True)
    floats = traitlets.List(traitlets.Unicode()).tag(sync=True)
    wides = traitlets.List(traitlets.Unicode()).tag(sync=True)
    selected = traitlets.Unicode(None, allow_none=True).tag(sync=True)
    network: QuantizedNetwork
    scene: Scene

    def __init__(self, found: QuantizedNetwork) -> None:
        if not isinstance(found, QuantizedNetwork):
            cure, given = "Make one with quantize(graph, samples).", type(found).__name__
            problem = "only a quantized network can be shown"
            raise AidgeError.at(
                "view", problem, expected="QuantizedNetwork", found=given, cure=cure
            )
        self.network = found.with_prices()
        reference = self.network.reference
        self._before = plan_memory(reference, static_schedule(reference))
        types = {"floats": list(found.floats), "wides": list(found.wides)}
        super().__init__(_facts=self._looked_at(), **types)
        self.observe(self._switched, ["floats", "wides"])

    def _looked_at(self) -> dict[str, Any]:
        """Plan the network as it is now; return what the front-end draws."""
        integers, report = self.network.integer()
        schedule = static_schedule(integers)
        plan = plan_memory(integers, schedule)
        self.scene = build_scene(integers, schedule, plan)
        return quantized_facts(self.network, self._before, plan, report.integer)

    def _switched(self, _: object) -> None:
        floats, wides = set(self.floats), set(self.wides) - set(self.floats)
        if (floats, wides) != (set(self.network.floats), set(self.network.wides)):
            self.network = self.network.with_floats(floats, wides)
            self._facts = self._looked_at()

    def to_svg(self) -> str:
        """Draw the board as it is now, as SVG text."""
        return draw_quantized(self._facts, self.selected)

    def _words(self) -> str:
        return said(self._facts)

    def __repr__(self) -> str:
        return f"QuantizedBoard({said(self._facts)})"


class QuantizedExplorer(Drawn, ipywidgets.VBox):  # type: ignore[misc]  # ipywidgets ships no types
    """The board, and graph, schedule and memory below it, linked.

    Made by :func:`aidge_nb.widgets.explore_quantized`.

    Parameters
    ----------
    found
        What :func:`aidge_nb.quantize` gave.
    **options
        As for :func:`aidge_nb.widgets.workbench`.

    Attributes
    ----------
    board
        The layers.
    bench
        Graph, schedule and memory of the network as it is now.
    """

    def __init__(self, found: QuantizedNetwork, **options: Any) -> None:
        self.board = QuantizedBoard(found)
        self.bench = Workbench(self.board.scene, **options)
        self.board.observe(self._redrawn, "_facts")
        self.board.observe(self._chosen, "selected")
        self.bench.observe(self._picked, "selected")
        self.bench.observe(self._covered, "covered")
        super().__init__([self.board, self.bench])

    def _redrawn(self, _: object) -> None:
        self.bench.scene = self.board.scene

    def _chosen(self, change: Any) -> None:
        if change["new"] in {node.name for node in self.board.scene.nodes}:
            self.bench.selected = change["new"]

    def _picked(self, change: Any) -> None:
        rows = self.board._facts["rows"]
        own = [row["name"] for row in rows if change["new"] in row["members"]]
        if own:
            self.board.selected = own[0]

    def _covered(self, change: Any) -> None:
        """Hide the board, too, until a prediction is answered; its width stays, to draw in."""
        layout, is_covered = self.board.layout, change["new"]
        layout.visibility = "hidden" if is_covered else None
        layout.height, layout.overflow = ("0px", "hidden") if is_covered else (None, None)

    def to_svg(self) -> str:
        """Draw the board as it is now, as SVG text."""
        return self.board.to_svg()

    def _words(self) -> str:
        return said(self.board._facts)

    def __repr__(self) -> str:
        return f"QuantizedExplorer({said(self.board._facts)})"
