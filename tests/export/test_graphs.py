"""Graphs that other rooms made: fused, tiled, quantized."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import aidge_nb
from aidge_nb import zoo
from aidge_nb.export import check_export, export, plan_export
from aidge_nb.graph import GraphView, fuse_to_metaops
from tests.export.building import Builder
from tests.export.models import zoo_small
from tests.export.quantized import qdq, qlinear
from tests.graph.seed_003 import SEED_003

IMAGE = [1, 3, 28, 28]


def fused_transformer() -> GraphView:
    """Fuse a small vision transformer by the queries of seed 003."""
    view = zoo_small("dinov2_like")
    counts = [fuse_to_metaops(view, query, kind) for kind, query in SEED_003.items()]
    assert all(counts)
    return view


def test_a_fused_transformer_has_the_same_bits(tmp_path: Path, builder: Builder) -> None:
    fused = export(fused_transformer(), tmp_path / "fused", name="fused")
    check_export(fused.plan)
    assert not builder.check(fused)
    plain = export(zoo_small("dinov2_like"), tmp_path / "plain", name="plain")
    expected = [tmp_path / name / "data" / "outputs" for name in ("fused", "plain")]
    (one,), (other,) = (list(folder.iterdir()) for folder in expected)
    assert one.read_bytes() == other.read_bytes()
    assert fused.plan.arena_bytes == plain.plan.arena_bytes


def test_a_fused_block_is_expanded_unless_it_has_a_kernel() -> None:
    view = zoo_small("lenet")
    assert fuse_to_metaops(view, "Conv2D->ReLU", "ConvReLU") == 2
    plan = plan_export(view)
    check_export(plan)
    kinds = [step.type for step in plan.walk()]
    assert kinds.count("Conv2D") == 2
    assert "ConvReLU" not in kinds
    assert plan.arena_bytes == plan_export(zoo_small("lenet")).arena_bytes


def test_a_fused_graph_is_left_as_it_was() -> None:
    view = fused_transformer()
    before = [node.type() for node in view]
    plan_export(view)
    assert [node.type() for node in view] == before


@pytest.mark.parametrize("grid", [{2: 4}, {0: 2, 2: 3, 3: 2}])
def test_a_tiled_graph_has_the_same_bits(
    tmp_path: Path, builder: Builder, grid: dict[int, int]
) -> None:
    view = zoo_small("tiling_model")
    whole = plan_export(view)
    view.forward_dims([[4, 3, 66, 66]])
    conv = next(node for node in view if node.type() == "Conv2D")
    relus = [node for node in view.topological_order() if node.type() not in ("Producer",)]
    tiling = aidge_nb.plan_tiling(view, relus[relus.index(conv) :], grid)
    aidge_nb.apply_tiling(view, tiling)
    package = export(view, tmp_path / "tiled", name="tiled")
    check_export(package.plan)
    assert not builder.check(package)
    assert len(list(package.plan.walk())) > len(list(whole.walk()))
    export(zoo_small("tiling_model"), tmp_path / "whole", name="whole")
    expected = [tmp_path / name / "data" / "outputs" for name in ("tiled", "whole")]
    (one,), (other,) = (list(folder.iterdir()) for folder in expected)
    assert one.read_bytes() == other.read_bytes()


@pytest.mark.parametrize("grid", [{1: 4}, {2: 3}])
def test_tiles_over_their_slices_have_the_same_bits(
    tmp_path: Path, builder: Builder, grid: dict[int, int]
) -> None:
    """An activation that is tiled alone overwrites its input, be its tiles one piece or several."""
    random = np.random.default_rng(0)
    nodes = [aidge_nb.Conv2D(2, 8, [1, 1], "a"), aidge_nb.ReLU("b"), aidge_nb.Conv2D(8, 2, [1, 1])]
    view = aidge_nb.sequential(nodes)
    for node in view:
        if node.type() == "Producer":
            values = random.standard_normal(node.get_operator().get_output(0).dims)
            node.get_operator().set_output(0, aidge_nb.Tensor(values.astype(np.float32)))
    assert view.compile("cpu", dims=[[1, 2, 6, 6]])
    whole = plan_export(view)
    aidge_nb.apply_tiling(view, aidge_nb.plan_tiling(view, [nodes[1]], grid))
    package = export(view, tmp_path / "tiled", name="tiled")
    check_export(package.plan)
    assert not builder.check(package)
    assert package.plan.arena_bytes == whole.arena_bytes


@pytest.mark.slow
def test_the_tiled_mobilenet_needs_little_memory() -> None:
    view = zoo.load("mobilenet_v2")
    assert plan_export(view).arena_bytes <= 6_021_120
    assert view.forward_dims([[1, 3, 224, 224]], True)
    # Kernels in C want one piece and copy kept rows, which the search does not count: ask for less.
    aidge_nb.tile_for(view, memory=1_150_000).apply(view)
    plan = plan_export(view, name="tiled")
    check_export(plan)
    assert plan.arena_bytes <= 1_330_000


@pytest.mark.slow
def test_a_small_tiled_mobilenet_has_the_same_bits(tmp_path: Path, builder: Builder) -> None:
    view = zoo_small("mobilenet_v2")
    untiled = plan_export(view)
    assert view.forward_dims([[1, 3, 64, 64]], True)
    aidge_nb.tile_for(view, memory=untiled.arena_bytes // 2).apply(view)
    package = export(view, tmp_path / "tiled", name="tiled")
    assert package.plan.arena_bytes < untiled.arena_bytes
    assert not builder.check(package)


@pytest.mark.parametrize("make", [qlinear, qdq])
@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_a_quantized_model_has_the_same_bits(
    tmp_path: Path, builder: Builder, make: Callable[[str], GraphView], dtype: str
) -> None:
    package = export(make(dtype), tmp_path / "quantized")
    check_export(package.plan)
    assert not builder.check(package)
