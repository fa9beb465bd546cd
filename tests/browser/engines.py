"""Browsers of three kinds behind one set of words, so that one scenario can be played in each.

What a person does is written as action lists of WebDriver, which Firefox (through WebDriver BiDi)
and WebKit (through WebDriver) take as they are; for Chromium they are read out to Playwright.
"""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["ENGINES", "Action", "ChromiumEngine", "Engine"]

Action: TypeAlias = dict[str, Any]

ENGINES = ("chromium", "firefox", "webkit")
PATIENCE = 60  # seconds: for a state that a test waits for
KEYS = {
    "Enter": "\ue006",
    "Escape": "\ue00c",
    "Tab": "\ue004",
    "Shift": "\ue008",
    "Control": "\ue009",
    "ArrowLeft": "\ue012",
    "ArrowUp": "\ue013",
    "ArrowRight": "\ue014",
    "ArrowDown": "\ue015",
    "Home": "\ue011",
    "End": "\ue010",
}
"""What WebDriver calls the keys that write nothing."""

PAINTED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


class Engine(ABC):
    """A window of a browser: what a person does in it, and what is read from it."""

    name: str

    @abstractmethod
    def goto(self, address: str) -> None:
        """Open an address and wait until it is loaded."""

    @abstractmethod
    def run(self, code: str, text: str) -> str:
        """Call an asynchronous function of one text that gives another text."""

    @abstractmethod
    def perform(self, sources: Sequence[Action]) -> None:
        """Carry out WebDriver's action lists."""

    @abstractmethod
    def resize(self, width: int, height: int) -> None:
        """Make the page's part of the window as large as is said."""

    @abstractmethod
    def screenshot(self, path: Path) -> None:
        """Save what the window shows."""

    def pdf(self, path: Path) -> None:
        """Print the page on A4."""
        raise NotImplementedError(f"{self.name} prints only for a person")

    @abstractmethod
    def close(self) -> None:
        """End the browser."""

    def call(self, code: str, *values: object) -> Any:
        """Call a function of the page with some values, and wait for what it gives."""
        whole = f"async (text) => JSON.stringify((await ({code})(...JSON.parse(text))) ?? null)"
        return json.loads(self.run(whole, json.dumps(values)))

    def wait(self, code: str, *values: object, patience: float = PATIENCE) -> Any:
        """Wait until a function of the page gives something true, and return that."""
        until = time.monotonic() + patience
        while True:
            found = self.call(code, *values)
            if found:
                return found
            if time.monotonic() > until:
                pytest.fail(f"{self.name}: not within {patience:.0f} s: {code} of {values}")
            time.sleep(0.05)

    def settle(self) -> None:
        """Wait until what was asked for is painted."""
        self.call(PAINTED)

    def move(self, x: float, y: float) -> None:
        self.perform([_pointer(_to(x, y))])
        self.settle()

    def click(self, x: float, y: float) -> None:
        self.perform([_pointer(_to(x, y), _DOWN, _UP)])
        self.settle()

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        self.perform([_pointer(_to(*start), _DOWN, _to(*middle), _to(*end), _UP)])
        self.settle()

    def wheel(self, x: float, y: float, down: int, held: str = "") -> None:
        """Turn the wheel over a point by some pixels, with a key held or none."""
        turn = {"type": "scroll", "x": round(x), "y": round(y), "deltaX": 0, "deltaY": down}
        turn |= {"duration": 0, "origin": "viewport"}
        sources = [_pointer(_to(x, y))]
        sources.append({"type": "wheel", "id": "wheel", "actions": [_REST, turn]})
        if held:
            down_up = [{"type": kind, "value": KEYS[held]} for kind in ("keyDown", "keyUp")]
            sources.append(_keys(down_up[0], _REST, down_up[1]))
        self.perform(sources)
        self.settle()

    def press(self, *chords: str) -> None:
        """Press keys one after the other: names of keys, held ones before them with a plus."""
        actions: list[Action] = []
        for chord in chords:
            parts = chord.split("+") if len(chord) > 1 else [chord]
            values = [KEYS.get(part, part) for part in parts]
            actions += [{"type": "keyDown", "value": value} for value in values]
            actions += [{"type": "keyUp", "value": value} for value in reversed(values)]
        self.perform([_keys(*actions)])
        self.settle()

    def write(self, text: str) -> None:
        self.press(*text)

    def centre(self, selector: str, number: int = 0) -> tuple[float, float]:
        """Scroll to an element and return the middle of it."""
        x, y = self.call(
            """(selector, number) => {
              const element = document.querySelectorAll(selector)[number];
              element.scrollIntoView({block: "center", behavior: "instant"});
              const {x, y, width, height} = element.getBoundingClientRect();
              return [x + width / 2, y + height / 2];
            }""",
            selector,
            number,
        )
        return x, y

    def push(self, selector: str, number: int = 0) -> None:
        """Click the middle of an element."""
        self.click(*self.centre(selector, number))


class ChromiumEngine(Engine):
    """Chromium, driven by Playwright."""

    name = "chromium"

    def __init__(self, browser: Browser, **context: Any) -> None:
        self.page = browser.new_page(**context)

    def goto(self, address: str) -> None:
        self.page.goto(address)

    def run(self, code: str, text: str) -> str:
        given: str = self.page.evaluate(code, text)
        return given

    def perform(self, sources: Sequence[Action]) -> None:
        names = {value: key for key, value in KEYS.items()}
        for tick in zip_longest(*(source["actions"] for source in sources), fillvalue=_REST):
            for action in tick:
                self._act(action, names)

    def _act(self, action: Action, names: Mapping[str, str]) -> None:
        mouse, keyboard = self.page.mouse, self.page.keyboard
        match action["type"]:
            case "pointerMove":
                mouse.move(action["x"], action["y"])
            case "pointerDown":
                mouse.down()
            case "pointerUp":
                mouse.up()
            case "scroll":
                mouse.wheel(action["deltaX"], action["deltaY"])
            case "keyDown":
                keyboard.down(names.get(action["value"], action["value"]))
            case "keyUp":
                keyboard.up(names.get(action["value"], action["value"]))

    def resize(self, width: int, height: int) -> None:
        self.page.set_viewport_size({"width": width, "height": height})

    def screenshot(self, path: Path) -> None:
        self.page.screenshot(path=path)

    def pdf(self, path: Path) -> None:
        self.page.pdf(path=path, format="A4")

    def close(self) -> None:
        """Leave it to whoever started the browser."""


_REST: Action = {"type": "pause", "duration": 0}
_DOWN: Action = {"type": "pointerDown", "button": 0}
_UP: Action = {"type": "pointerUp", "button": 0}


def _to(x: float, y: float) -> Action:
    """Move the pointer: WebDriver of WebKit wants whole pixels."""
    return {
        "type": "pointerMove",
        "x": round(x),
        "y": round(y),
        "duration": 0,
        "origin": "viewport",
    }


def _pointer(*actions: Action) -> Action:
    kind = {"pointerType": "mouse"}
    return {"type": "pointer", "id": "mouse", "parameters": kind, "actions": list(actions)}


def _keys(*actions: Action) -> Action:
    return {"type": "key", "id": "keyboard", "actions": list(actions)}
