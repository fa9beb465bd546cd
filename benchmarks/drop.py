"""How soon the page on which a network is dropped is ready, and answers; in Chromium, offline.

    python docs/drop.py PYODIDE SITE        in an environment with the group `lite`
    python benchmarks/drop.py SITE

Each figure is a wall time: the median of some runs, and the least. Needs Playwright and Chromium.
"""

import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from aidge_nb import zoo
from common import write

CHROMIUM = "/usr/bin/chromium"
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run")
CUT = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
RUNS = 3
MODELS = ("squeezenet", "mobilenet_v2")
LIMITS = {"cold": 8, "warm": 3, "squeezenet": 5, "mobilenet_v2": 8}  # seconds
KEPT = """async () => {
  while (!await caches.match("kept/bytecode")) {
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}"""
"""Waits until what was compiled at the first visit is in the cache of the page."""


class Quiet(SimpleHTTPRequestHandler):
    """Serves files without a word."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def served(folder: str) -> Iterator[str]:
    """Serve a folder; give its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


def until(page: Page, state: str) -> None:
    """Wait for a state of the page."""
    page.locator(f"body[data-state={state}]").wait_for(timeout=240_000, state="attached")


def opened(page: Page, address: str) -> float:
    """Open the page; give the seconds until it takes files."""
    start = time.perf_counter()
    page.goto(address)
    until(page, "ready")
    return time.perf_counter() - start


def dropped(page: Page, path: Path) -> float:
    """Choose a file; give the seconds until its findings are on screen."""
    start = time.perf_counter()
    page.set_input_files("#files", str(path))
    page.locator("#status", has_text=f"{path.stem}: ").wait_for(timeout=240_000)
    page.locator("#view .anb-card", has_text="PEAK").first.wait_for()
    return time.perf_counter() - start


def main() -> None:
    """Measure and print."""
    site = sys.argv[1]
    found: dict[str, list[float]] = {name: [] for name in LIMITS}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        paths = [Path(folder, f"{name}.onnx") for name in MODELS]
        for path in paths:
            zoo.build(path.stem).save(path)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS, CUT])
        with served(site) as address:
            for _ in range(RUNS):
                context = browser.new_context(bypass_csp=True)
                page = context.new_page()
                found["cold"].append(opened(page, address))
                page.evaluate(KEPT)
                found["warm"].append(opened(page, address))
                for path in paths:
                    found[path.stem].append(dropped(page, path))
                context.close()
        browser.close()
    for name, seconds in found.items():
        median, least = statistics.median(seconds), min(seconds)
        print(f"{name:<14} {median:6.2f} s (least {least:.2f}), promised {LIMITS[name]} s")
    size = sum(path.stat().st_size for path in Path(site).iterdir() if path.is_file())
    print(f"ours           {size:,} bytes, promised 1,500,000")
    write("drop", {**found, "bytes": size})


if __name__ == "__main__":
    main()
