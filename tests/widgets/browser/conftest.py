"""The page of a small network, opened for a test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from aidge_nb.widgets import build_scene
from tests.widgets.browser.bench import Bench
from tests.widgets.models import residual


@pytest.fixture
def bench(browser: Browser, tmp_path: Path) -> Iterator[Bench]:
    """Open the page of a small network; afterwards nothing was asked for and nothing went wrong."""
    opened = Bench(browser, viewport={"width": 1280, "height": 900})
    opened.open(build_scene(*residual(3)), tmp_path)
    yield opened
    assert opened.complaints == []
    assert [url for url in opened.requests if not url.startswith("file:")] == []
    assert len(opened.requests) == 1
    opened.page.close()
