"""Aidge's layout in several memories, and of pictures whose channels come last."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.graph import GraphView, Node
from aidge_nb.memory import (
    MemoryManager,
    OptimizeStrategy,
    check_plan,
    generate_memory,
    generate_memory_auto_concat,
    generate_memory_multiple_mems,
    generate_memory_multiple_mems_autoconcat,
    memory_info_text,
    plan_of_manager,
)
from tests.memory.aidge.test_generate import described
from tests.memory.aidge.test_report import once
from tests.memory.graphs import chain, graph, op, opaque, producer
from tests.memory.test_random_graphs import graphs
from tests.oracle import build_graph, load, names


def where(manager: MemoryManager) -> dict[str, list[tuple[int, int]]]:
    return {
        node.name(): [(plane.mem_component_id, plane.get_contiguous_offset()) for plane in planes]
        for node, planes in manager.get_planes().items()
    }


def test_the_first_memory_with_room_is_taken() -> None:
    view = chain(opaque("a", 4), opaque("b", 16), opaque("c", 4))
    order = list(view.get_nodes())
    manager = generate_memory_multiple_mems(view, order, capacities=[32, 100])
    assert where(manager) == {"a": [(0, 0)], "b": [(1, 0)], "c": [(0, 0)]}
    assert manager.get_peak_usages() == [16, 64]
    assert manager.get_peak_usage() == 80


def test_priorities_decide_which_is_first() -> None:
    view = chain(opaque("a", 4), opaque("b", 4))
    order = list(view.get_nodes())
    manager = generate_memory_multiple_mems(view, order, False, 1, [64, 16], [1, 0])
    assert where(manager) == {"a": [(1, 0)], "b": [(0, 0)]}


@given(graphs())
@settings(max_examples=80)
def test_one_large_memory_is_the_plain_layout(view: GraphView) -> None:
    order = list(view.get_nodes())
    plain = generate_memory(view, order)
    one = generate_memory_multiple_mems(view, order, capacities=[10**9])
    assert described(one) == described(plain)
    assert generate_memory_multiple_mems(view, order).get_peak_usage() == plain.get_peak_usage()


@given(graphs(), st.integers(8, 64), st.sampled_from(OptimizeStrategy))
@settings(max_examples=80)
def test_layouts_in_two_memories_hold(
    view: GraphView, small: int, strategy: OptimizeStrategy
) -> None:
    order = list(view.get_nodes())
    manager = generate_memory_multiple_mems(view, order, capacities=[small, 10**6])
    manager.optimize(strategy)
    plan = plan_of_manager(manager, view, order)
    check_plan(plan)
    assert [use.peak for use in plan.memories] == manager.get_peak_usages()
    assert manager.get_peak_usages()[0] <= small


def test_parameters_are_there_for_good() -> None:
    view = graph([producer("w"), opaque("a"), opaque("b", nb_inputs=2)], [(0, 2, 0), (1, 2, 1)])
    order = list(view.get_nodes())
    manager = generate_memory_multiple_mems(view, order, True, capacities=[1000])
    (plane,) = manager.get_planes(view.get_node("w"))
    assert (plane.allocated, plane.mem_space.released) == (0, -1)
    assert manager.get_peak_usage() == 48


def concat_graph() -> tuple[GraphView, list[Node]]:
    concat = op("c", 2, 8, type_name="Concat", attrs={"axis": 0})
    view = graph([opaque("a"), opaque("b"), concat], [(0, 2, 0), (1, 2, 1)])
    return view, list(view.get_nodes())


def test_inputs_of_concat_share_its_space() -> None:
    view, order = concat_graph()
    manager = generate_memory_multiple_mems_autoconcat(view, order, capacities=[64])
    assert where(manager) == {"a": [(0, 0)], "b": [(0, 16)], "c": [(0, 0)]}
    assert described(manager) == described(generate_memory_auto_concat(view, order))


@pytest.mark.parametrize(
    ("capacities", "priorities", "message"),
    [
        ([8], [], r"memory space of tick 0, read by b \(Op\): no memory has room .*found 16 bytes"),
        ([0], [], "memory 0: has no capacity"),
        ([8, 8], [1], "priorities: not one for each memory .*expected 2, found 1"),
    ],
)
def test_memories_that_do_not_suffice_are_refused(
    capacities: list[int], priorities: list[int], message: str
) -> None:
    view = chain(opaque("a"), opaque("b"))
    with pytest.raises(MemoryPlanError, match=message):
        generate_memory_multiple_mems(
            view, list(view.get_nodes()), False, 1, capacities, priorities
        )


def picture(name: str, form: str, *dims: int) -> Node:
    node = op(name)
    node.get_operator().get_output(0).resize(dims)
    node.annotations["data_format"] = [form]
    return node


@pytest.mark.parametrize(
    ("form", "dims", "alignment", "expected"),
    [
        ("nhwc", (1, 5, 6, 3), 1, (12, 6, 5)),
        ("nhwc", (2, 5, 6, 3), 1, (12, 6, 10)),
        ("nhwc", (1, 5, 6, 3), 8, (16, 6, 5)),
        ("nwc", (1, 6, 3), 1, (12, 6, 1)),
        ("nchw", (1, 3, 5, 6), 1, (360, 1, 1)),
        ("nhwc", (6, 3), 1, (72, 1, 1)),
    ],
)
def test_planes_have_rows_where_channels_come_last(
    form: str, dims: tuple[int, ...], alignment: int, expected: tuple[int, int, int]
) -> None:
    node = picture("a", form, *dims)
    view = graph([node], [])
    manager = generate_memory(view, [node], memory_alignment=alignment)
    (plane,) = manager.get_planes(node)
    assert (plane.size, plane.length, plane.count) == expected
    assert manager.get_peak_usage() == expected[0] * expected[1] * expected[2]


def _recorded() -> list[str]:
    """Name the graphs that Aidge laid out with one component; Stack is one slice too many there."""
    found = [name for name in names("memory") if "stack" not in name]
    return [n for n in found if "one_component" in load(n)["runs"]["data"]["memory"]]


@pytest.mark.parametrize("name", _recorded())
def test_with_one_component_peaks_and_text_are_the_recorded_ones(name: str) -> None:
    recorded = load(name)
    memory = recorded["runs"]["data"]["memory"]
    view, nodes = build_graph(recorded)
    order = [nodes[each] for each in memory["order"]]
    manager = generate_memory_multiple_mems(view, order, capacities=[2**40], safe=False)
    assert manager.get_peak_usages() == [memory["one_component"]["peak"]]
    text = memory.get("memory_info_txt", {}).get("components")
    if text is not None:
        assert memory_info_text(manager, order, multiple_mems=True) == once(text)


@pytest.mark.parametrize("name", names("memory")[:20])
def test_recorded_graphs_fit_into_their_peak(name: str) -> None:
    recorded = load(name)
    view, nodes = build_graph(recorded)
    order = [nodes[each] for each in recorded["runs"]["data"]["memory"]["order"]]
    peak = generate_memory(view, order).get_peak_usage()
    manager = generate_memory_multiple_mems(view, order, capacities=[peak])
    assert manager.get_peak_usages() == [peak]
