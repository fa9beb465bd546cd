"""Models run in the arena of their plan: same bits, and every mistake of a plan is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aidge_nb
from aidge_nb import ops
from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import GraphView
from aidge_nb.memory import (
    Buffer,
    MemoryPlan,
    check_plan,
    check_replay,
    generate_memory,
    plan_jointly,
    plan_memory,
    plan_of_manager,
)
from aidge_nb.runtime import check_execution, run_in_arena
from tests.runtime.models import order_of, random_graphs, random_inputs, zoo_view
from tests.zoo.small import SMALL

ALL_OF_IT = {"inc_inputs": True, "inc_producers": True}


@pytest.mark.parametrize("name", SMALL)
def test_models_of_the_zoo_give_the_same_bits(name: str) -> None:
    view = zoo_view(name)
    order, inputs = order_of(view), random_inputs(view)
    scheduler = aidge_nb.SequentialScheduler(view)
    expected = [np.array(output) for output in scheduler.forward(data=inputs)]
    tried: tuple[dict[str, Any], ...] = ({}, {"in_place": False}, ALL_OF_IT)
    for options in tried:
        plan = plan_memory(view, order, **options)
        run = check_execution(view, plan, inputs)
        assert run.touched == run.arena_bytes == plan.peak
        for found, right in zip(run.outputs, expected, strict=True):
            assert found.tobytes() == right.tobytes()


@pytest.mark.parametrize("wrap", [False, True])
@pytest.mark.parametrize("name", ["lenet", "mobilenet_v2", "squeezenet"])
def test_layouts_of_the_manager_give_the_same_bits(name: str, wrap: bool) -> None:
    # Each kernel reads all of its inputs before the result is copied, perhaps over them: this
    # shows that lifetimes are right, not that a kernel could stream like that.
    view = zoo_view(name)
    order = order_of(view)
    manager = generate_memory(view, order, False, wrap)
    plan = plan_of_manager(manager, view, order)
    check_execution(view, plan, random_inputs(view))


@given(random_graphs(), st.booleans(), st.booleans(), st.booleans(), st.sampled_from([1, 16]))
@settings(max_examples=80, deadline=None)
def test_random_graphs_give_the_same_bits(
    view: GraphView, in_place: bool, inc: bool, parts: bool, alignment: int
) -> None:
    plan = plan_memory(
        view,
        view.topological_order(),
        in_place=in_place,
        inc_inputs=inc,
        inc_producers=inc,
        alignment=alignment,
        parts=parts,
    )
    check_plan(plan)
    check_replay(plan, view, view.topological_order())
    run = check_execution(view, plan, random_inputs(view))
    expected = aidge_nb.SequentialScheduler(view).forward(data=random_inputs(view))
    for found, right in zip(run.outputs, expected, strict=True):
        assert found.tobytes() == right.array.tobytes()


@given(random_graphs(axes=(0, 1, 2, 3)), st.booleans())
@settings(max_examples=80, deadline=None)
def test_rows_and_blocks_give_the_same_bits(view: GraphView, parts: bool) -> None:
    order = view.topological_order()
    plan = plan_memory(view, order, parts=parts, by_rows=True)
    check_plan(plan)
    check_replay(plan, view, order)
    run = check_execution(view, plan, random_inputs(view))
    expected = aidge_nb.SequentialScheduler(view).forward(data=random_inputs(view))
    for found, right in zip(run.outputs, expected, strict=True):
        assert found.tobytes() == right.array.tobytes()


@pytest.mark.parametrize("name", SMALL)
def test_models_of_the_zoo_run_row_by_row_with_the_bits_of_whole_tensors(name: str) -> None:
    view = zoo_view(name)
    order, inputs = order_of(view), random_inputs(view)
    expected = aidge_nb.SequentialScheduler(view).forward(data=inputs)
    plan = plan_memory(view, order, parts=True, by_rows=True)
    check_plan(plan)
    check_replay(plan, view, order)
    assert plan.peak <= plan_memory(view, order).peak
    run = check_execution(view, plan, inputs)
    for found, right in zip(run.outputs, expected, strict=True):
        assert found.tobytes() == right.array.tobytes()


def test_a_row_that_is_overwritten_too_early_is_found() -> None:
    view = aidge_nb.sequential(
        [ops.Tanh(name="t"), ops.PaddedConv2D(4, 4, [3, 3], "c", padding_dims=[1, 1, 1, 1])]
    )
    view.forward_dims([[1, 4, 8, 8]])
    view.set_backend("cpu")
    for node in view.get_nodes():
        if node.type() == "Producer":
            tensor = node.get_operator().get_output(0)
            tensor.set_array(np.ones(tensor.dims, np.float32))
    data = [np.random.default_rng(0).standard_normal((1, 4, 8, 8)).astype(np.float32)]
    plan = plan_memory(view, view.topological_order(), by_rows=True)
    check_execution(view, plan, data)
    assert next(b.in_place_of for b in plan.buffers if b.name == "c") == ("t",)
    row = 4 * 8 * 4
    wrong = changed(changed(plan, "t", offset=0), "c", offset=0)
    assert plan.peak == 8 * row + row
    match = r"tick 1, c \(PaddedConv2D\), output#0: buffer c got other values.*written over t"
    with pytest.raises(MemoryPlanError, match=match):
        check_execution(view, wrong, data)


def test_lines_in_the_wrong_place_are_found() -> None:
    view = aidge_nb.sequential([ops.Tanh(name="t"), ops.Softmax(-1, name="s")])
    view.forward_dims([[3, 4]])
    view.set_backend("cpu")
    data = [np.random.default_rng(0).standard_normal((3, 4)).astype(np.float32)]
    plan = plan_memory(view, view.topological_order(), by_rows=True)
    assert next(b.in_place_of for b in plan.buffers if b.name == "s") == ("t",)
    run = check_execution(view, plan, data)
    assert run.firings[1].scratch == 4 * 4  # a line, kept aside
    wrong = replace(changed(plan, "s", offset=8), peak=56)
    with pytest.raises(MemoryPlanError, match=r"s \(Softmax\), output#0: buffer s got other"):
        check_execution(view, wrong, data)


def expanded_lstm() -> GraphView:
    pop, lstm = ops.Pop(name="pop"), ops.LSTM(4, 8, 5, name="lstm")
    pop.add_child(lstm, 0, 0)
    view = GraphView("lstm")
    view.add([pop, lstm], True)
    aidge_nb.expand_metaops(view)
    generator = np.random.default_rng(0)
    for node in view.get_nodes():
        if node.type() == "Producer":
            tensor = node.get_operator().get_output(0)
            tensor.set_array(generator.standard_normal(tensor.dims).astype(np.float32))
    assert view.forward_dims([[5, 2, 4], [2, 8], [2, 8]])
    view.set_backend("cpu")
    return view


@pytest.mark.parametrize("options", [{}, {"by_rows": True, "parts": True}, ALL_OF_IT])
def test_a_recurrent_layer_runs_in_the_arena(options: dict[str, Any]) -> None:
    view = expanded_lstm()
    order, inputs = order_of(view), random_inputs(view)
    expected = aidge_nb.SequentialScheduler(view).forward(data=inputs)
    run = check_execution(view, plan_memory(view, order, **options), inputs)
    for found, right in zip(run.outputs, expected, strict=True):
        assert found.tobytes() == right.array.tobytes()


@pytest.mark.parametrize("wrap", [False, True])
def test_a_recurrent_layer_runs_in_the_layout_of_the_manager(wrap: bool) -> None:
    view = expanded_lstm()
    order = order_of(view)
    plan = plan_of_manager(generate_memory(view, order, False, wrap), view, order)
    check_execution(view, plan, random_inputs(view))


@pytest.mark.parametrize("taken", [0, 1])
def test_only_the_taken_branch_runs(taken: int) -> None:
    condition, select = ops.Identity(name="condition"), ops.Select(2, name="select")
    first, second = ops.Tanh(name="first"), ops.ReLU(name="second")
    condition.add_child(select, 0, 0)
    first.add_child(select, 0, 1)
    second.add_child(select, 0, 2)
    view = GraphView("select")
    view.add([condition, first, second, select])
    view.set_ordered_inputs([(condition, 0), (first, 0), (second, 0)])
    condition.get_operator().set_input(0, Tensor(np.array([0], np.int64)))
    assert view.forward_dims([[1], [4], [4]])
    view.set_backend("cpu")
    scheduler = aidge_nb.SequentialScheduler(view)
    scheduler.tag_conditional_nodes()
    order = order_of(view)
    data = [np.array([taken]), np.array([-1, 2, -3, 4], np.float32), np.full(4, -2, np.float32)]
    run = check_execution(view, plan_memory(view, order), data)
    skipped = [f.node for f in run.firings if not f.writes]
    assert skipped == [["second"], ["first"]][taken]
    assert np.array_equal(run.outputs[0], [np.tanh(data[1]), np.zeros(4)][taken])


def small() -> tuple[GraphView, MemoryPlan, list[np.ndarray]]:
    """Make ``a = tanh(x); b = softmax(a); c = a + b; d = relu(c)``, and its plan."""
    a, b = ops.Tanh(name="a"), ops.Softmax(1, name="b")
    c, d = ops.Add(name="c"), ops.ReLU(name="d")
    a.add_child(b)
    a.add_child(c, 0, 0)
    b.add_child(c, 0, 1)
    c.add_child(d)
    view = GraphView("small")
    view.add([a, b, c, d])
    view.forward_dims([[1, 4]])
    view.set_backend("cpu")
    inputs = [np.array([[1, -2, 3, -4]], np.float32)]
    return view, plan_memory(view, [a, b, c, d], in_place=False), inputs


def changed(plan: MemoryPlan, name: str, **changes: object) -> MemoryPlan:
    buffers = tuple(
        replace(each, **changes) if each.name == name else each  # type: ignore[arg-type]
        for each in plan.buffers
    )
    return replace(plan, buffers=buffers)


def test_a_firing_says_what_it_did() -> None:
    view, plan, inputs = small()
    run = run_in_arena(view, plan, inputs)
    assert repr(run) == "ArenaRun(4 firings, touched 48 of 48 bytes, scratch 16 bytes)"
    assert [firing.reads for firing in run.firings] == [(), ("a",), ("a", "b"), ("c",)]
    assert [firing.writes for firing in run.firings] == [("a",), ("b",), ("c",), ("d",)]
    # Tanh, Add and ReLU write where they are told; Softmax computes elsewhere.
    assert [firing.scratch for firing in run.firings] == [0, 16, 0, 0]
    assert [firing.poisoned for firing in run.firings] == [48, 32, 16, 32]
    unpoisoned = run_in_arena(view, plan, inputs, poison=False)
    assert {firing.poisoned for firing in unpoisoned.firings} == {0}


def test_the_graph_is_left_as_it_was() -> None:
    view, plan, inputs = small()
    ports = [node.get_operator().get_output(0) for node in view.get_nodes()]
    run_in_arena(view, plan, inputs)
    assert not any(tensor.has_data for tensor in ports)
    aidge_nb.SequentialScheduler(view).forward(data=inputs)
    before = [tensor.array for tensor in ports]
    run_in_arena(view, plan, [inputs[0] + 1])
    assert all(tensor.array is array for tensor, array in zip(ports, before, strict=True))


def test_an_overwritten_value_is_named_with_what_lies_on_it() -> None:
    view, plan, inputs = small()
    wrong = changed(plan, "b", offset=next(b.offset for b in plan.buffers if b.name == "a") + 8)
    with pytest.raises(MemoryPlanError, match=r"tick 2, c \(Add\), input#0: buffer a was over.*b "):
        check_execution(view, wrong, inputs)
    run_in_arena(view, wrong, inputs)  # the plain run does not compare


def test_a_live_range_that_ends_too_early_meets_poison() -> None:
    view, plan, inputs = small()
    wrong = changed(plan, "a", upper=2)
    match = r"tick 2, c \(Add\), input#0: buffer a was overwritten.*poison: its live range \[0, 2\)"
    with pytest.raises(MemoryPlanError, match=match):
        check_execution(view, wrong, inputs)


def test_a_kernel_that_reads_after_it_wrote_is_found() -> None:
    """A convolution in place, line by line: what the declaration does not permit is not right."""
    conv = ops.Conv2D(1, 1, [1, 3], name="conv", no_bias=True)
    start = ops.Pad([0, 1, 0, 1], name="start")
    start.add_child(conv, 0, 0)
    view = GraphView("conv")
    view.add([start, conv])
    view.forward_dims([[1, 1, 600, 600]])
    view.set_backend("cpu")
    weights = conv.input(1)
    assert weights is not None
    weights.node.get_operator().get_output(0).set_array(np.ones((1, 1, 1, 3), np.float32))
    assert "conv" not in {b.name for b in plan_memory(view, [start, conv]).buffers if b.in_place_of}
    padded, out = 600 * 602 * 4, 600 * 600 * 4
    behind = 64 * 602 * 4
    plan = MemoryPlan(
        ("start", "conv"),
        (
            Buffer("start", "start", 0, padded, 0, 2, 0),
            Buffer("conv", "conv", 0, out, 1, 2, behind, in_place_of=("start",)),
        ),
        max(padded, behind + out),
        0,
    )
    data = np.random.default_rng(0).standard_normal((1, 1, 600, 600)).astype(np.float32)
    match = r"tick 1, conv \(Conv2D\), output#0: buffer conv got other values.*over start.*in_place"
    with pytest.raises(MemoryPlanError, match=match):
        check_execution(view, plan, [data])


def test_bytes_beyond_the_arena_are_refused() -> None:
    view, plan, inputs = small()
    with pytest.raises(MemoryPlanError, match=r"buffer d: does not lie in the arena.*0 to 48"):
        run_in_arena(view, changed(plan, "d", offset=40), inputs)


def another_plan() -> MemoryPlan:
    view = aidge_nb.sequential([ops.ReLU(name="other")])
    view.forward_dims([[1, 4]])
    return plan_memory(view, view.topological_order())


@pytest.mark.parametrize("run", [run_in_arena, check_execution])
def test_what_does_not_belong_together_is_refused(run: Callable[..., object]) -> None:
    view, plan, inputs = small()
    with pytest.raises(MemoryPlanError, match=r"node other: is not in the graph.*4 nodes"):
        run(view, another_plan(), inputs)
    with pytest.raises(MemoryPlanError, match=r"input#0: the plan is for other dimensions.*\[1, 5"):
        run(view, plan, [np.zeros((1, 5), np.float32)])
    with pytest.raises(MemoryPlanError, match="inputs: too many of them"):
        run(view, plan, inputs * 2)
    with pytest.raises(MemoryPlanError, match=r"buffer b: does not have the bytes of the tensor"):
        run(view, changed(plan, "b", size=12), inputs)


def test_an_input_in_the_arena_needs_data() -> None:
    view, _, inputs = small()
    plan = plan_memory(view, list(view.get_nodes()), inc_inputs=True)
    with pytest.raises(MemoryPlanError, match=r"buffer input#0: this input has no data.*inputs="):
        run_in_arena(view, plan)
    assert check_execution(view, plan, inputs).firings[0].reads == ("input#0",)


@pytest.mark.parametrize("run", [run_in_arena, check_execution])
def test_inputs_that_are_missing_are_not_taken_from_the_last_pass(
    run: Callable[..., aidge_nb.runtime.ArenaRun],
) -> None:
    view, plan, inputs = small()
    (wanted,) = aidge_nb.SequentialScheduler(view).forward(data=inputs)
    with pytest.raises(
        MemoryPlanError, match=r"too few.*a \(Tanh\), input#0 gets no data .*found 0"
    ):
        run(view, plan, [])
    np.testing.assert_array_equal(run(view, plan).outputs[0], wanted.array)  # asked for
    with pytest.raises(MemoryPlanError, match=r"inputs: are a list.*found ndarray.*Write \[x\]"):
        run(view, plan, inputs[0])


@pytest.mark.parametrize("run", [run_in_arena, check_execution])
def test_what_has_a_plan_is_no_plan(run: Callable[..., object]) -> None:
    view, plan, inputs = small()
    with pytest.raises(
        MemoryPlanError, match=r"plan: is not a memory plan.*found JointPlan.*\.plan"
    ):
        run(view, plan_jointly(view), inputs)
    with pytest.raises(MemoryPlanError, match=r"plan: is not a memory plan.*found int"):
        run(view, plan.peak, inputs)


def test_loops_and_pieces_run_in_the_arena() -> None:
    view = aidge_nb.sequential(
        [ops.Pop(name="pop"), ops.Tanh(name="t"), ops.Stack(3, name="stack"), ops.ReLU(name="r")]
    )
    view.forward_dims([[3, 4]])
    view.set_backend("cpu")
    order = order_of(view)
    assert [node.name() for node in order].count("t") == 3
    inputs = [np.random.default_rng(1).standard_normal((3, 4)).astype(np.float32)]
    run = check_execution(view, plan_memory(view, order), inputs)
    assert np.array_equal(run.outputs[0], np.maximum(np.tanh(inputs[0]), 0))
