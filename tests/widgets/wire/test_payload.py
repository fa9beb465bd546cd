"""Python and the front-end read the same data: the wire format and the rules for labels."""

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import aidge_nb
from aidge_nb.scheduling import StaticSchedule
from aidge_nb.widgets import Scene, build_scene, scene_of
from aidge_nb.widgets.palette import text_on
from aidge_nb.widgets.scene.labels.names import shorter
from aidge_nb.widgets.scene.nest import NestWalk
from aidge_nb.widgets.scene.parts import CodeRow, Exported, FileRow, Timeline
from aidge_nb.widgets.shared import WIRE
from aidge_nb.widgets.still.charts import Figures, figures_charts
from aidge_nb.widgets.still.svg.folded_marks import marks_of
from aidge_nb.widgets.still.svg.folding import fold
from aidge_nb.widgets.text import count_text, elide, size_text
from tests.widgets.loops import chain_of_rates, lstm
from tests.widgets.models import mapping_of, repeated, residual

CASES = json.loads((Path(__file__).parent / "label_cases.json").read_text(encoding="utf-8"))
FUNCTIONS: dict[str, Callable[..., str | list[str]]] = {
    "elide": elide,
    "size": size_text,
    "count": count_text,
    "shorter": lambda leaf: list(shorter(leaf)),
    "textOn": text_on,
}


def whole_scene() -> Scene:
    """Make a scene that has every panel, and every column of the wire format."""
    graph, schedule, plan = residual(3)
    run = [("stem", 1.0, 3.0), ("b0_conv", 4.0, 9.0)]
    scene = build_scene(graph, schedule, plan, measured=run, before=plan)
    conv = aidge_nb.PaddedConv2D(2, 2, [3, 3], "conv", None, [1] * 4)
    view = aidge_nb.sequential([conv])
    view.forward_dims([[1, 2, 24, 16]])
    tilings = [aidge_nb.plan_tiling(view, [conv], {2: rows}) for rows in (1, 2, 3)]
    devices, memory = scene_of(mapping_of(4)).devices, scene.memory
    tiled = scene_of(tilings[2])
    assert devices is not None
    assert memory is not None
    return replace(
        scene,
        nodes=tuple(replace(node, weight_bytes=16) for node in scene.nodes),
        inside=build_scene(view).inside,
        timeline=build_scene(schedule=repeated(20)).timeline,
        devices=replace(devices, work=devices.row, works=((0, 1), ())),
        memory=replace(memory, whole=memory.size, copy=memory.size, source=memory.node),
        tiles=tiled.tiles,
        stripes=tiled.stripes,
        charts=figures_charts(list(map(Figures.of, tilings)), 2),
        labels=replace(scene.labels, part=((0, 1),) * len(scene.nodes)),
        algorithm=build_scene(traced=view).algorithm,
        exported=Exported(
            "model_forward",
            (CodeRow("0", 0, 0, "stem", "Conv2D", "stem();"),),
            (("activation", "arena", 64, "RAM"),),
            (FileRow(0, "main.c", 12),),
        ),
    )


def test_every_declared_column_is_sent_and_no_other() -> None:
    meta, _ = whole_scene().payload()
    sent = {each["name"] for each in meta["columns"]}
    declared = {f"{group}.{name}" for group, names in WIRE["columns"].items() for name in names}
    prefixed = ("inside.", "block.box.", "block.edge.", "block.route.", "other.")
    assert {name for name in sent if not name.startswith(prefixed)} | {"box.node"} == declared
    own = {name.removeprefix("inside.") for name in sent if name.startswith("inside.")}
    # Bytes of what meta-operators hold inside are not known.
    assert own | {"edge.bytes"} == {
        name for name in declared if name.startswith(("box.", "edge.", "route."))
    }


def test_the_front_end_is_tested_with_what_python_sends(golden: Callable[[str, str], None]) -> None:
    """``frontend/test/core/wire.test.ts`` reads this file."""
    meta, data = whole_scene().payload()
    text = json.dumps({"meta": meta, "bytes": base64.b64encode(data).decode()}, indent=1)
    golden("scene.json", text + "\n")


@pytest.mark.parametrize("name", sorted(CASES))
def test_labels_follow_the_table_that_the_front_end_follows(name: str) -> None:
    cases: list[tuple[list[Any], str]] = CASES[name]
    for given, expected in cases:
        assert FUNCTIONS[name](*given) == expected, given


def folded_as_data(name: str, schedule: StaticSchedule) -> dict[str, Any]:
    """Write a schedule, what some stretches of it hold, and how it is drawn folded."""
    scene = build_scene(schedule=schedule)
    meta, data = scene.payload()
    timeline = scene.timeline
    assert timeline is not None
    walk, last = NestWalk(timeline.nest), timeline.steps
    stretches = [(0, 9), (20, 24), (last // 2, last // 2 + 7), (last - 8, last)]
    return {
        "name": name,
        "meta": meta,
        "bytes": base64.b64encode(data).decode(),
        "stretches": [
            {"begin": begin, "end": end, "seen": [list(each) for each in walk.seen(begin, end)]}
            for begin, end in stretches
        ],
        "folded": [folding_as_data(timeline, walk, width) for width in (390, 1300)],
    }


def folding_as_data(timeline: Timeline, walk: NestWalk, width: int) -> dict[str, Any]:
    """Write where pieces, titles and firings of a folded schedule are."""
    folding = fold(timeline.frames, timeline.steps, 118, width)
    return {
        "width": width,
        "pieces": [
            [each.kind, each.t0, each.t1, each.title, each.detail, *place]
            for each, place in zip(folding.pieces, folding.places, strict=True)
        ],
        "bands": [
            [each.depth, each.t0, each.t1, each.title, each.detail] for each in folding.bands
        ],
        "marks": [
            [
                [m.seen.row, m.seen.early, m.away, int(m.is_guest), m.run, int(m.overlaps)]
                for m in (marks_of(timeline, walk, each) if each.kind == "shown" else ())
                if not timeline.rows[m.seen.row].producer
            ]
            for each in folding.pieces
        ],
    }


def test_the_front_end_folds_schedules_as_python_does(golden: Callable[[str, str], None]) -> None:
    schedules = {
        "lstm 50": lstm(50),
        "lstm 1,000,000": lstm(10**6),
        "loops in loops": chain_of_rates([(1, 1), (1, 4), (1, 1), (120, 1)], 600),
        "one after the other": chain_of_rates([(100, 1), (3, 2), (2, 100), (1, 1)], 4500),
        "flat": repeated(40),
    }
    data = [folded_as_data(name, schedule) for name, schedule in schedules.items()]
    golden("folded.json", json.dumps(data, ensure_ascii=False) + "\n")
