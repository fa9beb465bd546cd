"""Schedulers that run: results, repeated passes, orders, and what they refuse."""

from __future__ import annotations

import warnings
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import aidge_nb
from aidge_nb import ops
from aidge_nb.core.errors import GraphError, MissingKernelError, SchedulingError, ShapeError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import GraphView
from aidge_nb.memory import Memory
from aidge_nb.scheduling import OperatorImpl, SchedulingPolicy

POLICIES = [
    SchedulingPolicy.Default,
    SchedulingPolicy.AsSoonAsPossible,
    SchedulingPolicy.AsLateAsPossible,
]


def _random(*dims: int, seed: int = 0) -> NDArray[np.float32]:
    return np.random.default_rng(seed).standard_normal(dims).astype(np.float32)


def _relu(name: str = "a") -> GraphView:
    view = aidge_nb.sequential([ops.ReLU(name=name)])
    view.set_backend("cpu")
    return view


def _fork() -> GraphView:
    """Make y = tanh(x) + relu(x) * sigmoid(x)."""
    first, a, b = ops.Identity(name="first"), ops.ReLU(name="a"), ops.Sigmoid(name="b")
    c, mul, add = ops.Tanh(name="c"), ops.Mul(name="mul"), ops.Add(name="add")
    for branch in (a, b, c):
        first.add_child(branch)
    a.add_child(mul)
    b.add_child(mul)
    c.add_child(add)
    mul.add_child(add)
    view = aidge_nb.get_connected_graph_view(first)
    view.set_backend("cpu")
    return view


def _expected(x: NDArray[np.float32]) -> NDArray[np.float32]:
    result: NDArray[np.float32] = np.tanh(x) + np.maximum(x, 0) / (1 + np.exp(-x))
    return result


class TestResults:
    @pytest.mark.parametrize("policy", POLICIES)
    def test_sequential(self, policy: SchedulingPolicy) -> None:
        scheduler = aidge_nb.SequentialScheduler(_fork())
        scheduler.set_scheduling_policy(policy)
        x = _random(3, 4)
        (output,) = scheduler.forward(data=[Tensor(x)])
        np.testing.assert_allclose(output, _expected(x), rtol=1e-6, atol=1e-6)

    def test_parallel_is_equal(self) -> None:
        x = _random(3, 4)
        (mine,) = aidge_nb.ParallelScheduler(_fork()).forward(data=[x])
        (other,) = aidge_nb.SequentialScheduler(_fork()).forward(data=[x])
        assert np.array_equal(mine, other)

    def test_parallel_on_an_executor_of_the_user(self) -> None:
        x = _random(3, 4)
        with ThreadPoolExecutor(2) as executor:
            scheduler = aidge_nb.ParallelScheduler(_fork(), executor=executor)
            for _ in range(2):
                (output,) = scheduler.forward(data=[x])
            executor.submit(int).result()
        np.testing.assert_allclose(output, _expected(x), rtol=1e-6, atol=1e-6)
        assert issubclass(ThreadPoolExecutor, Executor)

    def test_outputs_in_their_order(self) -> None:
        view = aidge_nb.parallel([ops.ReLU(name="a"), ops.Tanh(name="b")])
        view.set_backend("cpu")
        view.set_ordered_outputs([(view.get_node("b"), 0), (view.get_node("a"), 0)])
        b, a = aidge_nb.SequentialScheduler(view).forward(data=[[-1.0], [0.0]])
        assert (b.array.tolist(), a.array.tolist()) == ([0.0], [0.0])

    @pytest.mark.parametrize("kind", [aidge_nb.SequentialScheduler, aidge_nb.ParallelScheduler])
    def test_no_warning_for_what_floats_do(self, kind: Any) -> None:
        view = aidge_nb.parallel([ops.Div(name="a"), ops.Div(name="b")])
        view.set_backend("cpu")
        one, zero = Tensor(np.ones(2, np.float32)), Tensor(np.zeros(2, np.float32))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            outputs = kind(view).forward(data=[one, zero, one, zero])
        assert all(np.isinf(output.array).all() for output in outputs)

    def test_data_are_not_changed(self) -> None:
        x = _random(5)
        before = x.copy()
        aidge_nb.SequentialScheduler(_relu()).forward(data=[x])
        assert np.array_equal(x, before)


