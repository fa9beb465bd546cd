"""The folders of the front-end stand above each other, as the rooms of the package do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "widgets/frontend/src"
IMPORT = re.compile(r'(?:from|import)\s*\(?\s*"(\.[^"]+\.ts)"')


def edges() -> Iterator[tuple[str, str]]:
    """Yield the folders of each import from one folder to another."""
    for path in SOURCE.rglob("*.ts"):
        for name in IMPORT.findall(path.read_text("utf-8")):
            here = path.parent.relative_to(SOURCE)
            there = (path.parent / name).resolve().parent.relative_to(SOURCE.resolve())
            if here != there:
                yield str(here), str(there)


def test_folders_do_not_import_each_other_in_a_circle() -> None:
    below: dict[str, set[str]] = {}
    for here, there in edges():
        below.setdefault(here, set()).add(there)
    assert "core" in below["model"]
    TopologicalSorter(below).prepare()


def test_what_all_draw_with_knows_no_panel() -> None:
    ground = {"core": set[str](), "model": {"core"}, "panel": {"core", "model"}}
    for here, there in edges():
        assert there in ground.get(here, {there}), f"{here} imports from {there}"
