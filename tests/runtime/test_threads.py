"""One graph and several threads: a pass is right, or refused at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier, Event
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import aidge_nb
from aidge_nb import ops
from aidge_nb.core.errors import SchedulingError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import GraphView
from aidge_nb.runtime import PreparedRun, run_in_arena
from aidge_nb.runtime.arena.check import check_execution
from aidge_nb.scheduling import static_schedule

Array = NDArray[Any]

THREADS = 8
PATIENCE = 60  # seconds until a test gives up on a thread that hangs


class Slow(aidge_nb.OperatorImpl):
    """Doubles, once it is told to go on."""

    def __init__(self, op: Any) -> None:
        super().__init__(op)
        self.inside, self.go_on = Event(), Event()

    def run(self, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
        self.inside.set()
        assert self.go_on.wait(PATIENCE)
        assert arrays[0] is not None
        return (2 * arrays[0],)


def _model() -> tuple[GraphView, Slow]:
    view = aidge_nb.sequential([ops.Neg(name="n"), ops.ReLU(name="slow"), ops.Exp(name="e")])
    view.set_name("model")
    view.compile("cpu", dims=[[3]])
    operator = view.get_node("slow").get_operator()
    slow = Slow(operator)
    operator.set_impl(slow)
    return view, slow


def _expected(x: Array) -> Array:
    result: Array = np.exp(-2 * x)
    return result


def _input(number: int) -> Array:
    return np.full(3, 0.25 * number, np.float32)


@contextmanager
def _running(view: GraphView, slow: Slow) -> Iterator[None]:
    """Run the graph in another thread within the block, and check its result."""
    with ThreadPoolExecutor(1) as pool:
        scheduler = aidge_nb.SequentialScheduler(view)
        future = pool.submit(scheduler.forward, data=[_input(1)])
        try:
            assert slow.inside.wait(PATIENCE)
            yield
        finally:
            slow.go_on.set()
        assert np.array_equal(future.result(PATIENCE)[0].array, _expected(_input(1)))


SECOND: dict[str, Callable[[GraphView], object]] = {
    "sequential": lambda view: aidge_nb.SequentialScheduler(view).forward(data=[_input(2)]),
    "parallel": lambda view: aidge_nb.ParallelScheduler(view).forward(data=[_input(2)]),
    "schedule": static_schedule,
    "reset": lambda view: aidge_nb.Scheduler(view).reset_scheduling(),
    "prepare": PreparedRun,
}


@pytest.mark.parametrize("what", SECOND)
def test_a_second_thread_is_refused(what: str) -> None:
    view, slow = _model()
    message = r"graph model: another thread is scheduling or running it, with n \(Neg\)\. .*clone"
    with _running(view, slow), pytest.raises(SchedulingError, match=message):
        SECOND[what](view)


@pytest.mark.parametrize("run", [run_in_arena, check_execution])
def test_runs_in_the_arena_are_refused(run: Any) -> None:
    view, slow = _model()
    plan = aidge_nb.plan_memory(view, view.topological_order())
    with _running(view, slow), pytest.raises(SchedulingError, match="graph model: another thread"):
        run(view, plan, [_input(2)])


def test_the_backward_pass_is_refused() -> None:
    view, slow = _model()
    slow.go_on.set()
    scheduler = aidge_nb.SequentialScheduler(view)
    scheduler.forward(data=[_input(2)])
    slow.go_on.clear()
    slow.inside.clear()
    with _running(view, slow), pytest.raises(SchedulingError, match="graph model: another thread"):
        scheduler.backward()


@pytest.mark.parametrize("kind", [aidge_nb.SequentialScheduler, aidge_nb.ParallelScheduler])
def test_of_many_threads_one_runs_and_the_others_are_refused(kind: Any) -> None:
    view, slow = _model()
    start = Barrier(THREADS)

    def run(number: int) -> Array | None:
        scheduler = kind(view)
        start.wait(PATIENCE)
        try:
            (y,) = scheduler.forward(data=[_input(number)])
        except SchedulingError:
            refused.append(number)
            if len(refused) == THREADS - 1:
                slow.go_on.set()
            return None
        return np.array(y.array)

    refused: list[int] = []
    with ThreadPoolExecutor(THREADS) as pool:
        futures = [pool.submit(run, number) for number in range(THREADS)]
        found = {n: future.result(2 * PATIENCE) for n, future in enumerate(futures)}
    assert len(refused) == THREADS - 1
    for number, array in found.items():
        assert array is None or np.array_equal(array, _expected(_input(number)))


def test_copies_run_at_the_same_time() -> None:
    view = aidge_nb.sequential([ops.Neg(name="n"), ops.ReLU(name="r"), ops.Exp(name="e")])
    view.set_backend("cpu")
    (expected,) = aidge_nb.SequentialScheduler(view).forward(data=[_input(1)])
    start = Barrier(THREADS)

    def run(copy: GraphView) -> Array:
        start.wait(PATIENCE)
        for _ in range(5):
            (y,) = aidge_nb.SequentialScheduler(copy).forward(data=[_input(1)])
        return y.array

    with ThreadPoolExecutor(THREADS) as pool:
        for array in pool.map(run, [view.clone() for _ in range(THREADS)], timeout=PATIENCE):
            assert np.array_equal(array, expected.array)


def test_a_prepared_run_for_each_thread() -> None:
    view = aidge_nb.sequential([ops.Neg(name="n"), ops.FC(3, 3, name="fc"), ops.Exp(name="e")])
    aidge_nb.init_weights(view, seed=0)
    view.compile("cpu", dims=[[1, 3]])
    data = [np.full((1, 3), number, np.float32) for number in range(THREADS)]
    whole = PreparedRun(view)
    expected = [whole.run([x])[0] for x in data]
    start = Barrier(THREADS)

    def run(x: Array) -> list[Array]:
        start.wait(PATIENCE)
        mine = PreparedRun(view)
        return [mine.run([x])[0] for _ in range(20)]

    with ThreadPoolExecutor(THREADS) as pool:
        for found, wanted in zip(pool.map(run, data, timeout=PATIENCE), expected, strict=True):
            assert all(np.array_equal(array, wanted) for array in found)


def test_one_prepared_run_in_two_threads_is_refused() -> None:
    view, slow = _model()
    run = PreparedRun(view)
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(run.run, [_input(1)])
        try:
            assert slow.inside.wait(PATIENCE)
            with pytest.raises(SchedulingError, match=r"another thread is running it\. Prepare a"):
                run.run([_input(2)])
        finally:
            slow.go_on.set()
        assert np.array_equal(future.result(PATIENCE)[0], _expected(_input(1)))


def test_results_stay_those_of_their_pass() -> None:
    view, slow = _model()
    slow.go_on.set()
    scheduler = aidge_nb.SequentialScheduler(view)
    found = [scheduler.forward(data=[_input(number)])[0] for number in range(3)]
    for number, y in enumerate(found):
        assert np.array_equal(y.array, _expected(_input(number)))


def test_schedulers_made_before_one_runs_begin_anew() -> None:
    layers = [ops.Pop(name="pop"), ops.Tanh(name="t"), ops.Stack(4, name="stack")]
    view = aidge_nb.sequential(layers)
    view.set_backend("cpu")
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    schedulers = [aidge_nb.SequentialScheduler(view) for _ in range(2)]
    for factor, scheduler in enumerate(schedulers, 1):
        (y,) = scheduler.forward(data=[factor * x])
        assert np.array_equal(y.array, np.tanh(factor * x))


def test_gradients_are_set_on_results_and_shown_there() -> None:
    view = aidge_nb.sequential([ops.ReLU(name="r")])
    view.set_backend("cpu")
    scheduler = aidge_nb.SequentialScheduler(view)
    x = Tensor([1.0, -1.0])
    (y,) = scheduler.forward(data=[x])
    y.grad = Tensor([3.0, 3.0])
    scheduler.backward()
    assert x.has_grad()
    assert x.grad.array.tolist() == [3, 0]
    y.grad = Tensor([5.0, 5.0])
    scheduler.backward()
    assert x.grad.array.tolist() == [8, 0]