class TestPasses:
    def test_tensors_set_before_stay(self) -> None:
        view = _relu()
        view.get_node("a").get_operator().set_input(0, Tensor([-1.0, 1.0]))
        (output,) = aidge_nb.SequentialScheduler(view).forward()
        assert output.array.tolist() == [0, 1]

    def test_again_with_other_data_and_dims(self) -> None:
        scheduler = aidge_nb.SequentialScheduler(_fork())
        for dims in ((2,), (3, 4), (3, 4), (1, 2)):
            x = _random(*dims)
            (output,) = scheduler.forward(data=[x])
            np.testing.assert_allclose(output, _expected(x), rtol=1e-6, atol=1e-6)

    def test_a_longer_sequence_is_scheduled_anew(self) -> None:
        view = aidge_nb.sequential([ops.Pop(name="pop"), ops.ReLU(name="r")])
        view.set_backend("cpu")
        scheduler = aidge_nb.SequentialScheduler(view)
        for length in (3, 5, 2):
            x = np.arange(length, dtype=np.float32).reshape(length, 1)
            (output,) = scheduler.forward(data=[x])
            assert output.array.tolist() == [length - 1]
            assert len(scheduler.get_forward_scheduling()) == 2 * length

    def test_measurements_are_of_the_last_round(self) -> None:
        scheduler = aidge_nb.SequentialScheduler(_relu())
        for _ in range(3):
            scheduler.forward(data=[[1.0]])
        assert [e.node.name() for e in scheduler.get_forward_scheduling()] == ["a"]
        element = scheduler.get_forward_scheduling()[0]
        assert element.end >= element.start
        scheduler.clear_scheduling()
        assert scheduler.get_forward_scheduling() == []

    def test_several_schedules_take_turns(self) -> None:
        producer = ops.Producer(Tensor([1.0]), name="p")
        view = aidge_nb.sequential([producer, ops.ReLU(name="a")])
        view.set_backend("cpu")
        scheduler = aidge_nb.SequentialScheduler(view)
        scheduler.generate_scheduling()
        scheduler.generate_scheduling()
        counts = []
        for _ in range(4):
            scheduler.forward()
            counts.append(len(scheduler.get_forward_scheduling()))
        assert counts == [2, 4, 2, 4]

    def test_diagram_of_what_was_measured(self, tmp_path: Path) -> None:
        scheduler = aidge_nb.SequentialScheduler(_fork())
        scheduler.forward(data=[[1.0]])
        scheduler.save_scheduling_diagram(tmp_path / "run")
        lines = (tmp_path / "run_forward.mmd").read_text(encoding="utf-8").split("\n")
        assert lines[:4] == ["gantt", "dateFormat x", "axisFormat %Q µs", ""]
        assert lines[4].startswith("first (Identity#0) :0, ")
        assert len(lines) == 4 + 6 + 2
        assert [path.name for path in tmp_path.iterdir()] == ["run_forward.mmd"]


