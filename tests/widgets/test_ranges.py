"""Ranges are written one way: both ends included in views, half-open in Python's messages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import aidge_nb
from aidge_nb.core.errors import AidgeError
from aidge_nb.tiling import plan_tiling
from aidge_nb.widgets import Scene, build_scene, scene_of, to_svg
from aidge_nb.widgets.scene.tiles.tiling import tiling_scene
from tests.widgets.models import mapping_of, residual

HALF_OPEN = re.compile(r"(?<![\d.])\d+:\d+(?![\d.])|\[\d+, \d+\)")
"""A slice of Python, and a range with brackets."""

PACKAGE = Path(aidge_nb.__file__).parent


def grid() -> aidge_nb.tiling.Tiling:
    convs = [aidge_nb.PaddedConv2D(2, 2, [3, 3], f"conv{n}", None, [1] * 4) for n in range(2)]
    view = aidge_nb.sequential(convs)
    view.forward_dims([[1, 2, 16, 16]])
    return plan_tiling(view, convs, {2: 2, 3: 2})


SCENES = {
    "network": lambda: build_scene(*residual(3)),
    "mapping": lambda: scene_of(mapping_of(8, 2)),
    "grid": lambda: scene_of(grid()),
    "tiles": lambda: tiling_scene(grid()),
}


def texts(value: Any) -> Iterator[str]:
    """Yield each text of a view's description."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from texts(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from texts(each)


@pytest.mark.parametrize("name", SCENES)
def test_views_and_pictures_include_both_ends(name: str) -> None:
    scene: Scene = SCENES[name]()
    meta, _ = scene.payload()
    assert [text for text in texts(meta) if HALF_OPEN.search(text)] == []
    written = re.findall(r">([^<]+)</text>", to_svg(scene))
    assert [text for text in written if HALF_OPEN.search(text)] == []


def test_a_tile_says_what_it_computes_with_both_ends() -> None:
    scene = tiling_scene(grid())
    assert dict(scene.nodes[3].details)["gives"] == "0 × 0–1 × 8–15 × 8–15"


def test_messages_of_python_are_half_open() -> None:
    with pytest.raises(AidgeError, match=r"\[3, 2\)"):
        aidge_nb.memory.plan({"a": (3, 2, 8)})


def test_no_message_writes_a_range_in_another_way() -> None:
    """Of all f-strings of the package, those with a range are slices or have brackets."""
    odd = re.compile(r"\{[a-z_.]*(?:start|lower|first|begin)\}(?:-|\.\.|–)\{")
    found = []
    for path in PACKAGE.rglob("*.py"):
        if "widgets" in path.relative_to(PACKAGE).parts or "course" in path.parts:
            continue
        found += [
            line for line in path.read_text(encoding="utf-8").splitlines() if odd.search(line)
        ]
    assert found == []
