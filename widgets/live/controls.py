"""Controls that plan anew and update the view: policy, memory planner, stripes, budget, width.

This module needs ipywidgets; :func:`aidge_nb.widgets.explore` imports it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import ipywidgets

from aidge_nb.core.errors import GraphError, explain
from aidge_nb.graph.cloning import clone_view
from aidge_nb.memory import MemoryPlan, generate_memory, plan_memory, plan_of_manager
from aidge_nb.memory.aidge.optimize import OptimizeStrategy
from aidge_nb.memory.at_once import plan_at_once
from aidge_nb.memory.values.options import PlanOptions
from aidge_nb.runtime import SequentialScheduler
from aidge_nb.scheduling import SchedulingPolicy, StaticSchedule
from aidge_nb.tiling import apply_tiling, plan_tiling
from aidge_nb.tiling.search import least_choice
from aidge_nb.widgets.live.control_panel import Controlled, ControlPanel
from aidge_nb.widgets.live.explore_controls import SEARCH, make_controls
from aidge_nb.widgets.live.width import limit_width
from aidge_nb.widgets.live.workbench import Workbench
from aidge_nb.widgets.scene.build import build_scene
from aidge_nb.widgets.scene.checks import check_graph
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.text import size_text

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node
    from aidge_nb.graph.snapshot import GraphSnapshot
    from aidge_nb.graph.view import GraphView

_QUICK = 0.02


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of the controls.

    Attributes
    ----------
    policy
        Name of a :class:`~aidge_nb.scheduling.SchedulingPolicy`.
    strategy
        ``"search"``, or the name of an :class:`~aidge_nb.memory.OptimizeStrategy` of Aidge.
    wrapping
        Whether buffers may wrap around, as Aidge's do.
    in_place
        Whether outputs may overwrite inputs.
    stripes
        Into how many stripes the chain at the peak is cut; 1 cuts nothing.
    budget
        Bytes that the memory should not exceed; 0 for none.
    width
        How many operators run at once, and are planned for; 0 plans for the order that runs one
        after the other, and bounds no step.
    """

    policy: str = "Default"
    strategy: str = SEARCH
    wrapping: bool = False
    in_place: bool = True
    stripes: int = 1
    budget: int = 0
    width: int = 0


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

    def __init__(self, view: GraphView, title: str = "", **options: Any) -> None:
        check_graph("explore", view)
        self._view = view
        self._title = title
        best = least_choice(view)
        # What stripes cut is looked for once, and not while a slider moves.
        self._chain = best.chains[0].nodes if best.chains else ()
        self._made: _Made | None = None
        self._first: MemoryPlan
        scene = self._planned(Settings())
        self._panel = ControlPanel(make_controls(self._first), Settings)
        self.bench = Workbench(scene, **options)
        self.bench._steady = True
        self._panel.observe(self._changed)
        self.bench.observe(self._cover, "covered")
        self._cover()
        super().__init__([*self._panel.parts, self.bench])

    def _cover(self, _: object = None) -> None:
        """Hide what answers a question about the view; budgets name peak and lower bound."""
        self._panel.cover(self.bench.covered, "budget")

    def _replanned(self) -> str:
        scene = self._planned(self.settings)
        self.bench.scene = scene
        return self._verdict(scene)

    def _verdict(self, scene: Scene) -> str:
        memory = scene.memory
        if memory is None:
            return "no memory plan"
        words = f"peak {size_text(memory.peak)}"
        first, width = self._first.peak, self.settings.width
        if memory.peak == first:
            words += ", as in the plan at first"
        elif first:
            change = 100 * (memory.peak / first - 1)
            words += f", {change:+.1f} % against the plan at first ({size_text(first)})"
        if width and scene.timeline is not None:
            words += f"; at most {width} at once: {scene.timeline.steps} steps"
            if width > 1 and not _is_ours(self.settings):
                words += ", but Aidge's planner plans for one at a time"
        if self.settings.stripes > 1 and not self._chain:
            words += "; nothing that could be cut into stripes would lower it"
        budget = self.settings.budget
        if budget:
            over = memory.peak - budget
            words += "; within the budget" if over <= 0 else f"; {size_text(over)} over the budget"
        return words

    # --- planning -------------------------------------------------------------------------------

    def _planned(self, settings: Settings) -> Scene:
        whole = self._view.snapshot()
        view = self._tiled(whole, settings.stripes)
        schedule, order = _schedule(view, settings)
        plan = _plan(view, schedule, order, settings)
        known = self._made
        if known is None:
            self._first = plan
        graph = whole if view is self._view else view.snapshot()
        scene = build_scene(
            graph,
            schedule,
            plan,
            title=self._title,
            before=self._first,
            labels=("at first", "now"),
            drawn=known.scene if known is not None and known.graph == graph else None,
        )
        if scene.memory is not None and settings.budget:
            scene = replace(scene, memory=replace(scene.memory, budget=settings.budget))
        self._made = _Made(whole, settings.stripes, view, graph, scene)
        return scene

    def _tiled(self, whole: GraphSnapshot, stripes: int) -> GraphView:
        """Return the graph with its chain cut into stripes; reuse the last when nothing changed."""
        if stripes < 2 or not self._chain:
            return self._view
        known = self._made
        if known is not None and (known.stripes, known.whole) == (stripes, whole):
            return known.view
        by_name = {name: node for node, name in self._view.unique_names().items()}
        missing = [name for name in self._chain if name not in by_name]
        if missing:
            problem, cure = "the nodes to cut are gone", "Explore the graph once more."
            raise GraphError(explain("stripes", problem, expected=", ".join(missing), cure=cure))
        nodes = [by_name[name] for name in self._chain]
        tiling = plan_tiling(self._view, nodes, {2: stripes})
        view, _ = clone_view(self._view, share_values=True)
        apply_tiling(view, tiling)
        return view


