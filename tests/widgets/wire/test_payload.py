"""Python and the front-end read the same data: the wire format and the rules for labels."""

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import aidge_nb
from aidge_nb.widgets import Scene, build_scene, scene_of
from aidge_nb.widgets.palette import text_on
from aidge_nb.widgets.scene.parts import CodeRow, Exported, FileRow
from aidge_nb.widgets.shared import WIRE
from aidge_nb.widgets.still.charts import slices_charts
from aidge_nb.widgets.text import common_prefix, count_text, elide, size_text, usual_prefix
from tests.widgets.models import mapping_of, repeated, residual

CASES = json.loads((Path(__file__).parent / "label_cases.json").read_text(encoding="utf-8"))
FUNCTIONS: dict[str, Callable[..., str]] = {
    "elide": elide,
    "size": size_text,
    "count": count_text,
    "commonPrefix": common_prefix,
    "usualPrefix": usual_prefix,
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
    assert devices is not None
    assert memory is not None
    return replace(
        scene,
        nodes=tuple(replace(node, weight_bytes=16) for node in scene.nodes),
        inside=build_scene(view).inside,
        timeline=build_scene(schedule=repeated(20)).timeline,
        devices=replace(devices, work=devices.row, works=((0, 1), ())),
        memory=replace(memory, whole=memory.size),
        tiles=scene_of(tilings[2]).tiles,
        charts=slices_charts(tilings, 2),
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
    assert own == {name for name in declared if name.startswith(("box.", "edge.", "route."))}


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
