"""Order and layout together, and the table of policies."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aidge_nb
from aidge_nb.advice.orders import compare_orders
from aidge_nb.graph import GraphView
from aidge_nb.memory import (
    MemoryPlan,
    PlanOptions,
    check_plan,
    check_replay,
    joint,
    live_values,
    lower_bound,
    plan_memory,
)
from aidge_nb.memory.joint import plan_jointly
from aidge_nb.memory.live.facts import check_order, nodes_in_order
from aidge_nb.scheduling import SchedulingPolicy
from aidge_nb.scheduling.order.order_result import order_for_memory
from aidge_nb.scheduling.order.problem import bits
from tests.memory.graphs import chain, graph, op, producer
from tests.memory.test_random_graphs import graphs
from tests.oracle import build_graph, load
from tests.scheduling.order.problems import random_cell


def wired(count: int, seed: int, largest: int = 8) -> GraphView:
    """Make a randomly wired cell a graph."""
    problem = random_cell(count, seed, largest)
    nodes = [
        op(f"n{task}", max(1, before.bit_count()), problem.blocks[task].size)
        for task, before in enumerate(problem.before)
    ]
    edges = [
        (parent, task, index)
        for task, before in enumerate(problem.before)
        for index, parent in enumerate(bits(before))
    ]
    return graph(nodes, edges)


@given(graphs(), st.sampled_from([{}, {"inc_inputs": True}, {"alignment": 16}]))
@settings(max_examples=100, deadline=None)
def test_never_worse_than_the_order_it_starts_from(
    view: GraphView, options: dict[str, Any]
) -> None:
    order = list(view.get_nodes())
    given_plan = plan_memory(view, order, **options)
    found = plan_jointly(view, order, **options)
    nodes = found.nodes(view)
    check_order(view, nodes)
    check_plan(found.plan)
    check_replay(found.plan, view, nodes)
    assert found.default_peak == given_plan.peak
    assert found.lower_bound is not None
    assert found.lower_bound <= found.peak <= given_plan.peak


@pytest.mark.parametrize("seed", range(6))
def test_wired_cells(seed: int) -> None:
    view = wired(24, seed)
    found = plan_jointly(view)
    assert found.peak < found.default_peak
    assert found.found.proven
    check_plan(found.plan)
    check_replay(found.plan, view, found.nodes(view))


def test_other_orders_are_tried_until_one_packs_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if placement left a hole for each order but one."""
    view = wired(28, 30, 64)
    seen: list[tuple[str, ...]] = []

    def with_holes(view: GraphView, order: Any, options: PlanOptions) -> MemoryPlan:
        plan = plan_memory(view, order, options)
        seen.append(plan.order)
        return plan if len(seen) == 5 else replace(plan, peak=plan.peak + 64)

    monkeypatch.setattr(joint, "plan_memory", with_holes)
    found = plan_jointly(view)
    assert found.tried == len(seen) == len(set(seen)) == 5
    assert found.is_optimal
    assert found.plan.order == seen[4]
    seen.clear()
    alone = plan_jointly(view, tries=0)
    assert alone.tried == 2
    assert alone.peak == found.peak + 64


def test_what_shares_memory_otherwise_has_no_bound() -> None:
    found = plan_jointly(wired(12, 1), parts=True)
    assert found.lower_bound is None
    assert not found.is_optimal
    assert "no bound" in repr(found)


def test_producers_take_part() -> None:
    nodes = [op("a", 1, 4), producer("w", 8), op("b", 2, 4)]
    view = graph(nodes, [(0, 2, 0), (1, 2, 1)])
    found = plan_jointly(view, inc_producers=True)
    assert found.peak == found.lower_bound == 64
    assert set(found.order) == {"a", "w", "b"}


def test_a_joint_plan_is_a_value() -> None:
    view = wired(8, 3)
    first, second = plan_jointly(view), plan_jointly(view)
    assert first == second
    assert first.to_dict()["plan"]["peak"] == first.peak
    assert repr(first).startswith(f"JointPlan(peak {first.peak} bytes, ")
    assert set(first._repr_mimebundle_()) >= {"text/plain", "image/svg+xml"}


class TestComparison:
    """The table of policies."""

    def test_rows(self) -> None:
        view = wired(16, 2)
        table = compare_orders(view)
        assert [row.policy for row in table.rows[:-1]] == [p.name for p in SchedulingPolicy]
        order = nodes_in_order(view)
        ranges = [storage.live_range for storage in live_values(view, order).storages]
        default = table.row("Default")
        assert default.live_bytes == lower_bound(ranges).size
        assert default.planned_bytes == plan_memory(view, order).peak
        least = table.row(SchedulingPolicy.MinimumMemory)
        assert least.live_bytes == table.lower_bound == order_for_memory(view).lower_bound
        for row in table.rows:
            assert row.live_bytes is not None
            assert row.planned_bytes is not None
            assert table.lower_bound <= row.live_bytes <= row.planned_bytes
            assert row.gap == row.planned_bytes - table.lower_bound
            assert row.proven == (row.gap == 0)
        assert table.rows[-1].planned_bytes == table.best.peak

    def test_forms(self) -> None:
        table = compare_orders(wired(10, 4), ["Default", "MinimumMemory"])
        rows = list(csv.DictReader(io.StringIO(table.to_csv())))
        assert [row["policy"] for row in rows] == ["Default", "MinimumMemory", "joint with layout"]
        assert [int(row["live_bytes"]) for row in rows] == [r.live_bytes for r in table.rows]
        assert table.to_dict()["rows"][0]["policy"] == "Default"
        lines = repr(table).splitlines()
        assert len(lines) == 5
        assert len({line.index("  ") for line in lines[3:4]}) == 1
        html = table._repr_mimebundle_()["text/html"]
        assert html.count("<tr>") == 4

    def test_orders_that_cannot_run_are_told(self) -> None:
        """Branches at several rates: aidge_core runs consumers before their data are there."""
        view, _ = build_graph(load("pipeline_with_branch"))
        table = compare_orders(view)
        broken = [row for row in table.rows if row.live_bytes is None]
        assert all("cannot run" in line for line in _lines(repr(table), broken))
        assert table.row("Default").live_bytes is not None
        assert table.row("MinimumMemory").live_bytes is not None

    def test_unknown_policy(self) -> None:
        view = chain(op("a"), op("b"))
        with pytest.raises(aidge_nb.SchedulingError, match=r"no such policy .*MinimumMemory"):
            compare_orders(view, ["Best"])
        with pytest.raises(aidge_nb.SchedulingError, match=r"not compared .*AsLateAsPossible"):
            compare_orders(view, ["Default"]).row("AsLateAsPossible")

    def test_unknown_dimensions(self) -> None:
        view = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.FC(4, 2, name="b")])
        with pytest.raises(aidge_nb.MemoryPlanError, match=r"a \(ReLU\).*unknown"):
            compare_orders(view)


def _lines(text: str, rows: list[Any]) -> list[str]:
    return [line for line in text.splitlines() if line.split()[0] in {row.policy for row in rows}]
