"""Charts in Mermaid itself: the one that JupyterLab ships draws all that is in each of them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from aidge_nb import PaddedConv2D, hardware, sequential
from aidge_nb.memory import Buffer, MemoryPlan
from aidge_nb.scheduling import StaticSchedule, static_schedule
from aidge_nb.scheduling.schedule.text import factorized_gantt, measured_gantt, static_gantt
from aidge_nb.widgets import Scene, build_scene, scene_of, to_mermaid
from aidge_nb.widgets.scene.parts import Chart
from tests import oracle
from tests.graph.nodes import chain

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = (
    *("plain", "", " ", "a:b", "a;b", "a#b", "#a", "#35;", "%%a", "a%%b", "two\nlines", "a\r\nb"),
    *("title", "title x", "section a", "click a", "call f()", "href x", "gantt", "dateFormat x"),
    *("axisFormat", "excludes a", "includes a", "todayMarker off", "tickInterval 1day"),
    *("weekday monday", "weekend friday", "inclusiveEndDates", "topAxis", "accTitle", "accDescr {"),
    *("2020-01-01", "1", "crit", "active, done", "milestone", "vert", "end", "---", "{a}", "}"),
    *("%%{init: {}}%%", '"a"', "'a'", "`a`", "a,b", "<b>a</b>", "&lt;", "a\\b", "-->", "[a](b)"),
    *("tab\ta", "a\N{LINE SEPARATOR}b", "a\N{NEXT LINE}b", "a\fb", "a\vb", "a\0b", "a\x1bb"),
    *("Été", "日本", "\N{ROCKET}", "\N{ARABIC LETTER ALEF}", "$x$", "$$x$$", "/a/b", "a" * 3000),
)
"""What people and their converters call things, and what Mermaid might take for something else."""

GRAPHS = ("lstm_2_pop", "diamond_nested", "split_concat", "pipeline_with_branch")


def _diagrams() -> dict[str, tuple[str, int]]:
    """Give texts by title, each with the number of tasks that it draws."""
    found = {}
    for number, name in enumerate(NAMES):
        schedule = static_schedule(chain(name, f"{name}!"))
        found[f"name {number}"] = (static_gantt(schedule), 2)
        found[f"name {number}, marked"] = (static_gantt(schedule, mark_critical=True), 2)
    found["measured"] = (measured_gantt([(f"{name} (T#0)", 0, 2) for name in NAMES]), len(NAMES))
    for name in GRAPHS:
        schedule = static_schedule(oracle.build_graph(oracle.load(name))[0])
        for is_marked in (False, True):
            for is_short in (False, True):
                options = f"{name} {is_marked} {is_short}"
                text = static_gantt(schedule, is_short, is_marked)
                found[f"flat {options}"] = (text, _count(schedule, is_short))
                text = factorized_gantt(schedule, is_short, 2, is_marked)
                found[f"folded {options}"] = (text, _count_folded(schedule, is_short))
    return found


def _views() -> dict[str, tuple[str, ...]]:
    """Give the texts of views, each kind of them, with all names."""
    graph = chain(*NAMES)
    plan = MemoryPlan(NAMES, tuple(Buffer(n, n, 0, 8, 0, 1, 0) for n in NAMES), 8, 8)
    view = sequential([PaddedConv2D(3, 8, [3, 3], "conv", None, [1] * 4)])
    view.forward_dims([[1, 3, 16, 16]])
    mapping = hardware.map_schedule(view, hardware.target("quad_cluster"))
    line = ("", ((1.0, 0.5), (2.0, 2.5), (3.0, 1e6)))
    charts = (Chart("", "x; y", "z", lines=(line,)), Chart('"<b>"', "", "z", ((3.5, 1e-7, 0),)))
    return {
        "graph": to_mermaid(scene_of(graph)),
        "timeline": to_mermaid(scene_of(static_schedule(graph))),
        "memory": to_mermaid(scene_of(plan)),
        "devices": to_mermaid(scene_of(mapping)),
        "memories": to_mermaid(scene_of(mapping), "memory"),
        "charts": to_mermaid(Scene("charts", charts=charts)),
        "empty": to_mermaid(build_scene(schedule=StaticSchedule((), ()))),
    }


def _count(schedule: StaticSchedule, ignore_producers: bool) -> int:
    actors = [schedule.actors[firing.actor] for firing in schedule.firings]
    return sum(not (ignore_producers and actor.producer) for actor in actors)


def _count_folded(schedule: StaticSchedule, ignore_producers: bool) -> int:
    folded = [firing for section in schedule.sections() for firing in section.firings]
    actors = [schedule.actors[firing.actor] for firing in folded]
    return sum(not (ignore_producers and actor.producer) for actor in actors)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run JupyterLab in a folder with a notebook whose outputs are the diagrams."""
    home = tmp_path_factory.mktemp("mermaid")
    texts = [text for text, _ in _diagrams().values()]
    cells = [_cell(text) for text in (*texts, *sum(_views().values(), ()))]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    (home / "diagrams.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    _set(home, "notebook-extension/tracker", {"windowingMode": "none"})
    _set(home, "apputils-extension/notification", {"fetchNews": "false", "checkForUpdates": False})
    variables = {
        **os.environ,
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
    }
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--port=0", "--allow-root"]
    command += ["--ServerApp.root_dir=.", "--IdentityProvider.token=none"]
    log = home / "log.txt"
    with log.open("wb") as output:
        server = subprocess.Popen(
            command, cwd=home, env=variables, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            yield f"http://127.0.0.1:{_port(log, server)}/lab/tree/diagrams.ipynb?token=none"
        finally:
            server.send_signal(15)
            server.wait(timeout=60)


def _cell(text: str) -> dict[str, object]:
    data = {"text/vnd.mermaid": text}
    output = {"output_type": "display_data", "data": data, "metadata": {}}
    return {
        "cell_type": "code",
        "metadata": {},
        "source": "",
        "execution_count": None,
        "outputs": [output],
    }


def _set(home: Path, plugin: str, values: dict[str, object]) -> None:
    path = home / "settings" / "@jupyterlab" / f"{plugin}.jupyterlab-settings"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(values), encoding="utf-8")


def _port(log: Path, server: subprocess.Popen[bytes]) -> str:
    for _ in range(600):
        text = log.read_text(encoding="utf-8", errors="replace")
        found = re.search(r"http://(?:127\.0\.0\.1|localhost):(\d+)/lab", text)
        if found:
            return found.group(1)
        if server.poll() is not None:
            break
        time.sleep(0.2)
    pytest.fail(f"JupyterLab did not start:\n{log.read_text()}")


ALL_DONE = """count => {
  const done = document.querySelectorAll(".jp-OutputArea .jp-RenderedMermaid :is(img, details)");
  return done.length >= count;
}"""

READ = """blocks => blocks.map(block => {
  const image = block.querySelector("img");
  const nothing = { tasks: [], labels: [], critical: 0, is_shown: false };
  if (!image) return { error: block.textContent, ...nothing };
  const text = decodeURIComponent(image.src.slice(image.src.indexOf(",") + 1));
  const svg = new DOMParser().parseFromString(text.replace(/^[^]*?(?=<svg)/, ""), "text/html");
  const tasks = [...svg.querySelectorAll("text[class*=taskText]")].map(each => each.textContent);
  const labels = [...svg.querySelectorAll(".nodeLabel")].map(each => each.textContent);
  const critical = svg.querySelectorAll("rect[class*=crit], rect[class*=Crit]").length;
  return { error: "", tasks, labels, critical, is_shown: image.complete && image.naturalWidth > 0 };
})"""
"""What a page shows of each block: what Mermaid complains of, the tasks, whether it is visible."""


@pytest.fixture(scope="module")
def drawn(browser: Browser, address: str) -> Iterator[list[dict[str, Any]]]:
    """Open the file; give what Mermaid made of each block."""
    page = browser.new_page()
    page.goto(address)
    count = len(_diagrams()) + sum(map(len, _views().values()))
    page.wait_for_function(ALL_DONE, arg=count, timeout=120_000)
    yield page.locator(".jp-OutputArea .jp-RenderedMermaid").evaluate_all(READ)
    page.close()


def test_each_is_drawn_with_all_its_tasks(drawn: list[dict[str, Any]]) -> None:
    diagrams = _diagrams()
    for (title, (text, count)), found in zip(diagrams.items(), drawn, strict=False):
        assert found["error"] == "", title
        assert found["is_shown"], title
        assert len(found["tasks"]) == count, title
        lines = [line.rpartition(" :")[0] for line in text.split("\n") if " :" in line]
        tasks = sorted(task.strip() for task in found["tasks"])  # Mermaid draws by first step
        assert tasks == sorted(line.strip() for line in lines), title


def test_critical_firings_are_marked_when_asked_for(drawn: list[dict[str, Any]]) -> None:
    marked = [text.count(" :crit, ") for text, _ in _diagrams().values()]
    assert [found["critical"] for found in drawn[: len(marked)]] == marked
    assert max(marked) > 0


def test_what_views_write_is_drawn(drawn: list[dict[str, Any]]) -> None:
    views = _views()
    rest = iter(drawn[len(_diagrams()) :])
    for kind, texts in views.items():
        for text, found in zip(texts, rest, strict=False):
            assert (found["error"], found["is_shown"]) == ("", True), kind
            assert len(found["tasks"]) == (text.count(" :") if "gantt" in text else 0), kind
            if kind == "graph":
                labels = [label.replace("\N{ZERO WIDTH SPACE}", "") for label in found["labels"]]
                seen = {" ".join(label.split()) for label in labels}
                plain = [name for name in NAMES if name.isprintable() and name.strip()]
                assert {f"{name}Unit" for name in plain if len(name) < 100} <= seen
    assert next(rest, None) is None
