"""Text of still pictures in fonts that are much wider or narrower than what they were drawn for."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest
from playwright.sync_api import Browser

import aidge_nb
from aidge_nb.report import study
from aidge_nb.widgets import Scene, build_scene, scene_of, to_svg
from tests.widgets.models import LONG, mapping_of, plan_of, schedule_of, snapshot

FACES = {"usual": "100%", "wide": "135%", "narrow": "70%"}
"""How much larger letters are drawn: DejaVu Sans is a wide font, and ``wide`` is far beyond it."""

READ = """() => {
  const root = document.querySelector("svg").getBoundingClientRect();
  const box = (each) => {
    const {left, top, right, bottom} = each.getBoundingClientRect();
    return [left - root.left, top - root.top, right - root.left, bottom - root.top];
  };
  const made = (name) => [...document.querySelectorAll(`svg ${name}`)];
  return {
    width: root.width,
    texts: made("text").map((each) => [each.textContent, box(each)]),
    boxes: made("rect").map(box),
  };
}"""


def chain() -> Scene:
    """Long names side by side."""
    names = [f"{LONG[:20]}{place}" for place in range(12)]
    edges = [(place, place + 1) for place in range(11)]
    spans = [(place, place) for place in range(12)]
    return build_scene(snapshot(names, edges), schedule_of(names, spans), plan_of(names))


def folded() -> Scene:
    lstm = aidge_nb.LSTM(in_channels=4, hidden_channels=8, seq_length=50, name="lstm")
    graph = aidge_nb.get_connected_graph_view(lstm)
    aidge_nb.expand_metaops(graph)
    return scene_of(aidge_nb.static_schedule(graph))


def tiles() -> Scene:
    nodes = [
        aidge_nb.PaddedConv2D(8, 8, [3, 3], name="conv0", padding_dims=[1] * 4),
        aidge_nb.PaddedConv2D(8, 8, [3, 3], name="conv1", padding_dims=[1] * 4),
    ]
    graph = aidge_nb.sequential(nodes)
    graph.set_backend("cpu")
    graph.forward_dims([[1, 8, 64, 64]])
    return scene_of(aidge_nb.plan_tiling(graph, nodes, {2: 8}))


SCENES: dict[str, Callable[[], Scene]] = {
    "inception": lambda: study("zoo:inception_like").scene(),
    "mobilenet": lambda: study("zoo:mobilenet_v2").scene(),
    "chain": chain,
    "folded": folded,
    "mapping": lambda: scene_of(mapping_of()),
    "tiles": tiles,
}
CROWDED = {"inception", "mobilenet", "tiles"}
"""Scenes of many names: in the second tier."""


def drawn(browser: Browser, svg: str, grown: str) -> dict[str, Any]:
    """Show a picture in a font that is forced upon it; give what lies where."""
    low = "ascent-override: 60%; descent-override: 15%"  # wider, and no higher
    source = f"src: local('DejaVu Sans'); size-adjust: {grown}; {low}"
    face = f"@font-face {{font-family: forced; {source}}}"
    page = browser.new_page(viewport={"width": 1300, "height": 900})
    page.set_content(
        f"<style>{face} body {{margin: 0}} svg {{max-width: none !important}}"
        f"svg text {{font-family: forced, sans-serif !important}}</style>{svg}"
    )
    page.evaluate("document.fonts.ready")
    found: dict[str, Any] = page.evaluate(READ)
    page.close()
    return found


def inside(box: list[float], frame: list[float]) -> bool:
    """Tell whether the middle line of a text, level or upright, lies in a box."""
    left, top, right, bottom = box
    if right - left >= bottom - top:
        top = bottom = (top + bottom) / 2
    else:
        left = right = (left + right) / 2
    return (
        frame[0] <= left + 1
        and frame[1] <= top + 1
        and right <= frame[2] + 1
        and bottom <= frame[3] + 1
    )


def over(one: list[float], other: list[float]) -> bool:
    """Tell whether letters are over letters: boxes of text reach beyond them above and below."""
    return (
        one[0] + 1 < other[2]
        and other[0] + 1 < one[2]
        and one[1] + 2 < other[3]
        and other[1] + 2 < one[3]
    )


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n in CROWDED else n for n in SCENES]
)
def test_text_keeps_its_place_in_any_font(browser: Browser, name: str) -> None:
    scene = SCENES[name]()
    for picture in scene.pictures:
        svg = to_svg(scene, picture, brief=True)
        usual = drawn(browser, svg, FACES["usual"])
        for face in ("wide", "narrow"):
            found = drawn(browser, svg, FACES[face])
            widths = [box[2] - box[0] for _, box in found["texts"]]
            known = [box[2] - box[0] for _, box in usual["texts"]]
            assert widths != known, "the font was not forced upon it"
            for (label, box), (_, before) in zip(found["texts"], usual["texts"], strict=True):
                said = f"{picture}, {face}: {label}"
                assert box[0] >= -1, said
                assert box[2] <= found["width"] + 1, said
                frames = [frame for frame in usual["boxes"] if inside(before, frame)]
                assert all(inside(box, frame) for frame in frames), said
            for (one, first), (other, second) in combinations(found["texts"], 2):
                assert not over(first, second), f"{picture}, {face}: {one} over {other}"
