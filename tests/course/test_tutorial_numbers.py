"""The numbers that the texts of tutorials 04 to 06 say are those of the library."""

from __future__ import annotations

import json
import re

import pytest

import aidge_nb
from aidge_nb import plan_memory, plan_tiling, static_schedule, tiling, zoo
from aidge_nb.course import generators, graphs
from aidge_nb.course.queries import TRANSFORMER, groups_of
from aidge_nb.memory import plan, plan_of_manager
from tests.course.questions_of import NOTEBOOKS

SHORT = ("04_memory", "05_queries", "06_tiling")


@pytest.mark.parametrize("name", SHORT)
def test_cells_are_short(name: str) -> None:
    """At most 70 words or 12 lines; folded questions, the first and the last cell may have more."""
    cells = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text("utf-8"))["cells"]
    for cell in cells[1:-1]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            assert len(re.sub(r"[#*`]", " ", text).split()) <= 70, text
        elif not cell["metadata"]:
            assert len(text.splitlines()) <= 12, text


def test_memory() -> None:
    view = graphs.five_layers()
    own = plan_memory(view, static_schedule(view), in_place=False)
    assert own.live_bytes() == (576, 1152, 720, 144, 184)
    readers = graphs.second_reader()
    order = static_schedule(readers)
    assert [plan_memory(readers, order, in_place=each).peak for each in (False, True)] == [
        1728,
        1152,
    ]
    assert [name for name in order.order if not name.startswith("conv_")] == [
        "conv",
        "relu",
        "tanh",
        "add",
    ]
    assert generators.first_fit({"a": (0, 1, 2), "b": (0, 2, 1), "c": (1, 3, 3)}) == 6
    assert plan({"a": (0, 1, 2), "b": (0, 2, 1), "c": (1, 3, 3)}).offsets == (0, 3, 0)


def test_the_hole_of_the_densenet() -> None:
    dense = zoo.load("densenet_like")
    dense.set_backend("cpu")
    dense.forward_dims([[1, 3, 32, 32]], allow_data_dependency=True)
    order = static_schedule(dense)
    first = plan_of_manager(aidge_nb.generate_memory(dense, order), dense, order)
    found = {buffer.name: buffer for buffer in first.buffers}
    concat, relu = found["layer3_concat"], found["layer3_relu"]
    assert (concat.lower, concat.offset, concat.size) == (17, 90_112, 49_152)
    assert (relu.upper, relu.size) == (17, 40_960)
    assert relu.end == found["layer3_conv"].offset == concat.offset - 8192


def test_queries() -> None:
    view = graphs.gated()
    order = static_schedule(view)
    own = plan_memory(view, order, in_place=False)
    assert {buffer.size for buffer in own.buffers} == {256}
    assert (own.peak, own.live_bytes()[3], plan_memory(view, order).peak) == (768, 768, 512)
    layers = aidge_nb.load_onnx(zoo.dinov2_like(size=28, dim=16, heads=2, depth=2), verbose=False)
    assert [len(group) for group in groups_of(layers, TRANSFORMER["GeLU"])] == [5, 5]


def test_stripes() -> None:
    chain = graphs.stripes()
    whole = plan_memory(chain, chain.topological_order())
    sizes = {buffer.name: buffer.size for buffer in whole.buffers}
    assert (whole.peak, sizes) == (4096, {"conv0": 2048, "conv1": 2048, "pool": 512})
    nodes = tiling.between(chain, chain.get_node("conv0"), chain.get_node("pool"))
    tiles = plan_tiling(chain, nodes, {2: 4}).tiles
    assert max(tile.parts[0].output[2].size for tile in tiles) == 6
    assert {tile.parts[1].output[2].size for tile in tiles} == {4}


@pytest.mark.parametrize(
    ("count", "halo", "peak"), [(7, "cache", 62_976), (6, "recompute", 69_184)]
)
def test_the_longer_chain(count: int, halo: str, peak: int) -> None:
    long = graphs.stripes(rows=64, channels=8, convs=3, pool=4)
    assert plan_memory(long, long.topological_order()).peak == 262_144
    layers = tiling.between(long, long.get_node("conv0"), long.get_node("pool"))
    aidge_nb.apply_tiling(long, plan_tiling(long, layers, {2: count}, halo=halo))
    assert plan_memory(long, long.topological_order(), parts=True).peak == peak
