"""The picture that stands for a workbench or a report: findings, order and memory on one clock."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

import aidge_nb
from aidge_nb import zoo
from aidge_nb.core.errors import AidgeError
from aidge_nb.report import study
from aidge_nb.widgets import Scene, build_scene, to_png, to_svg
from aidge_nb.widgets.live.workbench import Workbench
from aidge_nb.widgets.still.svg.memory import used_bytes
from aidge_nb.widgets.still.svg.overview import HEIGHT, WIDTH, free_place
from aidge_nb.widgets.still.svg.parts import node_colour
from aidge_nb.widgets.text import size_text, width_of
from tests.widgets.models import EVIL, LONG, plan_of, residual, schedule_of, snapshot

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def mobilenet() -> Scene:
    scene: Scene = study(zoo.mobilenet_v2(size=96, width=0.35)).scene()
    return scene


def texts(svg: str) -> list[ET.Element]:
    return list(ET.fromstring(svg).iter(f"{SVG}text"))


def words(svg: str) -> str:
    return " | ".join(element.text or "" for element in texts(svg))


def test_it_is_the_first_picture_of_a_network_with_a_plan(mobilenet: Scene) -> None:
    assert mobilenet.pictures[0] == "overview"
    assert to_svg(mobilenet) == to_svg(mobilenet, "overview")
    bench = aidge_nb.widgets.workbench(*residual(2))
    assert bench.to_svg() == to_svg(bench.scene, "overview")


def test_it_says_what_the_findings_say(mobilenet: Scene) -> None:
    said = words(to_svg(mobilenet))
    assert mobilenet.memory is not None
    peak = next(card for card in mobilenet.findings if card.kind == "peak")
    assert peak.figure == size_text(mobilenet.memory.peak)
    assert f"{peak.figure} while" in said
    assert f"(tick {peak.tick})" in said
    assert "Do this:" in said
    label = ET.fromstring(to_svg(mobilenet)).get("aria-label") or ""
    assert peak.figure in label
    assert mobilenet.title in label


def test_all_letters_can_be_read_on_paper(mobilenet: Scene) -> None:
    """6 pt are read well; the picture is 1200 px wide, the paper 180 mm."""
    points = 180 / 25.4 * 72 / WIDTH
    assert all(
        float(element.get("font-size", "12")) * points >= 6 for element in texts(to_svg(mobilenet))
    )


def test_a_tick_has_one_place_in_ruler_lane_and_memory(mobilenet: Scene) -> None:
    assert mobilenet.memory is not None
    root = ET.fromstring(to_svg(mobilenet))
    order = mobilenet.memory.tick_node.tolist()
    lane = {
        round(float(x), 1): path.get("fill")
        for path in root.iter(f"{SVG}path")
        for x in re.findall(r"M([\d.]+) 164h", path.get("d", ""))
    }
    assert len(lane) == len(order)
    across = (WIDTH - 14 - 88) / len(order)
    for tick, node in enumerate(order):
        near = min(lane, key=lambda x: abs(x - 88 - tick * across))
        assert abs(near - 88 - tick * across) <= 0.5
        assert lane[near] == node_colour(mobilenet.nodes[node])


def test_what_is_alive_at_the_peak_is_outlined_and_adds_up(mobilenet: Scene) -> None:
    memory = mobilenet.memory
    assert memory is not None
    outlines = [
        float(rect.get("height", "0"))
        for rect in ET.fromstring(to_svg(mobilenet)).iter(f"{SVG}rect")
        if rect.get("stroke-width") == "2" and float(rect.get("y", "0")) > 200
    ]
    per_byte = (634 - 206) / (1.08 * memory.peak)
    holes_and_keys = 13  # the square in the legend
    assert sum(outlines) - holes_and_keys == pytest.approx(memory.peak * per_byte, abs=2)
    assert int(used_bytes(memory).max()) == memory.peak


def test_what_to_do_is_said_where_it_was_computed(mobilenet: Scene) -> None:
    card = mobilenet.findings[0]
    found = replace(card, kind="change", title="DO THIS", edge="good", figure="Tile", nodes=())
    scene = replace(mobilenet, findings=(card, replace(found, headline="now", text="")))
    assert "Do this: " in words(to_svg(scene))
    assert "Can a layout help?" not in words(to_svg(scene))


@pytest.mark.parametrize("name", [EVIL, LONG, "\u202e", ""])
def test_names_of_files_stay_inside_the_picture(name: str) -> None:
    names = [f"{name}{place}" for place in range(70)]
    edges = [(place, place + 1) for place in range(69)]
    spans = [(place, place) for place in range(70)]
    scene = build_scene(snapshot(names, edges), schedule_of(names, spans), plan_of(names))
    svg = to_svg(scene, "overview")
    for element in texts(svg):
        if "rotate" in element.get("transform", ""):
            continue
        wide = width_of(element.text or "", float(element.get("font-size", "12")))
        back = {"middle": wide / 2, "end": wide}.get(element.get("text-anchor", ""), 0.0)
        right = float(element.get("x", "0")) - back + wide
        assert right <= WIDTH + 1


def test_many_operators_keep_its_size_bounded() -> None:
    names = [f"node{place}" for place in range(5000)]
    edges = [(place, place + 1) for place in range(4999)]
    spans = [(place, place) for place in range(5000)]
    scene = build_scene(snapshot(names, edges), schedule_of(names, spans), plan_of(names))
    assert len(to_svg(scene, "overview")) < 900_000


def test_the_png_is_the_same_picture(mobilenet: Scene) -> None:
    png = to_png(mobilenet, "overview", scale=2)
    width, height = (int.from_bytes(png[at : at + 4], "big") for at in (16, 20))
    assert (width, height) == (2 * WIDTH, 2 * HEIGHT)


def test_a_note_finds_a_free_place_or_is_left_out() -> None:
    assert free_place([(88.0, 206.0, 1186.0, 634.0)], (300.0, 400.0), 200.0, 42.0) is None
    left, top = free_place([], (300.0, 400.0), 200.0, 42.0) or (0, 0)
    assert left > 300
    assert 206 <= top <= 634


def test_the_words_of_a_picture_say_what_it_says(mobilenet: Scene) -> None:
    for name in mobilenet.pictures:
        root = ET.fromstring(to_svg(mobilenet, name))
        title, desc = (root.findtext(f"{SVG}{each}") or "" for each in ("title", "desc"))
        label = root.get("aria-label") or ""
        assert title in label
        assert desc in label
        assert mobilenet.title in title
        for card in mobilenet.findings:
            assert card.figure in desc


def test_a_view_draws_what_it_shows(mobilenet: Scene) -> None:
    view = Workbench(mobilenet, time_range=(40.0, 90.0))
    svg = view.to_svg(shown=True)
    marks = [int(label) for label in words(svg).split(" | ") if label.isdecimal()]
    assert {40, 45, 85} <= set(marks)
    assert view.to_svg() == to_svg(mobilenet)
    everything = Workbench(mobilenet)
    assert everything.to_svg(shown=True) == to_svg(mobilenet)
    view.clock = "step"
    with pytest.raises(AidgeError, match="counts in another unit"):
        view.to_svg(shown=True)
    with pytest.raises(AidgeError, match="has no such picture"):
        view.to_png("stripes", shown=True)


def test_a_png_has_the_width_that_is_asked_for(mobilenet: Scene) -> None:
    def width(png: bytes) -> int:
        return int.from_bytes(png[16:20], "big")

    view = Workbench(mobilenet)
    assert width(view.to_png()) == 2 * WIDTH
    assert width(view.to_png(scale=1)) == WIDTH
    assert width(view.to_png(width=800)) == 800
    with pytest.raises(AidgeError, match="exclude each other"):
        view.to_png(width=800, scale=2)
    with pytest.raises(AidgeError, match="no such width"):
        view.to_png(width=0)


def test_pictures_are_bounded(mobilenet: Scene) -> None:
    """At 2×, as notebooks keep them: no more than a page, and no file above 300 kB."""
    for name in mobilenet.pictures:
        svg = to_svg(mobilenet, name, brief=True)
        root = ET.fromstring(svg)
        assert float(root.get("width", "0")) <= WIDTH, name
        assert float(root.get("height", "0")) <= 1600, name
        assert len(svg) + len(to_png(mobilenet, name, brief=True)) < 300_000, name
        whole = ET.fromstring(to_svg(mobilenet, name))
        assert float(whole.get("width", "0")) <= 4000, name
        assert float(whole.get("height", "0")) <= 10_000, name
