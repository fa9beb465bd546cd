"""Graphs in columns: each box once, and edges that go on where the next column begins."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from aidge_nb.report import study
from aidge_nb.widgets import Scene, build_scene, to_svg
from aidge_nb.widgets.layout.layered import HEIGHT, PITCH, Route
from aidge_nb.widgets.still.svg.graph_columns import broken_path, columns_of
from tests.widgets.models import snapshot

SVG = "{http://www.w3.org/2000/svg}"


def chain(count: int) -> Scene:
    names = [f"n{place}" for place in range(count)]
    return build_scene(snapshot(names, [(place, place + 1) for place in range(count - 1)]))


@pytest.mark.parametrize("brief", [True, False])
@pytest.mark.parametrize("count", [1, 9, 25, 55])
def test_each_box_is_drawn_once(count: int, brief: bool) -> None:
    root = ET.fromstring(to_svg(chain(count), "graph", brief=brief))
    texts = (each.text or "" for each in root.iter(f"{SVG}text"))
    found = [match[1] for text in texts if (match := re.fullmatch(r"(?:.*\W)?(n\d+)", text))]
    assert sorted(found) == sorted(f"n{place}" for place in range(count))


def test_columns_hold_all_layers_in_turn() -> None:
    for layers in (1, 7, 10, 11, 35, 120, 240):
        for brief in (True, False):
            columns = columns_of(layers, 150.0, brief=brief)
            spans = list(columns.spans(0, layers))
            assert spans[0][0] == 0
            assert all(one[1] == other[0] for one, other in pairwise(spans))
            assert spans[-1][1] == layers or brief
            assert len(spans) * columns.apart <= 1200 or not brief


def test_an_edge_between_columns_ends_and_begins_with_a_stub() -> None:
    route = Route(back=False, across=(50.0, 60.0, 70.0, 80.0))
    upper, lower = (broken_path(route, 8, 11, span) for span in ((0, 10), (10, 20)))
    assert upper.count("M") == 2
    assert upper.startswith(f"M50 {8 * PITCH + HEIGHT:g}")
    assert upper.endswith(f"V{9 * PITCH + HEIGHT + 14:g}")
    assert lower.startswith(f"M70 {10 * PITCH - 14:g}V{10 * PITCH:g}")
    assert lower.endswith(f"80 {11 * PITCH:g}")
    assert broken_path(route, 8, 11, (20, 30)) == ""


def test_a_large_graph_is_drawn_with_its_blocks_closed() -> None:
    scene = study("zoo:mobilenet_v2").scene()
    svg = to_svg(scene, "graph", brief=True)
    assert "more: open the interactive view" not in svg
    assert "linearbottleneck 16" in svg
    assert "9 operators" in svg
    assert float(ET.fromstring(svg).attrib["width"]) <= 1200
    assert "more: open" not in to_svg(scene, "graph")
