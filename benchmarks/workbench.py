"""How quick the views are in a real browser, beside plotly's figure for the same bars.

Times depend on the machine; what counts are the ratio to plotly in the same run, and frames.
"""

import argparse
import base64
import json
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from aidge_nb import load_onnx, zoo
from aidge_nb.graph.snapshot import EdgeView, GraphSnapshot, NodeView
from aidge_nb.memory.plan import Buffer, MemoryPlan
from aidge_nb.scheduling.schedule import Actor, Firing, StaticSchedule
from aidge_nb.widgets import Scene, build_scene, explore
from aidge_nb.widgets.html import BUNDLE
from common import write

ROWS = 1000
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
FRAMES = """
async ([panel, frames]) => {
  const bench = document.querySelector(".aidge-nb").workbench;
  const view = bench.panels.find(({name}) => name === panel);
  const frame = () => new Promise(requestAnimationFrame);
  const at = {x: view.width * 0.6, y: view.height * 0.5};
  const times = [], paints = [], idle = [];
  let before = await frame();
  for (let index = 0; index < 60; index++) {
    const now = await frame();
    idle.push(now - before);
    before = now;
  }
  const refresh = idle.sort((a, b) => a - b)[30];
  for (let index = 0; index < frames; index++) {
    const turn = Math.floor(index / 30) % 4;
    if (turn === 0) view.zoom(at, 0.8, true);
    else if (turn === 2) view.zoom(at, 1.25, true);
    else view.pan(turn === 1 ? 9 : -9, turn === 1 ? -7 : 7);
    view.redraw();
    const now = await frame();
    times.push(now - before);
    paints.push(Math.max(...bench.panels.map(each => Number(each.section.dataset.paintMs || 0))));
    before = now;
  }
  return [times, paints, refresh];
}
"""
MOUNT = """
async ([source, meta, columns, panels]) => {
  const module = await import(URL.createObjectURL(new Blob([source], {type: "text/javascript"})));
  const bytes = new DataView(Uint8Array.from(atob(columns), (each) => each.charCodeAt(0)).buffer);
  const traits = {_meta: JSON.parse(meta), _columns: bytes, panels, query: "", theme: "light"};
  const nothing = () => undefined;
  const listeners = [];
  const model = {get: (name) => traits[name] ?? null, set: nothing, save_changes: nothing,
    on: (event, call) => listeners.push([event, call]), off: nothing};
  window.put = (news) => {
    Object.assign(traits, news);
    for (const [event, call] of listeners) if (event.slice(7) in news) call();
  };
  const frame = () => new Promise(requestAnimationFrame);
  await frame();
  const began = performance.now();
  await module.default.render({model, el: document.body});
  await frame();
  await frame();
  return (performance.now() - began) / 1000;
}
"""
REDRAW = """
async ([meta, columns]) => {
  const bytes = new DataView(Uint8Array.from(atob(columns), (each) => each.charCodeAt(0)).buffer);
  const frame = () => new Promise(requestAnimationFrame);
  await frame();
  const began = performance.now();
  window.put({_meta: JSON.parse(meta), _columns: bytes});
  await frame();
  await frame();
  return performance.now() - began;
}
"""
LINKS = """
async () => {
  const bench = document.querySelector(".aidge-nb").workbench;
  const frame = () => new Promise(requestAnimationFrame);
  const took = [];
  for (let index = 0; index < 20; index++) {
    await frame();
    const began = performance.now();
    bench.store.set({selected: (index * 37) % bench.store.model.count});
    await frame();
    await new Promise(done => setTimeout(done));
    took.push(performance.now() - began);
  }
  return took;
}
"""


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
    """Measure each scene, then plotly, and print what was asked for beside what came."""
    options = argparse.ArgumentParser()
    options.add_argument("--quick", action="store_true")
    options.add_argument("--chromium", default="/usr/bin/chromium")
    asked = options.parse_args()
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=asked.chromium, args=FLAGS)
        folder = Path(name)
        figures: dict[str, Any] = {}
        for count in (40_000, 100_000, *(() if asked.quick else (1_000_000,))):
            scene = build_scene(schedule=schedule_of(count))
            figures[f"timeline_{count}"] = measure(browser, scene, "timeline")
        scene = build_scene(plan=plan_of(100_000))
        figures["memory_100000"] = measure(browser, scene, "memory")
        began = time.process_time()
        scene = build_scene(graph_of(10_000))
        layout = time.process_time() - began
        figures["graph_10000"] = {**measure(browser, scene, "graph"), "layout_s": layout}
        scene = build_scene(schedule=schedule_of(100_000), plan=plan_of(100_000))
        figures["linked"] = measure(browser, scene, "timeline")
        figures["sliders"] = sliders(browser)
        figures["plotly_40000"] = {"paint_s": plotly_paint(browser, 40_000, folder)}
        browser.close()
    ratio = figures["plotly_40000"]["paint_s"] / figures["timeline_40000"]["paint_s"]
    figures["plotly_over_ours_at_40000"] = ratio
    print(json.dumps(figures, indent=1))
    write("workbench", figures)