class TestRefusals:
    @pytest.mark.parametrize("graph", [None, 3, [ops.ReLU()]])
    @pytest.mark.parametrize(
        "scheduler",
        [aidge_nb.Scheduler, aidge_nb.SequentialScheduler, aidge_nb.ParallelScheduler],
    )
    def test_what_is_no_graph(self, scheduler: Any, graph: Any) -> None:
        with pytest.raises(SchedulingError, match=r"scheduler: is not a graph \(.* found"):
            scheduler(graph)

    def test_data_that_are_no_list(self) -> None:
        scheduler: Any = aidge_nb.SequentialScheduler(_relu())
        wrong: Any
        for wrong in (_random(2), Tensor(_random(2)), 3.0):
            with pytest.raises(SchedulingError, match=r"data is a list.*Write forward\(data=\[x"):
                scheduler.forward(data=wrong)
        for wrong in (_random(2), Tensor(_random(2)), [_random(2)], None):
            with pytest.raises(SchedulingError, match=r"forward_dims is .*forward\(data=\[x\]\)"):
                scheduler.forward(wrong)

    def test_none_is_no_data(self) -> None:
        view = _relu()
        view.get_node("a").get_operator().set_input(0, Tensor(np.array([-1, 2], np.float32)))
        (result,) = aidge_nb.SequentialScheduler(view).forward(data=None)
        assert result.array.tolist() == [0, 2]

    def test_data_that_are_missing(self) -> None:
        for data in ([], [Tensor()]):
            with pytest.raises(ShapeError) as refusal:
                aidge_nb.SequentialScheduler(_relu()).forward(data=data)
            message = str(refusal.value)
            assert message.startswith("a (ReLU), input#0: has no data (found ")
            assert "forward(data=[...])" in message

    def test_one_of_two_is_missing(self) -> None:
        view = aidge_nb.sequential([ops.Add(name="sum")])
        view.set_backend("cpu")
        with pytest.raises(ShapeError, match=r"sum \(Add\), input#1: has no data"):
            aidge_nb.SequentialScheduler(view).forward(data=[[1.0]])

    def test_weights_that_are_missing(self) -> None:
        view = aidge_nb.sequential([ops.FC(3, 2, name="fc")])
        view.set_backend("cpu")
        with pytest.raises(ShapeError) as refusal:
            aidge_nb.SequentialScheduler(view).forward(data=[_random(1, 3)])
        assert "fc_w (Producer): has dimensions but no values (found [2, 3])" in str(refusal.value)

    def test_dims_that_do_not_fit(self) -> None:
        view = aidge_nb.sequential([ops.FC(3, 2, name="fc")])
        view.set_backend("cpu")
        with pytest.raises(ShapeError, match=r"fc \(FC\), input#0: .*expected \[?3\]?, found"):
            aidge_nb.SequentialScheduler(view).forward(data=[_random(1, 4)])

    def test_too_many_data(self) -> None:
        with pytest.raises(SchedulingError, match="inputs: too many of them"):
            aidge_nb.SequentialScheduler(_relu()).forward(data=[[1.0], [2.0]])

    def test_no_backend(self) -> None:
        view = aidge_nb.sequential([ops.ReLU(name="a")])
        with pytest.raises(GraphError, match=r"a \(ReLU\): has no implementation\. Call set_back"):
            aidge_nb.SequentialScheduler(view).forward(data=[[1.0]])

    def test_no_kernel(self) -> None:
        view = aidge_nb.sequential([aidge_nb.GenericOperator("Odd", 1, 0, 1, name="odd")])
        view.set_backend("cpu")
        with pytest.raises(MissingKernelError) as refusal:
            aidge_nb.SequentialScheduler(view).forward(data=[[1.0]])
        assert str(refusal.value) == (
            "odd (Odd): operator Odd has no kernel on backend 'cpu'. It can be scheduled and laid "
            "out, but not run; give it an implementation with set_impl()."
        )

    def test_no_gradient(self) -> None:
        impl = OperatorImpl(ops.ReLU(name="a").get_operator())
        with pytest.raises(MissingKernelError, match="operator ReLU has no gradient on backend"):
            impl.backward()

    def test_a_node_added_since(self) -> None:
        view = _relu()
        scheduler = aidge_nb.SequentialScheduler(view)
        scheduler.forward(data=[[1.0]])
        view.add_child(ops.Tanh(name="b"))
        with pytest.raises(SchedulingError) as refusal:
            scheduler.forward(data=[[1.0]])
        assert str(refusal.value) == (
            "scheduler: the graph changed since it was scheduled. "
            "Call reset_scheduling() and generate_scheduling() again."
        )
        view.set_backend("cpu")
        scheduler.reset_scheduling()
        (output,) = scheduler.forward(data=[[1.0]])
        assert output.array[0] == pytest.approx(np.tanh(1.0))

    def test_an_edge_moved_since(self) -> None:
        view = _fork()
        scheduler = aidge_nb.SequentialScheduler(view)
        scheduler.forward(data=[[1.0]])
        view.get_node("c").remove_parent(0)
        view.get_node("mul").add_child(view.get_node("c"))
        with pytest.raises(SchedulingError, match="the graph changed since it was scheduled"):
            scheduler.forward(data=[[1.0]])

    def test_layouts_before_scheduling(self) -> None:
        scheduler = aidge_nb.SequentialScheduler(_relu())
        for action in (scheduler.generate_memory, scheduler.plan_memory):
            with pytest.raises(SchedulingError, match="there is no static scheduling yet"):
                action()


class TestUsersImplementations:
    def test_run_is_enough(self) -> None:
        class Double(OperatorImpl):
            def run(self, arrays: Any) -> tuple[NDArray[Any], ...]:
                return (2 * arrays[0],)

        node = aidge_nb.GenericOperator("Double", 1, 0, 1, name="d")
        node.get_operator().set_impl(Double(node.get_operator()))
        view = aidge_nb.sequential([node, ops.ReLU(name="r")])
        view.set_backend("cpu")
        (output,) = aidge_nb.SequentialScheduler(view).forward(data=[[1.0, -1.0]])
        assert output.array.tolist() == [2, 0]


def test_layouts_come_from_the_schedule() -> None:
    scheduler = aidge_nb.SequentialScheduler(_fork())
    scheduler.forward(data=[_random(8)])
    plan = scheduler.plan_memory()
    assert plan.order == tuple(node.name() for node in scheduler.get_sequential_static_scheduling())
    assert scheduler.generate_memory().get_peak_usage() >= plan.lower_bound
    assert scheduler.plan_memory(parts=True, by_rows=True).peak <= plan.peak
    memories = [Memory("all", plan.peak)]
    assert scheduler.plan_memory(memories=memories).memories[0].peak == plan.peak
    for generate in (
        scheduler.generate_memory_multiple_mems,
        scheduler.generate_memory_multiple_mems_autoconcat,
    ):
        assert generate(capacities=[10**6]).get_peak_usages()[0] >= plan.lower_bound


@pytest.mark.parametrize("executor", [3, "threads"])
def test_what_runs_nothing_is_no_executor(executor: Any) -> None:
    view = aidge_nb.sequential([aidge_nb.ReLU()])
    with pytest.raises(
        SchedulingError, match=r"executor: is not an executor.*ThreadPoolExecutor\(3\)"
    ):
        aidge_nb.ParallelScheduler(view, executor=executor)
