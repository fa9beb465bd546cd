"""Aidge's memory layout: the recorded one, but where that one gives live values away."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.graph import GraphView, Node
from aidge_nb.memory import (
    MemoryManager,
    OptimizeStrategy,
    check_plan,
    generate_memory,
    generate_memory_auto_concat,
    plan_of_manager,
)
from tests.memory.graphs import chain, graph, op, opaque, unary
from tests.oracle import build_graph, load, names

GRAPHS = names("memory")

ONE_SLICE_TOO_MANY = {"pop_fc_stack", "pop_relu_stack_1", "pop_relu_stack_3"}
"""Aidge sizes the output of Stack for one slice more than it has; see the test of that name."""

MEMORIZE = {"counter_1", "counter_3", "counter_producer_init_1", "counter_producer_init_3"}
"""With wrap-around, Aidge lets the reader of one output of Memorize overwrite the other."""

OVERWRITTEN = {*MEMORIZE, "pop_accumulate", "random_dag_09", "random_dag_10"}
"""Graphs in whose recorded layout a live value is overwritten; our checker says which."""


class Recorded:
    """A recorded graph, rebuilt, and its layouts."""

    def __init__(self, name: str) -> None:
        recorded = load(name)
        self.view, self.nodes = build_graph(recorded)
        self.memory = recorded["runs"]["data"]["memory"]
        self.configs: dict[str, dict[str, Any]] = self.memory["configs"]

    def order(self, listed: list[str] | None = None) -> list[Node]:
        return [self.nodes[name] for name in listed or self.memory["order"]]

    def generate(self, config: dict[str, Any], *, safe: bool) -> MemoryManager:
        return generate_memory(
            self.view,
            self.order(),
            config["inc_producers"],
            config["wrap_around_buffer"],
            safe=safe,
        )


@cache
def recorded_graph(name: str) -> Recorded:
    return Recorded(name)


def described(manager: MemoryManager) -> list[tuple[Any, ...]]:
    return sorted(
        (
            node.name(),
            number,
            plane.allocated,
            plane.get_size(),
            plane.get_contiguous_offset(),
            plane.get_contiguous_size(),
            plane.get_wrapped_size(),
            plane.mem_space.offset,
            plane.mem_space.size,
            plane.mem_space.allocated,
            plane.mem_space.released,
        )
        for node, planes in manager.get_planes().items()
        for number, plane in enumerate(planes)
    )


def expected_planes(config: dict[str, Any]) -> list[tuple[Any, ...]]:
    return sorted(
        (
            each["node"],
            each["plane"],
            each["allocated"],
            each["stride"] * each["length"] * each["count"],
            each["offset"],
            each["contiguous_size"],
            each["wrapped_size"],
            each["space"]["offset"],
            each["space"]["size"],
            each["space"]["allocated"],
            each["space"]["released"],
        )
        for each in config["planes"]
    )


@pytest.mark.parametrize("name", sorted(set(GRAPHS) - ONE_SLICE_TOO_MANY))
def test_planes_and_peaks_are_the_recorded_ones(name: str) -> None:
    recorded = recorded_graph(name)
    for config in recorded.configs.values():
        if config["wrap_around_buffer"] and name in MEMORIZE:
            continue
        manager = recorded.generate(config, safe=False)
        assert manager.get_peak_usage() == config["peak"]
        if "planes" in config:
            assert described(manager) == expected_planes(config)


@pytest.mark.parametrize("name", sorted(set(GRAPHS) - ONE_SLICE_TOO_MANY))
def test_optimized_peaks_are_the_recorded_ones(name: str) -> None:
    recorded = recorded_graph(name)
    for config in recorded.configs.values():
        if config["wrap_around_buffer"] and name in MEMORIZE:
            continue
        for strategy, expected in config.get("optimize", {}).items():
            manager = recorded.generate(config, safe=False)
            manager.optimize(OptimizeStrategy[strategy])
            assert manager.get_peak_usage() == expected["peak"], strategy


@pytest.mark.parametrize("name", sorted(set(GRAPHS) - ONE_SLICE_TOO_MANY))
def test_peaks_by_policy_are_the_recorded_ones(name: str) -> None:
    recorded = recorded_graph(name)
    for policy, each in recorded.memory.get("peak_by_policy", {}).items():
        if each["order"]:
            order = recorded.order(each["order"])
            manager = generate_memory(recorded.view, order, safe=False)
            assert manager.get_peak_usage() == each["peak"], policy


@pytest.mark.parametrize("name", sorted(ONE_SLICE_TOO_MANY))
def test_the_output_of_stack_takes_one_slice_less_than_recorded(name: str) -> None:
    recorded = recorded_graph(name)
    stack = recorded.nodes["st"].get_operator()
    for config in recorded.configs.values():
        manager = recorded.generate(config, safe=False)
        assert manager.get_size(recorded.nodes["st"], 0) == stack.get_output(0).nbytes
        slice_bytes = stack.get_output(0).nbytes // stack.get_output(0).dims[0]
        assert manager.get_peak_usage() == config["peak"] - slice_bytes


@pytest.mark.parametrize("name", GRAPHS)
def test_layouts_keep_every_rule(name: str) -> None:
    recorded = recorded_graph(name)
    for config in recorded.configs.values():
        inc_producers = config["inc_producers"]
        manager = recorded.generate(config, safe=True)
        check_plan(
            plan_of_manager(manager, recorded.view, recorded.order(), inc_producers=inc_producers)
        )


@pytest.mark.parametrize("name", sorted(OVERWRITTEN))
def test_where_we_differ_the_recorded_layout_overwrites_what_is_still_needed(name: str) -> None:
    recorded = recorded_graph(name)
    manager = recorded.generate(recorded.configs["activations"], safe=False)
    plan = plan_of_manager(manager, recorded.view, recorded.order())
    with pytest.raises(MemoryPlanError, match="overlap at tick"):
        check_plan(plan)


def test_most_safe_peaks_are_the_recorded_ones_too() -> None:
    different = set()
    for name in set(GRAPHS) - ONE_SLICE_TOO_MANY - MEMORIZE:
        recorded = recorded_graph(name)
        for config in recorded.configs.values():
            if recorded.generate(config, safe=True).get_peak_usage() != config["peak"]:
                different.add(name)
    assert different == {"pop_accumulate", "random_dag_09", "random_dag_10"}


def test_concatenation_by_placement_needs_no_more_than_recorded() -> None:
    # dense_2: Aidge's figure without any concatenation by placement, in another planner.
    worse = set()
    for name in GRAPHS:
        recorded = recorded_graph(name)
        if "auto_concat" not in recorded.memory:
            continue
        manager = generate_memory_auto_concat(recorded.view, recorded.order())
        check_plan(plan_of_manager(manager, recorded.view, recorded.order()))
        if manager.get_peak_usage() > recorded.memory["auto_concat"]["peak"]:
            worse.add(name)
    assert worse <= {"dense_2"}


def concat_of_two(size: int = 4, outer: int = 1) -> GraphView:
    join = op("join", 2, 2 * size, type_name="Concat", attrs={"axis": 1})
    join.get_operator().get_output(0).resize([outer, 2 * size // outer])
    return graph(
        [opaque("in"), opaque("a", size), opaque("b", size), join, opaque("out")],
        [(0, 1), (0, 2), (1, 3, 0), (2, 3, 1), (3, 4)],
    )


def test_inputs_of_concat_lie_in_its_result() -> None:
    view = concat_of_two()
    manager = generate_memory_auto_concat(view, list(view.get_nodes()))
    at = {node.name(): manager.get_offset(node) for node in view.get_nodes()}
    assert at["b"] == at["a"] + 16
    assert at["join"] == at["a"]


@pytest.mark.parametrize(("outer", "alignment"), [(2, 1), (1, 32)])
def test_inputs_of_concat_are_copied_where_they_cannot_lie_in_its_result(
    outer: int, alignment: int
) -> None:
    view = concat_of_two(outer=outer)
    nodes = list(view.get_nodes())
    manager = generate_memory_auto_concat(view, nodes, memory_alignment=alignment)
    plain = generate_memory(view, nodes, memory_alignment=alignment)
    assert described(manager) == described(plain)


def test_an_output_of_the_graph_keeps_its_bytes() -> None:
    view = graph([opaque("in"), unary("out"), opaque("a"), opaque("b")], [(0, 1), (2, 3)])
    order = list(view.get_nodes())
    assert generate_memory(view, order).get_peak_usage() == 48
    assert generate_memory(view, order, safe=False).get_peak_usage() == 32


def test_an_output_of_the_graph_is_not_overwritten() -> None:
    view = chain(opaque("a"), unary("b"))
    a, b = view.get_nodes()
    view.set_ordered_outputs([(a, 0), (b, 0)])
    assert generate_memory(view, [a, b]).get_peak_usage() == 32
    assert generate_memory(view, [a, b], safe=False).get_peak_usage() == 16


def test_sizes_are_rounded_up_to_the_alignment() -> None:
    view = chain(opaque("a", 3), opaque("b", 5))
    manager = generate_memory(view, list(view.get_nodes()), memory_alignment=16)
    assert [manager.get_size(node) for node in view.get_nodes()] == [16, 32]
    assert manager.get_offset(view.get_node("b")) == 16


def test_unknown_dims_are_named() -> None:
    view = chain(opaque("a"), opaque("b"))
    view.get_node("b").get_operator().get_output(0).clear()
    with pytest.raises(MemoryPlanError, match=r"b \(Op\), output#0: .*forward_dims"):
        generate_memory(view, list(view.get_nodes()))


def test_a_node_of_another_graph_is_named() -> None:
    view = chain(opaque("a"), opaque("b"))
    with pytest.raises(MemoryPlanError, match=r"c \(Op\): execution 0 .* not in the graph"):
        generate_memory(view, [opaque("c")])


def test_an_order_that_runs_too_early_is_refused() -> None:
    view = chain(opaque("a"), opaque("b"))
    nodes = list(view.get_nodes())
    with pytest.raises(MemoryPlanError, match=r"b \(Op\), input#0: execution 0 .*a \(Op\) before"):
        generate_memory(view, nodes[::-1])


def test_a_wrong_alignment_is_refused() -> None:
    view = chain(opaque("a"), opaque("b"))
    with pytest.raises(MemoryPlanError, match=r"alignment: .*found 0"):
        generate_memory(view, list(view.get_nodes()), memory_alignment=0)
