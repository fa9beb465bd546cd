"""Search for changes that lower the peak: order, in place, rows, parts, tiles and fusions together.

Sets of measures are tried, the least disruptive first. Each is planned for as a whole: where the
order may change, order and layout are chosen together for the options of the set; tiles are planned
in the tiled graph.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from aidge_nb.advice.changes import apart, fusions
from aidge_nb.core.errors import AidgeError
from aidge_nb.core.values import dataclass
from aidge_nb.graph.cloning import clone_view
from aidge_nb.memory.check.plan import check_plan
from aidge_nb.memory.live.sharing import has_parts
from aidge_nb.memory.plan import plan_memory
from aidge_nb.memory.values.options import PlanOptions, WhatIf
from aidge_nb.tiling import ChainChoice, TilingSearch, tile_at_peak, tile_for

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

_COST = {"layout": 1, "in place": 2, "order": 2, "parts": 2, "by rows": 3, "tiling": 10, "fuse": 40}
_ORDERS = 8  # orders that are tried where a layout does not reach its bound
_SLICES = 6  # most slices of a chain, where no budget asks for more
_DEAR = 0.1  # more MACs than this share are too dear, where no budget asks for them
_MOST_TICKS = 1500  # ticks of a tiled graph up to which rows are tried with tiles
_MOST_REORDERED = 300  # and up to which another order is
MOST_AT_ONCE = 800  # and up to which stripes of the chain around the peak cost little


@dataclass(frozen=True, slots=True)
class PlanWithMeasures:
    """A plan with some measures taken; the chains of its tiles, and the MACs that they add.

    ``asked`` holds the lines of Python that find the tiles.
    """

    plan: MemoryPlan
    chains: tuple[ChainChoice, ...] = ()
    extra_macs: float = 0.0
    asked: str = ""


class KnownPlans:
    """Plans that searches in one graph made: a search that is told of them makes none of them anew.

    They are of the graph as it was: begin with none when it changes.

    Examples
    --------
    >>> import aidge_nb
    >>> from aidge_nb.course import graphs
    >>> known = KnownPlans()
    >>> view = graphs.bars_net()
    >>> plan = aidge_nb.plan_memory(view, view.topological_order())
    >>> first = aidge_nb.advice.find_changes(view, plan, known=known)
    >>> first == aidge_nb.advice.find_changes(view, plan, known=known)
    True
    """

    def __init__(self) -> None:
        self.plans: dict[tuple[object, ...], MemoryPlan] = {}
        self.tiled: dict[tuple[object, ...], tuple[GraphView, PlanWithMeasures]] = {}
        self._checked: dict[int, MemoryPlan] = {}

    def check(self, plan: MemoryPlan) -> None:
        """Check a plan, unless it was checked before.

        Raises
        ------
        MemoryPlanError
            When the plan breaks a rule, and says which.
        """
        if self._checked.get(id(plan)) is not plan:
            check_plan(plan)
            self._checked[id(plan)] = plan


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
    known
        Plans of earlier trials in the same graph; new ones are added to them.
    """

    def __init__(
        self,
        graph: GraphView,
        order: Sequence[Node],
        options: PlanOptions,
        budget: int | None,
        aim: int = 0,
        known: KnownPlans | None = None,
    ) -> None:
        self._known = KnownPlans() if known is None else known
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

    def quick_sets(self) -> list[tuple[str, ...]]:
        """Return the single measures that cost little to try; :meth:`stripes` does, too."""
        quick = ["in place", "parts", "by rows"]
        quick += ["order"] if len(self._order) <= _MOST_REORDERED else []
        return [(name,) for name in quick if not self.is_idle(name)]

    def stripes(self) -> PlanWithMeasures:
        """Return the plan with the one chain around the peak computed stripe by stripe.

        Raises
        ------
        AidgeError
            When that does not help, or would take long.
        """
        aim = self._budget
        found = tile_at_peak(self._graph, aim, max_slices=_SLICES)
        if not found.best.chains:
            raise AidgeError.at("tiling", "stripes of one chain do not help")
        [chain] = found.best.chains
        if len(self._order) + len(chain.nodes) * max(chain.grid) > MOST_AT_ONCE:
            raise AidgeError.at("tiling", "stripes of one chain would take long")
        asked = f"search = aidge_nb.tiling.tile_at_peak(graph, {aim}, max_slices={_SLICES})"
        options = replace(self._options, effort=0.0)
        return self._tiled_by(found, asked, options)[1]

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
        options = with_measures(self._options, measures)
        names = self._graph.unique_names()
        if "fuse" in measures:
            pairs = fusions(self._graph, self._order)
            fused = apart((names[first], names[second]) for first, second in pairs)
            options = replace(options, what_if=WhatIf(fused))
        may_reorder = "order" in measures
        order = tuple(names.get(node, node.label) for node in self._order)
        key = (order, options, may_reorder)
        plans = self._known.plans
        if key not in plans:
            plans[key] = _planned(self._graph, self._order, options, may_reorder)
        return PlanWithMeasures(plans[key])

    def _tile(self, measures: frozenset[str]) -> PlanWithMeasures:
        if self._no_tiles is not None:
            raise self._no_tiles
        try:
            self._tiled = self._tiled or self._tiled_by(*self._search_tiles(), self._options)
        except AidgeError as error:
            self._no_tiles = error
            raise
        graph, alone = self._tiled
        options = with_measures(replace(self._options, in_place=True, parts=True), measures)
        order = graph.topological_order()
        may_reorder = "order" in measures and len(order) <= _MOST_REORDERED
        if not (may_reorder or "by rows" in measures) or len(order) > _MOST_TICKS:
            return alone
        return replace(alone, plan=_planned(graph, order, options, may_reorder))

    def _tiled_by(
        self, found: TilingSearch, asked: str, options: PlanOptions
    ) -> tuple[GraphView, PlanWithMeasures]:
        chains = found.best.chains
        options = replace(options, in_place=True, parts=True)
        key = (chains, options)
        known = self._known.tiled
        if key not in known:
            graph, _ = clone_view(self._graph, share_values=True)  # it is planned, and never run
            found.apply(graph)
            plan = plan_memory(graph, graph.topological_order(), options)
            known[key] = graph, PlanWithMeasures(plan, chains, found.extra_macs)
        graph, made = known[key]
        return graph, replace(made, asked=asked)

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


def with_measures(options: PlanOptions, measures: frozenset[str]) -> PlanOptions:
    """Return options with some measures taken."""
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
        from aidge_nb.memory.joint import plan_jointly  # slow to import

        return plan_jointly(graph, order, options, tries=_ORDERS).plan
    return plan_memory(graph, order, options)
