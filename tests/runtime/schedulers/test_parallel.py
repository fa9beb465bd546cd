"""Running side by side: the order in which nodes begin, and executors of all kinds."""

from __future__ import annotations

import os
import pickle
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from threading import Event
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import aidge_nb
from aidge_nb import ops
from aidge_nb.core.errors import SchedulingError, ShapeError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import GraphView
from aidge_nb.runtime.schedulers.parallel import RemoteFiring, remote_firing
from aidge_nb.scheduling.jobs import Jobs
from tests.runtime.models import random_graphs, random_inputs

Array = NDArray[Any]

PATIENCE = 60  # seconds until a test gives up on what hangs


class Elsewhere(Executor):
    """Runs what it is sent at once, on copies: as another process would."""

    def __init__(self) -> None:
        self.jobs: list[str] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        fn, args = pickle.loads(pickle.dumps((fn, args)))
        self.jobs += [arg.label for arg in args if isinstance(arg, RemoteFiring)]
        try:
            future.set_result(pickle.loads(pickle.dumps(fn(*args, **kwargs))))
        except ShapeError as error:
            future.set_exception(pickle.loads(pickle.dumps(error)))
        return future


class OneByOne(ThreadPoolExecutor):
    """Notes in which order nodes are begun."""

    def __init__(self, workers: int = 1) -> None:
        super().__init__(workers)
        self.begun: list[str] = []
        self.running = self.most = 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.begun.append(args[0].name())
        self.running += 1
        self.most = max(self.most, self.running)
        future = super().submit(fn, *args, **kwargs)
        future.add_done_callback(lambda _: setattr(self, "running", self.running - 1))
        return future


def _branches() -> GraphView:
    """Fork into a short branch, made first, and a long one; both lead to one node."""
    split, short = ops.Identity(name="split"), ops.Sigmoid(name="short")
    long = [ops.Tanh(name=f"long{index}") for index in range(3)]
    join = ops.Add(name="join")
    split.add_child(short)
    split.add_child(long[0])
    long[0].add_child(long[1])
    long[1].add_child(long[2])
    short.add_child(join, 0, 0)
    long[2].add_child(join, 0, 1)
    view = aidge_nb.get_connected_graph_view(split)
    view.set_backend("cpu")
    return view


def test_the_critical_path_goes_first_then_what_is_earliest() -> None:
    with OneByOne() as executor:
        scheduler = aidge_nb.ParallelScheduler(_branches(), executor=executor)
        scheduler.forward(data=[[0.5]])
        assert executor.begun == ["split", "long0", "long1", "long2", "short", "join"]
        assert executor.most == 1
    with OneByOne(2) as executor:
        scheduler = aidge_nb.ParallelScheduler(_branches(), executor=executor)
        scheduler.forward(data=[[0.5]])
        assert executor.begun[:3] == ["split", "long0", "short"]
        assert executor.most <= 2


def test_measurements_are_in_the_order_of_the_schedule() -> None:
    scheduler = aidge_nb.ParallelScheduler(_branches())
    scheduler.forward(data=[[0.5]])
    ran = scheduler.get_forward_scheduling()
    assert [e.node for e in ran] == scheduler.get_sequential_static_scheduling()
    ends = {element.node.name(): element.end for element in ran}
    for element in ran:
        for parent in element.node.get_parents():
            assert parent is None or ends[parent.name()] <= element.start


@given(random_graphs(), st.integers(1, 4))
def test_results_are_those_of_one_after_the_other(view: GraphView, workers: int) -> None:
    data = random_inputs(view)
    expected = [y.array.copy() for y in aidge_nb.SequentialScheduler(view).forward(data=data)]
    with ThreadPoolExecutor(workers) as executor:
        for each in (executor, Elsewhere()):
            found = aidge_nb.ParallelScheduler(view, executor=each).forward(data=data)
            for ours, theirs in zip(found, expected, strict=True):
                assert np.array_equal(ours, theirs)


def test_loops_run_side_by_side() -> None:
    layers = [ops.Pop(name="pop"), ops.FC(3, 2, name="fc"), ops.Tanh(name="t")]
    view = aidge_nb.sequential([*layers, ops.Stack(4, name="stack"), ops.Exp(name="e")])
    aidge_nb.init_weights(view, seed=0)
    view.set_backend("cpu")
    x = np.random.default_rng(0).standard_normal((4, 2, 3)).astype(np.float32)
    (expected,) = (y.array.copy() for y in aidge_nb.SequentialScheduler(view).forward(data=[x]))
    for executor in (None, Elsewhere()):
        for _ in range(3):
            (y,) = aidge_nb.ParallelScheduler(view, executor=executor).forward(data=[x])
            assert np.array_equal(y, expected)


