"""Pictures that a notebook keeps of a view: sharp, and bounded."""

from __future__ import annotations

import base64
import re
import struct
from collections.abc import Callable
from typing import Any

import pytest

from aidge_nb import zoo
from aidge_nb.core.text import html_text
from aidge_nb.course import fit_in_16_kb, number, predict
from aidge_nb.report import study
from aidge_nb.widgets import (
    Scene,
    build_scene,
    explore,
    query_bench,
    scene_of,
    show,
    to_svg,
    workbench,
)
from aidge_nb.widgets.shared import SAVED
from aidge_nb.widgets.still.question import draw_question
from aidge_nb.widgets.still.saved import NO_PICTURES, bounded, pictures_for, saved_pictures
from aidge_nb.widgets.text import width_of
from tests.widgets.mappings import mapped, odd_mappings
from tests.widgets.models import residual
from tests.widgets.still.test_legible import scene_called

MOST = SAVED["pictureBytes"]


def png_width(forms: dict[str, Any]) -> int:
    """Read the width of the PNG, in pixels, from its head."""
    head = base64.b64decode(forms["image/png"])[:24]
    assert head[:4] == b"\x89PNG"
    width: int = struct.unpack(">I", head[16:20])[0]
    return width


def svg_of_noise(rects: int) -> str:
    """Write a picture that takes many bytes as SVG, and as PNG."""
    parts = "".join(
        f'<rect x="{n * 7 % 1200}" y="{n * 131 % 690}" width="{3 + n % 17}" height="{2 + n % 11}" '
        f'fill="#{(n * 48_271) % 0xFFFFFF:06x}"/>'
        for n in range(rects)
    )
    head = '<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="700"'
    return f'{head} viewBox="0 0 1200 700">{parts}</svg>'


def test_small_pictures_have_two_pixels_for_each_unit() -> None:
    forms, told = saved_pictures(study("zoo:lenet").scene())
    assert list(forms) == ["image/svg+xml", "image/png"]
    assert png_width(forms) == 2 * told["image/png"]["width"] == 2400


def test_the_width_on_a_page_is_told_where_the_svg_has_none() -> None:
    forms, told = saved_pictures(residual_scene())
    assert 'width="' not in re.match("<svg[^>]*>", forms["image/svg+xml"])[0]  # type: ignore[index]
    assert told == {"image/png": {"width": 1200}}


def residual_scene() -> Scene:
    return build_scene(*residual())


@pytest.mark.parametrize("name", ["mobilenet", "mapping", "2000 works"])
def test_larger_ones_are_as_sharp_as_there_is_room_for(name: str) -> None:
    scenes: dict[str, Callable[[], Scene]] = {
        "mobilenet": lambda: study("zoo:mobilenet_v2").scene(),
        "mapping": lambda: mapped()[1],
        "2000 works": lambda: scene_of(odd_mappings()["2000 works"]),
    }
    forms, told = saved_pictures(scenes[name]())
    assert sum(len(each.encode()) for each in forms.values()) <= MOST
    assert png_width(forms) >= told["image/png"]["width"] == 1200


def test_an_svg_that_leaves_no_room_is_left_out() -> None:
    forms, told = bounded(svg_of_noise(2500))
    assert list(forms) == ["image/png"]
    assert len(forms["image/png"]) <= MOST
    assert told["image/png"]["width"] == 1200
    assert png_width(forms) >= 300


def test_a_picture_of_anything_is_bounded() -> None:
    forms, _ = bounded(svg_of_noise(60_000))
    assert 0 < len(forms["image/png"]) <= MOST


def test_what_has_no_picture_has_none() -> None:
    assert saved_pictures(Scene("nothing")) is NO_PICTURES


def test_panels_without_a_picture_of_the_whole_are_stacked() -> None:
    graph, schedule, _ = residual()
    scene = build_scene(graph, schedule)
    svg = saved_pictures(scene).forms["image/svg+xml"]
    alone = [to_svg(scene, name, brief=True) for name in ("graph", "timeline")]
    said = [set(re.findall("<text[^>]*>([^<]*)", each)) for each in (svg, *alone)]
    assert said[0] == said[1] | said[2]
    sizes = [
        [float(n) for n in re.findall(r'viewBox="0 0 (\S+) (\S+)"', each)[0]] for each in alone
    ]
    wide, high = max(sizes)[0], sum(size[1] for size in sizes)
    assert f'viewBox="0 0 {wide:g} {high:g}"' in svg
    label = re.search(r'aria-label="([^"]*)"', svg)
    assert label is not None
    assert label[1].startswith("Graph of residual. ")
    assert "Schedule of residual. " in label[1]
    only = saved_pictures(scene, ["timeline"]).forms["image/svg+xml"]
    assert "Graph of residual" not in only


