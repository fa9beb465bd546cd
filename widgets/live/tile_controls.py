"""Sliders that tile and map again: slices, elements, bandwidth; and the trade-offs to choose from.

This module needs ipywidgets; it is imported by :func:`aidge_nb.widgets.explore_tiling` only.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import ipywidgets

from aidge_nb.core.errors import HardwareError
from aidge_nb.hardware import Constraints, Element, Mapping, Target, map_tiles
from aidge_nb.tiling import Tiling, plan_tiling
from aidge_nb.tiling.chain import as_chain
from aidge_nb.widgets.live.control_panel import CALM, WIDE, ChoiceSlider, Controlled, ControlPanel
from aidge_nb.widgets.live.workbench import Workbench
from aidge_nb.widgets.scene.mapping import mapping_scene
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.scene.tiles.slice_figures import SliceFigures
from aidge_nb.widgets.scene.tiles.tiling import tiling_scene
from aidge_nb.widgets.still.charts import figures_charts, roofline_chart
from aidge_nb.widgets.text import size_text

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node
    from aidge_nb.graph.view import GraphView
    from aidge_nb.widgets.live.asked import Askable

_MOST_SLICES = 64
_FASTEST = 64  # bytes per cycle
_SHARES = 16  # of a local memory that can be asked for
_HALOS = (("recompute", "recompute"), ("keep", "cache"))  # in words, and as the planner calls it
_TRIED_AT_FIRST = (4, 8, 16, 32, 64)


@dataclass(frozen=True, slots=True)
class TileSettings:
    """Settings of the controls.

    Attributes
    ----------
    rows, columns
        Into how many parts the result is cut along both axes.
    halo
        ``recompute`` or ``cache``.
    elements
        How many elements share the tiles.
    bandwidth
        Bytes per cycle of every link and bus; 0 for those of the target.
    budget
        Bytes of each local memory that may be used; 0 for all.
    """

    rows: int = 4
    columns: int = 1
    halo: str = "recompute"
    elements: int = 1
    bandwidth: float = 0.0
    budget: int = 0


def tile_and_map(
    view: GraphView, nodes: Iterable[Node], settings: TileSettings, target: Target | None = None
) -> tuple[Tiling, Mapping | None, Target | None]:
    """Tile nodes and map the tiles, as some settings say.

    Returns
    -------
    tuple
        The tiling; its mapping, and the target with the bandwidth that was asked for: None
        without a target.

    Raises
    ------
    GraphError, ShapeError, HardwareError
        When that is not possible.
    """
    grid = {2: settings.rows}
    if settings.columns > 1:
        grid[3] = settings.columns
    tiling = plan_tiling(view, list(nodes), grid, halo=settings.halo)
    if target is None:
        return tiling, None, None
    if settings.bandwidth:
        links = tuple(replace(link, bytes_per_cycle=settings.bandwidth) for link in target.links)
        target = replace(target, links=links)
    use = tuple(element.path for element in team(target)[: settings.elements])
    locals_ = {memory.path for path in use for memory in target.local(path)[:1]}
    memory = dict.fromkeys(locals_, settings.budget) if settings.budget else {}
    limits = Constraints(target.name, memory=memory, use=use)
    return tiling, map_tiles(view, tiling, target, limits), target


def team(target: Target) -> tuple[Element, ...]:
    """List the elements that can share a layer; all elements when none can."""
    sharing = target.cooperation[0].among(target.elements) if target.cooperation else ()
    return sharing or target.elements


class TileExplorer(Controlled[TileSettings], ipywidgets.VBox):  # type: ignore[misc]  # ipywidgets ships no types
    """Nodes that are tiled, with sliders above. Made by :func:`aidge_nb.widgets.explore_tiling`.

    Attributes
    ----------
    bench
        The view.
    settings
        Settings of the controls; setting it moves them and plans again.

    Raises
    ------
    GraphError, ShapeError
        When the nodes cannot be tiled together.
    """

    tiling: Tiling
    mapping: Mapping | None

    def __init__(
        self,
        view: GraphView,
        nodes: Node | Iterable[Node],
        target: Target | None = None,
        *,
        task: Askable | None = None,
        **options: Any,
    ) -> None:
        chain = as_chain(view, nodes)
        self._view, self._nodes, self._target = view, chain.nodes, target
        self._figures = SliceFigures(chain)
        self._panel = ControlPanel(_controls(target, _rows_of(self._nodes)), TileSettings, task)
        self.bench = Workbench(self._first_scene(), **options)
        self.bench._steady = True
        self._panel.observe(self._changed)
        super().__init__([*self._panel.parts, self.bench])

    def _replanned(self) -> str:
        self.bench.scene = self._planned(self.settings)
        return ""

    def _first_scene(self) -> Scene:
        """Draw the fewest slices that can be mapped; without a mapping when none can."""
        most, reason = self._panel["rows"].max, ""
        for rows in dict.fromkeys(min(count, most) for count in _TRIED_AT_FIRST):
            settings = replace(self.settings, rows=rows)
            try:
                scene = self._planned(settings)
            except HardwareError as error:
                reason = reason or str(error)
                continue
            self._panel["rows"].value = rows
            return scene
        self._panel.refuse(reason)
        tiling, _, _ = tile_and_map(self._view, self._nodes, self.settings)
        self.tiling, self.mapping = tiling, None
        return tiling_scene(tiling)

    def _planned(self, settings: TileSettings) -> Scene:
        tiling, mapping, target = tile_and_map(self._view, self._nodes, settings, self._target)
        self.tiling, self.mapping = tiling, mapping
        scene = tiling_scene(tiling)
        most = self._panel["rows"].max
        figures = self._figures.up_to(most, settings.columns, settings.halo)
        charts = figures_charts(figures, settings.rows)
        if mapping is None or target is None:
            return replace(scene, charts=charts)
        mapped = mapping_scene(mapping)
        return replace(
            scene,
            nodes=tuple(
                replace(node, details=(*node.details, *other.details))
                for node, other in zip(scene.nodes, mapped.nodes, strict=True)
            ),
            devices=mapped.devices,
            memory=mapped.memory,
            charts=(*charts, roofline_chart(mapping, target)),
            figures=(*scene.figures, *mapped.figures),
        )


def _rows_of(nodes: tuple[Node, ...]) -> int:
    """Return the number of rows of the result, which bounds the slices."""
    output = nodes[-1].get_operator().get_output(0) if nodes else None
    return 1 if output is None or output.undefined() or output.ndim < 3 else output.dims[2]


def _controls(target: Target | None, rows: int) -> dict[str, Any]:
    """Make the controls, by the name of the setting each is for."""
    most = max(1, min(_MOST_SLICES, rows))
    whole = dict(CALM)
    made: dict[str, Any] = {
        "rows": ipywidgets.IntSlider(
            value=min(4, most), min=1, max=most, description="slices", **whole
        ),
        "columns": ipywidgets.IntSlider(value=1, min=1, max=16, description="columns", **whole),
        "halo": ipywidgets.Dropdown(options=_HALOS, description="halos", style=WIDE),
    }
    if target is None:
        return made
    count = len(team(target))
    made["elements"] = ipywidgets.IntSlider(
        value=count if target.cooperation else 1, min=1, max=count, description="elements", **whole
    )
    whole["layout"] = ipywidgets.Layout(width="24rem")  # the words leave the slider some room
    speeds = [(f"{speed} B per cycle", float(speed)) for speed in range(1, _FASTEST + 1)]
    made["bandwidth"] = SpeedSlider(
        options=[("as the target", 0.0), *speeds], description="links", **whole
    )
    made["budget"] = ChoiceSlider(options=_budgets(target), description="local memory", **whole)
    return made


class SpeedSlider(ChoiceSlider):
    """A slider over bytes per cycle."""

    unit = "B per cycle"


def _budgets(target: Target) -> list[tuple[str, int]]:
    """List shares of the smallest local memory of the team; 0 stands for all of it."""
    found = [each.size for element in team(target) for each in target.local(element.path)[:1]]
    local = max(_SHARES, min(found, default=1 << 20))
    shares = {share * local // _SHARES for share in range(1, _SHARES)}
    return [("all of it", 0), *((size_text(size), size) for size in sorted(shares))]
