"""Seed 003 end to end: DINOv2-small, five fusions, peaks before and after, the memory report."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import aidge_nb
from aidge_nb import zoo
from aidge_nb.graph import GraphView
from tests.graph.seed_003 import SEED_003

IMAGE = [[1, 3, 224, 224]]


@pytest.fixture(scope="module")
def model() -> GraphView:
    return aidge_nb.load_onnx(zoo.dinov2_like())


def _scheduler(view: GraphView) -> aidge_nb.SequentialScheduler:
    view.set_backend("cpu")
    view.set_datatype(aidge_nb.dtype.float32)
    assert view.forward_dims(IMAGE, True)
    scheduler = aidge_nb.SequentialScheduler(view)
    scheduler.generate_scheduling()
    return scheduler


def _run(scheduler: aidge_nb.SequentialScheduler) -> np.ndarray:
    image = np.random.default_rng(0).standard_normal(IMAGE[0]).astype(np.float32)
    return np.asarray(scheduler.forward(data=[image])[-1]).copy()


def _as_in_the_seed(scheduler: aidge_nb.SequentialScheduler, folder: Path) -> int:
    """Ask for the memory layout as the seed does."""
    peak, _ = aidge_nb.generate_optimized_memory_info(
        scheduler, str(folder), wrapping=False, display_names=False
    )
    assert (folder / "memory_info.txt").stat().st_size > 1000
    return peak


def test_the_script(model: GraphView, tmp_path: Path) -> None:
    """The figures are aidge_core's on this model, 6,316,032 and 4,340,736 bytes, or less."""
    scheduler = _scheduler(model)
    before = scheduler.plan_memory(in_place=False)
    aidge_nb.check_plan(before)
    assert before.peak == 5_131_776  # the bound of live bytes in file order, without in-place
    assert scheduler.plan_memory().peak < before.peak
    expected = _run(scheduler)
    assert _as_in_the_seed(scheduler, tmp_path / "stats") <= 5_131_776
    first_fit = aidge_nb.OptimizeStrategy.None_
    greedy, _ = aidge_nb.generate_optimized_memory_info(
        scheduler, None, wrapping=False, mem_optimize_strategy=first_fit
    )
    assert greedy < 6_316_032

    counts = [aidge_nb.fuse_to_metaops(model, query, kind) for kind, query in SEED_003.items()]
    assert counts == [36, 25, 12, 12, 12]
    last = model.get_ordered_outputs()[0]
    source = last.node.inputs()[0]
    assert source is not None
    model.set_ordered_outputs([source, last])

    scheduler = _scheduler(model)
    after = scheduler.plan_memory(in_place=False)
    aidge_nb.check_plan(after)
    assert after.peak <= 4_340_736
    in_place = scheduler.plan_memory()
    aidge_nb.check_plan(in_place)
    assert in_place.peak < after.peak  # GeLU takes the place of what it is applied to
    assert _as_in_the_seed(scheduler, tmp_path / "stats_dyno") <= after.peak
    np.testing.assert_array_equal(_run(scheduler), expected)
