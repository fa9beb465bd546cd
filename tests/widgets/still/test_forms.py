"""Other forms of a view: PNG, CSV, trace, Mermaid."""

import csv
import io
import math
import re
import struct
import zlib
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

import aidge_nb
from aidge_nb.core.errors import AidgeError
from aidge_nb.core.pictures import Shown
from aidge_nb.memory import Buffer, MemoryPlan
from aidge_nb.widgets import (
    Scene,
    Workbench,
    build_scene,
    draw_mermaid,
    scene_of,
    show_mermaid,
    to_csv,
    to_html,
    to_mermaid,
    to_png,
    to_svg,
    workbench,
)
from aidge_nb.widgets.scene.drawing import draw_graph
from aidge_nb.widgets.scene.labels.blocks import NodeLabels
from aidge_nb.widgets.scene.parts import Chart
from aidge_nb.widgets.still.mermaid import MOST_CHARACTERS, MOST_EDGES
from aidge_nb.widgets.still.png.glyphs import advance, strokes
from aidge_nb.widgets.still.png.picture import draw_svg
from aidge_nb.widgets.still.png.pixels import Pixels, text_width
from tests.widgets.models import EVIL, LONG, mapping_of, residual, schedule_of, snapshot


def read_png(data: bytes) -> NDArray[np.uint8]:
    """Read a PNG file with a palette, as its format says."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    parts: dict[bytes, bytes] = {}
    at = 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        (check,) = struct.unpack(">I", data[at + 8 + length : at + 12 + length])
        assert check == zlib.crc32(kind + body)
        parts[kind] = parts.get(kind, b"") + body
        at += 12 + length
    width, height, depth, colour = struct.unpack(">IIBB", parts[b"IHDR"][:10])
    assert (depth, colour) == (8, 3)
    rows = np.frombuffer(zlib.decompress(parts[b"IDAT"]), np.uint8).reshape(height, width + 1)
    assert not rows[:, 0].any()
    return np.frombuffer(parts[b"PLTE"], np.uint8).reshape(-1, 3)[rows[:, 1:]]


def test_a_png_shows_what_the_svg_does() -> None:
    scene = build_scene(*residual(2))
    svg = to_svg(scene, "memory")
    pixels = read_png(to_png(scene, "memory", scale=1))
    sizes = re.match(r'<svg [^>]*width="(\d+)" height="(\d+)"', svg)
    assert sizes is not None
    assert pixels.shape[:2] == (int(sizes[2]), int(sizes[1]))
    for colour in set(re.findall(r'<rect [^>]*fill="(#[0-9a-f]{6})"', svg)):
        channels = [int(colour[start : start + 2], 16) for start in (1, 3, 5)]
        assert (pixels == channels).all(axis=2).any(), colour


@pytest.mark.parametrize("scale", [0, -1.0, math.nan, math.inf])
def test_a_scale_that_is_none_is_refused(scale: float) -> None:
    with pytest.raises(AidgeError, match=r"no such scale \(expected a number above 0"):
        to_png(build_scene(*residual(1)), scale=scale)


def test_rectangles_cover_what_they_say() -> None:
    picture = Pixels(10, 10)
    picture.rect(2.25, 3, 2.5, 2, (0, 0, 0))
    covered = 1 - picture.rows[..., 0] / 255
    assert covered.sum() == pytest.approx(5)
    assert covered[3, 2:5].tolist() == pytest.approx([0.75, 1, 0.75])


def test_polygons_and_strokes_cover_what_they_say() -> None:
    picture = Pixels(40, 40)
    picture.polygon([[(4, 4), (36, 4), (4, 36)]], (0, 0, 0))
    assert (1 - picture.rows[..., 0] / 255).sum() == pytest.approx(512, rel=0.02)
    line = Pixels(40, 40)
    line.stroke([(5, 20), (35, 20)], 3, (0, 0, 0))
    assert (1 - line.rows[..., 0] / 255).sum() == pytest.approx(90 + np.pi * 1.5**2, rel=0.05)
    dashed = Pixels(40, 40)
    dashed.stroke([(0, 20), (40, 20)], 1, (0, 0, 0), dash=(5, 5))
    assert dashed.rows[20, 7, 0] > dashed.rows[20, 2, 0]


def test_what_lies_outside_is_cut_off() -> None:
    picture = Pixels(5, 5)
    picture.rect(-100, -100, 1000, 1000, (1, 2, 3))
    picture.polygon([[(-50, -50), (50, -50), (50, 50)]], (0, 0, 0))
    picture.stroke([(-10, -10), (50, 50)], 2, (0, 0, 0))
    picture.text(-20, 3, "outside", 12, (0, 0, 0))
    assert picture.array().shape == (5, 5, 3)


def test_text_is_as_wide_as_it_says() -> None:
    picture = Pixels(200, 30)
    picture.text(2, 20, "conv1_relu", 12, (0, 0, 0))
    dark = np.flatnonzero(np.any(picture.rows[..., 0] < 128, axis=0))
    assert dark.max() <= 2 + text_width("conv1_relu", 12)
    assert dark.max() >= 0.9 * text_width("conv1_relu", 12)


def test_every_printable_character_has_a_glyph_of_its_own() -> None:
    letters = [chr(code) for code in range(33, 127)]
    drawn = {char: (strokes(char), advance(char)) for char in letters}
    box = strokes("\N{SNOWMAN}")
    same = [char for char in letters if strokes(char) == box]
    assert same == []
    shapes = list(drawn.values())
    assert len({str(shape) for shape in shapes}) >= len(shapes) - 2


def test_labels_are_found_in_the_picture() -> None:
    svg = to_svg(build_scene(*residual(1)), "graph")
    without = draw_svg(re.sub(r"<text.*?</text>", "", svg)).array()
    assert (draw_svg(svg).array() != without).any()


@pytest.mark.parametrize("name", [EVIL, LONG, "漢字", ""])
def test_odd_names_are_drawn(name: str) -> None:
    scene = build_scene(snapshot([name, "b"], [(0, 1)]))
    assert read_png(to_png(scene)).shape[2] == 3


def test_the_table_is_csv() -> None:
    graph, schedule, plan = residual(1)
    rows = list(csv.DictReader(io.StringIO(to_csv(build_scene(graph, schedule, plan)))))
    assert [row["name"] for row in rows] == [node.name for node in graph.nodes]
    side = next(row for row in rows if row["name"] == "b0_side")
    assert (side["first_step"], side["slack"], side["firings"]) == ("2", "1", "1")
    assert side["max_buffer_bytes"] == "1024"


def test_the_table_counts_all_blocks_of_a_buffer() -> None:
    plan = MemoryPlan(("a",), (Buffer("a", "a", 0, 96, 0, 1, 32, levels=((3, 64),)),), 192, 96)
    (row,) = csv.DictReader(io.StringIO(to_csv(build_scene(plan=plan))))
    assert row["max_buffer_bytes"] == "96"


def test_mermaid_is_cut_where_its_limits_are() -> None:
    count = 3 * MOST_EDGES + 7
    names = [f"a_rather_long_name_{number}" for number in range(count)]
    scene = build_scene(snapshot(names, [(n, n + 1) for n in range(count - 1)]))
    texts = to_mermaid(scene, "graph")
    assert len(texts) > 3
    assert all(len(text) <= MOST_CHARACTERS for text in texts)
    assert all(text.count("-->") <= MOST_EDGES for text in texts)
    edges = {line for text in texts for line in text.splitlines() if "-->" in line}
    assert len(edges) == count + 1
    spans = [(step, step + step % 2) for step in range(count)]
    charts = to_mermaid(build_scene(schedule=schedule_of(names, spans)), "timeline")
    assert all(len(text) <= MOST_CHARACTERS for text in charts)
    assert sum(text.count(" :") for text in charts) == count


def test_mermaid_labels_are_harmless() -> None:
    (text,) = to_mermaid(build_scene(snapshot([EVIL, "end", "a\nb"], [(0, 1), (1, 2)])))
    assert "<img" not in text
    assert "\na" not in text.replace("\nn", "")


def test_nodes_without_edges_are_cut_at_the_limit_too() -> None:
    names = [f"{number} <{'x' * 110}>" for number in range(700)]
    drawing = replace(draw_graph(snapshot(names, []), NodeLabels()), edges=(), terminals=())
    nodes = replace(drawing.layout, layers=drawing.layout.layers[:700])
    scene = Scene(
        "alone", build_scene(snapshot(names, [])).nodes, graph=replace(drawing, layout=nodes)
    )
    texts = to_mermaid(scene)
    assert all(len(text) <= MOST_CHARACTERS for text in texts)
    assert sum(text.count("<br/>") for text in texts) == 700


def test_a_memory_plan_is_a_gantt_chart_of_its_buffers() -> None:
    plan = MemoryPlan(("a", "b"), (Buffer("one: x", "a", 0, 2048, 0, 2, 0),), 2048, 2048)
    (text,) = to_mermaid(scene_of(plan))
    assert text.splitlines()[0] == "gantt"
    assert text.splitlines()[3:] == ["one_ x (2 KiB) :0, 2"]
    blocks = Buffer("tile", "a", 0, 96, 0, 1, 32, levels=((3, 64),))
    (text,) = to_mermaid(scene_of(MemoryPlan(("a",), (blocks,), 192, 96)))
    assert text.splitlines()[3:] == ["tile (96 B) :0, 1"], "once, though it lies in three parts"


def test_long_memory_plans_are_cut() -> None:
    buffers = tuple(Buffer(f"{n}_{'x' * 100}", "a", 0, 8, n, n + 1, 0) for n in range(2_000))
    texts = to_mermaid(scene_of(MemoryPlan(("a",) * 2_000, buffers, 8, 8)))
    assert len(texts) > 3
    assert all(len(text) <= MOST_CHARACTERS for text in texts)
    assert sum(text.count(" :") for text in texts) == 2_000


def test_a_mapping_is_a_gantt_chart_with_a_section_for_each_device() -> None:
    scene = scene_of(mapping_of(4))
    assert scene.devices is not None
    (text,) = to_mermaid(scene)
    busy = {scene.devices.rows[row].name for row in scene.devices.row}
    sections = [line for line in text.splitlines() if line.startswith("section ")]
    assert sorted(sections) == sorted(f"section {name.replace(':', '_')}" for name in busy)
    assert text.count(" :") == len(scene.devices.row)
    (text,) = to_mermaid(scene, "memory")
    assert text.count("section ") == len({name for name in text.splitlines() if "section " in name})


def test_charts_are_written_by_place() -> None:
    line = ("", ((1.0, 4.0), (2.0, 2.5), (3.0, 2.0)))
    points = Chart("", 'peak "KiB"', "MACs", ((9.5, 1.0, 0), (3.0, 7.0, 1)))
    first, second = to_mermaid(Scene("m", charts=(Chart("t", "x", "y", lines=(line,)), points)))
    assert first.splitlines()[-1] == "line [4, 2.5, 2]"
    assert second.splitlines() == [
        *("xychart-beta", 'title "-"', "x-axis \"peak 'KiB'\" [3, 9.5]", 'y-axis "MACs"'),
        "bar [7, 1]",
    ]


def test_a_row_without_a_name_is_drawn_nevertheless() -> None:
    (text,) = to_mermaid(build_scene(schedule=schedule_of([" "], [(0, 0)])))
    assert text.splitlines()[-1] == "(no name) :milestone, 0, 0"


def test_what_there_is_no_text_of_is_said() -> None:
    with pytest.raises(AidgeError, match=r"expected one of memory, found graph"):
        to_mermaid(scene_of(residual(1)[2]), "graph")


def test_mermaid_is_shown_by_its_mime_type(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[dict[str, str]] = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw: shown.append(data))
    show_mermaid(build_scene(residual(1)[0]))
    assert shown[0]["text/vnd.mermaid"].startswith("flowchart TB")


def test_offline_mermaid_py_is_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError("no network")

    monkeypatch.setattr("requests.get", refuse)
    with pytest.raises(AidgeError, match="asks a web service"):
        draw_mermaid("flowchart TB", "chart.svg")


def test_a_view_has_all_forms() -> None:
    view: Workbench = workbench(*residual(1))
    assert view.to_svg("memory").startswith("<svg")
    assert view.to_png("graph")[1:4] == b"PNG"
    assert view.to_html().startswith("<!DOCTYPE html>")
    assert view.to_csv().startswith("name,")
    assert "traceEvents" in view.to_trace_json()
    assert view.to_mermaid("timeline")[0].startswith("gantt")
    view.close()


def test_the_picture_of_a_view_is_that_of_its_first_panel() -> None:
    view: Workbench = workbench(*residual(1), panels=["table", "memory", "graph"])
    assert view.to_svg() == to_svg(view.scene, "memory")
    assert view.to_png() == to_png(view.scene, "memory")
    view.panels = ["table"]
    assert view.to_svg() == to_svg(view.scene)
    assert view.to_svg("timeline") == to_svg(view.scene, "timeline")
    view.close()


def values() -> dict[str, Shown]:
    graph, schedule, plan = residual(1)
    view = aidge_nb.sequential([aidge_nb.PaddedConv2D(3, 8, [3, 3], "conv", None, [1] * 4)])
    view.forward_dims([[1, 3, 16, 16]])
    tiling = aidge_nb.plan_tiling(view, [view.get_node("conv")], {2: 2})
    return {
        "graph": view,
        "snapshot": graph,
        "schedule": schedule,
        "plan": plan,
        "tiling": tiling,
        "mapping": mapping_of(2),
    }


@pytest.mark.parametrize("name", values())
def test_values_have_the_forms_of_their_views(name: str) -> None:
    value = values()[name]
    scene = scene_of(value)
    assert value.to_svg() == to_svg(scene)
    assert value.to_png(scale=0.5) == to_png(scene, scale=0.5)
    assert value.to_html("Mine") == to_html(scene, "Mine")
