"""Rings that run: pipelines of lines, of which the arena holds what is on its way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import aidge_nb
from aidge_nb import ops
from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.graph import GraphView, Node, Operator
from aidge_nb.memory import Memory, MemoryPlan, check_plan, plan_memory, plan_rings
from aidge_nb.runtime import check_execution, run_in_arena
from aidge_nb.runtime.backends.cpu import CpuImpl
from aidge_nb.scheduling import Elts_t, ProdConso
from tests.memory.place.test_rings import Window


class Lines(Window):
    """As a window slides over lines; amounts are those of the dimensions of the operator."""

    def __init__(self, op: Operator, window: int, stride: int) -> None:
        super().__init__(op, window, stride, 1)

    def get_nb_required_data(self, input_idx: int) -> Elts_t:
        if input_idx:
            return ProdConso.get_nb_required_data(self, input_idx)
        source = self.get_operator().get_input(0)
        assert source is not None
        return Elts_t.data_elts(source.dims[-1] * (self.stride if self.turn else self.window))

    def get_nb_required_protected(self, input_idx: int) -> Elts_t:
        if input_idx:
            return ProdConso.get_nb_required_protected(self, input_idx)
        source = self.get_operator().get_input(0)
        assert source is not None
        return Elts_t.data_elts(source.dims[-1] * self.window)

    def get_required_memory(self, output_idx: int, inputs_size: object = ()) -> Elts_t:
        return Elts_t.data_elts(self.get_operator().get_output(0).dims[-1])


class ByLines(CpuImpl):
    """The ordinary kernel, in a model that streams."""

    def __init__(self, op: Operator, window: int = 1, stride: int = 1) -> None:
        super().__init__(op, "cpu")
        self.window = window, stride

    def get_prod_conso(self) -> ProdConso:
        return Lines(self.get_operator(), *self.window)


def pipeline(lines: int, kind: str = "float32") -> tuple[GraphView, list[Node]]:
    """Make two convolutions, a pooling and a ReLU over a picture of one channel, line by line."""
    random = np.random.default_rng(0)
    nodes = [
        (ops.Conv2D(1, 1, [3, 3], "c0"), 3, 1),
        (ops.ReLU(name="r"), 1, 1),
        (ops.Conv2D(1, 1, [3, 3], "c1"), 3, 1),
        (ops.MaxPooling2D([2, 2], "p", [2, 2]), 2, 2),
    ]
    data = aidge_nb.Tensor(random.standard_normal((1, 1, lines, 12)).astype(kind))
    image = aidge_nb.Producer(data, "image")
    view = aidge_nb.sequential([image, *(node for node, _, _ in nodes)])
    view.set_backend("cpu")
    for producer in view.get_nodes():
        tensor = producer.get_operator().get_output(0)
        if producer.type() == "Producer" and not tensor.has_data:
            tensor.set_array(random.standard_normal(tensor.dims).astype(kind))
    assert view.forward_dims()
    for node, window, stride in nodes:
        node.get_operator().set_impl(ByLines(node.get_operator(), window, stride))
    return view, in_order([(node, window, stride) for node, window, stride in nodes], lines)


def in_order(stages: list[tuple[Node, int, int]], lines: int) -> list[Node]:
    """Let the last stage that has its lines run."""
    there, turns = [lines, *(0 for _ in stages)], [0 for _ in stages]
    order: list[Node] = []
    while True:
        ready = [
            i
            for i, (_, window, stride) in enumerate(stages)
            if there[i] >= window + turns[i] * stride
        ]
        if not ready:
            return order
        there[ready[-1] + 1] += 1
        turns[ready[-1]] += 1
        order.append(stages[ready[-1]][0])


def expected(view: GraphView) -> bytes:
    """Compute the result with whole tensors, each node once."""
    nodes = [node for node in view.topological_order() if node.type() != "Producer"]
    for node in nodes:
        node.forward()
    return nodes[-1].get_operator().get_output(0).array.tobytes()


@pytest.mark.parametrize("lines", [12, 21, 40])
def test_a_pipeline_runs_in_rings_with_the_same_bits(lines: int) -> None:
    view, order = pipeline(lines)
    right = expected(view)
    plan = plan_memory(view, order, rings=True)
    check_plan(plan)
    run = check_execution(view, plan)
    assert run.outputs[0].tobytes() == right
    assert run.touched == plan.peak < plan_memory(view, order).peak
    result = view.get_ordered_outputs()[0].node.get_operator().get_output(0).nbytes
    line = 12 * 4
    assert plan.peak <= result + 10 * line  # the picture does not matter, only its lines
    assert plan_rings(view, order).peak == plan.peak
    assert check_execution(view, plan_rings(view, order)).outputs[0].tobytes() == right


def test_rings_run_in_several_memories() -> None:
    view, order = pipeline(20)
    right = expected(view)
    plan = plan_memory(view, order, rings=True, memories=[Memory("l1", 200), Memory("l2", 2000)])
    check_plan(plan)
    assert check_execution(view, plan).outputs[0].tobytes() == right


def test_the_result_of_a_stack_grows_in_its_place() -> None:
    nodes = [aidge_nb.Pop(name="pop"), aidge_nb.Tanh(name="t"), aidge_nb.Stack(6, name="stack")]
    data = aidge_nb.Tensor(np.arange(24, dtype=np.float32).reshape(6, 4) / 24)
    view = aidge_nb.sequential([aidge_nb.Producer(data, "data"), *nodes, aidge_nb.ReLU(name="r")])
    view.set_backend("cpu")
    assert view.forward_dims()
    scheduler = aidge_nb.SequentialScheduler(view)
    scheduler.generate_scheduling()
    order = scheduler.get_sequential_static_scheduling()
    plan = plan_memory(view, order, rings=True, in_place=False)
    check_plan(plan)
    assert sum(buffer.node == "stack" for buffer in plan.buffers) == 6
    run = check_execution(view, plan)
    assert run.outputs[0].tobytes() == np.tanh(data.array).tobytes()


def broken(plan: MemoryPlan, node: str) -> MemoryPlan:
    """Let the ring of a node forget each piece a firing too early."""
    buffers = tuple(
        replace(buffer, upper=max(buffer.lower + 1, buffer.upper - 3))
        if buffer.node == node
        else buffer
        for buffer in plan.buffers
    )
    return replace(plan, buffers=buffers)


@pytest.mark.parametrize("node", ["c0", "r", "c1"])
def test_a_ring_that_forgets_too_early_is_found(node: str) -> None:
    view, order = pipeline(20)
    plan = plan_memory(view, order, rings=True)
    with pytest.raises(MemoryPlanError, match="got other values than in a memory of its own"):
        check_execution(view, broken(plan, node))
    right = expected(view)
    assert run_in_arena(view, broken(plan, node)).outputs[0].tobytes() != right
