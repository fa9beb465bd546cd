"""A page of a host: what it asked for, what it complained about, and the view that is in it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import ConsoleMessage, Page

__all__ = ["Opened"]

NOT_OURS = re.compile("favicon|RUNTIME-012|reading 'schema'|ERR_NAME_NOT_RESOLVED")
"""What hosts say of themselves: their icon, their extensions in each other, fonts not found."""

FONTS_OF_VOILA = "https://cdn.jsdelivr.net/npm/@fortawesome/"
"""What Voila's own page asks for, with or without a view in it."""


@dataclass
class Opened:
    """A page with a view, and everything that it asked for or complained about."""

    host: str
    page: Page
    folder: Path = field(default_factory=Path)
    foreign: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        # Of the context: the kernel of a page without a server is a worker, and asks as well.
        self.page.context.on("request", lambda request: self._asked(request.url))
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self._failed(str(error)))

    def _failed(self, error: str) -> None:
        if not NOT_OURS.search(error):
            self.errors.append(error)

    def _asked(self, url: str) -> None:
        if self.host == "voila" and url.startswith(FONTS_OF_VOILA):
            return
        if not re.match(r"(https?|wss?)://(127\.0\.0\.1|localhost)[:/]|data:|blob:|file:", url):
            self.foreign.append(url)

    def _said(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._failed(f"{message.text} {message.location.get('url', '')}".strip())

    def call(self, code: str, *values: object) -> Any:
        """Evaluate a function of the first view and of some values."""
        return self.page.evaluate(
            f"(values) => ({code})(document.querySelector('.aidge-nb').workbench, ...values)",
            list(values),
        )

    def image(self, panel: str) -> str:
        code = "(bench, name) => bench.panels.find(p => p.name === name).canvas.toDataURL()"
        data: str = self.call(code, panel)
        return data

    def settle(self) -> None:
        self.page.evaluate(
            "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )

    def show(self, panel: str) -> None:
        """Open the tab of the graph or of the schedule, where room for both is scarce."""
        label = "Show graph" if panel == "graph" else "Show schedule"
        tab = self.page.locator(".aidge-nb").first.locator(".anb-narrow:visible")
        if tab.count():
            tab.get_by_role("button", name=label).click()
            self.settle()

    @property
    def selected(self) -> str | None:
        return self.page.locator(".aidge-nb").first.get_attribute("data-selected")
