"""Serve the page on which a network is dropped, and use it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

RECORDED = Path(__file__).resolve().parents[2] / "tflite_io" / "recorded"
CUT = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
PATIENCE = 240_000  # milliseconds for Python to start or to answer


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing of each file."""


@contextmanager
def page_of(folder: Path) -> Iterator[str]:
    """Serve a folder; give its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def state(page: Page, name: str) -> None:
    page.locator(f"body[data-state={name}]").wait_for(timeout=PATIENCE, state="attached")


def studied(page: Page, title: str) -> str:
    """Wait until a network is open; return what the page says of it."""
    status = page.locator("#status", has_text=f"{title}: ")
    status.wait_for(timeout=PATIENCE)
    state(page, "open")
    page.locator("#view .aidge-nb").wait_for()
    return status.inner_text()


def choose(page: Page, *paths: Path) -> None:
    page.set_input_files("#files", [str(path) for path in paths])


def why_refused(page: Page, path: Path) -> str:
    """Drop a file; return why it is refused, or nothing. In no case is Python at fault, or gone."""
    choose(page, path)
    told = page.locator("#status", has_text=f"{path.stem}: ")
    told.or_(page.locator("#alert:not(:empty)")).first.wait_for(timeout=PATIENCE)
    alert = page.locator("#alert").inner_text()
    assert "defect of aidge_nb" not in alert, f"{path.name}: {alert}"
    assert "Python stopped" not in alert, f"{path.name}: {alert}"
    return alert
