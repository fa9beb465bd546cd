"""The picture of a mapping: elements, links and memories one under another, on one clock."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from aidge_nb.course import graphs, machines
from aidge_nb.hardware import map_schedule
from aidge_nb.hardware.steps import Work
from aidge_nb.widgets import Scene, scene_of, to_png, to_svg
from aidge_nb.widgets.shared import PANELS
from aidge_nb.widgets.still.svg.mapping_parts import CycleAxis, legend_of, span_of
from aidge_nb.widgets.still.svg.memories import shares
from aidge_nb.widgets.still.svg.page import NARROW
from aidge_nb.widgets.text import width_of
from tests.widgets.mappings import mapped, odd_mappings
from tests.widgets.models import mapping_of

SVG = "{http://www.w3.org/2000/svg}"


def texts_of(svg: str) -> list[ET.Element]:
    return list(ET.fromstring(svg).iter(f"{SVG}text"))


def test_the_picture_of_a_mapping_has_rows_links_idle_times_and_memories() -> None:
    _, scene = mapped()
    said = [each.text for each in texts_of(to_svg(scene))]
    assert {"Elements", "Links", "ram", "flash", "accelerator/scratch"} <= set(said)
    assert {"ram→scratch", "busy 79 %", "2,068", "2,420", "1,240", "1,300"} <= set(said)
    assert "127 KiB of 128 KiB (99 %)" in said
    assert {"capacity 128 KiB", "peak 127 KiB", "peak 36 KiB"} <= set(said)
    assert "capacity 2 MiB" not in said, "it lies far above what is drawn"
    assert {"convolution", "input of the graph", "parameters", "idle"} <= set(said)
    assert {label for _, label in legend_of(scene)} <= set(said)


def test_each_of_two_cores_shows_where_it_waits_and_narrow_boxes_say_the_work() -> None:
    mapping = map_schedule(graphs.two_heads(), machines.duo())
    said = [each.text for each in texts_of(to_svg(scene_of(mapping)))]
    assert {"1,056", "990"} <= set(said), "before near: core 0, core 1"
    assert said.count("wide") == 3, "a box of each core, and the result in ram"


def test_a_cycle_has_one_place_in_rows_and_memories() -> None:
    mapping, scene = mapped()
    axis = CycleAxis(NARROW, mapping.cycles)
    lefts = {
        float(each.attrib["x"])
        for each in ET.fromstring(to_svg(scene)).iter(f"{SVG}rect")
        if each.get("height") != "14"
    }
    for step in mapping.steps:
        if step.name.startswith("compute") and step.end - step.start > 100:
            assert min(abs(left - axis.x(step.start)) for left in lefts) <= 0.5, step.work
    for each in mapping.placements:
        if each.memory == "ram":
            assert min(abs(left - axis.x(each.start)) for left in lefts) <= 0.51, each.buffer


def test_there_is_paper_between_any_two_works_that_can_be_told_apart() -> None:
    for left in (100.0, 100.4, 100.5, 100.9):
        for wide in (2.0, 4.0, 7.3, 40.0):
            first, last = span_of(left, left + wide)
            following, _ = span_of(left + wide, left + 2 * wide)
            assert following - last >= (2 if wide >= 4 else 1)
            assert last > first


def test_every_text_lies_in_the_picture_and_names_in_their_boxes() -> None:
    _, scene = mapped()
    svg = to_svg(scene)
    root = ET.fromstring(svg)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    boxes = [
        tuple(float(each.attrib[key]) for key in ("x", "y", "width", "height"))
        for each in root.iter(f"{SVG}rect")
    ]
    for each in texts_of(svg):
        x, y, size = float(each.attrib["x"]), float(each.attrib["y"]), 11.0
        wide = width_of(each.text or "", size)
        assert 0 <= y <= height
        assert 0 <= x <= width
        is_name = each.get("text-anchor") == "middle" and y > 30 and "transform" not in each.attrib
        if is_name:
            assert any(
                left - 3 <= x - wide / 2
                and x + wide / 2 <= left + across + 3
                and top <= y <= top + high
                for left, top, across, high in boxes
                if across < width
            ), each.text


def test_memories_share_the_height_by_what_they_hold() -> None:
    least = PANELS["mapping"]["memory"]["least"]
    found = shares([36, 9, 127], 460)
    assert sum(found) == pytest.approx(460 - 3 * PANELS["mapping"]["head"])
    assert found[1] == least
    assert found[0] >= least
    assert found[2] > 3 * found[0] - 1 or found[0] == least
    assert shares([], 100) == []


@pytest.mark.parametrize("name", odd_mappings())
@pytest.mark.parametrize("picture", ["devices", "memory"])
def test_odd_mappings_have_pictures_of_bounded_size(name: str, picture: str) -> None:
    scene = scene_of(odd_mappings()[name])
    svg = to_svg(scene, picture)
    root = ET.fromstring(svg)
    assert float(root.attrib["height"]) < 1000
    assert len(svg) < 700_000
    texts = [each.text or "" for each in texts_of(svg)]
    assert all(len(text) < 200 for text in texts)
    if (name, picture) == ("nothing takes time", "devices"):
        assert "nothing runs" in texts
    assert to_png(scene, picture)[:4] == b"\x89PNG"


def many_elements(count: int) -> Scene:
    mapping = mapping_of(count, count)
    return scene_of(replace(mapping, works=(*mapping.works, Work("b", (), ()))))


def test_what_a_picture_leaves_out_is_counted() -> None:
    svg = to_svg(many_elements(500))
    (note,) = re.findall("… and [^<]*", svg)
    most = PANELS["mapping"]["page"]["most"]
    assert note.startswith("… and 51 more rows; … and ")
    assert f"… and {500 - most} more memories" in note
    brief = to_svg(many_elements(500), brief=True)
    assert len(brief) < len(svg)
    (note,) = re.findall("… and [^<]*", to_svg(many_elements(500), "memory"))
    assert note.startswith(f"… and {500 - most} more memories")
