"""A view in a browser: open it, find nodes on its canvases, read its state from the DOM."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from aidge_nb.widgets import Scene, to_html
from aidge_nb.widgets.still.html import BUNDLE

ROOT = ".aidge-nb"
CANVASES = ("graph", "timeline", "memory")

FAKE_NOTEBOOK = """
async ([source, traits, columns]) => {
  const module = await import(URL.createObjectURL(new Blob([source], {type: "text/javascript"})));
  const listeners = [];
  const model = {
    traits: {...traits, _columns: new DataView(Uint8Array.from(columns).buffer)},
    saved: 0,
    get: (name) => model.traits[name],
    set: (name, value) => {
      model.traits[name] = value;
      model.tell(`change:${name}`);
    },
    tell: (event) => listeners.filter(([on]) => on === event).forEach(([, call]) => call()),
    save_changes: () => model.saved++,
    on: (event, call) => listeners.push([event, call]),
    off: (event, call) => {
      const index = listeners.findIndex(([on, other]) => on === event && other === call);
      listeners.splice(index, 1);
    },
  };
  const slots = new Set();
  const signal = {connect: (slot) => slots.add(slot), disconnect: (slot) => slots.delete(slot)};
  const behind = {status: "idle", statusChanged: signal};
  model.widget_manager = {kernel: behind};
  model.become = (status) => {
    behind.status = status;
    [...slots].forEach((slot) => slot());
  };
  model.slots = slots;
  window.kernel = model;
  window.listeners = listeners;
  window.leave = await module.default.render({model, el: document.body});
}
"""


class Bench:
    """A page that shows a scene, and everything that it asked for or complained about."""

    def __init__(self, browser: Browser, **context: Any) -> None:
        # Without gentle moves, unless they are asked for: what is seen is where it stays.
        self.page: Page = browser.new_page(**{"reduced_motion": "reduce", **context})
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def open(self, scene: Scene, folder: Path) -> Bench:
        """Write the scene as a page and open it from the disk."""
        path = folder / "page.html"
        path.write_text(to_html(scene), encoding="utf-8")
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("[data-ready=true]")
        self.settle()
        return self

    def open_widget(self, scene: Scene, **traits: Any) -> Bench:
        """Render the widget with a model that stands for a kernel."""
        meta, columns = scene.payload()
        state = {
            "_meta": json.loads(json.dumps(meta)),
            "panels": list(scene.panels),
            "selected": None,
            "hovered": None,
            "query": "",
            "clock": None,
            "time_range": None,
            "tick": None,
            "step": None,
            "theme": "auto",
            "picked": [],
            "question": "",
            "feedback": "",
            "many": False,
            "covered": False,
            "answer": None,
            "answers": 0,
            **traits,
        }
        self.page.goto("about:blank")
        self.page.evaluate(
            FAKE_NOTEBOOK, [BUNDLE.read_text(encoding="utf-8"), state, list(columns)]
        )
        self.settle()
        return self

    def put(self, trait: str, value: object) -> None:
        """Change a trait of the widget, as the kernel does."""
        self.page.evaluate("([name, value]) => kernel.set(name, value)", [trait, value])
        self.settle()

    def replace(self, scene: Scene) -> None:
        """Have the kernel send another scene."""
        meta, columns = scene.payload()
        self.page.evaluate(
            """([meta, columns]) => {
              kernel.traits._columns = new DataView(Uint8Array.from(columns).buffer);
              kernel.traits._meta = meta;
              kernel.tell("change:_meta");
              kernel.tell("change:_columns");
            }""",
            [meta, list(columns)],
        )
        self.settle()

    def settle(self) -> None:
        """Wait until what was asked for is painted."""
        self.page.evaluate(
            "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )

    def place(self, panel: str, node: str) -> tuple[float, float]:
        """Return the point of the window at which a panel shows a node; scrolls the page to it."""
        point = self.page.evaluate(
            """([root, panel, node]) => {
              const { workbench } = document.querySelector(root);
              const at = workbench.locate(panel, node);
              if (at === null || (at.y >= 0 && at.y < innerHeight)) return at;
              scrollBy({ top: at.y - innerHeight / 2, behavior: "instant" });
              return workbench.locate(panel, node);
            }""",
            [ROOT, panel, node],
        )
        assert point is not None, f"{panel} does not show {node}"
        return point["x"], point["y"]

    def hover(self, panel: str, node: str) -> None:
        self.page.mouse.move(*self.place(panel, node))
        self.settle()

    def click(self, panel: str, node: str) -> None:
        self.page.mouse.click(*self.place(panel, node))
        self.settle()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
        self.settle()

    @property
    def selected(self) -> str | None:
        return self.page.get_attribute(ROOT, "data-selected")

    @property
    def hovered(self) -> str | None:
        return self.page.get_attribute(ROOT, "data-hovered")

    def show_nodes(self) -> None:
        """Open the tab "all nodes", which stands beside what is alive."""
        self.page.get_by_role("button", name="Show all nodes").click()
        self.settle()

    def show_graph(self) -> None:
        """Open the tab of the graph, which stands in place of the schedule where room is scarce."""
        tab = self.page.locator(".anb-narrow:visible").get_by_role("button", name="Show graph")
        if tab.count():
            tab.click()
            self.settle()

    def panels(self) -> dict[str, int]:
        """Return how many items each panel that is displayed has drawn, by its name.

        Panels made of elements do not count what they draw: for them it is the elements.
        """
        found: dict[str, str | int] = self.page.evaluate(
            "() => Object.fromEntries([...document.querySelectorAll('[data-panel]')]"
            ".filter(panel => panel.checkVisibility())"
            ".map(panel => [panel.dataset.panel, panel.dataset.drawn ?? "
            "panel.querySelectorAll('[class^=anb-body] *').length]))"
        )
        return {name: int(drawn) for name, drawn in found.items()}

    def colours(self, panel: str) -> int:
        """Count the colours on the canvas of a panel."""
        count: int = self.page.evaluate(
            """panel => {
              const canvas = document.querySelector(`[data-panel=${panel}] .anb-stage canvas`);
              const {width, height} = canvas;
              const {data} = canvas.getContext("2d").getImageData(0, 0, width, height);
              return new Set(new Uint32Array(data.buffer)).size;
            }""",
            panel,
        )
        return count

    def image(self, panel: str) -> str:
        """Give the pixels of a panel, as text that can be compared."""
        data: str = self.page.evaluate(
            "panel => document.querySelector("
            "`[data-panel=${panel}] .anb-stage canvas`).toDataURL()",
            panel,
        )
        return data

    def width_to_scroll(self) -> int:
        """Give the pixels by which the page is wider than the window."""
        more: int = self.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        return more
