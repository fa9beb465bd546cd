"""A page or a notebook cell with a view of ours in it, in whichever engine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.browser.engines import Engine

__all__ = ["CANVASES", "ReportPage"]

CANVASES = ("graph", "timeline", "memory")
HERE = re.compile(r"(https?|wss?)://(127\.0\.0\.1|localhost)[:/]|data:|blob:|file:")
FEWEST_COLOURS = 8  # of a drawn canvas: a blank one has one
VIEW = "const root = document.querySelector('.aidge-nb'); const bench = root.workbench;"

DRAWN = """() => [...document.querySelectorAll(".aidge-nb [data-panel]")]
  .filter((panel) => panel.querySelector(".anb-stage canvas"))
  .filter((panel) => panel.querySelector(".anb-stage canvas").clientWidth > 0)
  .map((panel) => {
    const canvas = panel.querySelector(".anb-stage canvas");
    const { width, height } = canvas;
    const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
    const colours = new Set(new Uint32Array(data.buffer)).size;
    return {name: panel.dataset.panel, drawn: Number(panel.dataset.drawn), colours, width, height,
      wide: canvas.clientWidth * devicePixelRatio, high: canvas.clientHeight * devicePixelRatio};
  })"""

ERRORS = """() => {
  globalThis.seenErrors = [];
  addEventListener("error", (event) => seenErrors.push(event.message));
  addEventListener("unhandledrejection", (event) => seenErrors.push(String(event.reason)));
}"""


class ReportPage:
    """The first view of a page."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def open(self, address: str) -> ReportPage:
        """Open a report and wait until it is drawn."""
        self.engine.goto(address)
        self.engine.wait("() => document.querySelector('[data-ready=true]') !== null")
        self.engine.call(ERRORS)
        self.engine.settle()
        return self

    def resize(self, width: int, height: int, **more: float) -> None:
        self.engine.resize(width, height, **more)
        self.engine.settle()

    def save(self, folder: Path, name: str) -> None:
        self.engine.screenshot(folder / f"{name}-{self.engine.name}.png")

    # --- what is read -----------------------------------------------------------------------

    @property
    def selected(self) -> str:
        return self.data("selected")

    @property
    def hovered(self) -> str:
        return self.data("hovered")

    def data(self, name: str) -> str:
        found: str | None = self.engine.call(
            f"(name) => {{{VIEW} return root.dataset[name];}}", name
        )
        return found or ""

    def state(self, name: str) -> Any:
        return self.engine.call(f"(name) => {{{VIEW} return bench.state[name];}}", name)

    def wait_state(self, name: str) -> Any:
        """Wait until a part of the state is something, and return that."""
        return self.engine.wait(f"(name) => {{{VIEW} return bench.state[name];}}", name)

    @property
    def now(self) -> int | None:
        """Where the playhead is."""
        found: int | None = self.engine.call(f"() => {{{VIEW} return bench.store.now;}}")
        return found

    def until_now(self, least: int) -> None:
        """Wait until the playhead has come as far as is said."""
        self.engine.wait(f"(least) => {{{VIEW} return bench.store.now >= least;}}", least)

    def text(self, selector: str) -> str:
        """Return the text of an element, without its line breaks."""
        code = "(selector) => document.querySelector(selector).innerText"
        return str(self.engine.call(code, selector)).replace("\n", "")

    def picture(self, panel: str) -> str:
        """Give the pixels of a panel, as text that can be compared."""
        code = "(name) => document.querySelector(`[data-panel=${name}] .anb-stage canvas`)"
        return str(self.engine.call(f"(name) => ({code})(name).toDataURL()", panel))

    @property
    def ground_of_page(self) -> str:
        """The colour behind the panels."""
        code = f"() => {{{VIEW} return getComputedStyle(root).backgroundColor;}}"
        return str(self.engine.call(code))

    def paper(self) -> int:
        """Give how bright the page behind the panels is, from 0 to 255."""
        channels = re.findall(r"[\d.]+", self.ground_of_page)[:3]
        return round(sum(map(float, channels)) / 3)

    def fills(self, selector: str) -> set[str]:
        """Give the colours behind elements of a kind."""
        code = """(selector) => [...document.querySelectorAll(`.aidge-nb :is(${selector})`)]
          .filter((each) => each.checkVisibility())
          .map((each) => getComputedStyle(each).backgroundColor)"""
        found: set[str] = set(self.engine.call(code, selector))
        assert found, f"there is no {selector}"
        return found

    def ground(self, panel: str) -> int:
        """Give how bright the most frequent colour on the canvas of a panel is, from 0 to 255."""
        code = """(panel) => {
          const canvas = document.querySelector(`[data-panel=${panel}] .anb-stage canvas`);
          const { width, height } = canvas;
          const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
          const counts = new Map();
          for (const pixel of new Uint32Array(data.buffer)) {
            counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
          }
          const [most] = [...counts].sort((one, other) => other[1] - one[1])[0];
          return ((most & 255) + ((most >> 8) & 255) + ((most >> 16) & 255)) / 3;
        }"""
        return int(self.engine.call(code, panel))

    @property
    def complaints(self) -> list[str]:
        """What went wrong in the page: all of it where the engine tells, or what was caught."""
        told: list[str] = getattr(self.engine, "complaints", [])
        caught: list[str] = self.engine.call("() => globalThis.seenErrors ?? []")
        return [*told, *caught]

    @property
    def foreign(self) -> list[str]:
        """What was asked of other machines."""
        code = "() => performance.getEntriesByType('resource').map((entry) => entry.name)"
        return [url for url in self.engine.call(code) if not HERE.match(url)]

    # --- what must hold ---------------------------------------------------------------------

    def check_drawn(self, panels: Sequence[str] = CANVASES) -> None:
        """Check that findings and panels are painted, sharp, and no wider than the window."""
        found = {panel["name"]: panel for panel in self.check_sizes()}
        self.show_all(panels, found)
        for name in panels:
            assert found[name]["drawn"] > 0, f"{name} is empty"
            assert found[name]["colours"] >= FEWEST_COLOURS, f"{name} is blank: {found[name]}"
        too_wide = self.engine.call("() => document.documentElement.scrollWidth - innerWidth")
        assert too_wide <= 0, f"wider than the window by {too_wide} px"

    def show_all(self, panels: Sequence[str], found: dict[str, Any]) -> None:
        """Add panels that stand behind a tab, where there is no room for all."""
        for name in panels:
            if name not in found:
                self.push_button("Show graph" if name == "graph" else "Show schedule")
                found |= {panel["name"]: panel for panel in self.check_sizes()}

    def check_sizes(self) -> list[Any]:
        """Check that each canvas has one pixel for each of the screen; give what is drawn."""
        found: list[Any] = self.engine.call(DRAWN)
        assert found
        for panel in found:
            assert abs(panel["width"] - panel["wide"]) <= 1, panel
            assert abs(panel["height"] - panel["high"]) <= 1, panel
        return found

    # --- what is done -----------------------------------------------------------------------

    def place(self, panel: str, node: str) -> tuple[float, float]:
        """Return the point of the window at which a panel shows a node; scrolls the page to it."""
        code = f"""(panel, node) => {{
          {VIEW}
          const at = bench.locate(panel, node);
          if (at === null || (at.y >= 0 && at.y < innerHeight)) return at;
          scrollBy({{ top: at.y - innerHeight / 2, behavior: "instant" }});
          return bench.locate(panel, node);
        }}"""
        point = self.engine.call(code, panel, node)
        assert point is not None, f"{panel} does not show {node}"
        return point["x"], point["y"]

    def point(self, panel: str, node: str) -> None:
        self.engine.move(*self.place(panel, node))

    def pick(self, panel: str, node: str) -> None:
        self.engine.click(*self.place(panel, node))

    def push_button(self, name: str) -> None:
        """Click the button of the view whose name begins as is said."""
        code = """(name) => {
          const all = [...document.querySelectorAll(".aidge-nb button")];
          const found = all.find((each) => each.checkVisibility()
            && (each.getAttribute("aria-label") ?? each.innerText).startsWith(name));
          found?.scrollIntoView({block: "center", behavior: "instant"});
          if (!found) return null;
          const {x, y, width, height} = found.getBoundingClientRect();
          return [x + width / 2, y + height / 2];
        }"""
        found = self.engine.call(code, name)
        assert found is not None, f"there is no button {name}"
        self.engine.click(*found)

    def box(self, selector: str) -> tuple[float, float, float]:
        """Scroll to an element; return its left edge, the height of its middle, its right edge."""
        _, middle = self.engine.centre(selector)
        code = """(selector) => {
          const {left, right} = document.querySelector(selector).getBoundingClientRect();
          return [left, right];
        }"""
        left, right = self.engine.call(code, selector)
        return left, middle, right

    def tab_through(self, times: int) -> list[str]:
        """Press the tab key some times; return the names and kinds of what had the focus."""
        code = """() => {
          const it = document.activeElement;
          return `${it.tagName} ${it.type === "search" ? "search" : ""}`.trim();
        }"""
        reached = []
        for _ in range(times):
            self.engine.press("Tab")
            reached.append(str(self.engine.call(code)))
        return reached
