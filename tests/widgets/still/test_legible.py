"""Letters of pictures can be read on A4, and colours are not needed there."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from functools import cache
from math import ceil
from xml.etree import ElementTree as ET

import pytest

import aidge_nb
from aidge_nb import hardware, widgets
from aidge_nb.report import study
from aidge_nb.widgets import Scene, build_scene, scene_of, to_svg
from aidge_nb.widgets.still.png.picture import svg_png
from aidge_nb.widgets.still.svg.page import NARROW, WIDTH, widest
from aidge_nb.widgets.still.svg.picture import paper_svgs
from tests.widgets.mappings import mapped
from tests.widgets.models import plan_of, repeated, snapshot

SVG = "{http://www.w3.org/2000/svg}"
PAPER = 190 / 25.4 * 72  # points
PIXEL = 0.75  # points of a pixel where a picture is not made smaller
LEAST = 6.0  # points


def chain(count: int) -> tuple[aidge_nb.GraphView, list[aidge_nb.Node]]:
    convs = [aidge_nb.PaddedConv2D(4, 4, [3, 3], f"conv{n}", None, [1] * 4) for n in range(count)]
    view = aidge_nb.sequential(convs)
    view.forward_dims([[1, 4, 32, 32]])
    return view, convs


def many_maps() -> Scene:
    convs = [aidge_nb.Conv2D(1, 1, [1, 1], name=f"c{n}") for n in range(16)]
    view = aidge_nb.sequential(convs)
    view.forward_dims([[1, 1, 64, 128]])
    return scene_of(aidge_nb.plan_tiling(view, convs, {2: 2, 3: 2}))


def explored() -> Scene:
    conv = aidge_nb.Conv2D(3, 32, [3, 3], name="conv0")
    one = aidge_nb.sequential([conv])
    one.forward_dims([[1, 3, 66, 66]])
    return widgets.explore_tiling(one, [conv], hardware.target("quad_cluster")).scene


def fan() -> Scene:
    names = ["in", *(f"branch{place}" for place in range(24)), "out"]
    edges = [(0, 1 + place) for place in range(24)] + [(1 + place, 25) for place in range(24)]
    return build_scene(snapshot(names, edges))


def debugged() -> Scene:
    lenet = aidge_nb.zoo.load("lenet")
    lenet.forward_dims([[1, 1, 32, 32]])
    return widgets.cp_debugger(lenet).scene


SCENES: dict[str, Callable[[], Scene]] = {
    "lenet": lambda: study("zoo:lenet").scene(),
    "mobilenet": lambda: study("zoo:mobilenet_v2").scene(),
    "plan": lambda: build_scene(plan=plan_of(["a", "b", "c", "d"])),
    "repeats": lambda: build_scene(schedule=repeated()),
    "repeats often": lambda: build_scene(schedule=repeated(400)),
    "mapping": lambda: mapped()[1],
    "tiles": explored,
    "stripes": lambda: scene_of(aidge_nb.plan_tiling(*chain(6), {2: 4})),
    "grid": many_maps,
    "front": lambda: scene_of(aidge_nb.tile_for(chain(3)[0], memory=20_000)),
    "wide": fan,
    "debugger": debugged,
}
"""Scenes that together have every kind of picture."""


@cache
def scene_called(name: str) -> Scene:
    return SCENES[name]()


def letters(svg: str) -> Iterator[tuple[float, str]]:
    """Give the size of each text in points where the picture is printed as wide as A4 allows."""
    root = ET.fromstring(svg)
    unit = min(PIXEL, PAPER / float(root.attrib["viewBox"].split()[2]))

    def walk(element: ET.Element, size: float, zoom: float) -> Iterator[tuple[float, str]]:
        size = float(element.get("font-size", size))
        scale = re.search(r"scale\(([\d.]+)\)", element.get("transform", ""))
        zoom *= float(scale[1]) if scale else 1.0
        if element.tag == f"{SVG}text" and (element.text or "").strip():
            yield size * zoom * unit, element.text or ""
        for child in element:
            yield from walk(child, size, zoom)

    return walk(root, 12.0, 1.0)


def test_scenes_have_every_kind_of_picture() -> None:
    drawn = {name for each in SCENES for name in scene_called(each).pictures}
    assert drawn >= {"overview", "graph", "timeline", "factorized", "memory", "devices", "charts"}
    assert drawn >= {"stripes", "tiling"}


@pytest.mark.parametrize("name", SCENES)
def test_letters_have_six_points_or_more_on_a4(name: str) -> None:
    scene = scene_called(name)
    for picture in scene.pictures:
        small = [each for each in letters(to_svg(scene, picture, brief=True)) if each[0] < LEAST]
        assert small == [], picture


@pytest.mark.parametrize("name", SCENES)
def test_pictures_for_paper_are_as_legible(name: str) -> None:
    for picture, svg in paper_svgs(scene_called(name)).items():
        assert [each for each in letters(svg) if each[0] < LEAST] == [], picture


@pytest.mark.parametrize("name", SCENES)
def test_pictures_are_as_wide_as_asked_and_say_what_they_show(name: str) -> None:
    scene = scene_called(name)
    for picture in scene.pictures:
        svg = to_svg(scene, picture, brief=True)
        root = ET.fromstring(svg)
        label, title, desc = (
            root.get("aria-label"),
            *(root.findtext(SVG + each) for each in ("title", "desc")),
        )
        assert root.get("role") == "img"
        assert label is not None
        assert label.startswith(title or "nothing")
        assert scene.title.partition(" in ")[0] in label
        assert desc in label if desc else not scene.figures
        for _, value in scene.figures[:2]:
            assert value in label, picture
        for wanted, options in ((333, {"width": 333}), (None, {"scale": 0.3})):
            head = svg_png(svg, **options)[:24]
            wide = wanted or ceil(round(0.3 * float(root.attrib["width"]), 6))
            assert struct.unpack(">I", head[16:20])[0] == wide, picture


def test_a_drawing_with_small_letters_is_narrow() -> None:
    assert NARROW <= widest(10) < NARROW + 10
    for picture in ("devices", "memory"):
        assert float(ET.fromstring(to_svg(mapped()[1], picture)).attrib["width"]) == WIDTH


def test_a_graph_that_is_too_wide_keeps_what_all_branches_share() -> None:
    svg = to_svg(scene_called("wide"), "graph", brief=True)
    said = [each.text or "" for each in ET.fromstring(svg).iter(f"{SVG}text")]
    ends = [each.rpartition(" ")[2] for each in said]
    assert {"in", "out"} <= set(ends)
    (note,) = [each for each in said if each.startswith("… and ")]
    drawn = sum(each.startswith("branch") for each in ends)
    assert 0 < drawn < 24
    assert int(note.split()[2]) == 24 - drawn
    assert "more: open" not in to_svg(scene_called("wide"), "graph")


@pytest.mark.parametrize("name", ["mapping", "plan", "lenet"])
def test_families_have_patterns_on_paper_and_none_on_screen(name: str) -> None:
    """Graphs, tilings and rows of a schedule write what a colour says: they need none."""
    scene = scene_called(name)
    drawn = paper_svgs(scene)
    picture = next(each for each in ("overview", "devices", "memory") if each in drawn)
    used = re.findall(r"url\(#(anb-family-\d+)\)", drawn[picture])
    assert used
    assert all(f'<pattern id="{each}"' in drawn[picture] for each in used)
    assert "<pattern" not in to_svg(scene, picture)
