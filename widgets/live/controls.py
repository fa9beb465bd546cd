"""Controls that plan anew and update the view: policy, memory planner, stripes, budget, width.

This module needs ipywidgets; :func:`aidge_nb.widgets.explore` imports it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ipywidgets

from aidge_nb.widgets.exploration import Control, Exploration, Settings, controls_for
from aidge_nb.widgets.live.control_panel import CALM, WIDE, ChoiceSlider, Controlled, ControlPanel
from aidge_nb.widgets.live.workbench import Workbench

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView
    from aidge_nb.widgets.live.asked import Askable


def _widget(control: Control) -> Any:
    """Make the control of a notebook."""
    words, options = control.label, control.options
    if control.kind == "flag":
        return ipywidgets.Checkbox(control.value, description=words, indent=False)
    if control.kind == "list":
        return ipywidgets.Dropdown(options=options, description=words, style=WIDE)
    if control.kind == "number":
        return ipywidgets.IntSlider(1, 1, options[-1][1], description=words, **CALM)
    kind = ChoiceSlider if control.name == "budget" else ipywidgets.SelectionSlider
    return kind(options=options, description=words, **CALM)


class Explorer(Controlled[Settings], ipywidgets.VBox):  # type: ignore[misc]  # ipywidgets ships no types
    """A graph with controls above its view. Made by :func:`aidge_nb.widgets.explore`.

    Attributes
    ----------
    bench
        The view.
    settings
        Settings of the controls; setting it moves them and plans again.

    Raises
    ------
    AidgeError
        For a value that is not a graph.
    """

    def __init__(
        self, view: GraphView, title: str = "", *, task: Askable | None = None, **options: Any
    ) -> None:
        self._exploration = Exploration(view, title, advises=task is None)
        controls = controls_for(self._exploration.first)
        widgets = {control.name: _widget(control) for control in controls}
        self._panel = ControlPanel(widgets, Settings, task)
        self.bench = Workbench(self._exploration.scene, **options)
        self.bench._steady = True
        self._panel.observe(self._changed)
        self.bench.observe(self._cover, "covered")
        self._cover()
        super().__init__([*self._panel.parts, self.bench])

    def _cover(self, _: object = None) -> None:
        """Hide what answers a question about the view; budgets name peak and lower bound."""
        self._panel.cover(self.bench.covered, "budget")

    def _replanned(self) -> str:
        scene = self._exploration.planned(self.settings)
        self.bench.scene = scene
        return self._exploration.verdict(scene, self.settings)
