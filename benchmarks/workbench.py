"""How quick the views are in a real browser, beside plotly's figure for the same bars.

Times depend on the machine; what counts are the ratio to plotly in the same run, and frames. Each
part says on stderr how long it took, and figures are written after each of them: a run that is
stopped leaves what it measured.
"""

import argparse
import base64
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from aidge_nb import load_onnx, zoo
from aidge_nb.graph.snapshot import EdgeView, GraphSnapshot, NodeView
from aidge_nb.memory.values.plan import Buffer, MemoryPlan
from aidge_nb.scheduling.schedule.nest import Actor, Firing
from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule
from aidge_nb.widgets import Scene, build_scene, explore, to_html
from aidge_nb.widgets.still.html import BUNDLE
from common import write
from workbench_pages import CLOCK, FRAMES, LINKS, LOAD, MOUNT, OPENED, PLOT, REDRAW

ROWS = 1000
PAINTS, FEWER = 7, 3
MOVES = 5
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]


def schedule_of(count: int, rows: int = ROWS) -> StaticSchedule:
    """Make a schedule of `count` firings, a third of them with slack, in which nothing repeats."""
    slack = np.random.default_rng(0).integers(0, 30, count).tolist()
    kinds = ("Conv2D", "ReLU", "Add", "FC", "MaxPooling2D")
    actors = tuple(Actor(f"op{row}", kinds[row % 5], False, f"op{row}", row) for row in range(rows))
    firings = tuple(
        Firing(place % rows, place // rows, place // 2, place // 2 + max(0, slack[place] - 20))
        for place in range(count)
    )
    return StaticSchedule(actors, firings)


def graph_of(count: int) -> GraphSnapshot:
    """Make a graph of `count` nodes: chains that fork, join and skip."""
    kinds = ("Conv2D", "ReLU", "Add", "FC", "MaxPooling2D")
    nodes = tuple(
        NodeView(f"op{node}", kinds[node % 5], (), native=True, parameters=0, macs=None, backend="")
        for node in range(count)
    )
    rng = np.random.default_rng(0)
    links = [(max(0, node - int(rng.integers(1, 6))), node) for node in range(1, count)]
    links += [(node - 5, node) for node in range(5, count, 7)]
    edges = tuple(EdgeView(a, 0, b, 0, (1, 8), "float32", 32, False) for a, b in links)
    return GraphSnapshot("large", nodes, edges, (), ())


def plan_of(count: int, rows: int = ROWS) -> MemoryPlan:
    """Make a plan of `count` buffers."""
    order = tuple(f"op{tick % rows}" for tick in range(count))
    buffers = tuple(
        Buffer(
            f"op{tick % rows}[{tick}]", f"op{tick % rows}", 0, 256, tick, tick + 3, 256 * (tick % 7)
        )
        for tick in range(count)
    )
    return MemoryPlan(order, buffers, 1792, 1024)


def main() -> None:
    """Measure each scene, plotly beside the first, and print what was asked for and what came."""
    options = argparse.ArgumentParser()
    options.add_argument("--quick", action="store_true", help="fewer paints, no 1,000,000 bars")
    options.add_argument("--only", default=",".join(PARTS), help="parts, with commas between them")
    options.add_argument("--chromium", default="/usr/bin/chromium")
    asked = options.parse_args()
    from playwright.sync_api import sync_playwright

    figures: dict[str, Any] = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=asked.chromium, args=FLAGS)
        for name in asked.only.split(","):
            if name == "timeline_1000000" and asked.quick:
                continue
            began = time.perf_counter()
            found = PARTS[name](browser, FEWER if asked.quick else PAINTS)
            # Processes that wanted a processor meanwhile: above 1 each, times are not ours alone.
            figures[name] = {**found, "load": round(os.getloadavg()[0], 1)}
            print(f"{name}: {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
            write("workbench", figures)
        browser.close()
    print(json.dumps(figures, indent=1))


def beside_plotly(browser: Any, paints: int, count: int = 40_000) -> dict[str, Any]:
    """Time the first paint of both sides in turn, each in fresh pages, after one of each."""
    ours = Drawing(build_scene(schedule=schedule_of(count)))
    plotly = Figure(count)
    ours.paint(browser)
    plotly.paint(browser)
    took: dict[str, list[float]] = {"ours": [], "plotly": []}
    for turn in range(paints):
        took["ours"].append(ours.paint(browser))
        if turn % 2 == 0:
            took["plotly"].append(plotly.paint(browser))
    ratio = statistics.median(took["plotly"]) / statistics.median(took["ours"])
    return {
        f"paint_{count}": {side: spread(times, 3) for side, times in took.items()},
        f"plotly_over_ours_at_{count}": round(ratio, 1),
    }


def timeline(browser: Any, paints: int, *, count: int) -> dict[str, Any]:
    """Measure a schedule."""
    return measure(browser, build_scene(schedule=schedule_of(count)), "timeline", paints)


def memory(browser: Any, paints: int) -> dict[str, Any]:
    """Measure a memory plan."""
    return measure(browser, build_scene(plan=plan_of(100_000)), "memory", paints)


def graph(browser: Any, paints: int) -> dict[str, Any]:
    """Measure a graph, and its layout."""
    snapshot = graph_of(10_000)
    began = time.process_time()
    scene = build_scene(snapshot)
    layout = time.process_time() - began
    return {**measure(browser, scene, "graph", paints), "layout_s": layout}


def linked(browser: Any, paints: int) -> dict[str, Any]:
    """Measure a schedule and a memory plan that are linked."""
    scene = build_scene(schedule=schedule_of(100_000), plan=plan_of(100_000))
    return measure(browser, scene, "timeline", paints)


def spread(values: list[float], digits: int) -> dict[str, float]:
    """Give the median of what was measured, the least and the most."""
    found = {"median": statistics.median(values), "min": min(values), "max": max(values)}
    return {name: round(value, digits or None) for name, value in found.items()}


class Drawing:
    """A scene as it is sent to the browser, and pages that draw it."""

    def __init__(self, scene: Scene) -> None:
        meta, data = scene.payload()
        self.panels = list(scene.panels)
        self.text = json.dumps(meta)
        self.columns = base64.b64encode(data).decode()
        self.size = len(data) + len(self.text)

    def opened(self, browser: Any) -> tuple[Any, float]:
        """Open a page with it; give the page, and the seconds until it was painted."""
        page = fresh(browser)
        page.evaluate(LOAD, BUNDLE.read_text(encoding="utf-8"))
        return page, page.evaluate(MOUNT, [self.text, self.columns, self.panels])

    def paint(self, browser: Any) -> float:
        """Time its first paint, in a page that is closed again."""
        page, took = self.opened(browser)
        page.close()
        return took


class Figure:
    """The same bars as a figure of plotly, its columns packed as they are best packed."""

    def __init__(self, count: int) -> None:
        import plotly.graph_objects as go
        import plotly.offline

        schedule = schedule_of(count)
        bars = go.Bar(
            orientation="h",
            base=np.array([firing.early for firing in schedule.firings], np.int32),
            x=np.array([1 + firing.slack for firing in schedule.firings], np.int32),
            y=[schedule.name_of(firing) for firing in schedule.firings],
        )
        self.text = go.Figure(bars).to_json()
        self.script = plotly.offline.get_plotlyjs()

    def paint(self, browser: Any) -> float:
        """Time its first paint, in a page that is closed again."""
        page = fresh(browser)
        page.add_script_tag(content=self.script)
        took: float = page.evaluate(PLOT, self.text)
        page.close()
        return took


def fresh(browser: Any) -> Any:
    """Open an empty page that can tell the time."""
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.goto("about:blank")
    page.evaluate(CLOCK)
    return page


def measure(browser: Any, scene: Scene, panel: str, paints: int) -> dict[str, Any]:
    """Time the first paint, frames of zooming and panning, and selecting."""
    drawing = Drawing(scene)
    drawing.paint(browser)
    painted = [drawing.paint(browser) for _ in range(paints)]
    page = drawing.opened(browser)[0]
    frames, scripts, refresh = page.evaluate(FRAMES, [panel, 240])
    # The screen shows a frame at a refresh or not at all: a late one lasts two refreshes or more.
    refreshes = np.rint(np.array(frames) / refresh)
    took = page.evaluate(LINKS)
    page.close()
    return {
        "paint_s": spread(painted, 3),
        "payload_bytes": drawing.size,
        "frame_p50_ms": round(float(np.percentile(frames, 50)), 1),
        "frame_p95_ms": round(float(np.percentile(frames, 95)), 1),
        "refresh_ms": round(refresh, 2),
        "late_frames": int((refreshes > 1).sum()),
        "frame_p95_refreshes": float(np.percentile(refreshes, 95)),
        "script_p95_ms": round(float(np.percentile(scripts, 95)), 1),
        "select_p95_ms": round(float(np.percentile(took, 95)), 1),
    }


def report(browser: Any, paints: int, count: int = 5_000) -> dict[str, Any]:
    """Open the page of a network from the disk, until it is drawn: seconds since the navigation."""
    values = graph_of(count), schedule_of(count, count), plan_of(count, count)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "report.html")
        path.write_text(to_html(build_scene(*values)), encoding="utf-8")
        took = []
        for _ in range(paints + 1):
            page = browser.new_page(viewport={"width": 1400, "height": 900})
            page.goto(path.as_uri(), wait_until="commit")
            took.append(page.evaluate(OPENED))
            page.close()
        return {"opened_s": spread(took[1:], 3), "page_bytes": path.stat().st_size}


