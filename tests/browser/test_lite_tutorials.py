"""All tutorials and the course in JupyterLite, in a Chromium that finds no other host."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from aidge_nb.course import models
from tests.browser.hosts import served
from tests.browser.opened import Opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
TUTORIALS = sorted(path.name for path in NOTEBOOKS.glob("[0-9]*.ipynb"))
COURSE = sorted(str(path.relative_to(NOTEBOOKS)) for path in NOTEBOOKS.glob("course/release/*/*"))
SOLVED = "04_queries/04_queries.ipynb"
"""One with the solutions in it, which students do not get: its checks run to their end."""

PATIENCE = 240_000  # milliseconds for JupyterLite, for a kernel, and for a notebook to run

RUN = """async ([name, wanted, instead]) => {
  const { commands, shell } = jupyterapp;
  const open = { path: name, factory: "Notebook" };
  const view = await commands.execute("docmanager:open", open);
  await view.context.ready;
  await view.sessionContext.ready;
  await view.sessionContext.session.kernel.info;
  const model = view.content.model.sharedModel;
  for (const cell of model.cells) {
    if (wanted) cell.setSource(cell.getSource().replace(wanted, instead));
  }
  await commands.execute("notebook:clear-all-cell-outputs");
  await commands.execute("notebook:run-all-cells");
  const { cells } = model.toJSON();
  await view.sessionContext.shutdown();
  view.context.model.dirty = false;
  view.dispose();
  return cells.filter((cell) => cell.cell_type === "code");
}"""
"""Opens a notebook, runs all of its cells, closes it, and gives its cells of code."""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def lab(
    browser: Browser, lite_site: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Opened]:
    """Open JupyterLab on a copy of the site that lets a script reach it."""
    site = tmp_path_factory.mktemp("tutorials") / "site"
    shutil.copytree(lite_site, site)
    settings = site / "jupyter-lite.json"
    config = json.loads(settings.read_text("utf-8"))
    config["jupyter-config-data"]["exposeAppInBrowser"] = True
    settings.write_text(json.dumps(config), "utf-8")
    shutil.copy2(NOTEBOOKS / "course" / "source" / SOLVED, site / "files" / "solved.ipynb")
    listing = site / "api" / "contents" / "all.json"
    folder = json.loads(listing.read_text("utf-8"))
    first = next(entry for entry in folder["content"] if entry["type"] == "notebook")
    folder["content"].append({**first, "name": "solved.ipynb", "path": "solved.ipynb"})
    listing.write_text(json.dumps(folder), "utf-8")
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.set_default_timeout(PATIENCE)
    with served("lite", site, TUTORIALS[0]) as address:
        opened = Opened("lite", page)
        page.goto(address.partition("?")[0])
        page.wait_for_function("() => globalThis.jupyterapp?.started")
        page.evaluate("() => jupyterapp.restored.then(() => true)")
        yield opened
    page.close()


def ran(lab: Opened, name: str, wanted: str = "", instead: str = "") -> list[dict[str, Any]]:
    """Run a notebook; return its cells of code, of which none failed and none was left out."""
    cells: list[dict[str, Any]] = lab.page.evaluate(RUN, [name, wanted, instead])
    assert cells
    for cell in cells:
        source = "".join(cell["source"])
        wrong = [each for each in cell["outputs"] if each["output_type"] == "error"]
        assert not wrong, f"{source}\n{wrong[0]['evalue']}"
        assert cell["execution_count"] or not source.strip(), f"did not run: {source}"
    return cells


def texts(cell: dict[str, Any]) -> str:
    """Return all that a cell shows as text."""
    parts = []
    for output in cell["outputs"]:
        data = output.get("data", {})
        parts += [output.get("text"), data.get("text/markdown"), data.get("text/plain")]
    return "\n".join("".join(part or "") for part in parts)


@pytest.mark.parametrize("name", [*TUTORIALS, *COURSE, "solved.ipynb"])
def test_it_runs_to_its_end(lab: Opened, name: str) -> None:
    cells = ran(lab, name)
    if name not in TUTORIALS:
        return
    saved = {
        cell["id"]: cell for cell in json.loads((NOTEBOOKS / name).read_text("utf-8"))["cells"]
    }
    for cell in cells:
        if "machine" in cell["metadata"].get("tags", ()):
            assert "This cell needs a machine" in texts(cell)
            for output in saved[cell["id"]]["outputs"]:
                assert texts({"outputs": [output]}).strip() in texts(cell), "not what is recorded"


def test_a_file_of_ones_own_goes_through_notebook_8(lab: Opened, tmp_path: Path) -> None:
    """As the notebook says: a file beside it, and its name in the first cell."""
    (tmp_path / "your.onnx").write_bytes(models.yours().to_bytes())
    page = lab.page
    with page.expect_file_chooser() as chooser:
        page.get_by_title("Upload Files").click()
    chooser.value.set_files(tmp_path / "your.onnx")
    page.locator(".jp-DirListing-item", has_text="your.onnx").wait_for()
    name = "08_your_own_model.ipynb"
    own = 'aidge_nb.onnx_io.read_onnx("your.onnx")'
    cells = ran(lab, name, "models.yours()", own)
    assert any(own in "".join(cell["source"]) for cell in cells)


def test_nothing_was_asked_of_the_network(lab: Opened) -> None:
    assert lab.foreign == []
