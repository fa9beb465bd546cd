"""A site that Sphinx makes of a saved notebook with MyST-NB, as this project's own pages are."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.published import save_run, saved_outputs
from tests.browser.saved_views import BEGIN, KINDS

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CONF = """\
extensions = ["myst_nb"]
nb_execution_mode = "off"
nb_mime_priority_overrides = [("html", "application/vnd.jupyter.widget-view+json", None)]
html_theme = "furo"
"""
"""As the page on hosts says: MyST-NB takes the live form first, which needs saved state."""

SHOWN = """() => [...document.querySelectorAll(".cell_output")].map((output) =>
  [...output.querySelectorAll("img, svg")].filter(
    (each) => each.getBoundingClientRect().width > 100).length)"""
"""How many pictures each output shows."""


@pytest.mark.slow
def test_a_site_shows_each_view_once(browser: Browser, tmp_path: Path, artifacts: Path) -> None:
    pytest.importorskip("myst_nb")
    pytest.importorskip("furo")
    (tmp_path / "conf.py").write_text(CONF, "utf-8")
    save_run(tmp_path / "index.ipynb", KINDS, saved_outputs(BEGIN, KINDS))
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", str(tmp_path)]
    made = tmp_path / "made"
    ran = subprocess.run([*command, str(made)], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    context = browser.new_context(viewport={"width": 1300, "height": 900})
    context.route(re.compile("^https?:"), lambda route: route.abort())
    page = context.new_page()
    page.goto((made / "index.html").as_uri())
    page.wait_for_function(f"() => ({SHOWN})().flat().every(Boolean)")
    assert page.evaluate(SHOWN) == [1] * len(KINDS)
    assert "model not found" not in page.inner_text("body")
    page.screenshot(path=artifacts / "sphinx.png", full_page=True)
    context.close()