def sliders(browser: Any, _: int) -> dict[str, Any]:
    """Move each control of MobileNetV2 to and fro: milliseconds to plan anew, and to draw that."""
    view = load_onnx(zoo.mobilenet_v2(size=224))
    view.forward_dims([[1, 3, 224, 224]], allow_data_dependency=True)
    explorer = explore(view)
    first = explorer.settings
    changes = {
        "policy": {"policy": "AsSoonAsPossible"},
        "strategy": {"strategy": "OptimizeMaxLifetimeMinSizeFirst"},
        "wrapping": {"wrapping": True},
        "in_place": {"in_place": False},
        "stripes": {"stripes": 8},
        "stripes_16": {"stripes": 16},
        "budget": {"budget": 1024 * 1024},
        "width": {"width": 2},
    }
    page = Drawing(explorer.bench.scene).opened(browser)[0]

    def move(change: dict[str, Any]) -> tuple[float, float]:
        explorer.settings = first
        began = time.process_time()
        explorer.settings = replace(first, **change)
        planned = 1000 * (time.process_time() - began)
        drawing = Drawing(explorer.bench.scene)
        return planned, page.evaluate(REDRAW, [drawing.text, drawing.columns])

    figures = {name: moved(move, change) for name, change in changes.items()}
    page.close()
    return figures


def moved(
    move: Callable[[dict[str, Any]], tuple[float, float]], change: dict[str, Any]
) -> dict[str, dict[str, float]]:
    """Make a move once, and then as often as it is measured."""
    move(change)
    planned, drawn = zip(*(move(change) for _ in range(MOVES)), strict=True)
    return {"plan_ms": spread(list(planned), 0), "draw_ms": spread(list(drawn), 0)}


PARTS: dict[str, Callable[[Any, int], dict[str, Any]]] = {
    "plotly": beside_plotly,
    "timeline_40000": partial(timeline, count=40_000),
    "timeline_100000": partial(timeline, count=100_000),
    "timeline_1000000": partial(timeline, count=1_000_000),
    "memory_100000": memory,
    "graph_10000": graph,
    "linked": linked,
    "report_5000": report,
    "sliders": sliders,
}
"""The parts of the benchmark, each of which can run on its own."""


if __name__ == "__main__":
    main()
