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
from aidge_nb.errors import HardwareError
from aidge_nb.hardware import map_schedule, map_tiles, run_mapping
from aidge_nb.scheduling import OperatorImpl
from tests.tiling.graphs import Array, run

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


def test_what_cannot_be_run_is_refused() -> None:
    view, data = model("tiling_model")
    quad = hardware.target("quad_cluster")
    mapping = map_schedule(view, quad)
    wrong: list[tuple[Any, str]] = [
        ([], r"inputs: .*expected 1, found 0"),
        (data, r"inputs: .*found ndarray"),
        ([data[:1]], r"mapped for other dimensions .expected \[4, 3, 66, 66\], found \[1, 3"),
    ]
    for inputs, message in wrong:
        with pytest.raises(HardwareError, match=message):
            run_mapping(view, mapping, inputs)
    with pytest.raises(HardwareError, match="belongs to another graph"):
        run_mapping(model("lenet")[0], mapping, [np.zeros((1, 1, 32, 32), np.float32)])
    kept = aidge_nb.plan_tiling(view, [view.get_node("conv0")], {2: 64}, halo="cache")
    only = hardware.Constraints("quad_cluster", use=("cluster/0",))
    with pytest.raises(HardwareError, match="keeps halos"):
        run_mapping(view, map_tiles(view, kept, quad, only), [data])
    bare = aidge_nb.sequential([aidge_nb.ReLU("r")])
    bare.forward_dims([[1, 4]])
    with pytest.raises(HardwareError, match=r"has no backend\. Call set_backend"):
        run_mapping(bare, map_schedule(bare, quad), [np.zeros((1, 4), np.float32)])
