"""Fusing a vision transformer by the queries of seed 003: counts, numbers, schedule and plan."""

from __future__ import annotations

import numpy as np
import pytest

import aidge_nb
from aidge_nb import zoo
from aidge_nb.graph import GraphView, MetaOperatorOp, expand_metaops, fuse_to_metaops
from aidge_nb.onnx_io.model import OnnxModel
from aidge_nb.runtime import check_execution
from tests.graph.seed_003 import SEED_003


@pytest.fixture(scope="module")
def small_model() -> OnnxModel:
    return zoo.dinov2_like(size=28, dim=16, heads=2, depth=2)


def _image() -> aidge_nb.Tensor:
    values = np.random.default_rng(3).standard_normal((1, 3, 28, 28))
    return aidge_nb.Tensor(values.astype(np.float32))


def _run(view: GraphView) -> np.ndarray:
    view.set_backend("cpu")
    return np.asarray(aidge_nb.SequentialScheduler(view).forward(data=[_image()])[0]).copy()


class TestSeed003:
    """The five queries of seed 003 on a vision transformer."""

    @staticmethod
    def _fused(model: OnnxModel) -> GraphView:
        view = aidge_nb.load_onnx(model)
        for kind, query in SEED_003.items():
            fuse_to_metaops(view, query, kind)
        return view

    def test_counts_of_the_whole_model(self) -> None:
        view = aidge_nb.load_onnx(zoo.dinov2_like(size=28, dim=16, heads=2, depth=12))
        counts = [fuse_to_metaops(view, query, kind) for kind, query in SEED_003.items()]
        assert counts == [36, 25, 12, 12, 12]

    def test_numbers_stay(self, small_model: OnnxModel) -> None:
        expected = _run(aidge_nb.load_onnx(small_model))
        view = self._fused(small_model)
        np.testing.assert_array_equal(_run(view), expected)
        np.testing.assert_array_equal(_run(view.clone()), expected)
        expand_metaops(view, recursive=True)
        np.testing.assert_array_equal(_run(view), expected)

    def test_the_fused_graph_schedules_and_plans(self, small_model: OnnxModel) -> None:
        peaks = []
        for view in (aidge_nb.load_onnx(small_model), self._fused(small_model)):
            assert view.forward_dims([[1, 3, 28, 28]], allow_data_dependency=True)
            scheduler = aidge_nb.SequentialScheduler(view)
            scheduler.generate_scheduling()
            assert aidge_nb.check_schedule(view, aidge_nb.static_schedule(view)).executions
            plan = scheduler.plan_memory(in_place=False)
            aidge_nb.check_plan(plan)
            peaks.append(plan.peak)
        assert peaks[1] < peaks[0]

    def test_the_fused_graph_runs_in_place_in_its_arena(self, small_model: OnnxModel) -> None:
        """Memory that holds no value is poisoned there, and every value compared bit for bit."""
        view = self._fused(small_model)
        view.set_backend("cpu")
        assert view.forward_dims([[1, 3, 28, 28]], allow_data_dependency=True)
        scheduler = aidge_nb.SequentialScheduler(view)
        scheduler.generate_scheduling()
        plan = scheduler.plan_memory()
        over = {buffer.node for buffer in plan.buffers if buffer.in_place_of}
        assert {name for name in over if "GeLU" in name} == {"(GeLU#0)", "(GeLU#1)"}
        run = check_execution(view, plan, [_image()])
        assert run.touched == plan.peak

    def test_attention_is_nested(self, small_model: OnnxModel) -> None:
        view = self._fused(small_model)
        heads = [node for node in view if node.type() == "MultiHeadAttention"]
        operator = heads[0].get_operator()
        assert isinstance(operator, MetaOperatorOp)
        inside = {node.type() for node in operator.get_micro_graph()}
        assert {"ScaledDotProductAttention", "Linear", "Split", "MatMul"} <= inside
