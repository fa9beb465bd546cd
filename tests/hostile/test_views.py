"""The worst names in the browser: nothing turns around what stands beside it."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from aidge_nb.core.errors import AidgeError
from aidge_nb.report import Report, study
from aidge_nb.widgets import Workbench, to_mermaid
from aidge_nb.widgets.scene.parts import Chart
from tests.hostile.models import model
from tests.hostile.names import WORST
from tests.hostile.test_export import mixed

TURNING = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
CONTROLS = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f{TURNING}]")


def around(payload: str) -> Report:
    return study(model(lambda name: f"{payload}{name}"))


@pytest.mark.parametrize("payload", [*WORST.values(), *TURNING])
def test_no_text_for_the_browser_turns_others_around(payload: str) -> None:
    try:
        report = around(payload)
    except UnicodeEncodeError:
        pytest.skip("no file can hold this name")
    meta, _ = report.scene().payload()
    text = json.dumps(meta, ensure_ascii=False)
    assert not CONTROLS.search(text)
    assert [len(name) for name in meta["nodes"]["name"]] == [
        len(node.name) for node in report.scene().nodes
    ]
    assert not CONTROLS.search(report.to_html())


def test_such_a_node_can_be_selected_from_both_sides() -> None:
    scene = around("a\u202eb ").scene()
    view = Workbench(scene, selected=scene.nodes[0].name)
    assert view.selected == scene.nodes[0].name.replace("\u202e", "\ufffd")
    view.selected = scene.nodes[0].name
    view.scene = scene
    assert view.selected is not None
    with pytest.raises(AidgeError, match="no node has this name"):
        view.selected = "another"


@pytest.mark.parametrize("seed", range(3))
def test_charts_have_titles_of_one_line(seed: int) -> None:
    name = mixed(seed)
    line = tuple((float(x), 1.0) for x in range(4))
    chart = Chart(name("graph"), name("x"), name("y"), (), (("", line),))
    scene = replace(around("a").scene(), charts=(chart,))
    (text,) = to_mermaid(scene, "charts")
    lines = text.split("\n")
    assert len(lines) == 5
    assert [line.split(" ")[0] for line in lines] == [
        *("xychart-beta", "title", "x-axis", "y-axis", "line"),
    ]
    assert all(line.count('"') in (0, 2) for line in lines)
    assert not CONTROLS.search(text)
