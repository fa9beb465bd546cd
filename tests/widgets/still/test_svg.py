import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aidge_nb import zoo
from aidge_nb.core.errors import AidgeError
from aidge_nb.memory.values.plan import Buffer, MemoryPlan
from aidge_nb.scheduling.schedule.nest import Actor, Firing
from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule
from aidge_nb.widgets import Scene, build_scene, scene_of, scene_svgs, to_png, to_svg
from aidge_nb.widgets.scene.devices import Space
from aidge_nb.widgets.scene.graph_drawing import GraphDrawing
from aidge_nb.widgets.scene.parts import MemoryMap
from aidge_nb.widgets.shared import PANELS
from aidge_nb.widgets.still.svg.graph import place_dims
from aidge_nb.widgets.still.svg.memory import covered_from
from aidge_nb.widgets.still.svg.parts import node_colour
from aidge_nb.widgets.still.svg.picture import draw_as_seen
from aidge_nb.widgets.text import width_of
from tests.calls import lines_of
from tests.widgets.loops import chain_of_rates, lstm
from tests.widgets.models import (
    EVIL,
    LONG,
    mapping_of,
    plan_of,
    repeated,
    residual,
    schedule_of,
    snapshot,
)

SVG = "{http://www.w3.org/2000/svg}"


def full_scene(names: list[str]) -> Scene:
    edges = [(index, index + 1) for index in range(len(names) - 1)]
    spans = [(index, index + index % 3) for index in range(len(names))]
    return build_scene(snapshot(names, edges), schedule_of(names, spans), plan_of(names))


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}text")]


def test_a_scene_has_a_picture_of_each_part() -> None:
    assert list(scene_svgs(build_scene(*residual()))) == ["overview", "graph", "timeline", "memory"]
    assert list(scene_svgs(build_scene(schedule=repeated()))) == ["timeline", "factorized"]
    assert scene_svgs(build_scene()) == {}


def test_pictures_are_deterministic() -> None:
    assert scene_svgs(build_scene(*residual())) == scene_svgs(build_scene(*residual()))


@pytest.mark.parametrize("name", [EVIL, "]]>", "\x00\x1f\ufffe\ud800", "'\"&"])
def test_names_are_text_and_never_markup(name: str) -> None:
    for svg in scene_svgs(full_scene([name, "b"])).values():
        root = ET.fromstring(svg.encode("utf-8"))
        tags = {element.tag.removeprefix(SVG) for element in root.iter()}
        assert tags <= {"svg", "title", "desc", "g", "rect", "text", "path", "line"}
        attributes = {key for element in root.iter() for key in element.attrib}
        assert not {key for key in attributes if key.startswith("on")}


def test_a_name_of_ten_thousand_characters_is_shortened() -> None:
    for svg in scene_svgs(full_scene([LONG, "b"])).values():
        assert len(svg) < 20_000
        assert max(map(len, texts(svg))) < 200


@settings(max_examples=25)
@given(st.lists(st.text(min_size=1, max_size=20), min_size=1, max_size=8, unique=True))
def test_any_names_give_well_formed_pictures(names: list[str]) -> None:
    for svg in scene_svgs(full_scene(names)).values():
        ET.fromstring(svg.encode("utf-8"))


def test_one_node_has_every_picture() -> None:
    scene = full_scene(["only"])
    for svg in scene_svgs(scene).values():
        assert any("only" in each.split() for each in texts(svg))


@pytest.mark.parametrize("rows", [422, 3000])
def test_many_rows_stay_readable_and_bounded(rows: int) -> None:
    scene = full_scene([f"layer_{index}" for index in range(rows)])
    pictures = scene_svgs(scene)
    assert all(len(svg) < 1_000_000 for svg in pictures.values())
    places = sorted(
        float(found)
        for found in re.findall(r'<text x="12" y="([\d.]+)">.{0,9}layer_', pictures["timeline"])
    )
    assert len(places) == min(rows, 450)
    assert min(b - a for a, b in pairwise(places)) >= 14
    if rows == 3000:
        assert "2550 more rows" in pictures["timeline"]
        assert "more: open the interactive view" in pictures["graph"]


