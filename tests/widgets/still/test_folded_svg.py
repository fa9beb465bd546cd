"""The folded schedule as a picture: alike for few turns and many, any loops and 1 to 100 rows."""

from __future__ import annotations

import re
import struct
import xml.etree.ElementTree as ET
from collections.abc import Callable
from functools import cache

import pytest

from aidge_nb.scheduling.schedule.nest import Actor, Firing, Loop
from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule
from aidge_nb.widgets import build_scene, to_png, to_svg
from aidge_nb.widgets.still.svg.folding import equation
from tests.widgets.loops import chain_of_rates, lstm, nested

SVG = "{http://www.w3.org/2000/svg}"
MULTI_RATE = [(1, 1), (1, 4), (1, 1), (120, 1)]


def rows(count: int, turns: int) -> StaticSchedule:
    """Make turns of a chain of operators that follow each other."""
    actors = tuple(Actor(f"op{n}", "ReLU", False, f"op{n}", n) for n in range(count))
    body = tuple(Firing(n, 0, n, n) for n in range(count))
    growth = tuple((n, 1, count, count) for n in range(count))
    return StaticSchedule(actors, (Loop(turns, body, growth),))


LOOPS: dict[str, Callable[[int], StaticSchedule]] = {
    "lstm": lstm,
    "pipeline": lambda turns: chain_of_rates([(1, 1)] * 5, turns),
    "multi-rate": lambda turns: chain_of_rates(MULTI_RATE, 48 * turns),
    "nested": nested,
    "one row": lambda turns: rows(1, turns),
    "two rows": lambda turns: rows(2, turns),
    "nine rows": lambda turns: rows(9, turns),
    "a hundred rows": lambda turns: rows(100, turns),
}


@cache
def picture(name: str, turns: int) -> str:
    return to_svg(build_scene(schedule=LOOPS[name](turns)), "factorized")


def boxes(svg: str) -> list[tuple[str, str, str]]:
    """Return the boxes of firings: their row, height and colour."""
    return [
        (each.attrib["y"], each.attrib["height"], each.attrib["fill"])
        for each in ET.fromstring(svg).iter(f"{SVG}rect")
        if "rx" in each.attrib and each.attrib["fill"] != "#ffffff"
    ]


@pytest.mark.parametrize("name", LOOPS)
def test_few_and_many_turns_have_the_same_picture_but_for_numbers(name: str) -> None:
    few, many = (picture(name, turns) for turns in (50, 1_000_000))
    assert boxes(few) == boxes(many)
    assert boxes(few)
    words = [re.sub(r"[\d,]+", "#", text) for text in re.findall(r">([^<]+)</text>", few)]
    others = [re.sub(r"[\d,]+", "#", text) for text in re.findall(r">([^<]+)</text>", many)]
    assert {word for word in words if "every" in word} == {w for w in others if "every" in w}
    assert len(many) < 1.2 * len(few) + 2000


@pytest.mark.parametrize("name", LOOPS)
@pytest.mark.parametrize("turns", [50, 1_000_000])
def test_its_figures_add_up(name: str, turns: int) -> None:
    timeline = build_scene(schedule=LOOPS[name](turns)).timeline
    assert timeline is not None
    if not timeline.frames:
        return
    left, whole = equation(timeline.frames, -1, timeline.steps).replace(",", "").split(" = ")
    total = 0
    for part in left.split(" + "):
        count, _, period = part.partition("×")
        total += int(count) * int(period or 1)
    assert total == int(whole) == timeline.steps


@pytest.mark.parametrize("count", [1, 2, 3, 10, 24, 25, 60, 100])
def test_any_number_of_rows_lies_inside_of_the_picture(count: int) -> None:
    svg = to_svg(build_scene(schedule=rows(count, 1000)), "factorized")
    root = ET.fromstring(svg)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    for each in root.iter(f"{SVG}rect"):
        x, y = float(each.attrib["x"]), float(each.attrib["y"])
        assert 0 <= x <= x + float(each.attrib["width"]) <= width + 0.5
        assert 0 <= y <= y + float(each.attrib["height"]) <= height + 0.5
    for text in root.iter(f"{SVG}text"):
        assert 0 <= float(text.attrib["y"]) <= height


@pytest.mark.parametrize("name", ["lstm", "multi-rate", "a hundred rows"])
def test_the_png_has_the_size_of_the_svg_twice(name: str) -> None:
    scene = build_scene(schedule=LOOPS[name](1_000_000))
    root = ET.fromstring(picture(name, 1_000_000))
    png = to_png(scene, "factorized")
    size = struct.unpack(">II", png[16:24])
    wanted = [2 * float(root.attrib[side]) for side in ("width", "height")]
    assert size == tuple(pytest.approx(each, abs=2) for each in wanted)


def test_a_thousand_million_turns_are_drawn() -> None:
    assert "×" in picture("lstm", 10**9)
    assert boxes(picture("lstm", 10**9)) == boxes(picture("lstm", 50))
