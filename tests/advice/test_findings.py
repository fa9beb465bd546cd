"""Findings: their values against independent computations, and their way through JSON."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aidge_nb
from aidge_nb import hardware
from aidge_nb.advice import (
    BoundFinding,
    ChangeFinding,
    Finding,
    FitFinding,
    LayoutFinding,
    MemoryFullFinding,
    PeakFinding,
    WaitFinding,
    held_bytes,
    mapping_findings,
    plan_findings,
)
from aidge_nb.core.errors import AidgeError
from aidge_nb.hardware import Mapping, MappingStep
from aidge_nb.memory import Buffer, MemoryPlan
from aidge_nb.tiling import ChainChoice


def planned(name: str, size: int, **options: Any) -> MemoryPlan:
    graph = aidge_nb.zoo.load(name, size=size)
    graph.forward_dims([[1, 3, size, size]], allow_data_dependency=True)
    return aidge_nb.plan_memory(graph, aidge_nb.static_schedule(graph), **options)


def bytes_by_counting(plan: MemoryPlan, tick: int) -> dict[str, int]:
    """Count byte by byte who wrote each byte last."""
    owner: dict[int, str] = {}
    for buffer in sorted(plan.buffers, key=lambda each: each.lower):
        if buffer.lower <= tick < buffer.upper:
            for start, stop in buffer.intervals:
                owner.update(dict.fromkeys(range(start, stop), buffer.name))
    return {name: list(owner.values()).count(name) for name in set(owner.values())}


@pytest.mark.parametrize("options", [{}, {"by_rows": True}, {"parts": True}, {"in_place": False}])
def test_what_is_alive_adds_up_at_every_tick(options: dict[str, Any]) -> None:
    plan = planned("inception_like", 32, **options)
    live = plan.live_bytes()
    for tick in range(len(plan.order)):
        held = held_bytes(plan, tick)
        assert sum(each.size for each in held) == live[tick]
        assert [each.size for each in held] == sorted((e.size for e in held), reverse=True)


boxes = st.tuples(st.integers(0, 5), st.integers(1, 4), st.integers(0, 20), st.integers(1, 12))


@given(st.lists(boxes, min_size=1, max_size=8))
def test_each_byte_counts_for_the_buffer_that_was_written_last(
    given_boxes: list[tuple[int, int, int, int]],
) -> None:
    buffers = tuple(
        Buffer(f"b{number}", f"n{number}", 0, size, lower, lower + ticks, offset)
        for number, (lower, ticks, offset, size) in enumerate(given_boxes)
    )
    plan = MemoryPlan(tuple("abcdefghi"), buffers, 32, 1)
    for tick in range(9):
        held = {each.buffer: each.size for each in held_bytes(plan, tick)}
        assert held == bytes_by_counting(plan, tick)


def test_the_peak_of_mobilenet_begins_from_the_plan_on_screen() -> None:
    plan = planned("mobilenet_v2", 224)
    peak, layout = plan_findings(plan)
    assert isinstance(peak, PeakFinding)
    assert isinstance(layout, LayoutFinding)
    assert (peak.peak, peak.tick, len(peak.alive), peak.holes) == (plan.peak, 14, 2, 0)
    assert peak.node == plan.order[14]
    assert sum(each.size for each in peak.alive) == plan.peak
    assert (layout.gain, layout.holes) == (0, 0)


def test_a_gap_is_what_another_layout_could_save() -> None:
    buffers = (Buffer("a", "a", 0, 40, 0, 1, 0), Buffer("b", "b", 0, 40, 0, 1, 60))
    plan = MemoryPlan(("a",), buffers, 100, 80)
    peak, layout = plan_findings(plan)
    assert isinstance(peak, PeakFinding)
    assert isinstance(layout, LayoutFinding)
    assert (peak.holes, layout.holes, layout.gain, layout.searched) == (20, 20, 20, True)
    quick = replace(plan, options=aidge_nb.memory.PlanOptions(effort=0.0))
    assert plan_findings(quick)[1] == replace(layout, searched=False)


def test_a_plan_that_holds_nothing_says_nothing() -> None:
    assert plan_findings(MemoryPlan((), (), 0, 0)) == ()
    assert plan_findings(MemoryPlan((), (), 0, 0), ("ram", 8)) == (FitFinding("ram", 8, 0),)


def test_a_mapping_says_what_bounds_it_and_where_that_waits() -> None:
    steps = tuple(
        MappingStep("operation", "compute 0", f"w{n}", 0, ("pe",), start, stop, (), (), 1)
        for n, (start, stop) in enumerate([(10, 30), (30, 50), (60, 90)])
    )
    load = MappingStep("transfer", "load 0", "w0", 0, ("bus",), 0, 10, (), (), 1)
    store = MappingStep("transfer", "store 0", "w2", 0, ("bus",), 90, 95, (), (), 1)
    mapping = Mapping("m", ("pe",), 1.0, (), (load, *steps, store), ())
    bound, wait = mapping_findings(mapping)
    assert bound == BoundFinding("pe", 70, 95, 3, 10)
    assert wait == WaitFinding("pe", 95, 10, 5, ((50, 60),))
    assert isinstance(wait, WaitFinding)
    assert wait.waiting == 95 - 70
    assert wait.longest == (50, 60)  # between works, where the start takes as long


def test_a_real_mapping_agrees_with_its_own_figures() -> None:
    graph = aidge_nb.zoo.load("inception_like", size=32)
    graph.forward_dims([[1, 3, 32, 32]])
    mapping = hardware.map_schedule(graph, hardware.target("duo_soc"))
    found = {type(each): each for each in mapping_findings(mapping)}
    bound, wait = found[BoundFinding], found[WaitFinding]
    assert isinstance(bound, BoundFinding)
    assert isinstance(wait, WaitFinding)
    assert bound.busy == mapping.busy()[mapping.bottleneck]
    assert bound.busy + wait.waiting == mapping.cycles
    assert f"bound by {bound.device}" in mapping.report()
    for full in (each for each in found.values() if isinstance(each, MemoryFullFinding)):
        assert full.used >= 0.9 * full.capacity
        (use,) = (use for use in mapping.memories if use.path == full.memory)
        assert use.peak == max(
            placed.offset + placed.size
            for placed in mapping.placements
            if placed.memory == full.memory and placed.start <= full.cycle < placed.end
        )


def test_findings_go_through_json() -> None:
    plan = planned("mobilenet_v2", 32)
    chains = (ChainChoice(("a", "b"), (3, 1), "cache"),)
    change = ChangeFinding(("tiling",), 100, plan, 0.1, ("a", "b"), chains, "x = 1")
    full = MemoryFullFinding("l1", 9, 10, (("l2", 1, 10),))
    wait = WaitFinding("pe", 95, 10, 5, ((50, 60),))
    for finding in (
        *plan_findings(plan, ("ram", 64)),
        change,
        full,
        wait,
        BoundFinding("p", 1, 2, 3),
    ):
        assert Finding.from_dict(json.loads(json.dumps(finding.to_dict()))) == finding


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"kind": "odd"}, "finding: unknown kind (expected peak, layout, "),
        ({"kind": "fit", "ram": 1}, "finding: unknown field (expected memory, "),
    ],
)
def test_what_cannot_be_read_is_refused(values: dict[str, object], message: str) -> None:
    with pytest.raises(AidgeError, match=re.escape(message)):
        Finding.from_dict(values)
