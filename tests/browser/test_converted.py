"""Pages made from notebooks and reports, opened where nothing can be loaded or run."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from aidge_nb.report import study
from aidge_nb.widgets import to_html
from tests.browser.hosts import write_notebook
from tests.browser.saved_views import BEGIN, KINDS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, ViewportSize

PICTURES = """() => [...document.querySelectorAll(".jp-OutputArea-output")].map((output) =>
  [...output.querySelectorAll("img, svg")].filter((each) =>
    each.getClientRects().length && (each.tagName !== "IMG" || each.naturalWidth > 0)).length)"""
"""How many pictures each output shows."""

CUT = """() => [...document.querySelectorAll(".jp-OutputArea-output img")].filter((image) =>
  image.getBoundingClientRect().right > document.documentElement.clientWidth).length"""

A4: ViewportSize = {"width": 680, "height": 1000}  # pixels between margins of a centimetre
FORBIDDEN = "default-src 'none'; img-src data:; style-src 'none'"


class Quiet(SimpleHTTPRequestHandler):
    """A server that forbids scripts and styles where the address asks for it."""

    def end_headers(self) -> None:
        if self.path.endswith("?strict"):
            self.send_header("Content-Security-Policy", FORBIDDEN)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    """Serve a folder; give its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Open a page without a network: it reaches this machine alone."""
    context = browser.new_context(viewport={"width": 1300, "height": 1000})
    context.route(
        lambda url: not url.startswith(("http://127.0.0.1:", "file:", "data:", "blob:")),
        lambda route: route.abort(),
    )
    yield context.new_page()
    context.close()


def convert(folder: Path, to: str, *cells: str) -> Path:
    """Run a notebook as ``jupyter nbconvert --execute`` does; give the page."""
    write_notebook(folder / "notebook.ipynb", BEGIN, *cells)
    command = [sys.executable, "-W", "ignore", "-m", "jupyter", "nbconvert", "--execute"]
    ran = subprocess.run(
        [*command, "--to", to, "--output", "made", "notebook.ipynb"],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    return next(folder.glob("made*.html"))


def look_at(pdf: Path) -> list[bool]:
    """Paint the sheets of a PDF, where a program for it is installed; tell which have ink."""
    if shutil.which("pdftoppm") is None:
        return []
    for old in pdf.parent.glob(f"{pdf.stem}-*.pgm"):
        old.unlink()
    command = ["pdftoppm", "-r", "40", "-gray", str(pdf), str(pdf.with_suffix(""))]
    subprocess.run(command, check=True)
    painted = sorted(pdf.parent.glob(f"{pdf.stem}-*.pgm"))
    return [len(set(each.read_bytes()[15:])) > 1 for each in painted]


def check_pictures(page: Page, count: int) -> None:
    page.wait_for_function(f"() => ({PICTURES})().filter(Boolean).length === {count}")
    assert page.evaluate(PICTURES) == [1] * count


def test_a_converted_notebook_shows_a_view_once_without_a_network(
    page: Page, tmp_path: Path
) -> None:
    made = convert(tmp_path, "html", KINDS["workbench"], KINDS["board"])
    page.goto(made.as_uri())
    check_pictures(page, 2)


@pytest.mark.slow
@pytest.mark.parametrize("to", ["html", "slides"])
def test_every_kind_of_view_is_there_once(
    to: str, page: Page, site: str, tmp_path: Path, artifacts: Path
) -> None:
    made = convert(tmp_path, to, *KINDS.values())
    for address in (made.as_uri(), f"{site}/{made.name}?strict"):
        page.goto(address)
        check_pictures(page, len(KINDS))
    page.goto(made.as_uri())
    page.set_viewport_size(A4)
    page.emulate_media(media="print")
    check_pictures(page, len(KINDS))
    assert page.evaluate(CUT) == 0, "cut by the edge of a printed page"
    pdf = artifacts / f"{to}.pdf"
    page.pdf(path=pdf, format="A4")
    sheets = look_at(pdf)
    assert all(sheets), "an empty sheet"


def test_a_report_shows_its_pictures_where_scripts_are_forbidden(
    page: Page, site: str, tmp_path: Path, artifacts: Path
) -> None:
    (tmp_path / "report.html").write_text(to_html(study("zoo:lenet").scene()), "utf-8")
    for address in (f"{site}/report.html", (tmp_path / "report.html").as_uri()):
        page.goto(address)
        page.wait_for_selector("[data-ready=true]")
        assert page.locator(".still").count() == 0, "both the view and its pictures"
    page.goto(f"{site}/report.html?strict")
    page.locator(".still > svg").first.wait_for(state="visible")
    assert page.locator(".aidge-nb").count() == 0
    page.screenshot(path=artifacts / "strict.png")


@pytest.mark.parametrize(
    ("sandbox", "part"), [("allow-scripts", ".aidge-nb"), ("", ".still > svg")]
)
def test_a_report_within_another_page(
    sandbox: str, part: str, page: Page, site: str, tmp_path: Path
) -> None:
    (tmp_path / "report.html").write_text(to_html(study("zoo:lenet").scene()), "utf-8")
    frame = f'<iframe sandbox="{sandbox}" src="report.html" width="1200" height="900"></iframe>'
    (tmp_path / "frame.html").write_text(frame, "utf-8")
    page.goto(f"{site}/frame.html")
    page.frame_locator("iframe").locator(part).first.wait_for(state="visible")
