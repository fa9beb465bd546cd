"""Cells that need a machine show, in a browser, what they gave on one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from aidge_nb.core.errors import AidgeError
from aidge_nb.course import recorded

TAGGED = [
    (path.stem, cell["id"], bool(cell["outputs"]))
    for path in sorted(recorded.tutorial_sources().glob("*.ipynb"))
    for cell in json.loads(path.read_text("utf-8"))["cells"]
    if "machine" in cell["metadata"].get("tags", ())
]


def shown(line: str, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Run the magic; return what it displays."""
    pytest.importorskip("IPython")
    bundles: list[dict[str, Any]] = []
    monkeypatch.setattr("IPython.display.display", lambda data, **_: bundles.append(data))
    recorded.recorded(line, "the code of the cell, which does not run")
    return bundles


def test_what_needs_threads_a_compiler_or_a_board_is_tagged() -> None:
    names = {"03_policies", "07_hardware", "07b_export", "10_quantization"}
    assert {name for name, _, _ in TAGGED} == names


@pytest.mark.parametrize(("name", "cell", "has_outputs"), TAGGED)
def test_every_tagged_cell_shows_its_outputs(
    name: str,
    cell: str,
    has_outputs: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    note, *bundles = shown(f"{name} {cell}", monkeypatch)
    text = note["text/markdown"]
    assert text.startswith("**This cell needs a machine**")
    assert text.endswith(recorded.SHOWN if has_outputs else recorded.SILENT)
    assert bool(bundles or capsys.readouterr().out) == has_outputs
    assert all(isinstance(value, str) for data in bundles for value in data.values())


@pytest.mark.parametrize("line", ["", "07b_export", "07b_export c99", "none c14"])
def test_cells_that_are_not_there_are_named(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AidgeError, match=rf"^%%recorded( {line})?: there is no such cell"):
        shown(line, monkeypatch)
