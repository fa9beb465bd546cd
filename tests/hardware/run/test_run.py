"""Mapped networks that really run, with one worker for each element: always the same bits."""

from __future__ import annotations

from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from itertools import pairwise
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb import hardware, zoo
from aidge_nb.core.errors import HardwareError
from aidge_nb.course import graphs, machines
from aidge_nb.hardware import map_schedule, run_mapping
from aidge_nb.scheduling import OperatorImpl
from tests.tiling.graphs import Array, block_of, chain_of, fill, ready, run

NAMES = ("lenet", "mlp", "inception_like", "densenet_like", "shufflenet_like", "tiling_model")


def model(name: str) -> tuple[aidge_nb.GraphView, Array]:
    view = zoo.load(name)
    known = zoo.build(name).inputs[0].dims
    assert known is not None
    dims = [dim if isinstance(dim, int) else 1 for dim in known]
    view.set_backend("cpu")
    assert view.forward_dims([dims], allow_data_dependency=True)
    return view, np.random.default_rng(0).standard_normal(dims).astype(np.float32)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("target", ["mps2-an500", "duo_soc", "quad_cluster"])
def test_results_have_the_bits_of_a_sequential_run(name: str, target: str) -> None:
    if (name, target) == ("tiling_model", "duo_soc"):
        pytest.skip("does not fit this machine")
    view, data = model(name)
    before = run(view.clone(), data)
    mapping = map_schedule(view, hardware.target(target))
    found = run_mapping(view, mapping, [data])
    assert before.any()
    assert np.array_equal(found.outputs[0], before)
    operations = [step for step in mapping.steps if step.kind == "operation"]
    assert len(found.steps) == len(operations)
    assert {each.step for each in found.steps} == set(operations)


def test_each_element_does_one_thing_at_a_time_in_the_order_of_the_mapping() -> None:
    view, data = model("tiling_model")
    mapping = map_schedule(view, hardware.target("quad_cluster"))
    found = run_mapping(view, mapping, [data])
    for element in mapping.elements:
        mine = [each for each in found.steps if each.step.devices == (element,)]
        starts = [each.step.start for each in mine]
        assert starts == sorted(starts)
        assert all(a.end <= b.start for a, b in pairwise(mine))
    assert found.seconds >= max(each.end for each in found.steps) > 0
    assert "cluster/0/pe: " in found.report()
    assert f"{mapping.seconds * 1e3:.3f} ms by the model" in found.report()


def test_processes_give_the_same_bits() -> None:
    view, data = model("tiling_model")
    before = run(view.clone(), data)
    tiling = aidge_nb.plan_tiling(view, [view.get_node("conv0")], {2: 16})
    mapping = map_schedule(view, hardware.target("quad_cluster"), tilings=[tiling])
    with ProcessPoolExecutor(2, get_context("spawn")) as executor:
        found = run_mapping(view, mapping, [data], executor)
    assert np.array_equal(found.outputs[0], before)