@pytest.mark.parametrize(
    ("name", "panels", "chosen"),
    [
        ("mapping", [], ["devices"]),
        ("tiles", [], ["tiling", "devices"]),
        ("lenet", [], ["overview"]),
        ("lenet", ["timeline", "memory"], ["overview"]),
        ("lenet", ["memory", "graph"], ["memory", "graph"]),
        ("lenet", ["table", "graph"], ["graph"]),
    ],
)
def test_pictures_for_panels_show_nothing_twice(
    name: str, panels: list[str], chosen: list[str]
) -> None:
    scene = scene_called(name)
    assert pictures_for(scene, panels) == chosen
    forms, told = saved_pictures(scene, panels)
    assert sum(len(each.encode()) for each in forms.values()) <= MOST
    assert png_width(forms) >= told["image/png"]["width"]


# --- questions ------------------------------------------------------------------------------------

WAITS = "Which operator waits for two others?"


def test_a_covered_view_leaves_its_question_in_words_and_no_answer() -> None:
    for question, said in ((WAITS, WAITS), ("", "residual")):
        bundle, _ = workbench(*residual(), covered=True, question=question)._repr_mimebundle_()
        assert bundle["text/plain"].startswith(question)
        assert {"image/svg+xml", "image/png"} <= set(bundle)
        assert f">{said}</text>" in bundle["image/svg+xml"]
        assert "The view is covered until an answer is given." in bundle["image/svg+xml"]
        assert "peak" not in bundle["image/svg+xml"]


@pytest.mark.parametrize(
    "make", [query_bench, explore, lambda graph, **asked: show(graph, **asked)]
)
def test_every_view_says_what_it_asks(make: Callable[..., Any]) -> None:
    graph = zoo.load("lenet")
    graph.forward_dims([[1, 1, 32, 32]])
    asked, plain = make(graph, question=WAITS), make(graph)
    bundle, told = asked._repr_mimebundle_()
    _, before = plain._repr_mimebundle_()
    svg = bundle["image/svg+xml"]
    assert bundle["text/plain"].startswith(WAITS)
    assert re.search(f'aria-label="{re.escape(WAITS)} ', svg)
    assert f"<title>{WAITS} " in svg
    assert told["image/png"]["width"] == max(480, before["image/png"]["width"])
    bench = asked if hasattr(asked, "covered") else asked.bench
    bench.covered = True
    assert "conv1" not in asked._repr_mimebundle_()[0]["image/svg+xml"]


def test_a_long_question_is_broken_into_lines_that_have_room() -> None:
    asked = " ".join(f"word{n}" for n in range(60))
    svg = saved_pictures(scene_of(zoo.load("lenet")), question=asked).forms["image/svg+xml"]
    lines = re.findall(r"<text[^>]*>(word[^<]*)</text>", svg)
    assert " ".join(lines) == asked
    assert len(lines) > 5
    assert all(width_of(line, 14) < 460 for line in lines)


def test_a_question_and_its_options_are_said_to_those_who_cannot_see_it() -> None:
    for kind, config in QUESTIONS.items():
        svg = draw_question({"kind": kind, "text": "What?", **config})
        label = re.search(r'aria-label="([^"]*)"', svg)
        assert label is not None
        assert label[1].startswith("What?")
        assert f"<title>{label[1]}</title>" in svg
        for word in ("first", "second", "steps"):
            assert (word in label[1]) == (word in repr(config)), kind


QUESTIONS: dict[str, dict[str, Any]] = {
    "number": {"unit": "steps"},
    "text": {},
    "choose": {"options": ["first", "second"]},
    "order": {"items": ["first", "second"]},
    "bars": {"names": ["first", "second"], "length": 4},
    "rows": {"maps": [{"name": name, "rows": 3, "given": None} for name in ("first", "second")]},
}


def test_the_puzzle_leaves_the_pictures_that_boards_leave() -> None:
    board = fit_in_16_kb()
    bundle, told = board._repr_mimebundle_()
    assert png_width(bundle) == 2 * told["image/png"]["width"]
    assert "Fit it in 16 KB" in bundle["image/svg+xml"]
    assert (
        f'aria-label="{html_text(board._states[board._source.start]["text"])[:60]}'
        in board.to_svg()
    )
    assert board.to_png(width=500)[:4] == b"\x89PNG"


def test_a_prediction_is_drawn_as_its_question() -> None:
    asked = predict(number("How many?", 1), show(zoo.load("lenet")))
    assert "How many?" in asked.to_svg()
    assert "conv1" not in asked.to_svg()
    assert asked.to_png(scale=1)[:4] == b"\x89PNG"