def test_brief_pictures_fit_a_notebook_and_say_what_is_left() -> None:
    pictures = scene_svgs(full_scene([f"layer_{index}" for index in range(422)]), brief=True)
    for name, svg in pictures.items():
        found = re.search(r'height="([\d.]+)"', svg)
        assert found is not None
        assert float(found.group(1)) < 1600, name
    assert "386 more rows" in pictures["timeline"]
    assert float(ET.fromstring(pictures["graph"]).attrib["width"]) <= 1200


def test_too_many_bars_are_not_all_drawn_and_the_picture_says_so() -> None:
    actors = tuple(Actor(f"a{row}", "FC", False, "", row) for row in range(100))
    firings = tuple(Firing(k % 100, k // 100, k // 100, k // 100) for k in range(20_000))
    svg = to_svg(build_scene(schedule=StaticSchedule(actors, firings)), "timeline")
    assert len(svg) < 500_000
    assert "not every bar is drawn" in svg


def test_the_timeline_tells_slack_from_the_critical_path() -> None:
    scene = build_scene(schedule=schedule_of(["tight", "loose"], [(0, 0), (0, 3)]))
    paths = [path.attrib["d"] for path in ET.fromstring(to_svg(scene)).iter(f"{SVG}path")]
    full, tail = f"v{round(17 * PANELS['rows']['full'])}h", "v2h"
    assert full in paths[0]
    assert tail not in paths[0]
    assert full not in paths[1]
    assert tail in paths[1]


def test_a_folded_schedule_is_drawn_once_with_period_and_count() -> None:
    shown = texts(to_svg(build_scene(schedule=lstm(50)), "factorized"))
    for label in ("×47, every 8 steps", "17 + 47×8 + 8 = 401", "46 more", "25–392", "393", "+2"):
        assert label in shown, label
    assert [label for label in shown if label.startswith("prologue")] == ["prologue: 17 steps"]


def test_fifty_and_a_million_turns_have_the_same_picture_but_for_numbers() -> None:
    few, many = (to_svg(build_scene(schedule=lstm(n)), "factorized") for n in (50, 10**6))
    boxes = [
        [
            (each.attrib["y"], each.attrib["height"], each.attrib["fill"])
            for each in ET.fromstring(svg).iter(f"{SVG}rect")
            if "rx" in each.attrib and each.attrib["fill"] != "#ffffff"
        ]
        for svg in (few, many)
    ]
    assert boxes[0] == boxes[1]
    assert len(boxes[0]) > 50


def test_all_boxes_lie_inside_the_folded_picture() -> None:
    chain = chain_of_rates([(1, 1), (1, 4), (1, 1), (120, 1)], 2400)
    for svg in (
        to_svg(build_scene(schedule=chain), "factorized"),
        draw_as_seen(build_scene(schedule=chain), "factorized", 390, 400),
    ):
        root = ET.fromstring(svg)
        width = float(root.attrib["width"])
        for each in root.iter(f"{SVG}rect"):
            left = float(each.attrib["x"])
            assert 0 <= left <= left + float(each.attrib["width"]) <= width


def test_weights_are_left_out_of_the_timeline() -> None:
    scene = build_scene(schedule=schedule_of(["a"], [(1, 1)], producers=["a_w"]))
    assert "a_w" not in to_svg(scene)


def test_memory_shows_peak_and_lower_bound() -> None:
    shown = texts(to_svg(build_scene(*residual()), "memory"))
    assert any(text.startswith("peak ") for text in shown)
    tight = texts(to_svg(build_scene(plan=plan_of(["a", "b", "c"]))))
    assert "peak = lower bound 512 B" in tight


def test_empty_values_have_a_picture_that_says_so() -> None:
    scene = build_scene(snapshot([], []), StaticSchedule((), ()), MemoryPlan((), (), 0, 0))
    pictures = scene_svgs(scene)
    assert "the graph is empty" in pictures["graph"]
    assert "the schedule is empty" in pictures["timeline"]
    assert "the memory plan is empty" in pictures["memory"]


@pytest.mark.parametrize("size", [None, (640, 320)])
def test_a_picture_that_is_not_there_is_refused(size: tuple[int, int] | None) -> None:
    scene = build_scene(schedule=repeated())
    with pytest.raises(AidgeError, match="expected one of timeline, factorized, found memory"):
        to_png(scene, "memory", size=size)


@pytest.mark.parametrize("size", [None, (640, 320)])
def test_tiles_keep_their_colours_in_every_panel(size: tuple[int, int] | None) -> None:
    scene = scene_of(mapping_of(8))
    tiles = {node_colour(node) for node in scene.nodes}
    assert len(tiles) > 1
    for panel in ("devices", "memory"):
        svg = to_svg(scene, panel) if size is None else draw_as_seen(scene, panel, *size)
        assert tiles <= set(re.findall(r'<(?:rect|path) [^>]*fill="(#[0-9a-f]{6})"', svg)), panel


def test_several_memories_have_names_and_peaks_of_their_own() -> None:
    scene = scene_of(mapping_of(8))
    assert scene.memory is not None
    svg = to_svg(scene, "memory")
    assert {space.name for space in scene.memory.spaces} <= set(texts(svg))
    assert "cycle" in texts(svg)
    peaks = [each for each in texts(svg) if each.startswith("peak ")]
    assert len(peaks) == len(scene.memory.spaces)
    assert "lower bound" not in svg


def test_names_of_small_memories_do_not_lie_over_each_other() -> None:
    sizes = (1000, 1, 1, 1000, 3)
    bases = [sum(sizes[:number]) for number in range(len(sizes))]
    spaces = [Space(f"memory {n}", base, sizes[n], 2000) for n, base in enumerate(bases)]
    scene = scene_of(mapping_of(8))
    assert scene.memory is not None
    memory = replace(scene.memory, spaces=tuple(spaces), peak=sum(sizes))
    svg = to_svg(replace(scene, memory=memory), "memory")
    names = [
        each for each in ET.fromstring(svg).iter(f"{SVG}text") if "memory" in (each.text or "")
    ]
    assert len(names) == len(sizes)
    for one, other in pairwise(names):
        apart = abs(float(one.get("y", "")) - float(other.get("y", "")))
        beside = float(other.get("x", "")) - float(one.get("x", ""))
        assert apart >= 12 or beside >= width_of(one.text or "", 11)


def test_edges_that_go_back_are_dashed() -> None:
    scene = build_scene(snapshot(["a", "b"], [(0, 1)], back=[(1, 0)]))
    assert 'stroke-dasharray="5 4"' in to_svg(scene)


@pytest.mark.parametrize("name", ["inception_like", "densenet_like", "mobilenet_v2"])
def test_dims_are_written_beside_edges_and_each_other(name: str) -> None:
    view = zoo.load(name)
    view.forward_dims([[1, 3, 32, 32]], allow_data_dependency=True)
    root = ET.fromstring(to_svg(build_scene(view)))
    dims = [each for each in root.iter(f"{SVG}text") if each.get("font-size") == "10"]
    assert len(dims) > 20
    boxes = [(float(e.attrib["x"]), float(e.attrib["y"]), e.text or "") for e in dims]
    points = [point for path in root.iter(f"{SVG}path") for point in along(path.attrib["d"])]
    for left, low, label in boxes:
        right = left + width_of(label, 10)
        assert not [x for x, y in points if left <= x <= right and low - 8 <= y <= low]
        others = [x for x, y, _ in boxes if y == low and x != left]
        assert not [x for x in others if left <= x <= right]


def along(path: str) -> Iterator[tuple[float, float]]:
    """Walk along the curves of a path in small steps."""
    if "l" in path:  # the head of an arrow
        return
    x = y = 0.0
    for letter, rest in re.findall("([MLCV])([^MLCV]*)", path):
        numbers = [float(each) for each in rest.split()]
        if letter == "C":
            across, down = [x, *numbers[::2]], [y, *numbers[1::2]]
            for t in np.linspace(0, 1, 40):
                weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
                yield float(np.dot(weights, across)), float(np.dot(weights, down))
        x, y = (x, numbers[0]) if letter == "V" else (numbers[-2], numbers[-1])


def test_what_is_left_out_is_said_in_full_where_the_graph_is_narrow() -> None:
    names = [f"n{index}" for index in range(300)]
    svg = to_svg(full_scene(names), "graph")
    note = next(each for each in texts(svg) if "more: open" in each)
    wide = float(ET.fromstring(svg).attrib["width"])
    assert 16 + width_of(note) < wide


def drawn_memory(boxes: list[tuple[int, int, int, int]]) -> MemoryMap:
    """Make a memory map of boxes (lower, upper, offset, size), in this order."""
    names = [f"n{number}" for number in range(len(boxes))]
    buffers = tuple(
        Buffer(name, name, 0, size, lower, upper, offset)
        for name, (lower, upper, offset, size) in zip(names, boxes, strict=True)
    )
    ticks = tuple(names) + ("last",) * max((box[1] for box in boxes), default=0)
    peak = max((box[2] + box[3] for box in boxes), default=0)
    memory = build_scene(plan=MemoryPlan(ticks, buffers, peak, peak, 1)).memory
    assert memory is not None
    return memory


BOXES = st.tuples(st.integers(0, 8), st.integers(1, 5), st.integers(0, 20), st.integers(1, 8))


@given(st.lists(BOXES, min_size=1, max_size=9))
@settings(max_examples=60, deadline=None)
def test_a_rectangle_is_covered_by_the_first_that_is_drawn_over_it(
    boxes: list[tuple[int, int, int, int]],
) -> None:
    spans = sorted((lower, lower + long, offset, size) for lower, long, offset, size in boxes)
    expected = [
        min(
            (
                other[0]
                for other in spans[number + 1 :]
                if other[0] < box[1] and other[2] < box[2] + box[3] and box[2] < other[2] + other[3]
            ),
            default=box[1],
        )
        for number, box in enumerate(spans)
    ]
    assert covered_from(drawn_memory(spans), range(len(spans))) == expected


def test_work_to_find_what_is_covered_grows_in_proportion() -> None:
    def lines(count: int) -> int:
        memory = drawn_memory([(1, 3, 4 * number, 4) for number in range(count)])
        return lines_of(lambda: covered_from(memory, range(count)))

    assert lines(600) < 2.2 * lines(300)


def test_names_of_operators_in_place_are_written_beside_each_other() -> None:
    """Three buffers at one place, each written while the one before is read."""
    names = ["conv_with_a_name", "norm_with_a_name", "relu_with_a_name"]
    buffers = tuple(Buffer(name, name, 0, 64, t, t + 2, 0) for t, name in enumerate(names))
    scene = build_scene(plan=MemoryPlan(tuple(names), buffers, 64, 64, 1))
    assert scene.memory is not None
    assert covered_from(scene.memory, range(3)) == [1, 2, 4]
    root = ET.fromstring(to_svg(scene))
    labels = [each for each in root.iter(f"{SVG}text") if each.text in ("conv", "norm", "relu")]
    centres = [float(each.attrib["x"]) for each in labels]
    left = PANELS["memory"]["left"]
    step = (960 - left - PANELS["memory"]["right"]) / 4
    assert centres == pytest.approx([left + step * at for at in (0.5, 1.5, 3)], abs=0.01)


def test_the_schedule_begins_where_something_fires() -> None:
    names = [f"n{index}" for index in range(5)]
    scene = build_scene(schedule=schedule_of(names, [(3 + i, 3 + i) for i in range(5)], ["w"]))
    marks = [label for label in texts(to_svg(scene)) if label.isdecimal()]
    assert marks[:5] == ["3", "4", "5", "6", "7"]


def test_of_a_wide_layer_only_what_is_drawn_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """Places for the texts of thousands of boxes took minutes, and none of them was seen."""
    asked: list[int] = []

    def counted(drawing: GraphDrawing, shown: Collection[int]) -> Iterator[tuple[int, float, str]]:
        asked.append(len(shown))
        return place_dims(drawing, shown)

    monkeypatch.setattr("aidge_nb.widgets.still.svg.graph.place_dims", counted)
    names = [f"relu{number}" for number in range(400)]
    scene = build_scene(snapshot(["x", *names], [(0, number) for number in range(1, 401)]))
    svg = to_svg(scene, "graph")
    assert asked
    assert max(asked) < 60
    assert 10 < len([text for text in texts(svg) if "relu" in text]) < 60
