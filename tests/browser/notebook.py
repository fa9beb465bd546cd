"""A notebook in JupyterLab, in whichever engine: cells that are run, and the views in them."""

from __future__ import annotations

import time

import pytest

from tests.browser.page import ERRORS, ReportPage

__all__ = ["NotebookPage"]

PATIENCE = 180  # seconds: for JupyterLab, for its kernel, and for what a cell computes
CELL = "document.querySelectorAll('.jp-CodeCell')[number]"
IS_READY = """() => document.querySelector(".jp-Notebook .jp-Cell") !== null
  && document.querySelector(".jp-Notebook-ExecutionIndicator[data-status=idle]") !== null
  && document.querySelector(".jp-Spinner") === null"""


class NotebookPage(ReportPage):
    """A notebook whose first view is looked at."""

    def open(self, address: str) -> NotebookPage:
        """Open a notebook and wait for its kernel."""
        self.engine.goto(address)
        self.engine.wait(IS_READY, patience=PATIENCE)
        self.engine.call(ERRORS)
        return self

    @property
    def cells(self) -> int:
        return int(self.engine.call("() => document.querySelectorAll('.jp-Cell').length"))

    def run_cell(self, number: int) -> None:
        """Ask for it until it begins: a busy machine may not have connected the kernel yet."""
        before = self.prompt(number)
        for _ in range(6):
            self.engine.push(".jp-CodeCell .cm-content", number)
            self.engine.press("Control+Enter")
            for _ in range(50):
                if self.prompt(number) != before:
                    self.until_prompt(number)
                    return
                time.sleep(0.2)
        pytest.fail("the cell did not begin to run")

    def prompt(self, number: int) -> str:
        code = f"(number) => {CELL}.querySelector('.jp-InputPrompt').innerText"
        return str(self.engine.call(code, number)).strip()

    def until_prompt(self, number: int) -> None:
        """Wait until a cell has run, and not failed."""
        code = f"(number) => /\\d/.test({CELL}.querySelector('.jp-InputPrompt').innerText)"
        self.engine.wait(code, number, patience=PATIENCE)
        failed = self.engine.call(
            f"(number) => {CELL}.querySelector('[data-mime-type*=error]')?.innerText ?? ''", number
        )
        assert failed == ""

    def until_drawn(self, number: int = 0) -> None:
        """Wait until the view of a cell is drawn."""
        code = f"(number) => Number({CELL}.querySelector('[data-panel=memory]')?.dataset.drawn) > 0"
        self.engine.wait(code, number, patience=PATIENCE)
        self.engine.settle()

    def until_output(self, number: int, text: str) -> None:
        code = f"(number) => {CELL}.querySelector('.jp-OutputArea')?.innerText.trim() ?? ''"
        until = time.monotonic() + PATIENCE
        while (said := str(self.engine.call(code, number))) != text:
            assert time.monotonic() < until, f"{said!r} and not {text!r}"
            time.sleep(0.1)

    def until_selected(self, node: str) -> None:
        self.engine.wait(
            "(node) => document.querySelector('.aidge-nb').dataset.selected === node", node
        )

    def place(self, panel: str, node: str) -> tuple[float, float]:
        """Return the point at which a panel shows a node; the notebook scrolls, not the page."""
        self.engine.centre(f".aidge-nb [data-panel={panel}] .anb-stage canvas")
        return super().place(panel, node)

    # --- controls ---------------------------------------------------------------------------

    def drag_slider(self, number: int, name: str, share: float) -> None:
        """Drag the handle of a slider with the pointer to some share of its way."""
        code = f"""(number, name) => {{
          const all = [...{CELL}.querySelectorAll(".widget-slider")];
          const slider = all.find((each) => each.innerText.includes(name));
          slider.scrollIntoView({{block: "center", behavior: "instant"}});
          const handle = slider.querySelector("[role=slider]").getBoundingClientRect();
          const way = slider.querySelector(".noUi-base").getBoundingClientRect();
          return [handle.x + handle.width / 2, handle.y + handle.height / 2, way.x, way.width];
        }}"""
        x, y, left, wide = self.engine.call(code, number, name)
        self.engine.drag((x, y), (left + share * wide, y))

    def until_planned(self, number: int) -> None:
        """Wait until the line below the controls says that something was planned."""
        code = (
            f"(number) => {CELL}.querySelector('.jp-OutputArea').innerText.includes('planned in')"
        )
        self.engine.wait(code, number, patience=PATIENCE)
