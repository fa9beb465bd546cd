"""Interactive and static views of graphs, schedules and memory plans.

Importing this package imports neither anywidget nor ipywidgets: only :func:`workbench` does, when
it makes a live view.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from aidge_nb.widgets.scene.build import build_scene
from aidge_nb.widgets.scene.scene import PANELS, PICTURES, Scene
from aidge_nb.widgets.still.html import to_html
from aidge_nb.widgets.still.mime import picture, scene_of
from aidge_nb.widgets.still.svg.picture import scene_svgs, to_svg

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aidge_nb.graph.node import Node
    from aidge_nb.graph.query import SinglePassGraphMatching
    from aidge_nb.graph.snapshot import GraphSnapshot
    from aidge_nb.graph.view import GraphView
    from aidge_nb.hardware.mapping import Mapping
    from aidge_nb.hardware.targets.target import Target
    from aidge_nb.memory.values.plan import MemoryPlan
    from aidge_nb.quantization.post_training import QuantizedNetwork
    from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule
    from aidge_nb.widgets.live.asked import Askable
    from aidge_nb.widgets.live.controls import Explorer
    from aidge_nb.widgets.live.quantized import QuantizedExplorer
    from aidge_nb.widgets.live.queries import QueryBench
    from aidge_nb.widgets.live.tile_controls import TileExplorer
    from aidge_nb.widgets.live.workbench import Workbench
    from aidge_nb.widgets.scene.timeline import Run
    from aidge_nb.widgets.still.charts import to_plotly
    from aidge_nb.widgets.still.mermaid import draw_mermaid, show_mermaid, to_mermaid
    from aidge_nb.widgets.still.png.picture import to_png
    from aidge_nb.widgets.still.table import to_csv
    from aidge_nb.widgets.still.traces import to_trace_json

__all__ = [
    # What is shown
    "Scene",
    "build_scene",
    "scene_of",
    # Live views
    "PANELS",
    "Explorer",
    "QuantizedExplorer",
    "QueryBench",
    "TileExplorer",
    "Workbench",
    "cp_debugger",
    "explore",
    "explore_quantized",
    "explore_tiling",
    "query_bench",
    "show",
    "workbench",
    # Static views, and other forms
    "PICTURES",
    "draw_mermaid",
    "picture",
    "scene_svgs",
    "show_mermaid",
    "to_csv",
    "to_html",
    "to_mermaid",
    "to_plotly",
    "to_png",
    "to_svg",
    "to_trace_json",
]


def workbench(
    graph: GraphSnapshot | GraphView | None = None,
    schedule: StaticSchedule | None = None,
    plan: MemoryPlan | None = None,
    *,
    before: MemoryPlan | None = None,
    labels: tuple[str, str] = ("before", "after"),
    measured: Iterable[Run] = (),
    mapping: Mapping | None = None,
    title: str = "",
    **view: Any,
) -> Workbench:
    """Make the live view of a model: its graph, schedule and memory plan, linked.

    Parameters
    ----------
    graph, schedule, plan
        What to show; a missing value has no panel.
    before, labels
        Another memory plan to compare ``plan`` with, and the names of the two.
    measured
        A run to show beside the schedule: ``get_forward_scheduling()`` of a scheduler.
    mapping
        Where and when the nodes run on a machine: a panel of its elements and links, linked with
        the others. See :func:`build_scene`.
    title
        Name of the model; by default that of the graph.
    **view
        ``panels``, ``selected``, ``picked``, ``hovered``, ``query``, ``clock``, ``time_range``,
        ``tick``, ``step``, ``stripes``, ``halo``, ``theme``, ``question``, ``feedback``, ``many``
        and ``covered`` of
        :class:`~aidge_nb.widgets.live.workbench.Workbench`.

    Raises
    ------
    MissingExtraError
        When anywidget is not installed.
    TypeError
        For a keyword that the view does not know.
    """
    from aidge_nb.widgets import Workbench

    scene = build_scene(
        graph,
        schedule,
        plan,
        title=title,
        before=before,
        labels=labels,
        measured=measured,
        mapping=mapping,
    )
    return Workbench(scene, **view)


def explore(
    view: GraphView, title: str = "", *, task: Askable | None = None, **options: Any
) -> Explorer:
    """Make the live view of a graph with controls that plan again: policy, memory, stripes, width.

    Parameters
    ----------
    view
        The graph, with known dimensions.
    title
        Name of the model; by default that of the graph.
    task
        A question that the controls answer, as :func:`aidge_nb.course.reach` makes it. It stands
        above them, and each move is met with feedback.
    **options
        As for :func:`workbench`.

    Raises
    ------
    MissingExtraError
        When anywidget is not installed.
    AidgeError
        For a value that is not a graph.
    MemoryPlanError
        When dimensions are unknown.
    """
    from aidge_nb.widgets import Explorer

    return Explorer(view, title, task=task, **options)


def explore_tiling(
    view: GraphView,
    nodes: Node | Iterable[Node],
    target: Target | None = None,
    *,
    task: Askable | None = None,
    **options: Any,
) -> TileExplorer:
    """Make the live view of tiled nodes, with sliders that tile and map them again.

    Parameters
    ----------
    view
        The graph, with known dimensions.
    nodes
        The node to tile, or those to tile together; see :func:`aidge_nb.tiling.between`.
    target
        A machine to map the tiles onto; without one there are no devices.
    task
        A question that the sliders answer, as :func:`aidge_nb.course.cut` makes it.
    **options
        As for :func:`workbench`.

    Raises
    ------
    MissingExtraError
        When anywidget is not installed.
    GraphError, ShapeError
        When the nodes cannot be tiled together. Where no number of slices fits the target, the
        view opens without devices and says why.
    """
    from aidge_nb.widgets import TileExplorer

    return TileExplorer(view, nodes, target, task=task, **options)


def explore_quantized(found: QuantizedNetwork, **options: Any) -> QuantizedExplorer:
    """Make the live view of a quantized network, with a switch to floating point for each layer.

    Errors and ranges of the layers stand above graph, schedule and memory of the network on
    integers. Each switch quantizes again from the same samples, and plans again.

    Parameters
    ----------
    found
        What :func:`aidge_nb.quantization.quantize` gave.
    **options
        As for :func:`workbench`.

    Raises
    ------
    MissingExtraError
        When anywidget is not installed.

    Examples
    --------
    >>> import numpy as np
    >>> import aidge_nb
    >>> layer = aidge_nb.sequential([aidge_nb.FC(4, 8, name="fc")])
    >>> layer.forward_dims([[1, 4]])
    True
    >>> layer.set_backend("cpu")
    >>> initialised = aidge_nb.init_weights(layer, seed=1)
    >>> found = aidge_nb.quantize(layer, np.eye(4, dtype=np.float32))
    >>> explore_quantized(found).board.floats
    []
    """
    from aidge_nb.widgets import QuantizedExplorer

    return QuantizedExplorer(found, **options)


def cp_debugger(
    view: GraphView, max_rounds: int = 300, *, task: Askable | None = None, **options: Any
) -> Workbench:
    """Make the live view of the scheduling algorithm: stage by stage, forwards and backwards.

    Each decision is one sentence, with the numbers below it. The edges of the graph show what waits
    on them, and the schedule grows with each stage.

    Parameters
    ----------
    view
        The graph; its consumer-producer state does not change.
    max_rounds
        Rounds to follow.
    task
        A question that picked nodes answer, as :func:`aidge_nb.course.pick` makes it.
    **options
        As for :func:`workbench`.

    Raises
    ------
    MissingExtraError
        When anywidget is not installed.
    SchedulingError
        When a model needs elements where only tokens are known, or refuses.
    """
    from aidge_nb.widgets import Workbench
    from aidge_nb.widgets.scene.checks import check_graph
    from aidge_nb.widgets.scene.debugger import debugger_scene

    check_graph("cp_debugger", view)
    scene = debugger_scene(view, max_rounds)
    shown = [panel for panel in ("graph", "timeline", "algorithm") if panel in scene.panels]
    bench = Workbench(scene, **{"panels": shown, **options})
    if task is not None:
        from aidge_nb.widgets.live.answers import ask_in

        ask_in(task, bench)
    return bench


def show(value: object, **view: Any) -> Workbench:
    """Make the live view of one value: a graph, a schedule or a memory plan.

    Keywords are those of :func:`workbench`.
    """
    from aidge_nb.widgets import Workbench

    return Workbench(scene_of(value), **view)


def query_bench(
    graph: GraphView | SinglePassGraphMatching,
    query: str = "",
    *,
    task: Askable | None = None,
    **view: Any,
) -> QueryBench:
    """Make the live view of a graph in which graph queries light up what they match.

    Type a query such as ``MatMul->Add`` into its search box. ``fuse(type)`` of the view fuses what
    it found; ``matches`` are the matches.

    Parameters
    ----------
    graph
        The graph, or a matching on it whose predicates the query may ask.
    query
        What to look for at first.
    task
        A question that the query answers, as :func:`aidge_nb.course.query` makes it. It stands
        above the view, and each query is met with feedback.
    **view
        As for :func:`workbench`.

    Raises
    ------
    MissingExtraError
        When anywidget is not installed.
    """
    from aidge_nb.widgets import QueryBench

    return QueryBench(graph, query, task=task, **view)


_LIVE = {
    "Explorer": "controls",
    "QuantizedExplorer": "quantized",
    "QueryBench": "queries",
    "TileExplorer": "tile_controls",
    "Workbench": "workbench",
}


_STILL = {
    "draw_mermaid": "mermaid",
    "show_mermaid": "mermaid",
    "to_csv": "table",
    "to_mermaid": "mermaid",
    "to_plotly": "charts",
    "to_png": "png.picture",
    "to_trace_json": "traces",
}


def __getattr__(name: str) -> Any:
    """Import the classes of live views, and other forms than pages and SVG, on first use."""
    if name in _STILL:
        return getattr(import_module(f"aidge_nb.widgets.still.{_STILL[name]}"), name)
    if name in _LIVE:
        import_module("aidge_nb.widgets.live.workbench")  # names the missing extra
        return getattr(import_module(f"aidge_nb.widgets.live.{_LIVE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