def opened(browser: Any, scene: Scene) -> tuple[Any, float, int]:
    """Open a scene; give the page, the seconds until it was painted, and the bytes sent."""
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    meta, data = scene.payload()
    text = json.dumps(meta)
    source = BUNDLE.read_text(encoding="utf-8")
    page.goto("about:blank")
    columns = base64.b64encode(data).decode()
    paint = page.evaluate(MOUNT, [source, text, columns, list(scene.panels)])
    return page, paint, len(data) + len(text)


def measure(browser: Any, scene: Scene, panel: str) -> dict[str, float]:
    """Open a scene; time the first paint, frames of zooming and panning, and selecting."""
    page, paint, size = opened(browser, scene)
    frames, paints, refresh = page.evaluate(FRAMES, [panel, 240])
    # The screen shows a frame at a refresh or not at all: a late one lasts two refreshes or more.
    refreshes = np.rint(np.array(frames) / refresh)
    took = page.evaluate(LINKS)
    page.close()
    return {
        "paint_s": round(paint, 3),
        "payload_bytes": size,
        "frame_p50_ms": round(float(np.percentile(frames, 50)), 1),
        "frame_p95_ms": round(float(np.percentile(frames, 95)), 1),
        "refresh_ms": round(refresh, 2),
        "late_frames": int((refreshes > 1).sum()),
        "frame_p95_refreshes": float(np.percentile(refreshes, 95)),
        "script_p95_ms": round(float(np.percentile(paints, 95)), 1),
        "select_p95_ms": round(float(np.percentile(took, 95)), 1),
    }


def sliders(browser: Any) -> dict[str, Any]:
    """Move each control of MobileNetV2 once: milliseconds to plan anew, and then to draw."""
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
    planned, drawn = {}, {}
    page = opened(browser, explorer.bench.scene)[0]
    for name, change in changes.items():
        explorer.settings = first
        began = time.process_time()
        explorer.settings = replace(first, **change)
        planned[name] = round(1000 * (time.process_time() - began))
        meta, data = explorer.bench.scene.payload()
        columns = base64.b64encode(data).decode()
        drawn[name] = round(page.evaluate(REDRAW, [json.dumps(meta), columns]))
    page.close()
    return {"plan_ms": planned, "draw_ms": drawn}


def plotly_paint(browser: Any, count: int, folder: Path) -> float:
    """Time the first paint of plotly's own figure, its script loaded beforehand."""
    import plotly.graph_objects as go
    import plotly.offline

    schedule = schedule_of(count)
    bars = go.Bar(
        orientation="h",
        base=[firing.early for firing in schedule.firings],
        x=[1 + firing.slack for firing in schedule.firings],
        y=[schedule.name_of(firing) for firing in schedule.firings],
    )
    figure = go.Figure(bars).to_json()
    path = folder / "plotly.html"
    script = plotly.offline.get_plotlyjs()
    path.write_text(f"<div id=at></div><script>{script}</script>", encoding="utf-8")
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.goto(path.as_uri())
    took: float = page.evaluate(
        """async figure => {
          const began = performance.now();
          const {data, layout} = JSON.parse(figure);
          await Plotly.newPlot("at", data, layout);
          await new Promise(requestAnimationFrame);
          await new Promise(requestAnimationFrame);
          return (performance.now() - began) / 1000;
        }""",
        figure,
    )
    page.close()
    return round(took, 2)


if __name__ == "__main__":
    main()
