"""The parts of the hardware room import each other in one order only."""

from __future__ import annotations

import ast
from pathlib import Path

import aidge_nb.hardware

ORDER = ("targets", "steps", "mapping", "check", "map", "run")
"""From the ground up: a part imports itself and what comes before it."""


def part_of(name: str) -> str:
    """Return the part of the hardware room that a module belongs to; "" for other modules."""
    below = name.partition("aidge_nb.hardware.")[2]
    return below.partition(".")[0]


def imports(path: Path) -> list[str]:
    """List the modules that a file imports, functions and annotations included."""
    tree = ast.walk(ast.parse(path.read_text()))
    return [node.module or "" for node in tree if isinstance(node, ast.ImportFrom)]


def test_parts_import_only_what_comes_before_them() -> None:
    folder = Path(aidge_nb.hardware.__file__).parent
    wrong = []
    for path in folder.rglob("*.py"):
        own = path.relative_to(folder).parts[0].removesuffix(".py")
        if own == "__init__":
            continue
        allowed = {"", *ORDER[: ORDER.index(own) + 1]}
        wrong += [f"{path}: {name}" for name in imports(path) if part_of(name) not in allowed]
    assert not wrong
