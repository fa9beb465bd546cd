"""Plan a graph anew as settings say, and draw what comes of it: what an explorer does.

Nothing here needs a notebook: the live view has it behind its controls, and so has the page without
a server.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from aidge_nb.advice.joint import MEASURES, KnownPlans
from aidge_nb.advice.reading import plan_findings
from aidge_nb.advice.relayout import layout_change
from aidge_nb.core.errors import GraphError
from aidge_nb.graph.cloning import clone_view
from aidge_nb.memory import MemoryPlan, generate_memory, plan_memory, plan_of_manager
from aidge_nb.memory.aidge.optimize import OptimizeStrategy
from aidge_nb.memory.at_once import plan_at_once
from aidge_nb.memory.values.options import PlanOptions
from aidge_nb.runtime import SequentialScheduler
from aidge_nb.scheduling import SchedulingPolicy, StaticSchedule
from aidge_nb.tiling import apply_tiling, plan_tiling
from aidge_nb.tiling.search import least_choice
from aidge_nb.widgets.live.width import limit_width
from aidge_nb.widgets.scene.build import build_scene, changes_of
from aidge_nb.widgets.scene.checks import check_graph
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.text import size_text

if TYPE_CHECKING:
    from aidge_nb.advice.findings import ChangeFinding
    from aidge_nb.graph.node import Node
    from aidge_nb.graph.snapshot import GraphSnapshot
    from aidge_nb.graph.view import GraphView

SEARCH = "search"
"""The planner of this library; the others are Aidge's strategies."""

MOST_AT_ONCE = 8
MOST_STRIPES = 16
MOST_STRIPED = 500
"""Ticks of a graph in stripes up to which another plan of it is quick enough for a control."""

_FEWEST = 12
"""Budgets to choose from, at least, where bytes are enough for as many."""

_QUICK = 0.02


def budgets(plan: MemoryPlan) -> list[tuple[str, int]]:
    """Return budgets that make sense for a plan, with their labels: from a quarter of its peak on.

    Its peak and its lower bound are among them.

    Examples
    --------
    >>> [label for label, _ in budgets(MemoryPlan((), (), 0, 0))]
    ['none']
    >>> [label for label, _ in budgets(MemoryPlan((), (), 4096, 3000))]
    ... # doctest: +ELLIPSIS, +NORMALIZE_WHITESPACE
    ['none', '1 KiB', '1.25 KiB', ..., '2.93 KiB: lower bound', ..., '4 KiB: peak']
    """
    peak, bound = plan.peak, plan.lower_bound
    named = {0: "none"}
    if peak > 0:
        unit = 2 ** max(0, math.floor(math.log2(peak / _FEWEST)))
        named |= {size: size_text(size) for size in range(unit, peak, unit) if 4 * size >= peak}
        named |= {bound: f"{size_text(bound)}: lower bound"} if 0 < bound < peak else {}
        named[peak] = f"{size_text(peak)}: peak"
    return [(named[size], size) for size in sorted(named)]


@dataclass(frozen=True, slots=True)
class Control:
    """A setting that a reader may change.

    Attributes
    ----------
    name, label
        The name of the setting, and what it is called.
    kind
        ``list``, ``flag``, ``slider`` (over options) or ``number`` (from 1 to the last option).
    value
        What it is at first.
    options
        Text and value of each choice.
    """

    name: str
    label: str
    kind: str
    value: Any
    options: tuple[tuple[str, Any], ...] = ()


def controls_for(plan: MemoryPlan) -> tuple[Control, ...]:
    """Return the settings that an explorer offers.

    Parameters
    ----------
    plan
        The plan at first: its peak and lower bound say what budgets make sense.

    Examples
    --------
    >>> [control.name for control in controls_for(MemoryPlan((), (), 4096, 3000))]
    ['policy', 'strategy', 'wrapping', 'in_place', 'stripes', 'budget', 'width']
    """
    first = Settings()
    policies = tuple((policy.words, policy.name) for policy in SchedulingPolicy)
    strategies = tuple((each.words, each.name) for each in OptimizeStrategy)
    strategies = (("search for the lowest peak", SEARCH), *strategies)
    stripes = tuple((str(count), count) for count in range(1, MOST_STRIPES + 1))
    widths = (("any", 0), *((str(w), w) for w in range(1, MOST_AT_ONCE + 1)))
    return (
        Control("policy", "order", "list", first.policy, policies),
        Control("strategy", "memory", "list", first.strategy, strategies),
        Control("wrapping", "buffers may wrap around", "flag", first.wrapping),
        Control("in_place", "results may overwrite inputs", "flag", first.in_place),
        Control("stripes", "stripes", "number", first.stripes, stripes),
        Control("budget", "memory budget", "slider", first.budget, tuple(budgets(plan))),
        Control("width", "run at once", "slider", first.width, widths),
    )


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


