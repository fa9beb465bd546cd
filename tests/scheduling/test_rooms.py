"""Folders of the scheduling package import in one direction only."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import aidge_nb.scheduling

FLOORS = {
    "model": 0,
    "schedule": 1,
    "solve": 2,
    "order": 3,
    "check": 4,
    "explain": 4,
}
"""From the ground up: a folder imports itself and lower floors; ``scheduler`` stands on top."""

MODULES = {"executor": 0}
"""Floors of modules beside the folders: the executor needs models alone."""

PACKAGE = "aidge_nb.scheduling"
ROOT = Path(aidge_nb.scheduling.__file__).parent


def _imports(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Iterate over the imports that run, inside functions too."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, node.lineno
        elif isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        yield from _imports(node)


def test_folders_import_lower_folders_only() -> None:
    wrong = []
    for path in sorted(ROOT.glob("*/*.py")):
        folder = path.parent.name
        for module, line in _imports(ast.parse(path.read_text(encoding="utf-8"))):
            if module != PACKAGE and not module.startswith(PACKAGE + "."):
                continue
            other = module.removeprefix(PACKAGE).strip(".").partition(".")[0]
            if other != folder and FLOORS.get(other, MODULES.get(other, 5)) >= FLOORS[folder]:
                wrong.append(f"{folder}/{path.name}:{line}: imports {module}")
    assert wrong == []


def test_every_folder_has_its_floor() -> None:
    assert {path.parent.name for path in ROOT.glob("*/*.py")} == set(FLOORS)
