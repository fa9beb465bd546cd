"""Controls that plan anew and update the view: policy, memory planner, stripes, budget, width.

This module needs ipywidgets; :func:`aidge_nb.widgets.explore` imports it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import ipywidgets

from aidge_nb.core.errors import GraphError, SchedulingError, explain
from aidge_nb.graph.cloning import clone_view
from aidge_nb.memory import MemoryPlan, generate_memory, plan_memory, plan_of_manager
from aidge_nb.memory.aidge.optimize import OptimizeStrategy
from aidge_nb.runtime import SequentialScheduler
from aidge_nb.scheduling import SchedulingPolicy, StaticSchedule
from aidge_nb.scheduling.schedule.nest import Firing
from aidge_nb.tiling import apply_tiling, plan_tiling
from aidge_nb.tiling.search import least_choice
from aidge_nb.widgets.live.control_panel import Controlled, ControlPanel
from aidge_nb.widgets.live.workbench import Workbench
from aidge_nb.widgets.scene.build import build_scene
from aidge_nb.widgets.scene.checks import check_graph
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.text import size_text

if TYPE_CHECKING:
    from aidge_nb.graph.snapshot import GraphSnapshot
    from aidge_nb.graph.view import GraphView

SEARCH = "search"
"""The planner of this library; the others are Aidge's strategies."""

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
        How many operators run at once; 0 for any number.
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
        self._first: MemoryPlan | None = None
        self._panel = ControlPanel(_controls(), Settings)
        self.bench = Workbench(self._planned(Settings()), **options)
        self._panel.observe(self._changed)
        super().__init__([*self._panel.parts, self.bench])

    def _replanned(self) -> str:
        scene = self._planned(self.settings)
        self.bench.scene = scene
        return self._verdict(scene)

    def _verdict(self, scene: Scene) -> str:
        memory = scene.memory
        if memory is None:
            return "no memory plan"
        words = f"peak {size_text(memory.peak)}"
        if memory.other is not None and memory.other.peak:
            change = 100 * (memory.peak / memory.other.peak - 1)
            words += f", {change:+.1f} % against the plan at first ({size_text(memory.other.peak)})"
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
        plan = _plan(view, order, settings)
        first, self._first = self._first, self._first or plan
        graph = whole if view is self._view else view.snapshot()
        known = self._made
        scene = build_scene(
            graph,
            schedule,
            plan,
            title=self._title,
            before=first if first is not None and first != plan else None,
            drawn=known.scene if known is not None and known.graph == graph else None,
        )
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


def _schedule(view: GraphView, settings: Settings) -> tuple[StaticSchedule, list[Any]]:
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
    if settings.width:
        schedule = limit_width(schedule, settings.width)
    return schedule, order


def _plan(view: GraphView, order: list[Any], settings: Settings) -> MemoryPlan:
    if settings.strategy == SEARCH and not settings.wrapping:
        parts = settings.stripes > 1
        return plan_memory(view, order, in_place=settings.in_place, parts=parts, effort=_QUICK)
    manager = generate_memory(view, order, wrap_around_buffer=settings.wrapping)
    if settings.strategy != SEARCH:
        manager.optimize(OptimizeStrategy[settings.strategy])
    return plan_of_manager(manager, view, order)


def _controls() -> dict[str, Any]:
    """Make the controls, by the name of the setting each is for."""
    wide = {"description_width": "initial"}
    policies = [(policy.name, policy.name) for policy in SchedulingPolicy]
    strategies = [("search (this library)", SEARCH)]
    strategies += [(each.name, each.name) for each in OptimizeStrategy]
    whole = {"continuous_update": False, "style": wide}
    return {
        "policy": ipywidgets.Dropdown(options=policies, description="policy", style=wide),
        "strategy": ipywidgets.Dropdown(options=strategies, description="memory", style=wide),
        "wrapping": ipywidgets.Checkbox(value=False, description="wrap around", indent=False),
        "in_place": ipywidgets.Checkbox(value=True, description="in place", indent=False),
        "stripes": ipywidgets.IntSlider(value=1, min=1, max=16, description="stripes", **whole),
        "budget": ipywidgets.IntSlider(
            value=0, min=0, max=16384, step=64, description="budget (KiB)", **whole
        ),
        "width": ipywidgets.IntSlider(
            value=0, min=0, max=8, description="at once (0: any)", **whole
        ),
    }


def limit_width(schedule: StaticSchedule, width: int) -> StaticSchedule:
    """Put at most ``width`` executions into each step, those without slack first.

    Producers take no place: they give their data when they are asked. Executions that were put off
    have no slack of their own any more.

    Parameters
    ----------
    schedule
        The schedule, without bound.
    width
        How many operators can run at once.

    Raises
    ------
    SchedulingError
        When the width is below 1, or the schedule does not know who feeds whom.

    Examples
    --------
    >>> import aidge_nb
    >>> branches = [aidge_nb.ReLU(name=f"b{number}") for number in range(4)]
    >>> model = aidge_nb.sequential([aidge_nb.Tanh(name="a"), aidge_nb.parallel(branches)])
    >>> schedule = aidge_nb.static_schedule(model)
    >>> schedule.n_steps, limit_width(schedule, 2).n_steps, limit_width(schedule, 1).n_steps
    (2, 3, 5)
    """
    if width < 1:
        problem = "no number of operators at once"
        raise SchedulingError(explain("limit_width", problem, expected="1 or more", found=width))
    firings = schedule.firings
    waits = schedule.waits_for
    if len(waits) != len(firings):
        cure = "Make it from a graph."
        raise SchedulingError(explain("schedule", "does not know who feeds whom", cure=cure))
    done = {place: -1 for place, each in enumerate(firings) if schedule.actors[each.actor].producer}
    pending = [place for place in range(len(firings)) if place not in done]
    step = 0
    while pending:
        ready = [place for place in pending if all(before in done for before in waits[place])]
        if not ready:
            raise SchedulingError(explain("schedule", "its executions wait for each other"))
        ready.sort(key=lambda place: (firings[place].late, place))
        chosen = ready[:width]
        done.update(dict.fromkeys(chosen, step))
        pending = [place for place in pending if place not in done]
        step += 1
    return StaticSchedule(
        schedule.actors,
        tuple(
            Firing(each.actor, each.execution, max(0, done[place]), max(0, done[place]))
            for place, each in enumerate(firings)
        ),
        schedule.remaining,
        schedule.parents,
        schedule.children,
    )