class Shuffled(Executor):
    """Ends what was submitted in another order."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1)
        self.submitted = 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.submitted += 1
        return self._pool.submit(fn, *args, **kwargs)


def test_any_executor_will_do() -> None:
    view, data = model("inception_like")
    before = run(view.clone(), data)
    mapping = map_schedule(view, hardware.target("duo_soc"))
    executor = Shuffled()
    found = run_mapping(view, mapping, [data], executor)
    assert executor.submitted == len(found.steps)
    assert np.array_equal(found.outputs[0], before)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    ("backend", "settings"),
    [("cpu", {"distributed.nanny.pre-spawn-environ": {}}), ("exact", {})],
)
def test_a_dask_cluster_gives_the_same_bits(backend: str, settings: dict[str, Any]) -> None:
    """With as many threads of the BLAS as here, which exact arithmetic does not need."""
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    dask = pytest.importorskip("dask")
    view, data = model("densenet_like")
    view.set_backend(backend)
    before = run(view.clone(), data)
    mapping = map_schedule(view, hardware.target("quad_cluster"))
    ends = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with dask.config.set(settings), distributed.Client(**ends) as client:
        found = run_mapping(view, mapping, [data], client.get_executor())
    assert np.array_equal(found.outputs[0], before)


def test_an_executor_that_fails_is_refused_with_the_node() -> None:
    view, data = model("lenet")
    mapping = map_schedule(view, hardware.target("quad_cluster"))
    executor = ThreadPoolExecutor(1)
    executor.shutdown()
    with pytest.raises(HardwareError, match=r"conv1: its executor takes no jobs"):
        run_mapping(view, mapping, [data], executor)


def test_the_arithmetic_may_be_exact() -> None:
    view, data = model("lenet")
    view.set_backend("exact")
    before = run(view.clone(), data)
    mapping = map_schedule(view, hardware.target("quad_cluster"))
    assert np.array_equal(run_mapping(view, mapping, [data]).outputs[0], before)


class Doubled(OperatorImpl):
    def run(self, arrays: Any) -> tuple[Array, ...]:
        return (2 * arrays[0],)


def test_implementations_of_the_user_are_run_by_the_caller() -> None:
    view = aidge_nb.sequential([aidge_nb.Softmax(1, "s"), aidge_nb.GlobalAveragePooling("g")])
    assert view.compile("cpu", dims=[[1, 4, 3, 3]])
    operator = view.get_node("s").get_operator()
    operator.set_impl(Doubled(operator, "cpu"))
    data = np.ones((1, 4, 3, 3), np.float32)
    mapping = map_schedule(view, hardware.target("mcu"))
    found = run_mapping(view, mapping, [data])
    assert np.array_equal(found.outputs[0], np.full((1, 4, 1, 1), 2, np.float32))


def block(*, skip: bool) -> tuple[aidge_nb.GraphView, Array]:
    """Two convolutions and a pooling, with a way around the second one."""
    view = ready(block_of(skip=skip), [1, 3, 22, 22])
    return view, np.random.default_rng(0).standard_normal((1, 3, 22, 22)).astype(np.float32)


@pytest.mark.parametrize("backend", ["cpu", "exact"])
@pytest.mark.parametrize(("grid", "skip"), [({2: 4}, True), ({2: 11}, False), ({3: 5}, True)])
def test_halos_that_are_kept_stay_from_tile_to_tile(
    grid: dict[int, int], skip: bool, backend: str
) -> None:
    view, data = block(skip=skip)
    view.set_backend(backend)
    before = run(view.clone(), data)
    tiling = aidge_nb.plan_tiling(view, chain_of(view), grid, halo="cache")
    assert tiling.tiled_macs == tiling.macs
    mapping = map_schedule(view, hardware.target("quad_cluster"), tilings=[tiling])
    assert any(part.kept for tile in tiling for part in tile.parts)
    found = run_mapping(view, mapping, [data])
    assert np.array_equal(found.outputs[0], before)
    operations = [step for step in mapping.steps if step.kind == "operation"]
    assert len(found.steps) == len(operations) == len(tiling.tiles)


@pytest.mark.parametrize("target", ["mcu", "quad_cluster"])
def test_nodes_that_are_executed_several_times_are(target: str) -> None:
    """Each execution reads what the one before it in the schedule made, whoever is faster."""
    nodes = [aidge_nb.Pop("pop"), aidge_nb.Tanh("tanh"), aidge_nb.ReLU("relu")]
    view = aidge_nb.sequential([*nodes, aidge_nb.Stack(5, "stack")])
    assert view.compile("cpu", dims=[[5, 3, 4]])
    data = np.random.default_rng(0).standard_normal((5, 3, 4)).astype(np.float32)
    before = run(view.clone(), data)
    schedule = aidge_nb.static_schedule(view)
    mapping = map_schedule(view, hardware.target(target), schedule=schedule)
    assert len(mapping.works) == 4 * 5
    for _ in range(2):  # a second run starts over
        found = run_mapping(view, mapping, [data])
        assert np.array_equal(found.outputs[0], before)


def test_a_recurrent_network_is_run_execution_by_execution() -> None:
    cell, pop = aidge_nb.LSTM(3, 4, 6, name="lstm"), aidge_nb.Pop("pop")
    pop.add_child(cell)
    view = aidge_nb.get_connected_graph_view(cell)
    aidge_nb.expand_metaops(view)
    fill(view, 3)
    assert view.compile("cpu", dims=[[6, 2, 3], [2, 4], [2, 4]])
    random = np.random.default_rng(0)
    data = [random.standard_normal(dims).astype(np.float32) for dims in ((6, 2, 3), (2, 4), (2, 4))]
    scheduler = aidge_nb.SequentialScheduler(view.clone())
    before = [np.array(each) for each in scheduler.forward(data=list(map(aidge_nb.Tensor, data)))]
    schedule = aidge_nb.static_schedule(view)
    mapping = map_schedule(view, hardware.target("quad_cluster"), schedule=schedule)
    assert any(work.name.endswith("[5]") for work in mapping.works)
    found = run_mapping(view, mapping, data)
    assert len(found.outputs) == len(before) > 0
    assert all(np.array_equal(a, b) for a, b in zip(found.outputs, before, strict=True))


def test_transfers_are_timed_beside_the_model() -> None:
    view, data = model("tiling_model")
    mapping = map_schedule(view, hardware.target("quad_cluster"))
    found = run_mapping(view, mapping, [data])
    transfers = {step for step in mapping.steps if step.kind == "transfer"}
    timed = [each.step for each in found.transfers]
    assert len(timed) == len(set(timed))
    assert set(timed) == transfers
    assert all(0 <= each.start <= each.end <= found.seconds for each in found.transfers)
    for each in found.transfers:
        same = [
            s for s in found.steps if (s.step.work, s.step.tile) == (each.step.work, each.step.tile)
        ]
        if each.step.name.startswith("store"):
            assert all(other.end <= each.start for other in same)
        else:
            assert all(each.end <= other.start for other in same)
    report = found.report()
    assert " ms of copies here, " in report
    assert "  l2_bus: " in report
    assert "% of what is moved here" in report


def test_what_cannot_be_run_is_refused() -> None:
    view, data = model("tiling_model")
    quad = hardware.target("quad_cluster")
    mapping = map_schedule(view, quad)
    wrong: list[tuple[Any, str]] = [
        ([], r"inputs: too few .*expected 1: data, found 0"),
        (data, r"inputs: .*found ndarray"),
        ([data[:1]], r"mapped for other dimensions .expected \[4, 3, 66, 66\], found \[1, 3"),
    ]
    for inputs, message in wrong:
        with pytest.raises(HardwareError, match=message):
            run_mapping(view, mapping, inputs)
    with pytest.raises(HardwareError, match="belongs to another graph"):
        run_mapping(model("lenet")[0], mapping, [np.zeros((1, 1, 32, 32), np.float32)])
    bare = aidge_nb.sequential([aidge_nb.ReLU("r")])
    bare.forward_dims([[1, 4]])
    with pytest.raises(HardwareError, match=r"has no backend\. Call set_backend"):
        run_mapping(bare, map_schedule(bare, quad), [np.zeros((1, 4), np.float32)])


def test_meta_operators_are_cut_into_tiles_and_run_on_cores() -> None:
    view = graphs.bars_net()
    image = np.random.default_rng(0).standard_normal((1, 1, 32, 32)).astype(np.float32)
    (expected,) = aidge_nb.SequentialScheduler(view).forward(data=[image])
    ran = hardware.run_mapping(view, hardware.map_schedule(view, machines.duo()), [image])
    assert np.array_equal(ran.outputs[0], expected.array)
