"""Plans of whole graphs: what holds for all options, and what is refused."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from aidge_nb import ops
from aidge_nb.advice import fit, memory_report
from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.graph import GraphView, Node
from aidge_nb.memory import Memory, check_plan, check_replay, generate_memory, plan_memory
from tests.memory.graphs import chain, opaque, unary
from tests.runtime.models import order_of, zoo_view
from tests.zoo.small import SMALL

OPTIONS: list[dict[str, Any]] = [
    {"in_place": in_place, "parts": parts, "by_rows": by_rows}
    for in_place, parts, by_rows in product([False, True], repeat=3)
]


@pytest.mark.parametrize("name", SMALL)
def test_all_options_hold_on_the_zoo_and_no_freedom_costs_memory(name: str) -> None:
    view = zoo_view(name)
    order = order_of(view)
    peaks: dict[tuple[bool, ...], int] = {}
    for options in OPTIONS:
        plan = plan_memory(view, order, **options)
        check_plan(plan)
        check_replay(plan, view, order)
        peaks[tuple(options.values())] = plan.peak
        aligned = plan_memory(view, order, alignment=64, **options)
        check_plan(aligned)
        assert all(buffer.offset % 64 == 0 for buffer in aligned.buffers if buffer.part.blocks == 1)
        assert plan.peak <= aligned.peak
    for (in_place, parts, by_rows), peak in peaks.items():
        assert peak <= peaks[in_place, parts, False]
        assert peak <= peaks[in_place, False, by_rows]


def test_an_empty_graph_needs_nothing() -> None:
    view = GraphView("empty")
    for options in OPTIONS:
        assert plan_memory(view, [], **options).peak == 0
    assert plan_memory(view, [], memories=[Memory("m", 1)]).memories[0].peak == 0
    assert fit(view, 1, []).fits
    assert memory_report(view, []).advice == ()


def unknown() -> tuple[GraphView, list[Node]]:
    node = ops.ReLU(name="a")
    view = GraphView()
    view.add([node])
    return view, [node]


@pytest.mark.parametrize("options", [{}, {"parts": True}, {"by_rows": True}])
def test_unknown_dims_name_the_node(options: dict[str, Any]) -> None:
    view, order = unknown()
    with pytest.raises(MemoryPlanError, match=r"a \(ReLU\), output#0: .*forward_dims"):
        plan_memory(view, order, **options)


@pytest.mark.parametrize("options", [{}, {"parts": True}, {"by_rows": True}])
@pytest.mark.parametrize("alignment", [0, -4])
def test_an_alignment_must_be_positive(alignment: int, options: dict[str, Any]) -> None:
    view = chain(opaque("a"), unary("b"))
    with pytest.raises(
        MemoryPlanError,
        match=rf"alignment: invalid .*1 byte or more, found {alignment}",
    ):
        plan_memory(view, list(view.get_nodes()), alignment=alignment, **options)


def test_a_schedule_of_another_graph_names_the_node() -> None:
    view, other = chain(opaque("a"), unary("b")), chain(opaque("c"))
    with pytest.raises(MemoryPlanError, match=r"c \(Op\): execution 1 .* not in the graph"):
        plan_memory(view, [view.get_node("a"), other.get_node("c")])


def test_an_order_that_cannot_run_names_the_port() -> None:
    view = chain(opaque("a"), unary("b"))
    with pytest.raises(MemoryPlanError, match=r"b \(Op\), input#0: execution 0 .*not computed yet"):
        plan_memory(view, list(view.get_nodes())[::-1])


def test_memories_are_refused_before_anything_is_placed() -> None:
    view = chain(opaque("a"), unary("b"))
    with pytest.raises(MemoryPlanError, match="buffer a: is larger than every memory by 6 bytes"):
        plan_memory(view, list(view.get_nodes()), memories=[Memory("small", 10)])


def test_an_order_must_compute_every_output() -> None:
    a, b, c = ops.Softmax(1, name="a"), ops.ReLU(name="b"), ops.Tanh(name="c")
    a.add_child(b)
    a.add_child(c)
    view = GraphView("fork")
    view.add([a, b, c])
    view.forward_dims([[1, 4]])
    for order, missing in (([], "b"), ([a], "b"), ([a, b], "c")):
        match = rf"^{missing} .*output#0: is an output of the graph.*never.*{len(order)} of 3 nodes"
        with pytest.raises(MemoryPlanError, match=match):
            plan_memory(view, order)
    assert plan_memory(view, [a, c, b]).peak == 3 * 16 - 16


def test_an_empty_list_of_memories_is_no_memory() -> None:
    view = GraphView("empty")
    with pytest.raises(MemoryPlanError, match=r"memories: invalid .*one memory or more"):
        plan_memory(view, [], memories=[])


@pytest.mark.parametrize("layout", [plan_memory, generate_memory, memory_report])
def test_what_is_no_graph_is_refused(layout: Any) -> None:
    with pytest.raises(MemoryPlanError, match=r"expected a GraphView, found str.*load_onnx"):
        layout("model.onnx", [])
