"""What ``aidge-nb lab`` trusts: the shipped tutorials as they are, and no other file."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from aidge_nb.cli.trust import trust_tutorials
from aidge_nb.course.recorded import FIRST, tutorial_sources

sign = pytest.importorskip("nbformat.sign")
import nbformat  # noqa: E402

SOURCES = tutorial_sources()


@pytest.fixture(autouse=True)
def _own_signatures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "config"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Copy two tutorials."""
    copies = tmp_path / "mine"
    copies.mkdir()
    for path in sorted(SOURCES.glob("0[12]*.ipynb")):
        shutil.copyfile(path, copies / path.name)
    return copies


def is_trusted(path: Path, tmp_path: Path) -> bool:
    """Ask as the server of JupyterLab does."""
    (tmp_path / "data").mkdir(exist_ok=True)
    with sign.NotebookNotary(data_dir=str(tmp_path / "data")) as notary:
        notebook = nbformat.read(path, 4)  # type: ignore[no-untyped-call]  # theirs
        return bool(notary.check_signature(notebook))


def change(path: Path) -> None:
    """Replace a picture by a script, as somebody who means harm would."""
    notebook = json.loads(path.read_text("utf-8"))
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", ())]
    outputs[0]["data"] = {"text/html": "<script>alert(1)</script>"}
    path.write_text(json.dumps(notebook), "utf-8")


def test_unchanged_copies_are_trusted(folder: Path, tmp_path: Path) -> None:
    copies = sorted(folder.iterdir())
    assert trust_tutorials(folder, SOURCES) == copies
    assert all(is_trusted(path, tmp_path) for path in copies)
    assert trust_tutorials(folder, SOURCES) == copies


def test_nothing_is_trusted_before(folder: Path, tmp_path: Path) -> None:
    assert not any(is_trusted(path, tmp_path) for path in folder.iterdir())


def test_a_changed_copy_and_other_files_are_not(folder: Path, tmp_path: Path) -> None:
    first, second = sorted(folder.iterdir())
    change(first)
    other = folder / "other.ipynb"
    shutil.copyfile(first, other)
    assert trust_tutorials(folder, SOURCES) == [second]
    assert is_trusted(second, tmp_path)
    assert not is_trusted(first, tmp_path)
    assert not is_trusted(other, tmp_path)


def test_an_output_that_is_added_later_ends_the_trust(folder: Path, tmp_path: Path) -> None:
    assert trust_tutorials(folder, SOURCES)
    change(folder / FIRST)
    assert not is_trusted(folder / FIRST, tmp_path)


def test_a_space_more_is_a_change(folder: Path) -> None:
    path = folder / FIRST
    path.write_text(path.read_text("utf-8") + " ", "utf-8")
    assert path not in trust_tutorials(folder, SOURCES)


def test_the_checkout_itself_is_not_trusted() -> None:
    assert trust_tutorials(SOURCES, SOURCES) == []


def test_signatures_that_cannot_be_written_stop_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise sqlite3.OperationalError("readonly database")

    monkeypatch.setattr(sign.NotebookNotary, "sign", refuse)
    assert trust_tutorials(folder, SOURCES) == []
