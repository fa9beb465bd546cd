"""WebKit (WebKitGTK's MiniBrowser), driven by Selenium on a display that nobody sees."""

from __future__ import annotations

import os
import subprocess
import time
import warnings
from collections.abc import Sequence
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.remote.command import Command
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service

from tests.browser.engines import PATIENCE, Action, Engine

__all__ = ["WebKitEngine"]

NARROWEST = 480  # pixels: its bars take no less
SCREEN = "1920x1600x24"
RUN = """\
const [text, done] = arguments;
(%s)(text).then((value) => done({value}), (error) => done({error: String(error)}));"""

TURN = """(x, y, deltaY) => document.elementFromPoint(x, y).dispatchEvent(new WheelEvent(
  "wheel",
  {clientX: x, clientY: y, deltaY, ctrlKey: true, bubbles: true, cancelable: true, composed: true},
))"""


class WebKitEngine(Engine):
    """A window of WebKit."""

    name = "webkit"

    def __init__(self, program: str, driver: str, display: str) -> None:
        screen = [display, "-displayfd", "1", "-screen", "0", SCREEN, "-nolisten", "tcp"]
        self._display = subprocess.Popen(
            screen, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self._display.stdout is not None
        number = self._display.stdout.readline().strip()
        options = Options()
        options.binary_location = program
        options.add_argument("--automation")
        service = Service(driver, env={**os.environ, "DISPLAY": f":{number}"})
        try:
            with warnings.catch_warnings():  # Selenium calls itself in a way that it warns of
                warnings.simplefilter("ignore", DeprecationWarning)
                self._driver = webdriver.WebKitGTK(options=options, service=service)
        except BaseException:
            self._end_display()
            raise

    def goto(self, address: str) -> None:
        self._driver.get(address)

    def run(self, code: str, text: str) -> str:
        given = self._driver.execute_async_script(RUN % code, text)
        if "error" in given:
            raise RuntimeError(given["error"])
        value: str = given["value"]
        return value

    def perform(self, sources: Sequence[Action]) -> None:
        self._driver.execute(Command.W3C_ACTIONS, {"actions": list(sources)})

    def wheel(self, x: float, y: float, down: int, held: str = "") -> None:
        """Turn the wheel; with a key held, say so to the page: this driver's wheel has no keys."""
        if not held:
            super().wheel(x, y, down)
            return
        assert held == "Control"
        self.call(TURN, x, y, down)
        self.settle()

    def resize(self, width: int, height: int) -> None:
        """Ask for a window that is larger than the page by its bars, which need some width."""
        wanted = (max(width, NARROWEST), height)
        until = time.monotonic() + PATIENCE
        while (inner := tuple(self.call("() => [innerWidth, innerHeight]"))) != wanted:
            if time.monotonic() > until:
                pytest.fail(f"webkit: the page is {inner} large and not {wanted}")
            outer = self._driver.get_window_rect()
            self._driver.set_window_rect(
                0, 0, outer["width"] + wanted[0] - inner[0], outer["height"] + wanted[1] - inner[1]
            )
            for _ in range(20):  # until it has another size, or was only slow to say so
                if tuple(self.call("() => [innerWidth, innerHeight]")) != inner:
                    break
                time.sleep(0.05)

    def screenshot(self, path: Path) -> None:
        self._driver.save_screenshot(str(path))

    def close(self) -> None:
        """End WebKit, its driver and its display."""
        try:
            self._driver.quit()
        finally:
            self._end_display()

    def _end_display(self) -> None:
        self._display.terminate()
        self._display.wait(timeout=60)
        if self._display.stdout is not None:
            self._display.stdout.close()
