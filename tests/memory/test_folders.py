"""The folders of the package import each other one way."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import aidge_nb.memory

ROOT = Path(aidge_nb.memory.__file__).parent

BELOW = {
    "values": {"values"},
    "live": {"values", "live"},
    "place": {"values", "live", "place"},
    "check": {"values", "check"},
    "plan.py": {"values", "live", "place"},
    "joint.py": {"values", "live", "plan"},
    "aidge": {"values", "live", "place", "aidge"},
}
"""What the modules of a folder may import from the package; checkers share values alone."""


def imported(path: Path) -> set[str]:
    """List the folders and modules of the package that a module imports at run time."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    names = [
        node.module or ""
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("aidge_nb.memory")
    ]
    return {name.split(".")[2] if name.count(".") > 1 else name for name in names}


@pytest.mark.parametrize("folder", BELOW)
def test_folders_import_what_lies_below(folder: str) -> None:
    found = ROOT / folder
    paths = [found] if found.is_file() else sorted(found.rglob("*.py"))
    assert paths
    wrong = {path.name: imported(path) - BELOW[folder] for path in paths}
    assert {name: modules for name, modules in wrong.items() if modules} == {}
