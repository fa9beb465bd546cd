"""The page on which a network is dropped, built and opened without a network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.drop.using import CUT, page_of, state
from tests.browser.lite_parts import Parts, run_without_network
from tests.conftest import BROWSER_FLAGS

if TYPE_CHECKING:
    from playwright.sync_api import Page

KEPT = """async () => {
  const kept = name => caches.match(`kept/${name}`);
  while (!await kept("library") || !await kept("bytecode")) {
    await new Promise(resolve => setTimeout(resolve, 200));
  }
}"""
"""Waits until what was compiled at the first start is in the cache."""


@pytest.fixture(scope="module")
def site(lite_parts: Parts, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the page in a place without a network."""
    folder = tmp_path_factory.mktemp("drop") / "site"
    command = [str(lite_parts.python), "docs/drop.py", str(lite_parts.pyodide), str(folder)]
    built = run_without_network(command)
    assert built.returncode == 0, built.stderr
    return folder


@pytest.fixture(scope="module")
def page(chromium: str, site: Path) -> Iterator[Page]:
    """Open the page in a Chromium that finds no other host; then its server goes away."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=[*BROWSER_FLAGS, CUT])
        context = browser.new_context(viewport={"width": 1400, "height": 1000}, bypass_csp=True)
        with page_of(site) as address:
            opened = context.new_page()
            opened.goto(address)
            state(opened, "ready")
            opened.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
            opened.evaluate(KEPT)
        opened.reload()  # the server is gone: all comes out of the cache
        state(opened, "ready")
        yield opened
        browser.close()
