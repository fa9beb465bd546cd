"""The page of stripes draws memory as the browser does: whole and tiled at one scale."""

from __future__ import annotations

import re

import pytest

import aidge_nb
from aidge_nb.tiling import Tiling, plan_tiling
from aidge_nb.widgets import scene_of, to_png, to_svg
from aidge_nb.widgets.text import size_text


def tiled(stripes: int, halo: str = "recompute") -> Tiling:
    convs = [aidge_nb.PaddedConv2D(4, 4, [3, 3], f"conv{n}", None, [1] * 4) for n in range(3)]
    view = aidge_nb.sequential(convs)
    view.forward_dims([[1, 4, 32, 32]])
    return plan_tiling(view, convs, {2: stripes}, halo=halo)


@pytest.mark.parametrize("halo", ["recompute", "cache"])
@pytest.mark.parametrize("count", [2, 4, 16])
def test_both_peaks_and_all_stripes_are_there(count: int, halo: str) -> None:
    scene = scene_of(tiled(count, halo))
    drawing = scene.stripes
    assert drawing is not None
    page = to_svg(scene)
    own, whole = drawing.ways[drawing.chosen], drawing.ways[0]
    assert f"as a whole and in {count} stripes, at one scale" in page
    assert f"peak {size_text(own.peak)}" in page
    change = whole.peak - own.peak
    assert (f"{'−' if change > 0 else '+'}{size_text(abs(change))}" in page) == bool(change)
    ticks = whole.ticks[1] - whole.ticks[0]
    assert f"whole: {ticks} ticks" in page
    numbers = {int(n) for n in re.findall(r">(?:stripe )?(\d+)</text>", page)}
    assert set(range(1, count + 1)) <= numbers
    assert to_png(scene).startswith(b"\x89PNG")


def test_buffers_of_both_have_one_scale() -> None:
    scene = scene_of(tiled(4))
    drawing = scene.stripes
    assert drawing is not None
    page = to_svg(scene)
    memory = page[page.index(">Memory<") :]
    heights = {float(each) for each in re.findall(r'<rect [^>]*height="([\d.]+)" fill="#', memory)}
    most = max(way.peak for way in (drawing.ways[drawing.chosen], drawing.ways[0]))
    sizes = drawing.boxes[(drawing.boxes[:, 0] == drawing.chosen) | (drawing.boxes[:, 0] == 0), 4]
    for size in set(sizes.tolist()):
        expected = 200 * size / most - 1.4
        assert any(abs(high - expected) < 0.2 for high in heights), size


def test_the_whole_alone_has_no_arrow() -> None:
    page = to_svg(scene_of(tiled(1)))
    assert ">as a whole<" in page
    assert "at one scale" not in page


def test_without_a_plan_there_is_no_memory() -> None:
    page = to_svg(scene_of(Tiling.from_dict(tiled(4).to_dict())))
    assert ">Memory<" not in page
