"""Prepared runs: the bits of a scheduler, no memory but what was planned, and clear refusals."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import aidge_nb
from aidge_nb import ops, zoo
from aidge_nb.core.errors import MemoryPlanError, SchedulingError, ShapeError
from aidge_nb.graph import GraphView
from aidge_nb.memory import check_plan, plan_memory
from aidge_nb.recipes import fuse_gelu, fuse_layernorm
from aidge_nb.runtime import PreparedRun, run_in_arena
from aidge_nb.runtime.arena.prepared_cache import PreparedRuns
from tests.runtime.models import random_graphs, random_inputs, zoo_view
from tests.zoo.small import SMALL

Array = NDArray[Any]
WITH_LSTM = "lstm_classifier"
"""Its LSTM runs by one kernel instead of a micro-graph: the last bits may differ."""


def by_scheduler(view: GraphView, inputs: list[Array]) -> list[Array]:
    return [np.array(each) for each in aidge_nb.SequentialScheduler(view).forward(data=inputs)]


def assert_same(found: Any, right: Any) -> None:
    for one, two in zip(found, right, strict=True):
        assert one.tobytes() == two.tobytes()


@pytest.mark.parametrize("name", SMALL)
def test_models_of_the_zoo_give_the_same_bits_in_every_run(name: str) -> None:
    view = zoo_view(name)
    run = PreparedRun(view)
    check_plan(run.plan)
    for seed in (0, 1, 0):
        inputs = random_inputs(view, seed)
        found, right = run.run(inputs), by_scheduler(view, inputs)
        if name == WITH_LSTM:
            np.testing.assert_allclose(found[0], right[0], rtol=0, atol=1e-6)
        else:
            assert_same(found, right)


@pytest.mark.parametrize("name", [name for name in SMALL if name != WITH_LSTM])
def test_memory_of_each_value_for_itself_gives_the_same_bits(name: str) -> None:
    """What lies in the memory of others is not read, and not written over too early."""
    view = zoo_view(name)
    inputs = random_inputs(view)
    order = view.topological_order()
    apart = PreparedRun(view, plan_memory(view, order, inc_inputs=True, in_place=False))
    shared = PreparedRun(view)
    assert shared.arena_bytes <= apart.arena_bytes
    assert_same(shared.run(inputs), apart.run(inputs))
    assert_same(shared.run(inputs), run_in_arena(view, plan_memory(view, order), inputs).outputs)


@pytest.mark.parametrize("name", ["lenet", "squeezenet"])
def test_parameters_may_lie_in_the_arena(name: str) -> None:
    view = zoo_view(name)
    order = view.topological_order()
    runs = [node for node in order if node.type() != "Producer"]
    for each in (order, runs):
        run = PreparedRun(view, plan_memory(view, each, inc_producers=True))
        for seed in (0, 1):
            inputs = random_inputs(view, seed)
            assert_same(run.run(inputs), by_scheduler(view, inputs))


@given(random_graphs(), st.booleans(), st.booleans())
@settings(max_examples=80, deadline=None)
def test_random_graphs_give_the_same_bits(view: GraphView, is_planned: bool, parts: bool) -> None:
    plan = plan_memory(view, view.topological_order(), parts=parts) if is_planned else None
    run = PreparedRun(view, plan)
    for seed in (0, 1):
        inputs = random_inputs(view, seed)
        assert_same(run.run(inputs), by_scheduler(view, inputs))


def test_a_transformer_reads_and_writes_transposed_matrices() -> None:
    view = zoo.load("dinov2_like", size=196, dim=128, heads=2, depth=1)
    view.set_backend("cpu")
    view.forward_dims([[1, 3, 196, 196]], allow_data_dependency=True)
    fuse_gelu(view)
    fuse_layernorm(view)
    run = PreparedRun(view)
    transposes = [node for node in view if node.type() == "Transpose"]
    left = [label for label in run._labels if "(Transpose)" in label]
    assert (len(transposes), len(left)) == (5, 1)
    for seed in (0, 1):
        inputs = random_inputs(view, seed)
        assert_same(run.run(inputs), by_scheduler(view, inputs))


def traced(view: GraphView, inputs: list[Array]) -> tuple[PreparedRun, int, int]:
    """Prepare and run; give the most memory that was taken, and that a later run took."""
    tracemalloc.start()
    try:
        run = PreparedRun(view)
        run.run(inputs)
        first = tracemalloc.get_traced_memory()[1]
        run.run(inputs)
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        outputs = run.run(inputs)
        later = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    return run, first, later - sum(output.nbytes for output in outputs)


@pytest.mark.parametrize("name", SMALL)
def test_a_run_allocates_nothing_but_its_results(name: str) -> None:
    view = zoo_view(name)
    run, _, later = traced(view, random_inputs(view))
    assert later < 20_000, (run, later)  # what NumPy takes to go over arrays


@pytest.mark.parametrize(
    ("name", "options"),
    [("squeezenet", {}), ("resnet18", {"size": 128}), ("mobilenet_v2", {"size": 224})],
)
def test_memory_is_the_plan_the_parameters_and_a_tenth(name: str, options: dict[str, int]) -> None:
    view = zoo.load(name, **options)
    size = options.get("size", 224)
    view.set_backend("cpu")
    assert view.forward_dims([[1, 3, size, size]], allow_data_dependency=True)
    other = zoo_view("squeezenet")
    PreparedRun(other).run(random_inputs(other))  # whatever is imported then counts for nothing
    run, first, _ = traced(view, random_inputs(view))
    assert first + run.parameter_bytes <= 1.1 * (run.arena_bytes + run.parameter_bytes)


def test_parameters_may_change_between_runs() -> None:
    layer = ops.FC(2, 1, no_bias=True, name="layer")
    view = aidge_nb.sequential([layer])
    assert view.compile("cpu", dims=[[1, 2]])
    producer = layer.get_parent(1)
    assert producer is not None
    weights = producer.get_operator()
    weights.set_output(0, aidge_nb.Tensor(np.ones((1, 2), np.float32)))
    run, data = PreparedRun(view), [np.array([[1, 2]], np.float32)]
    assert run.run(data)[0].tolist() == [[3]]
    weights.set_output(0, aidge_nb.Tensor(np.array([[1, -1]], np.float32)))
    assert run.run(data)[0].tolist() == [[-1]]
    weights.get_output(0).array[...] = 10
    assert run.run(data)[0].tolist() == [[30]]


def test_results_are_copies_and_the_graph_is_left_alone() -> None:
    view = zoo_view("lenet")
    run, inputs = PreparedRun(view), random_inputs(view)
    first = run.run(inputs)
    kept = [output.copy() for output in first]
    run.run(random_inputs(view, 1))
    assert_same(first, kept)
    outputs = [node.get_operator().get_output(0) for node in view if node.type() != "Producer"]
    assert not any(tensor.has_data for tensor in outputs)


def test_what_a_user_implements_is_called() -> None:
    class Doubled(aidge_nb.OperatorImpl):
        def run(self, arrays: Any) -> tuple[Array, ...]:
            return (arrays[0] * 2,)

    node = ops.ReLU(name="own")
    view = aidge_nb.sequential([node, ops.Tanh()])
    assert view.compile("cpu", dims=[[2]])
    node.get_operator().set_impl(Doubled(node.get_operator()))
    found = PreparedRun(view).run([np.array([-1, 2], np.float32)])
    np.testing.assert_array_equal(found[0], np.tanh(np.array([-2, 4], np.float32)))


def test_data_that_were_not_prepared_for_are_refused() -> None:
    view = aidge_nb.sequential([ops.ReLU(name="first")])
    assert view.compile("cpu", dims=[[2]])
    run = PreparedRun(view)
    where = r"first \(ReLU\), input#0: .*"
    with pytest.raises(
        ShapeError, match=where + r"expected \[2\], found \[3\]\)\. Prepare another"
    ):
        run.run([np.zeros(3, np.float32)])
    with pytest.raises(ShapeError, match=where + r"expected float32, found complex128"):
        run.run([np.zeros(2, np.complex128)])
    with pytest.raises(ShapeError, match=r"too many.*expected 1: first .*, found 2"):
        run.run([np.zeros(2, np.float32)] * 2)
    wrong: Any
    for wrong in (None, np.zeros(2, np.float32)):
        with pytest.raises(
            ShapeError, match=r"inputs: are a list, one array per input .*Write \[x\]"
        ):
            run.run(wrong)
    with pytest.raises(ShapeError, match=r"first \(ReLU\), input#0: is not an array .*rows differ"):
        run.run([[[1.0], [2.0, 3.0]]])
    assert run.run([np.ones(2, np.float32)])[0].tolist() == [1, 1]


def test_graphs_that_do_other_things_each_time_are_refused() -> None:
    loop = ops.LSTM(4, 8, seq_length=3, name="loop")
    view = aidge_nb.sequential([ops.Pop(name="pop"), loop])
    view.forward_dims([[3, 1, 4], [1, 8], [1, 8]])
    view.set_backend("cpu")
    with pytest.raises(SchedulingError, match=r"pop \(Pop\): cannot be prepared: what it computes"):
        PreparedRun(view)


@pytest.mark.parametrize("graph", [None, 3, aidge_nb.ReLU()])
def test_what_is_no_graph_is_refused(graph: Any) -> None:
    with pytest.raises(SchedulingError, match=r"PreparedRun: is not a graph .* found \w+"):
        PreparedRun(graph)


def test_plans_of_other_graphs_and_other_layouts_are_refused() -> None:
    view, other = zoo_view("lenet"), zoo_view("mlp")
    with pytest.raises(MemoryPlanError, match="is not in the graph"):
        PreparedRun(view, plan_memory(other, other.topological_order()))
    small = zoo_view("squeezenet")
    by_rows = plan_memory(small, small.topological_order(), by_rows=True)
    with pytest.raises(MemoryPlanError, match="does not lie in memory as an array does"):
        PreparedRun(small, by_rows)


def test_runs_are_prepared_for_the_dimensions_that_come() -> None:
    view = aidge_nb.sequential([ops.Conv2D(1, 2, [3, 3], name="c"), ops.ReLU()])
    for node in view:
        if node.type() == "Producer":
            tensor = node.get_operator().get_output(0)
            tensor.set_array(np.ones(tensor.dims, np.float32))
    view.set_backend("cpu")
    runs = PreparedRuns(view)
    for size in (3, 5, 3, 4, 5):
        data = np.full((1, 1, size, size), 2.0, np.float32)
        (found,) = runs.run([data])
        assert found.shape == (1, 2, size - 2, size - 2)
        assert (found == 19).all()
        assert runs.prepared([data]) is not None
    assert repr(runs) == "PreparedRuns(2 prepared)"
    assert runs.run_once([np.full((1, 1, 6, 6), 2.0, np.float32)])[0].shape == (1, 2, 4, 4)
    with pytest.raises(ShapeError, match="larger than the input"):
        runs.run([np.zeros((1, 1, 2, 2), np.float32)])
    assert (runs.run([np.full((1, 1, 3, 3), 1.0, np.float32)])[0] == 10).all()