class TestElsewhere:
    def test_values_are_sent_and_come_back(self) -> None:
        executor = Elsewhere()
        scheduler = aidge_nb.ParallelScheduler(_branches(), executor=executor)
        x = Tensor(np.array([0.5]))
        (y,) = scheduler.forward(data=[x])
        assert y.array[0] == pytest.approx(1 / (1 + np.exp(-0.5)) + np.tanh(np.tanh(np.tanh(0.5))))
        assert sorted(executor.jobs)[0] == "join (Add)"
        assert len(executor.jobs) == 6
        y.grad = Tensor([1.0])
        scheduler.backward()
        assert x.has_grad()

    def test_what_only_this_process_can_do_stays(self) -> None:
        class Mine(aidge_nb.OperatorImpl):
            def run(self, arrays: Any) -> tuple[Array, ...]:
                return (2 * arrays[0],)

        own = ops.ReLU(name="own")
        own.get_operator().set_impl(Mine(own.get_operator()))
        inner = aidge_nb.MetaOperator(
            "Inner", aidge_nb.sequential([ops.Tanh(name="t")]), name="inner"
        )
        view = aidge_nb.sequential([ops.Exp(name="e"), own, inner, ops.Neg(name="n")])
        view.set_backend("cpu")
        executor = Elsewhere()
        (y,) = aidge_nb.ParallelScheduler(view, executor=executor).forward(data=[[0.1]])
        assert y.array[0] == pytest.approx(-np.tanh(2 * np.exp(0.1)))
        assert executor.jobs == ["e (Exp)", "n (Neg)"]
        assert remote_firing(own) is None

    def test_errors_come_back(self) -> None:
        view = aidge_nb.sequential([ops.Exp(name="e"), ops.Add(name="sum")])
        view.set_backend("cpu")
        scheduler = aidge_nb.ParallelScheduler(view, executor=Elsewhere())
        scheduler.forward(data=[np.zeros(3), np.zeros(3)])
        with pytest.raises(ShapeError, match=r"sum \(Add\)"):
            scheduler.forward(False, data=[np.zeros(3), np.zeros(4)])
        (y,) = scheduler.forward(data=[np.zeros(3), np.zeros(3)])
        assert y.array.tolist() == [1, 1, 1]


def test_a_node_that_fails_leaves_the_others_alone() -> None:
    view = _branches()
    scheduler = aidge_nb.ParallelScheduler(view)
    scheduler.forward(data=[np.ones(2)])
    short = view.get_node("short").get_operator()

    class Broken(aidge_nb.OperatorImpl):
        def run(self, arrays: Any) -> tuple[Array, ...]:
            raise ShapeError("broken")

    short.set_impl(Broken(short))
    with pytest.raises(ShapeError, match="broken"):
        scheduler.forward(data=[np.ones(2)])
    short.set_impl(None)
    view.set_backend("cpu")
    scheduler.forward(data=[np.ones(2)])


class Watched(ThreadPoolExecutor):
    """Tells when it got a job."""

    def __init__(self) -> None:
        super().__init__(1)
        self.has_job = Event()

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future = super().submit(fn, *args, **kwargs)
        self.has_job.set()
        return future


class TestExecutorsThatFail:
    """Each ends in an error that names the node, at once."""

    def test_one_that_is_shut_down_while_a_node_waits(self) -> None:
        executor, busy = Watched(), Event()
        executor.submit(busy.wait, PATIENCE)
        executor.has_job.clear()
        scheduler = aidge_nb.ParallelScheduler(_branches(), executor=executor)
        with ThreadPoolExecutor(1) as caller:
            future = caller.submit(scheduler.forward, data=[[0.5]])
            assert executor.has_job.wait(PATIENCE)
            executor.shutdown(wait=False, cancel_futures=True)
            with pytest.raises(SchedulingError, match=r"split \(Identity\): its executor was sh"):
                future.result(PATIENCE)
            busy.set()

    def test_one_that_was_shut_down_before(self) -> None:
        executor = ThreadPoolExecutor(1)
        scheduler = aidge_nb.ParallelScheduler(_branches(), executor=executor)
        executor.shutdown()
        with pytest.raises(SchedulingError, match=r"split \(Identity\): its executor takes no"):
            scheduler.forward(data=[[0.5]])

    def test_one_that_waits_for_itself(self) -> None:
        with ThreadPoolExecutor(1) as executor:
            scheduler = aidge_nb.ParallelScheduler(_branches(), executor=executor)
            future = executor.submit(scheduler.forward, data=[[0.5]])
            message = r"split \(Identity\): cannot start: this thread is itself a worker"
            with pytest.raises(SchedulingError, match=message):
                future.result(PATIENCE)

    def test_one_whose_process_is_killed(self) -> None:
        context = get_context("spawn")
        with ProcessPoolExecutor(1, mp_context=context) as executor, Jobs[int](executor) as jobs:
            jobs.start("split (Identity)", 0, os._exit, 1)
            with pytest.raises(SchedulingError, match=r"split \(Identity\): a worker .* died"):
                jobs.next()
            with pytest.raises(SchedulingError, match=r"join \(Add\): its executor takes no jobs"):
                jobs.start("join (Add)", 0, os._exit, 1)


@pytest.mark.slow
def test_a_pool_of_processes() -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        scheduler = aidge_nb.ParallelScheduler(_branches(), executor=executor)
        (y,) = scheduler.forward(data=[np.array([0.5])])
    (expected,) = aidge_nb.SequentialScheduler(_branches()).forward(data=[np.array([0.5])])
    assert np.array_equal(y, expected)
    assert all(e.end > e.start for e in scheduler.get_forward_scheduling())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # those of the packages that Dask brings
def test_the_executor_of_a_dask_client() -> None:
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
    )
    with cluster, distributed.Client(cluster) as client, client.get_executor() as executor:
        scheduler = aidge_nb.ParallelScheduler(_branches(), executor=executor)
        (y,) = scheduler.forward(data=[np.array([0.5])])
        y.grad = Tensor([1.0])
        scheduler.backward()
    (expected,) = aidge_nb.SequentialScheduler(_branches()).forward(data=[np.array([0.5])])
    assert np.array_equal(y, expected)
