"""Search for changes that lower the peak: order, in place, rows, parts, tiles and fusions together.

Sets of measures are tried, the least disruptive first. Each is planned for as a whole: where the
order may change, order and layout are chosen together for the options of the set; tiles are planned
in the tiled graph.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from time import monotonic
from typing import TYPE_CHECKING

from aidge_nb.advice.changes import apart, fusions
from aidge_nb.advice.findings import ChangeFinding
from aidge_nb.core.errors import AidgeError
from aidge_nb.memory.check.plan import check_plan
from aidge_nb.memory.joint import plan_jointly
from aidge_nb.memory.live.facts import Schedule, nodes_in_order
from aidge_nb.memory.live.sharing import has_parts
from aidge_nb.memory.plan import plan_memory
from aidge_nb.memory.values.options import PlanOptions, WhatIf
from aidge_nb.tiling import ChainChoice, TilingSearch, tile_for

if TYPE_CHECKING:
    from aidge_nb.graph import GraphView, Node
    from aidge_nb.memory.values.plan import MemoryPlan

MEASURES: Mapping[str, str] = {
    "in place": "element-wise operators write over their input",
    "order": "another order of execution",
    "parts": "Slice, Split and Concat without copies",
    "by rows": "convolutions and poolings overwrite their input row by row",
    "tiling": "chains of operators computed tile by tile",
    "fuse": "element-wise operators computed together with what they read",
}
"""Measures, the least disruptive first: any of the first four come before tiles, which change the
graph; fusions come last, for they need kernels that compute two operators together."""

_COST = {"in place": 2, "order": 2, "parts": 2, "by rows": 3, "tiling": 10, "fuse": 40}
_ORDERS = 8  # orders that are tried where a layout does not reach its bound
_SLICES = 6  # most slices of a chain, where no budget asks for more
_DEAR = 0.1  # more MACs than this share are too dear, where no budget asks for them
_MOST_TICKS = 1500  # ticks of a tiled graph up to which rows are tried with tiles
_MOST_REORDERED = 300  # and up to which another order is


@dataclass(frozen=True, slots=True)
class PlanWithMeasures:
    """A plan with some measures taken; the chains of its tiles, and the MACs that they add.

    ``asked`` holds the lines of Python that find the tiles.
    """

    plan: MemoryPlan
    chains: tuple[ChainChoice, ...] = ()
    extra_macs: float = 0.0
    asked: str = ""


class Trials:
    """Makes plans with sets of measures taken, each once.

    Parameters
    ----------
    graph, order, options
        What they start from.
    budget
        Bytes that the arena should fit into; None for fewer, at a moderate price.
    aim
        Without a budget: bytes that tiles aim at.
    """

    def __init__(
        self,
        graph: GraphView,
        order: Sequence[Node],
        options: PlanOptions,
        budget: int | None,
        aim: int = 0,
    ) -> None:
        self._graph, self._order, self._options = graph, order, options
        self._is_needed = budget is not None
        self._budget = aim if budget is None else budget
        self._max_slices = _SLICES if budget is None else 16
        self._made: dict[frozenset[str], PlanWithMeasures] = {}
        self._tiled: tuple[GraphView, PlanWithMeasures] | None = None
        self._no_tiles: AidgeError | None = None

    def why_no_tiles(self) -> str:
        """Return why the graph cannot be tiled; empty if it can."""
        again = next((node for node, n in Counter(self._order).items() if n > 1), None)
        return "" if again is None else f"not tried: {again.label} runs several times"

    def is_idle(self, measure: str) -> bool:
        """Return whether a measure changes nothing here."""
        if measure == "in place":
            return self._options.in_place
        if measure == "order":
            return all(
                any(port.node is before for _, port in after.edges_in())
                for before, after in pairwise(n for n in self._order if n.type() != "Producer")
            )
        if measure == "parts":
            return self._options.parts or not has_parts(self._order)
        if measure == "by rows":
            return self._options.by_rows
        if measure == "tiling":
            return bool(self.why_no_tiles())
        return next(iter(fusions(self._graph, self._order)), None) is None

    def sets(self) -> list[tuple[str, ...]]:
        """Return the sets of measures that may change something, the least disruptive first."""
        useful = [measure for measure in MEASURES if not self.is_idle(measure)]
        found = [
            names
            for count in range(1, len(useful) + 1)
            for names in combinations(useful, count)
            if not ("tiling" in names and {"fuse", "parts", "in place"} & set(names))
        ]
        return sorted(found, key=cost)

    def plan(self, names: Sequence[str]) -> PlanWithMeasures:
        """Return the plan with some measures taken.

        Raises
        ------
        AidgeError
            When the graph cannot be tiled.
        """
        key = frozenset(name for name in names if not self.is_idle(name))
        if key not in self._made:
            self._made[key] = self._tile(key) if "tiling" in key else self._plan(key)
        return self._made[key]

    def _plan(self, measures: frozenset[str]) -> PlanWithMeasures:
        options = _with(self._options, measures)
        if "fuse" in measures:
            names = self._graph.unique_names()
            pairs = fusions(self._graph, self._order)
            fused = apart((names[first], names[second]) for first, second in pairs)
            options = replace(options, what_if=WhatIf(fused))
        return PlanWithMeasures(_planned(self._graph, self._order, options, "order" in measures))

    def _tile(self, measures: frozenset[str]) -> PlanWithMeasures:
        if self._no_tiles is not None:
            raise self._no_tiles
        try:
            self._tiled = self._tiled or self._make_tiles()
        except AidgeError as error:
            self._no_tiles = error
            raise
        graph, alone = self._tiled
        options = _with(replace(self._options, in_place=True, parts=True), measures)
        order = graph.topological_order()
        may_reorder = "order" in measures and len(order) <= _MOST_REORDERED
        if not (may_reorder or "by rows" in measures) or len(order) > _MOST_TICKS:
            return alone
        return replace(alone, plan=_planned(graph, order, options, may_reorder))

    def _make_tiles(self) -> tuple[GraphView, PlanWithMeasures]:
        found, asked = self._search_tiles()
        graph = self._graph.clone()
        found.apply(graph)
        options = replace(self._options, in_place=True, parts=True)
        plan = plan_memory(graph, graph.topological_order(), options)
        return graph, PlanWithMeasures(plan, found.best.chains, found.extra_macs, asked)

    def _search_tiles(self) -> tuple[TilingSearch, str]:
        """Search for tiles that fit, or else for the least peak at a moderate price."""
        aim, slices = self._budget, self._max_slices
        with suppress(AidgeError):
            found = tile_for(self._graph, aim, max_slices=slices)
            if self._is_needed or found.extra_macs <= _DEAR:
                return found, f"search = aidge_nb.tile_for(graph, {aim}, max_slices={slices})"
        found = tile_for(self._graph, max_slices=slices)
        lines = f"search = aidge_nb.tile_for(graph, max_slices={slices})"
        if self._is_needed:
            return found, lines
        best = next(each for each in found if found.extra_of(each) <= _DEAR)
        if not best.chains:
            raise AidgeError.at("tiling", "nothing in this graph is worth a tile")
        lines += f"\nbest = next(each for each in search if search.extra_of(each) <= {_DEAR})"
        return replace(found, best=best), f"{lines}\nsearch = replace(search, best=best)"


def cost(names: Sequence[str]) -> int:
    """Rank how disruptive some measures are together."""
    return sum(_COST[name] for name in names)


def _with(options: PlanOptions, measures: frozenset[str]) -> PlanOptions:
    return replace(
        options,
        in_place=options.in_place or "in place" in measures,
        parts=options.parts or "parts" in measures,
        by_rows=options.by_rows or "by rows" in measures,
    )


def _planned(
    graph: GraphView, order: Sequence[Node], options: PlanOptions, may_reorder: bool
) -> MemoryPlan:
    if may_reorder:
        return plan_jointly(graph, order, options, tries=_ORDERS).plan
    return plan_memory(graph, order, options)


# --- changes as findings --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChangeSearch:
    """The changes that were found to help.

    Attributes
    ----------
    changes
        What to do first, then the alternatives; none is both more disruptive and worse than
        another one.
    complete
        Whether everything was tried; else the time was over.
    limit
        The time in seconds; None for no limit.
    """

    changes: tuple[ChangeFinding, ...]
    complete: bool = True
    limit: float | None = None


def find_changes(
    graph: GraphView,
    plan: MemoryPlan,
    schedule: Schedule | None = None,
    *,
    budget: int | None = None,
    limit: float | None = None,
) -> ChangeSearch:
    """Search for changes that lower the peak of a plan; each is planned for and checked.

    Parameters
    ----------
    graph
        The graph, with known dimensions; it is not changed.
    plan
        Its memory plan: every change starts from its order and its options.
    schedule
        The schedule, as for :func:`~aidge_nb.memory.plan_memory`; by default the order of the plan.
    budget
        Bytes that the arena should fit into: the least disruptive change that fits comes first.
        Without one, the change that saves most comes first, but for fusions.
    limit
        Seconds after which no other change is tried; None for no limit.

    Raises
    ------
    MemoryPlanError
        When the plan is not of this graph.

    Examples
    --------
    >>> import aidge_nb
    >>> layers = [aidge_nb.Conv2D(1, 4, [1, 1], "a"), aidge_nb.MaxPooling2D([2, 2], "b", [2, 2])]
    >>> view = aidge_nb.sequential(layers)
    >>> view.forward_dims([[1, 1, 8, 8]])
    True
    >>> found = find_changes(view, aidge_nb.plan_memory(view))
    >>> [(change.measures, change.peak) for change in found.changes]
    [(('tiling',), 512), (('by rows',), 1024)]
    """
    order = nodes_in_order(graph, plan.order if schedule is None else schedule)
    options = replace(plan.options or PlanOptions(), memories=None)
    trials = Trials(graph, order, options, budget, aim=plan.peak // 2)
    until = None if limit is None else monotonic() + limit
    found: list[tuple[tuple[str, ...], PlanWithMeasures]] = []
    complete = True
    for names in trials.sets():
        if until is not None and monotonic() > until:
            complete = False
            break
        try:
            trial = trials.plan(names)
        except AidgeError:
            continue  # what cannot be tiled is no advice
        least = min((each.plan.peak for _, each in found), default=plan.peak)
        if trial.plan.peak < least:
            check_plan(trial.plan)
            found.append((names, trial))
    changes = [_change(graph, plan, names, trial) for names, trial in found]
    return ChangeSearch(tuple(sorted(changes, key=lambda c: _rank(c, budget))), complete, limit)


def _rank(change: ChangeFinding, budget: int | None) -> tuple[bool, int, int]:
    if budget is not None and change.peak <= budget:
        return (False, cost(change.measures), change.peak)
    return (budget is not None or "fuse" in change.measures, change.peak, cost(change.measures))


def _change(
    graph: GraphView, plan: MemoryPlan, names: tuple[str, ...], trial: PlanWithMeasures
) -> ChangeFinding:
    where = dict.fromkeys(_where(graph, plan, names, trial))
    python = _python(plan, names, trial)
    extra = trial.extra_macs
    return ChangeFinding(names, plan.peak, trial.plan, extra, tuple(where), trial.chains, python)


def _where(
    graph: GraphView, plan: MemoryPlan, names: tuple[str, ...], trial: PlanWithMeasures
) -> Iterator[str]:
    """Name the nodes that a change concerns."""
    if trial.chains:
        yield from (name for chain in trial.chains for name in chain.nodes)
        return
    if "order" in names and len(plan.order) == len(trial.plan.order):
        yield from (
            new for old, new in zip(plan.order, trial.plan.order, strict=True) if old != new
        )
    before = {buffer.name: buffer for buffer in plan.buffers}
    for buffer in trial.plan.buffers:
        old = before.get(buffer.name)
        if buffer.shares_with and (old is None or not old.shares_with):
            yield buffer.node
    if "fuse" in names:
        order = nodes_in_order(graph, plan.order)
        called = graph.unique_names()
        yield from (called[node] for pair in fusions(graph, order) for node in pair)


def _python(plan: MemoryPlan, names: tuple[str, ...], trial: PlanWithMeasures) -> str:
    """Return the lines that make the plan; none for fusions, which no option asks for."""
    if "fuse" in names:
        return ""
    options = _with(plan.options or PlanOptions(), frozenset(names))
    options = replace(options, parts=options.parts or bool(trial.chains), memories=None)
    given = repr(options).removeprefix("PlanOptions(").removesuffix(")")
    if trial.chains:
        lines = ["from dataclasses import replace", ""] if "replace(" in trial.asked else []
        lines.append(trial.asked)
        lines += ["search.apply(graph)", "order = graph.topological_order()"]
    else:
        lines = ["order = schedule"]
    call = "plan_jointly(graph, order" if "order" in names else "plan_memory(graph, order"
    tail = ").plan" if "order" in names else ")"
    return "\n".join([*lines, f"plan = aidge_nb.{call}{f', {given}' if given else ''}{tail}"])
