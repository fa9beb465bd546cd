"""Interactive and static views of graphs, schedules and memory plans.

Importing this package imports neither anywidget nor ipywidgets: only :func:`workbench` does, when
it makes a live view.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aidge_nb.widgets.build import build_scene
from aidge_nb.widgets.bundle import picture, scene_of
from aidge_nb.widgets.html import to_html
from aidge_nb.widgets.scene import PANELS, Scene
from aidge_nb.widgets.svg import PICTURES, scene_svgs, to_svg

if TYPE_CHECKING:
    from aidge_nb.graph.query import SinglePassGraphMatching
    from aidge_nb.graph.snapshot import GraphSnapshot
    from aidge_nb.graph.view import GraphView
    from aidge_nb.memory.plan import MemoryPlan
    from aidge_nb.scheduling.schedule import StaticSchedule
    from aidge_nb.widgets.live import Workbench
    from aidge_nb.widgets.queries import QueryBench

__all__ = [
    # What is shown
    "Scene",
    "build_scene",
    "scene_of",
    # Live views
    "PANELS",
    "QueryBench",
    "Workbench",
    "query_bench",
    "show",
    "workbench",
    # Static views
    "PICTURES",
    "picture",
    "scene_svgs",
    "to_html",
    "to_svg",
]


def workbench(
    graph: GraphSnapshot | None = None,
    schedule: StaticSchedule | None = None,
    plan: MemoryPlan | None = None,
    *,
    title: str = "",
    **view: Any,
) -> Workbench:
    """Make the live view of a model: its graph, schedule and memory plan, linked.

    Parameters
    ----------
    graph, schedule, plan
        What to show; what is missing has no panel.
    title
        Name of the model; by default that of the graph.
    **view
        ``panels``, ``selected``, ``hovered``, ``query``, ``time_range`` and ``theme`` of
        :class:`~aidge_nb.widgets.live.Workbench`.

    Raises
    ------
    MissingExtraError
        When anywidget is not installed.
    TypeError
        For a keyword that the view does not know.
    """
    from aidge_nb.widgets.live import Workbench

    return Workbench(build_scene(graph, schedule, plan, title=title), **view)


def show(value: object, **view: Any) -> Workbench:
    """Make the live view of one value: a graph, a schedule or a memory plan.

    Keywords are those of :func:`workbench`.
    """
    from aidge_nb.widgets.live import Workbench

    return Workbench(scene_of(value), **view)


def query_bench(
    graph: GraphView | SinglePassGraphMatching, query: str = "", **view: Any
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
    **view
        As for :func:`workbench`.

    Raises
    ------
    MissingExtraError
        When anywidget is not installed.
    """
    from aidge_nb.widgets.queries import QueryBench

    return QueryBench(graph, query, **view)


def __getattr__(name: str) -> Any:
    """Import the classes of live views when they are asked for."""
    if name == "QueryBench":
        from aidge_nb.widgets.queries import QueryBench

        return QueryBench
    if name == "Workbench":
        from aidge_nb.widgets.live import Workbench

        return Workbench
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