@dataclass(frozen=True, slots=True)
class _Made:
    """The last drawing: the graph, its stripes, and the tiled graph and scene."""

    whole: GraphSnapshot
    stripes: int
    view: GraphView
    graph: GraphSnapshot
    scene: Scene


def _schedule(view: GraphView, settings: Settings) -> tuple[StaticSchedule, list[Node]]:
    """Schedule a graph; also give its nodes in the order in which they run."""
    scheduler = SequentialScheduler(view)
    policy = SchedulingPolicy[settings.policy]
    scheduler.set_scheduling_policy(policy)
    if policy.needs_branches:
        scheduler.tag_fork_branches()
    scheduler.generate_scheduling()
    schedule = scheduler.schedule()
    if settings.stripes > 1 and policy is SchedulingPolicy.Default:
        order = view.topological_order()  # one stripe after the other, so that memory is kept
    else:
        order = scheduler.get_sequential_static_scheduling()
    if not settings.width:
        return schedule, order
    is_free = policy is SchedulingPolicy.Default
    rank = None if is_free else _ranks(view, schedule, order)
    schedule = limit_width(schedule, settings.width, rank)
    return schedule, [node for wave in _waves(view, schedule) for node in wave]


def _ranks(view: GraphView, schedule: StaticSchedule, order: Sequence[Node]) -> list[int]:
    """Say for each execution of a schedule which place it has in an order."""
    names = view.unique_names()
    places: dict[str, list[int]] = {}
    for place, node in enumerate(order):
        places.setdefault(names[node], []).append(place)
    ranks = []
    for each in schedule.firings:
        own = places.get(schedule.actors[each.actor].name, ())
        ranks.append(own[each.execution] if each.execution < len(own) else -1)
    return ranks


def _waves(view: GraphView, schedule: StaticSchedule) -> list[list[Node]]:
    """List the nodes that run at each step; Producers give their data before."""
    nodes = {name: node for node, name in view.unique_names().items()}
    waves: list[list[Node]] = [[] for _ in range(schedule.n_steps)]
    for each in schedule.firings:
        actor = schedule.actors[each.actor]
        if not actor.producer:
            waves[each.early].append(nodes[actor.name])
    return waves


def _is_ours(settings: Settings) -> bool:
    """Return whether the planner of this library is asked, and not Aidge's."""
    return settings.strategy == SEARCH and not settings.wrapping


def _plan(
    view: GraphView, schedule: StaticSchedule, order: list[Node], settings: Settings
) -> MemoryPlan:
    if _is_ours(settings):
        options = PlanOptions(in_place=settings.in_place, parts=settings.stripes > 1, effort=_QUICK)
        if settings.width > 1:
            return plan_at_once(view, _waves(view, schedule), options)
        return plan_memory(view, order, options)
    manager = generate_memory(view, order, wrap_around_buffer=settings.wrapping)
    if settings.strategy != SEARCH:
        manager.optimize(OptimizeStrategy[settings.strategy])
    return plan_of_manager(manager, view, order)
