"""Compare stripes, or tiles of a grid, with the whole, and with other numbers of them.

Each way is applied to a copy of the graph. Its memory is planned in topological order, where
stripes follow each other, and both are checked. Work is counted, not timed: answers are the same
on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from operator import le
from typing import TYPE_CHECKING, NamedTuple

from aidge_nb.core.errors import AidgeError, GraphError
from aidge_nb.memory import MemoryPlan, plan_memory
from aidge_nb.memory.check.plan import check_plan
from aidge_nb.tiling.build import Applied, apply_tilings
from aidge_nb.tiling.check import check_tiling
from aidge_nb.tiling.plan import HALOS, plan_tiling

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node
    from aidge_nb.graph.view import GraphView
    from aidge_nb.tiling.tiles import Tiling

COUNTS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
"""Numbers of stripes that are compared, as far as the result has rows."""

EFFORT = 0.01
"""Effort of each memory plan, as for :func:`~aidge_nb.memory.plan_memory`."""

MOST_TICKS = 1_500
"""Ticks of all plans together, after which no other way is tried."""

_USUAL = 16  # most stripes that are compared where no more are asked for
_USUAL_GRID = 8  # and most tiles along the longer side of a grid


class TileNode(NamedTuple):
    """A node of the tiled graph: the tiled node that it belongs to, and its stripe.

    ``stripe`` is -1 for what joins all stripes. ``moves`` is its type, Slice or Concat, where it
    only moves data; else it is empty.
    """

    of: str
    stripe: int
    moves: str = ""


@dataclass(frozen=True, slots=True)
class StripeWay:
    """One number of stripes, or tiles of a grid, and treatment of halos.

    Attributes
    ----------
    count, halo
        The number of stripes or tiles; ``recompute`` or ``cache``.
    tiling
        The tiling.
    plan
        The memory plan of the graph tiled like this.
    nodes
        What the nodes of the plan are that belong to the tiling, by name.
    """

    count: int
    halo: str
    tiling: Tiling
    plan: MemoryPlan
    nodes: dict[str, TileNode]

    @property
    def ticks(self) -> tuple[int, int]:
        """The first tick of the stripes, and the tick after their last."""
        own = [tick for tick, name in enumerate(self.plan.order) if name in self.nodes]
        return (own[0], own[-1] + 1) if own else (0, 0)


@dataclass(frozen=True, slots=True)
class StripeStudy:
    """A tiling into stripes, or into the tiles of a grid, beside others.

    Attributes
    ----------
    axes
        The axes of the result that are cut: one for stripes, two for a grid.
    asked
        The tiling that was asked for.
    whole
        The graph without tiles, as one stripe.
    ways
        What was planned and checked, by count, then as in :data:`~aidge_nb.tiling.HALOS`; without
        the whole.
    missing
        Count, halo and reason of what was not.
    """

    axes: tuple[int, ...]
    asked: StripeWay
    whole: StripeWay
    ways: tuple[StripeWay, ...]
    missing: tuple[tuple[int, str, str], ...]

    def way(self, count: int, halo: str) -> StripeWay | None:
        """Return the way with a count and a treatment of halos, or None."""
        if count == 1:
            return self.whole
        return next((each for each in self.ways if (each.count, each.halo) == (count, halo)), None)


def cut_axes(tiling: Tiling) -> tuple[int, ...]:
    """Return the axis along which a tiling has stripes, or the two of a grid; () for more axes.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.Conv2D(3, 32, [3, 3], name="conv0")])
    >>> view.forward_dims([[4, 3, 66, 66]])
    True
    >>> node = view.get_node("conv0")
    >>> grids = ({2: 4}, {2: 2, 3: 2}, {0: 2, 2: 2, 3: 2})
    >>> [cut_axes(aidge_nb.plan_tiling(view, node, grid)) for grid in grids]
    [(2,), (2, 3), ()]
    """
    cut = [axis for axis, count in zip(tiling.axes, tiling.grid, strict=True) if count > 1]
    return () if len(cut) > 2 else tuple(cut or tiling.axes[:1])


def compare_stripes(tiling: Tiling, *, most_ticks: int = MOST_TICKS) -> StripeStudy:
    """Plan the memory of a tiling, of the whole, and of other numbers of stripes or tiles.

    Other grids have about the proportions of the one that was asked for. Raise GraphError for a
    tiling along more than two axes or without a graph, and for a graph that changed since. Raise
    MemoryPlanError when the memory of the graph cannot be planned.

    Parameters
    ----------
    tiling
        A tiling along one or two axes that names its graph.
    most_ticks
        Ticks of all plans together. What was asked for, and the whole, are always planned.

    Examples
    --------
    >>> import aidge_nb
    >>> convs = [aidge_nb.PaddedConv2D(4, 4, [3, 3], n, None, [1] * 4) for n in ("a", "b", "c")]
    >>> view = aidge_nb.sequential(convs)
    >>> view.forward_dims([[1, 4, 32, 32]])
    True
    >>> study = compare_stripes(aidge_nb.plan_tiling(view, convs, {2: 4}))
    >>> study.whole.plan.peak, study.asked.plan.peak, study.way(4, "cache").plan.peak
    (32768, 25600, 26368)
    >>> grids = compare_stripes(aidge_nb.plan_tiling(view, convs, {2: 4, 3: 2}))
    >>> [way.tiling.grid for way in grids.ways]
    [(2, 1), (3, 2), (4, 2), (6, 3), (8, 4)]
    """
    axes, view = cut_axes(tiling), tiling.view
    if not axes or view is None:
        problem = "more than two axes are cut" if view is not None else "this tiling names no graph"
        cure = "Plan it with plan_tiling(), along one axis or two."
        raise GraphError.at("stripes", problem, cure=cure)
    nodes = _nodes_of(view, tiling)
    whole = _as_it_is(view, plan_tiling(view, nodes, {axes[0]: 1}))
    count = len(tiling.tiles)
    asked = whole if count == 1 else _planned(view, tiling)
    made = {(count, tiling.halo): asked}
    missing: list[tuple[int, str, str]] = []
    left = most_ticks - len(whole.plan.order) - len(asked.plan.order)
    for grid, halo in _others(whole, tiling, axes):
        number = prod(grid)
        left -= len(whole.plan.order) + number * 2 * len(nodes)
        if left < 0:
            missing.append((number, halo, "too many to plan ahead"))
            continue
        try:
            other = plan_tiling(view, nodes, dict(zip(axes, grid, strict=True)), halo=halo)
            made[number, halo] = _planned(view, other)
        except AidgeError as error:
            missing.append((number, halo, str(error)))
    order = sorted(made, key=lambda each: (each[0], HALOS.index(each[1])))
    ways = tuple(made[each] for each in order if each[0] > 1)
    return StripeStudy(axes, asked, whole, ways, tuple(sorted(missing)))


def compare_whole(tiling: Tiling) -> tuple[StripeWay, StripeWay]:
    """Plan the memory of the whole, and of a tiling along any axes.

    Parameters
    ----------
    tiling
        A tiling that names its graph.

    Raises
    ------
    GraphError
        For a tiling without a graph, and a graph that changed since.
    MemoryPlanError
        When the memory of the graph cannot be planned.

    Examples
    --------
    >>> import aidge_nb
    >>> convs = [aidge_nb.PaddedConv2D(4, 4, [3, 3], n, None, [1] * 4) for n in ("a", "b", "c")]
    >>> view = aidge_nb.sequential(convs)
    >>> view.forward_dims([[1, 4, 32, 32]])
    True
    >>> [way.plan.peak for way in compare_whole(aidge_nb.plan_tiling(view, convs, {2: 2, 3: 2}))]
    [32768, 26128]
    """
    view = tiling.view
    if view is None:
        problem, cure = "this tiling names no graph", "Plan it with plan_tiling()."
        raise GraphError.at("tiles", problem, cure=cure)
    nodes = _nodes_of(view, tiling)
    whole = plan_tiling(view, nodes, dict.fromkeys(tiling.axes[:1], 1))
    return _as_it_is(view, whole), _planned(view, tiling)


def _nodes_of(view: GraphView, tiling: Tiling) -> list[Node]:
    by_name = {name: node for node, name in view.unique_names().items()}
    if not set(tiling.nodes) <= set(by_name):
        problem = "the graph changed since this tiling was planned"
        raise GraphError.at("stripes", problem, cure="Plan the tiling before it is applied.")
    return [by_name[name] for name in tiling.nodes]


def _others(
    whole: StripeWay, tiling: Tiling, axes: tuple[int, ...]
) -> Iterator[tuple[tuple[int, ...], str]]:
    """Yield what else to plan, the most telling first: the other halo, then the other counts."""
    sizes = [whole.tiling.tiles[0].output[axis].size for axis in axes]
    asked = tuple(tiling.grid[tiling.axes.index(axis)] for axis in axes)
    longest = max(asked)
    usual = _USUAL if len(axes) == 1 else _USUAL_GRID
    most = max(usual, 2 * longest if len(axes) == 1 else longest)
    grids = {tuple(_share(count, each, longest) for each in asked) for count in COUNTS}
    # A halo is kept along one axis only.
    halos = [tiling.halo, *(other for other in HALOS if other != tiling.halo)][: 3 - len(axes)]
    fitting = (grid for grid in grids if all(map(le, grid, sizes)))
    possible = sorted((grid for grid in fitting if 1 < max(grid) <= most), key=prod)
    if longest > 1 and len(axes) == 1:
        yield asked, halos[1]
    yield from ((grid, each) for grid in possible if grid != asked for each in halos)


def _share(count: int, side: int, longest: int) -> int:
    """Return the tiles along one side of a grid, for so many along the longest."""
    return max(1, (2 * count * side + longest) // (2 * longest))


def _as_it_is(view: GraphView, tiling: Tiling) -> StripeWay:
    nodes = {name: TileNode(name, 0) for name in tiling.nodes}
    plan = plan_memory(view, view.topological_order(), parts=True, effort=EFFORT)
    check_plan(plan)
    return StripeWay(1, tiling.halo, tiling, plan, nodes)


def _planned(view: GraphView, tiling: Tiling) -> StripeWay:
    """Apply a tiling to a copy of its graph, and plan and check its memory."""
    copy = view.clone()
    [applied] = apply_tilings(copy, [tiling])
    check_tiling(view, tiling)
    plan = plan_memory(copy, copy.topological_order(), parts=True, effort=EFFORT)
    check_plan(plan)
    names = copy.unique_names()
    nodes = dict(_tile_nodes(applied, names, tiling.nodes))
    return StripeWay(len(tiling.tiles), tiling.halo, tiling, plan, nodes)


def _tile_nodes(
    applied: Applied, names: dict[Node, str], tiled: Sequence[str]
) -> Iterator[tuple[str, TileNode]]:
    stripes = {node: number for number, own in enumerate(applied.tiles) for node in own}
    for node, of in applied.of.items():
        if node in names and of in tiled:
            moves = node.type() if node.type() in ("Slice", "Concat") else ""
            yield names[node], TileNode(of, stripes.get(node, -1), moves)