class Exploration:
    """A graph that is planned anew as settings say.

    Parameters
    ----------
    view
        The graph, with dimensions.
    title
        Title of what is drawn.
    advises
        Whether the findings say what to do about the peak.

    Attributes
    ----------
    view
        The graph.
    scene, first
        The drawing and the plan with the settings at first.

    Raises
    ------
    AidgeError
        For a value that is not a graph.

    Examples
    --------
    >>> import aidge_nb
    >>> from aidge_nb.course import graphs
    >>> exploration = Exploration(graphs.bars_net())
    >>> scene = exploration.planned(Settings(in_place=False))
    >>> exploration.verdict(scene, Settings(in_place=False))
    'peak 66 KiB, +17.9 % against the plan at first (56 KiB)'
    """

    first: MemoryPlan

    def __init__(self, view: GraphView, title: str = "", *, advises: bool = True) -> None:
        check_graph("explore", view)
        self._advises = advises
        self.view = view
        self._title = title
        best = least_choice(view)
        # What stripes cut is looked for once, and not while a slider moves.
        self._chain = best.chains[0].nodes if best.chains else ()
        self._made: _Made | None = None
        self._advised: tuple[GraphSnapshot, dict[int, KnownPlans]] | None = None
        self.scene = self.planned(Settings())

    def verdict(self, scene: Scene, settings: Settings) -> str:
        """Say in words what came of settings, beside the plan at first."""
        memory = scene.memory
        if memory is None:
            return "no memory plan"
        words = f"peak {size_text(memory.peak)}"
        first, width = self.first.peak, settings.width
        if memory.peak == first:
            words += ", as in the plan at first"
        elif first:
            change = 100 * (memory.peak / first - 1)
            words += f", {change:+.1f} % against the plan at first ({size_text(first)})"
        if width and scene.timeline is not None:
            words += f"; at most {width} at once: {scene.timeline.steps} steps"
            if width > 1 and not _is_ours(settings):
                words += ", but Aidge's planner plans for one at a time"
        if settings.stripes > 1 and not self._chain:
            words += "; nothing that could be cut into stripes would lower it"
        budget = settings.budget
        if budget:
            over = memory.peak - budget
            words += "; within the budget" if over <= 0 else f"; {size_text(over)} over the budget"
        return words

    def planned(self, settings: Settings) -> Scene:
        """Schedule and plan the graph, and return what a view shows of it."""
        whole = self.view.snapshot()
        view = self._tiled(whole, settings.stripes)
        schedule, order = _schedule(view, settings)
        plan = _plan(view, schedule, order, settings)
        known = self._made
        if known is None:
            self.first = plan
        budget = ("budget", settings.budget) if settings.budget else None
        findings = (*plan_findings(plan, budget), *self._changes(view, plan, settings, whole))
        graph = whole if view is self.view else view.snapshot()
        scene = build_scene(
            graph,
            schedule,
            plan,
            title=self._title,
            before=self.first,
            labels=("at first", "now"),
            drawn=known.scene if known is not None and known.graph == graph else None,
            findings=findings,
        )
        if scene.memory is not None and settings.budget:
            scene = replace(scene, memory=replace(scene.memory, budget=settings.budget))
        self._made = _Made(whole, settings.stripes, view, graph, scene)
        return scene

    def _changes(
        self, view: GraphView, plan: MemoryPlan, settings: Settings, whole: GraphSnapshot
    ) -> tuple[ChangeFinding, ...]:
        """Say what to do about a peak, unless a task asks that."""
        if not self._advises:
            return ()
        is_long = settings.stripes > 1 and len(plan.order) > MOST_STRIPED
        if is_long or settings.width > 1:  # other changes are planned for one operator at a time
            return layout_change(plan)
        measures = {*MEASURES, "layout"} - ({"order", "tiling"} if settings.stripes > 1 else set())
        budget, known = settings.budget or None, self._known(whole, settings.stripes)
        return changes_of(view, plan, budget=budget, measures=measures, known=known)

    def _known(self, whole: GraphSnapshot, stripes: int) -> KnownPlans:
        """Return what advice was planned for before; nothing once the graph has changed."""
        if self._advised is None or self._advised[0] != whole:
            self._advised = (whole, {})
        by_stripes = self._advised[1]
        # Only the last stripes and the whole graph: what is known takes memory.
        for other in [each for each in by_stripes if each not in (1, stripes)]:
            del by_stripes[other]
        return by_stripes.setdefault(stripes, KnownPlans())

    def _tiled(self, whole: GraphSnapshot, stripes: int) -> GraphView:
        """Return the graph with its chain cut into stripes; reuse the last when nothing changed."""
        if stripes < 2 or not self._chain:
            return self.view
        known = self._made
        if known is not None and (known.stripes, known.whole) == (stripes, whole):
            return known.view
        by_name = {name: node for node, name in self.view.unique_names().items()}
        missing = [name for name in self._chain if name not in by_name]
        if missing:
            problem, cure = "the nodes to cut are gone", "Explore the graph once more."
            raise GraphError.at("stripes", problem, expected=", ".join(missing), cure=cure)
        nodes = [by_name[name] for name in self._chain]
        tiling = plan_tiling(self.view, nodes, {2: stripes})
        view, _ = clone_view(self.view, share_values=True)
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
