"""Pictures of the panels that are no graph, schedule or memory: charts, and what was measured."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

import aidge_nb
from aidge_nb.tiling import TilingSearch, tile_for
from aidge_nb.widgets import Scene, build_scene, scene_of, scene_svgs, to_svg
from aidge_nb.widgets.scene.parts import Chart, SceneNode
from aidge_nb.widgets.still.mime import picture
from tests.widgets.models import EVIL, residual


@pytest.fixture(scope="module")
def search() -> TilingSearch:
    convs = [aidge_nb.PaddedConv2D(4, 4, [3, 3], f"conv{n}", None, [1] * 4) for n in range(2)]
    view = aidge_nb.sequential(convs)
    view.forward_dims([[1, 4, 16, 16]])
    return tile_for(view, memory=6_000)


def test_a_front_of_choices_has_a_picture(search: TilingSearch) -> None:
    bundle = picture(search)
    assert {"image/svg+xml", "image/png", "text/plain"} <= set(bundle)
    discs = re.findall(r'<path d="M[^"]*C[^"]*" fill="#', bundle["image/svg+xml"])
    assert len(discs) == len(search.front)
    assert "budget 5.86 KiB" in bundle["image/svg+xml"]


def test_points_lie_in_their_order_inside_the_picture() -> None:
    chart = Chart("c", "x", "y", tuple((2.0**n, 10.0**n, -1) for n in range(5)), log=True)
    svg = to_svg(Scene("s", charts=(chart,)), "charts")
    places = [(float(x), float(y)) for x, y in re.findall(r'd="M([\d.]+) ([\d.]+)C', svg)]
    assert len(places) == 5
    assert places == sorted(places, key=lambda at: (at[0], -at[1]))
    steps = {round(b - a, 1) for (a, _), (b, _) in pairwise(places)}
    assert len(steps) <= 2, "powers are as far from each other as they should be, but for rounding"
    root = ET.fromstring(svg)
    wide, high = float(root.get("width", 0)), float(root.get("height", 0))
    assert all(0 < x < wide and 0 < y < high for x, y in places)


@pytest.mark.parametrize("is_log", [False, True])
def test_values_that_have_no_place_are_left_out(is_log: bool) -> None:
    wrong = (float("nan"), float("inf"))
    points = (*((each, 1.0, -1) for each in wrong), (1.0, 1.0, -1))
    line = (("line", ((1.0, 1.0), (wrong[0], 2.0), (3.0, 4.0))),)
    svg = to_svg(Scene("s", charts=(Chart("c", "x", "y", points, line, is_log),)), "charts")
    ET.fromstring(svg)
    assert "nan" not in svg
    assert "inf" not in svg
    assert len(re.findall(r'd="M[^"]*C', svg)) == 1


def test_names_of_charts_are_text_and_never_markup() -> None:
    chart = Chart(EVIL, EVIL, EVIL, ((1.0, 2.0, 0),), ((EVIL, ((0.0, 0.0), (1.0, 1.0))),))
    scene = Scene(EVIL, (SceneNode(EVIL, EVIL),), charts=(chart, chart))
    tags = {each.tag.rpartition("}")[2] for each in ET.fromstring(to_svg(scene, "charts")).iter()}
    assert tags <= {"svg", "title", "rect", "text", "path", "line", "g"}


def test_a_run_that_was_measured_has_a_picture() -> None:
    run = [("stem", 1.0, 3.0), ("b0_conv", 4.0, 9.0)]
    scene = build_scene(*residual(1), measured=run)
    assert list(scene_svgs(scene)) == ["overview", "graph", "timeline", "measured", "memory"]
    svg = to_svg(scene, "measured")
    assert "µs" in svg
    assert "b0_conv" in svg


def test_what_has_no_charts_has_no_picture_of_them(search: TilingSearch) -> None:
    assert "charts" in scene_svgs(scene_of(search))
    assert "charts" not in scene_svgs(build_scene(*residual(1)))
