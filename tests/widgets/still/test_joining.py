"""Pictures of many shapes: bounded in size, and nothing is missing at their ends."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

import aidge_nb
from aidge_nb.hardware import Mapping
from aidge_nb.hardware.steps import Function, MappingStep, Placed, Work
from aidge_nb.scheduling.schedule.nest import Actor, Firing
from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule
from aidge_nb.widgets import Scene, build_scene, scene_of, to_svg
from aidge_nb.widgets.still.png.picture import draw_svg
from aidge_nb.widgets.still.svg import joining
from aidge_nb.widgets.still.svg.joining import MANY
from aidge_nb.widgets.still.svg.parts import document, line, rect
from tests.widgets.models import plan_of, schedule_of, snapshot

MOST = 400_000  # bytes of any picture


def mapping(works: int, elements: int, memories: int) -> Mapping:
    """Map works in turn onto elements; each stores its result in a memory, and in the next."""
    pes = tuple(f"pe{number}" for number in range(elements))
    names = tuple(f"memory{number}" for number in range(memories))
    made, steps, placed = [], [], []
    for number in range(works):
        pe, start = pes[number % elements], 200 * (number // elements)
        at, work = names[number % memories], f"work{number}"
        kind = ("FC", "Conv2D", "ReLU", "Add")[number % 4]
        made.append(Work(work, (Function(work, kind, 8, 1),), (pe,)))
        stored = ((f"b{number}",), (f"c{number}",))
        run, link = f"compute {number}", (f"{at}→ram",)
        steps += [
            MappingStep("operation", run, work, 0, (pe,), start, start + 150, (), stored[0], 8),
            MappingStep(
                "transfer", f"store {number}", work, 0, link, start + 150, start + 190, *stored, 8
            ),
        ]
        placed += [
            Placed(f"b{number}", at, 100 * (number % 37), 100, start, start + 400),
            Placed(f"c{number}", "ram", 64 * (number % 301), 60, start + 150, start + 900),
        ]
    room = (*((name, 4096) for name in names), ("ram", 1 << 15))
    return Mapping("large", pes, 1e6, tuple(made), tuple(steps), tuple(placed), room)


def chain(count: int) -> Scene:
    names = [f"node{place}" for place in range(count)]
    edges = [(place, place + 1) for place in range(count - 1)]
    spans = [(place, place) for place in range(count)]
    return build_scene(snapshot(names, edges), schedule_of(names, spans), plan_of(names))


def bars(count: int) -> Scene:
    actors = tuple(Actor(f"op{row}", "Conv2D", False, "", row) for row in range(200))
    places = [number * 48_271 % 50_000 for number in range(count)]
    firings = tuple(
        Firing(number % 200, number // 200, place, place + number % 7)
        for number, place in enumerate(places)
    )
    return scene_of(StaticSchedule(actors, firings))


def grid(count: int) -> Scene:
    conv = aidge_nb.PaddedConv2D(2, 2, [3, 3], name="conv", padding_dims=[1] * 4)
    graph = aidge_nb.sequential([conv])
    graph.forward_dims([[1, 2, 256, 256]])
    return scene_of(aidge_nb.plan_tiling(graph, [conv], {2: count, 3: count}))


SCENES: dict[str, Callable[[], Scene]] = {
    "many elements": lambda: scene_of(mapping(20_000, 450, 4)),
    "many works": lambda: scene_of(mapping(4000, 1, 1)),
    "many memories": lambda: scene_of(mapping(6000, 300, 12)),
    "chain": lambda: chain(17_000),
    "bars": lambda: bars(100_000),
    "grid": lambda: grid(24),
}


@cache
def scene_called(name: str) -> Scene:
    return SCENES[name]()


@pytest.mark.parametrize("name", SCENES)
def test_pictures_of_much_are_bounded(name: str) -> None:
    scene = scene_called(name)
    for picture in scene.pictures:
        assert len(to_svg(scene, picture).encode()) <= MOST, picture


@pytest.mark.parametrize("picture", ["overview", "memory"])
def test_the_last_of_many_buffers_are_drawn(picture: str) -> None:
    svg = to_svg(scene_called("chain"), picture)
    pixels = draw_svg(svg).rows
    levels = {"overview": (300, 500), "memory": (200, 350)}[picture]
    right = int(0.9 * pixels.shape[1])
    for level in levels:  # results lie in two places by turns: no tick is empty
        assert (pixels[level, 200:right].sum(axis=1) < 700).mean() > 0.95, level


def test_each_row_has_bars_from_its_beginning_to_its_end() -> None:
    svg = to_svg(scene_called("bars"))
    assert "not every bar is drawn" in svg
    rows = re.findall(r'<path fill="#\w+" d="([^"]*)"', svg)
    assert len(rows) == 200
    for row in rows:
        lefts = [float(x) for x in re.findall(r"M([\d.]+) ", row)]
        assert max(lefts) - min(lefts) > 600


def test_what_a_mapping_leaves_out_is_said() -> None:
    svg = to_svg(scene_called("many elements"))
    assert "not every buffer is drawn; not every step is drawn: open" in svg
    tops = {float(y) for y in re.findall(r"M[\d.]+ ([\d.]+)h", svg)}
    assert len(tops) > 450, "a height for each row"


def shades(svg: str) -> np.ndarray:
    return np.asarray(draw_svg(svg).rows, float)


def test_joined_shapes_look_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [
        *(
            rect(7.3 * n % 600, 131.7 * n % 390, 3 + n % 9, 2 + n % 7, f'fill="#{colour}"')
            for n, colour in enumerate(("238bfb", "bf5327") * 450)
        ),
        *(line(13 * n, 0, 13 * n, 400, 'stroke="#5b6470"') for n in range(46)),
        rect(40.25, 300, 500, 50, 'rx="6" fill="#bf5327"'),
    ]
    assert len(parts) > MANY
    joined = document(600, 400, "many", parts)
    monkeypatch.setattr(joining, "MANY", len(parts) + 1)
    apart = document(600, 400, "many", parts)
    assert len(joined) < len(apart) / 3
    assert np.abs(shades(joined) - shades(apart)).mean() < 4
    assert joined.count("rx=") == 1, "round corners stay"
