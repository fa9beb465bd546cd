"""Notebooks as JupyterLab saves them, and the pages that programs make of them."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.browser.hosts import write_notebook

__all__ = ["converted", "save_run", "saved_outputs"]


def saved_outputs(begin: str, cells: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Run cells; give for each the output that a notebook with a reader keeps."""
    names: dict[str, Any] = {}
    exec(begin, names)
    found = {}
    for kind, cell in cells.items():
        parsed = ast.parse(cell)
        last = parsed.body.pop()
        assert isinstance(last, ast.Expr)
        exec(compile(parsed, kind, "exec"), names)
        view = eval(compile(ast.Expression(last.value), kind, "eval"), names)
        data, metadata = view._repr_mimebundle_()
        output = {"output_type": "execute_result", "data": data, "metadata": metadata}
        found[kind] = {**output, "execution_count": 1}
    return found


def save_run(path: Path, cells: Mapping[str, str], outputs: Mapping[str, dict[str, Any]]) -> None:
    """Write a notebook that was run: each cell is a slide of its own."""
    write_notebook(path, *cells.values())
    notebook = json.loads(path.read_text("utf-8"))
    for cell, output in zip(notebook["cells"], outputs.values(), strict=True):
        cell["outputs"] = [output]
        cell["execution_count"] = 1
        cell["metadata"] = {"slideshow": {"slide_type": "slide"}}
    path.write_text(json.dumps(notebook), "utf-8")


def converted(notebook: Path, to: str, *options: str) -> Path:
    """Make a page of a notebook, without running it; give the page."""
    command = [sys.executable, "-W", "ignore", "-m", "jupyter", "nbconvert", "--to", to]
    ran = subprocess.run(
        [*command, "--output", f"made-{to}", *options, notebook.name],
        cwd=notebook.parent,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    return next(notebook.parent.glob(f"made-{to}*.*"))
