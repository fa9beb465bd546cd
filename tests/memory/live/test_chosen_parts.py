"""Which parts stay in place: what is chosen family by family is what whole walks would choose."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pytest
from hypothesis import given, settings

import aidge_nb
from aidge_nb.graph import GraphView, Node
from aidge_nb.memory import PlanOptions
from aidge_nb.memory.live.chosen_parts import choose_parts, lasting_slices
from aidge_nb.memory.live.liveness import Lives
from aidge_nb.memory.live.sharing import has_parts
from aidge_nb.memory.values.live_range import bound_of
from aidge_nb.memory.values.storages import footprints_of
from aidge_nb.tiling import plan_tiling
from aidge_nb.tiling.build import apply_tiling
from tests.runtime.models import order_of, random_graphs, zoo_view
from tests.zoo.small import SMALL


def bound(lives: Lives, nodes: Collection[Node]) -> int:
    return bound_of(footprints_of(lives.find(nodes).storages), {}).size


def greedily(lives: Lives, candidates: list[Node]) -> list[Node]:
    """Look at the whole graph again and again."""
    least, lasting = bound(lives, ()), lasting_slices(lives, candidates)
    others = [node for node in candidates if node not in lasting]
    at_once = min((candidates, others), key=lambda each: bound(lives, each))
    if bound(lives, at_once) <= least:
        return at_once
    chosen: list[Node] = []
    for node in candidates:
        now = bound(lives, [*chosen, node])
        if now <= least:
            chosen.append(node)
            least = now
    return chosen


def same(view: GraphView, order: list[Node], **options: Any) -> list[Node]:
    lives, candidates = Lives(view, order, PlanOptions(**options)), has_parts(order)
    chosen, shared = choose_parts(lives, candidates)
    assert chosen == greedily(lives, candidates)
    if shared is not None:
        again = lives.find(chosen)
        assert [each.live_range for each in shared.storages] == [
            each.live_range for each in again.storages
        ]
    return chosen


@given(random_graphs(axes=(0, 1, 2)))
@settings(max_examples=40, deadline=None)
def test_families_decide_as_the_whole_would(view: GraphView) -> None:
    same(view, view.topological_order())
    same(view, view.topological_order(), inc_inputs=True, inc_producers=True)


@pytest.mark.parametrize("name", SMALL)
def test_families_decide_as_the_whole_would_on_the_zoo(name: str) -> None:
    view = zoo_view(name)
    same(view, order_of(view))


def test_kept_halos_are_decided_one_by_one() -> None:
    view = zoo_view("mobilenet_v2")
    chain = [node for node in order_of(view) if node.type() != "Producer"][:20]
    apply_tiling(view, plan_tiling(view, chain, {2: 4}, halo="cache"))
    order = view.topological_order()
    chosen = same(view, order)
    assert 0 < len(chosen) < len(has_parts(order))


@pytest.mark.parametrize(("before", "stays"), [(4, False), (256, True)])
def test_slices_that_outlast_their_whole_are_copied_where_they_bind(
    before: int, stays: bool
) -> None:
    """A row that is kept does not keep all rows alive; where that costs nothing it may."""
    first, row = aidge_nb.Conv2D(before, 32, [1, 1], "first"), aidge_nb.Slice([0], [1], [2], [1])
    end = aidge_nb.Add("end")
    view = aidge_nb.sequential(
        [
            aidge_nb.Conv2D(3, before, [1, 1], "before"),
            first,
            aidge_nb.Conv2D(32, 4, [1, 1], "narrow"),
            aidge_nb.Conv2D(4, 32, [1, 1], "behind"),
            end,
        ]
    )
    first.add_child(row, 0, 0)
    row.add_child(end, 0, 1)
    view.add(row)
    assert view.forward_dims([[1, 3, 16, 16]])
    names = ("before", "first", "", "narrow", "behind", "end")
    order = [row if not name else view.get_node(name) for name in names]
    lives = Lives(view, order, PlanOptions())
    assert lasting_slices(lives, [row]) == {row: (3, 5)}
    chosen, _ = choose_parts(lives, [row])
    assert chosen == ([row] if stays else [])


def test_values_of_other_families_are_not_walked() -> None:
    view = zoo_view("squeezenet")
    order = order_of(view)
    lives, candidates = Lives(view, order, PlanOptions()), set(has_parts(order))
    families = lives.families(candidates)
    assert {node for family in families for node in family} == set(lives.executed)
    assert sum(map(len, families)) == len(lives.executed)
    whole = lives.find(candidates)
    apart = [lives.find(candidates & family, only=family) for family in families]
    sizes = sorted(storage.live_range for storage in whole.storages)
    assert sizes == sorted(s.live_range for each in apart for s in each.storages)
