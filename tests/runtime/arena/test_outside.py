"""What Slice and Split cut out of inputs and parameters that a plan leaves out is read there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import aidge_nb
from aidge_nb import ops
from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.graph import GraphView, Node
from aidge_nb.memory import MemoryPlan, check_plan, check_replay, plan_memory
from aidge_nb.runtime import PreparedRun, check_execution, run_in_arena

DIMS = (3, 4, 5)


def half(name: str, stop: int = 2) -> Node:
    return ops.Slice([0], [stop], [1], [1], name=name)


def view_of(nodes: Sequence[Node], dims: Sequence[Sequence[int]] = (DIMS,)) -> GraphView:
    view = GraphView("outside")
    view.add(nodes, True)
    assert view.forward_dims(dims, True)
    view.set_backend("cpu")
    return view


def planned(view: GraphView, **options: Any) -> MemoryPlan:
    order = view.topological_order()
    plan = plan_memory(view, order, parts=True, **options)
    check_plan(plan)
    check_replay(plan, view, order)
    return plan


def data_of(seed: int, dims: Sequence[int] = DIMS) -> NDArray[np.float32]:
    """Make values that nobody may write over."""
    data = np.random.default_rng(seed).standard_normal(dims).astype(np.float32)
    data.flags.writeable = False
    return data


def right_in_every_run(view: GraphView, plan: MemoryPlan, given: int = 1) -> None:
    """Run with one input after the other, in the arena and prepared, and compare the bits."""
    runs = [PreparedRun(view), PreparedRun(view, plan)]
    for seed in range(3):
        inputs = [data_of(seed)] * given
        right = aidge_nb.SequentialScheduler(view).forward(data=list(inputs))
        kept = [each.tobytes() for each in inputs]
        found = [check_execution(view, plan, inputs).outputs, *(run.run(inputs) for run in runs)]
        for outputs in found:
            for output, expected in zip(outputs, right, strict=True):
                assert output.tobytes() == expected.array.tobytes()
        assert [each.tobytes() for each in inputs] == kept


def names_of(plan: MemoryPlan) -> set[str]:
    return {buffer.name for buffer in plan.buffers}


def test_a_part_of_a_part_is_read_where_it_is() -> None:
    outer, inner, last = half("outer", 3), half("inner"), ops.Softmax(1, name="last")
    outer.add_child(inner)
    inner.add_child(last)
    view = view_of([outer, inner, last])
    plan = planned(view)
    assert names_of(plan) == {"last"}
    assert plan.peak == 3 * 2 * 5 * 4
    assert check_execution(view, plan, [data_of(0)]).firings[0].scratch == 0
    right_in_every_run(view, plan)


def test_all_parts_of_a_split() -> None:
    split, add = ops.Split(2, 1, name="split"), ops.Add("add")
    split.add_child(add, 0, 0)
    split.add_child(add, 1, 1)
    view = view_of([split, add])
    plan = planned(view)
    assert names_of(plan) == {"add"}
    assert check_execution(view, plan, [data_of(0)]).scratch == 0
    right_in_every_run(view, plan)


def test_a_split_of_which_a_part_is_a_result_is_copied() -> None:
    split, last = ops.Split(2, 1, name="split"), ops.Tanh(name="last")
    split.add_child(last, 1, 0)
    view = view_of([split, last])
    view.set_ordered_outputs([(split, 0), (last, 0)])
    plan = planned(view)
    assert names_of(plan) == {"split", "split:1", "last"}
    right_in_every_run(view, plan)


def test_a_result_is_no_part_of_what_the_caller_gave() -> None:
    cut = half("cut")
    view = view_of([cut])
    plan = planned(view)
    assert names_of(plan) == {"cut"}
    right_in_every_run(view, plan)


def test_nothing_is_written_over_what_the_caller_gave() -> None:
    """ReLU may write over its input, but not over this one; Concat reads it, too."""
    cut, relu, join, last = (
        half("cut"),
        ops.ReLU("relu"),
        ops.Concat(2, 1, "join"),
        ops.Tanh("last"),
    )
    cut.add_child(relu)
    cut.add_child(join, 0, 0)
    relu.add_child(join, 0, 1)
    join.add_child(last)
    view = view_of([cut, relu, join, last])
    plan = planned(view)
    assert "cut" not in names_of(plan)
    assert not any("cut" in buffer.shares_with for buffer in plan.buffers)
    right_in_every_run(view, plan)


def test_parts_of_parameters() -> None:
    """They are read anew where the parameter gets other values."""
    weights = ops.Producer(aidge_nb.Tensor(data_of(7)), name="weights")
    cut, relu = half("cut"), ops.ReLU("relu")
    weights.add_child(cut, 0, 0)
    cut.add_child(relu)
    view = view_of([weights, cut, relu], [])
    plan = planned(view)
    assert names_of(plan) == {"relu"}
    right_in_every_run(view, plan, given=0)
    prepared = PreparedRun(view, plan)
    weights.get_operator().set_output(0, aidge_nb.Tensor(data_of(8)))
    assert np.array_equal(prepared.run()[0], np.maximum(data_of(8)[:, :2], 0))
    inside = planned(view, inc_producers=True)
    assert next(b.view_of for b in inside.buffers if b.name == "cut") == "weights"


def test_code_that_wants_tensors_in_one_piece_copies_parts() -> None:
    cut, relu = half("cut"), ops.Softmax(1, name="last")
    cut.add_child(relu)
    plan = planned(view_of([cut, relu]), contiguous=True)
    assert names_of(plan) == {"cut", "last"}
    assert plan.peak == 2 * 3 * 2 * 5 * 4


def test_inputs_in_the_plan_keep_their_parts() -> None:
    cut, last = half("cut"), ops.Softmax(1, name="last")
    cut.add_child(last)
    view = view_of([cut, last])
    plan = planned(view, inc_inputs=True)
    assert next(b.view_of for b in plan.buffers if b.name == "cut") == "input#0"
    right_in_every_run(view, plan)


def chain() -> tuple[GraphView, MemoryPlan]:
    first, cut, last = ops.Tanh("first"), half("cut"), ops.Softmax(1, name="last")
    first.add_child(cut)
    cut.add_child(last)
    view = view_of([first, cut, last])
    return view, planned(view)


@pytest.mark.parametrize(("missing", "found"), [("first", "cut"), ("cut", "last")])
def test_what_is_computed_may_not_be_left_out(missing: str, found: str) -> None:
    view, plan = chain()
    buffers = tuple(
        replace(buffer, view_of=None) for buffer in plan.buffers if buffer.name != missing
    )
    wrong = replace(plan, buffers=buffers)
    with pytest.raises(MemoryPlanError, match=rf"input#0 of {found} .*reads what has no buffer"):
        check_replay(wrong, view, view.topological_order())


def test_what_lies_outside_and_is_no_box_has_to_be_planned() -> None:
    cut, last = ops.Slice([0], [4], [1], [2], name="cut"), ops.Softmax(1, name="last")
    cut.add_child(last)
    view = view_of([cut, last])
    plan = planned(view)
    assert names_of(plan) == {"cut", "last"}
    wrong = replace(plan, buffers=tuple(b for b in plan.buffers if b.name != "cut"))
    with pytest.raises(MemoryPlanError, match=r"cut .Slice., output#0: is not in the plan"):
        run_in_arena(view, wrong, [data_of(0)])
