"""Plans for executions that run at once: nothing is overwritten that another one reads."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import aidge_nb
from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.graph import GraphView, Node
from aidge_nb.memory import Buffer, MemoryPlan, check_plan, plan_memory
from aidge_nb.memory.at_once import plan_at_once
from aidge_nb.memory.values.options import PlanOptions
from aidge_nb.scheduling import static_schedule
from tests.memory.graphs import binary, graph, opaque, unary
from tests.memory.test_random_graphs import graphs


def waves_of(view: GraphView, width: int) -> list[list[Node]]:
    """Put at most ``width`` nodes into a wave, each after those that it waits for."""
    order = [view.get_node(each) for each in plan_memory(view, static_schedule(view)).order]
    wave_of: dict[Node, int] = {}
    waves: list[list[Node]] = []
    for node in order:
        first = max((wave_of.get(parent, -1) for parent in node.get_parents() if parent), default=0)
        number = max(0, first + 1)
        while number < len(waves) and len(waves[number]) >= width:
            number += 1
        waves += [[] for _ in range(number + 1 - len(waves))]
        waves[number].append(node)
        wave_of[node] = number
    return waves


def clash(first: Buffer, second: Buffer) -> bool:
    return any(
        a < other_stop and b < stop
        for a, stop in first.intervals
        for b, other_stop in second.intervals
    )


def check_waves(view: GraphView, waves: list[list[Node]], plan: MemoryPlan) -> None:
    """Check that what is read and written in a wave is there for all of it, and never collides."""
    names = view.unique_names()
    made = {(each.node, each.output): each for each in plan.buffers}
    tick = 0
    for wave in waves:
        first, tick = tick, tick + len(wave)
        writes: dict[Node, list[Buffer]] = {}
        reads: dict[Node, list[Buffer]] = {}
        for node in wave:
            own = [made.get((names[node], index)) for index in range(node.get_nb_outputs())]
            writes[node] = [each for each in own if each is not None and not each.view_of]
            ports = [node.input(index) for index in range(node.get_nb_inputs())]
            given_ = [made.get((names[port.node], port.index)) for port in ports if port]
            reads[node] = [each for each in given_ if each is not None]
        for node in wave:
            for other in wave:
                if other is node:
                    continue
                for written in writes[node]:
                    for used in (*reads[other], *writes[other]):
                        assert not clash(written, used), (written, used, first)


@given(graphs(), st.integers(1, 4), st.booleans(), st.booleans())
@settings(max_examples=60)
def test_waves_of_any_graph_keep_apart(
    view: GraphView, width: int, in_place: bool, parts: bool
) -> None:
    order = plan_memory(view, static_schedule(view)).order
    assume(len(set(order)) == len(order))  # values are found by the name of their node below
    waves = waves_of(view, width)
    plan = plan_at_once(view, waves, in_place=in_place, parts=parts)
    check_plan(plan)
    check_waves(view, waves, plan)
    assert plan.lower_bound <= plan.peak


def test_one_at_a_time_needs_what_a_sequential_plan_needs() -> None:
    view = graph([unary("a"), unary("b"), binary("c")], [(0, 1, 0), (0, 2, 0), (1, 2, 1)])
    waves = waves_of(view, 1)
    order = [node for wave in waves for node in wave]
    assert plan_at_once(view, waves).peak == plan_memory(view, order).peak


def test_two_at_once_keep_what_both_need() -> None:
    nodes = [opaque("a", 8), opaque("b", 8), opaque("c", 4), opaque("d", 4), opaque("e", 4)]
    view = graph(nodes, [(0, 2, 0), (1, 3, 0), (2, 4, 0)])
    a, b, c, d, e = nodes
    assert plan_at_once(view, [[a], [c], [e], [b], [d]]).peak == 4 * (8 + 4 + 4)
    both = plan_at_once(view, [[a, b], [c, d], [e]])
    assert both.peak == 4 * (8 + 8 + 4 + 4)
    assert [(each.name, each.lower, each.upper) for each in both.buffers[:2]] == [
        ("a", 0, 4),
        ("b", 0, 4),
    ]


def test_nobody_writes_over_what_another_one_of_its_wave_reads() -> None:
    a, b, c = unary("a"), unary("b"), opaque("c")
    view = graph([a, b, c], [(0, 1, 0), (0, 2, 0)])
    assert plan_at_once(view, [[a], [c], [b]]).peak == 2 * 16, "b runs in place of a"
    assert plan_at_once(view, [[a], [c, b]]).peak == 3 * 16


def test_a_wave_that_waits_for_itself_is_refused() -> None:
    a, b = unary("a"), unary("b")
    view = graph([a, b], [(0, 1, 0)])
    with pytest.raises(MemoryPlanError, match=r"b .*reads what a .* writes in the same wave"):
        plan_at_once(view, [[a, b]])


@pytest.mark.parametrize("option", ["looped", "rings", "by_rows"])
def test_options_of_sequential_runs_are_refused(option: str) -> None:
    a = unary("a")
    with pytest.raises(MemoryPlanError, match=f"{option} needs one execution after the other"):
        plan_at_once(graph([a], []), [[a]], PlanOptions.of(**{option: True}))


def test_an_output_that_no_wave_computes_is_refused() -> None:
    a, b = unary("a"), unary("b")
    with pytest.raises(MemoryPlanError, match="the order never computes it"):
        plan_at_once(graph([a, b], [(0, 1, 0)]), [[a]])


def test_nothing_to_run_needs_nothing() -> None:
    assert plan_at_once(aidge_nb.GraphView(), []).peak == 0
