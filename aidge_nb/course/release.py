"""Make the notebooks for students: without solutions, hidden tests and outputs.

    python -m aidge_nb.course.release SOURCE RELEASE

The marks are those of nbgrader (``### BEGIN SOLUTION`` …), and so is what comes out with the
``nbgrader_config.py`` beside the course: a teacher can use either. A mark is a comment on a line of
its own, in any case and with any indent. Marks that do not pair up are refused, and so is any other
line that names one: nothing that might be a solution is ever released.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aidge_nb.core.errors import AidgeError, reading
from aidge_nb.core.forms import check_form

STUB = "answer = None  # your answer here"
"""The line that replaces a solution."""

_NAMED = re.compile(r"\b(?:begin|end)[\s_-]*(?:solutions?|hidden[\s_-]*tests?)\b", re.IGNORECASE)
_MARK = re.compile(
    r"(?P<indent>[ \t]*)#+[ \t]*(?P<edge>begin|end)[ \t]+(?P<kind>solution|hidden[ \t]+tests)"
    r"[ \t]*#*[ \t]*",
    re.IGNORECASE,
)
_CURE = (
    "Write ### BEGIN SOLUTION and ### END SOLUTION, or ### BEGIN HIDDEN TESTS and "
    "### END HIDDEN TESTS, each on a line of its own."
)


def release(notebook: dict[str, Any], name: str = "notebook") -> dict[str, Any]:
    r"""Return the student version of a notebook.

    Parameters
    ----------
    notebook
        A notebook with solutions, as JSON; it is left as it is.
    name
        Name of the notebook, for messages.

    Raises
    ------
    AidgeError
        When marks do not pair up, stand where they cannot be followed, or when the code without
        solutions is not valid Python.

    Examples
    --------
    >>> source = "### BEGIN SOLUTION\nanswer = 42\n### END SOLUTION\n"
    >>> cell = {"cell_type": "code", "source": source, "outputs": [1], "execution_count": 1}
    >>> release({"cells": [cell]})["cells"][0]["source"]
    'answer = None  # your answer here'
    """
    check_form(notebook, dict[str, Any], name)
    check_form(notebook.get("cells"), list[dict[str, Any]], f"{name}, cells")
    cells = [
        _released_cell(cell, f"{name}, cell {number}")
        for number, cell in enumerate(notebook["cells"], 1)
    ]
    return {**notebook, "cells": cells}


def _released_cell(cell: dict[str, Any], where: str) -> dict[str, Any]:
    check_form(cell.get("cell_type"), str, f"{where}, cell_type")
    check_form(cell.get("source"), str | list[str], f"{where}, source")
    given = "".join(cell["source"])
    if cell["cell_type"] != "code":
        if _NAMED.search(_folded(given)):
            raise AidgeError.at(where, "a mark outside of code", cure=_CURE)
        return dict(cell)
    text = _without_solutions(given, where)
    if _is_python(given) and not _is_python(text):
        cure = "Put the marks around whole statements, and leave one in each block."
        raise AidgeError.at(where, "what is left is not valid Python", cure=cure)
    kept = text if isinstance(cell["source"], str) else text.splitlines(keepends=True)
    return {**cell, "source": kept, "outputs": [], "execution_count": None}


def _without_solutions(text: str, where: str) -> str:
    """Return the text of a cell with a stub for each solution, and without hidden tests."""
    kept: list[str] = []
    inside = ""  # the kind of the mark that is open
    for number, line in enumerate(re.split(r"\r\n|[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]", text), 1):
        mark = _MARK.fullmatch(line)
        if mark is None:
            if _NAMED.search(_folded(line)):
                raise _refused(where, number, line, "names a mark and is none")
            kept += [] if inside else [line]
            continue
        kind, edge = " ".join(mark["kind"].lower().split()), mark["edge"].lower()
        if (edge == "begin") == bool(inside) or (inside and kind != inside):
            open_mark = f"begin {inside}" if inside else "no mark"
            raise _refused(where, number, line, f"follows {open_mark}")
        if edge == "begin" and kind == "solution":
            kept.append(mark["indent"] + STUB)
        inside = kind if edge == "begin" else ""
    if inside:
        raise AidgeError.at(where, f"begin {inside} has no end", cure=_CURE)
    return "\n".join(kept).rstrip("\n")


def _folded(text: str) -> str:
    """Return text without characters that do not show, and others in their usual width."""
    usual = unicodedata.normalize("NFKC", text)
    return "".join(char for char in usual if unicodedata.category(char) != "Cf")


def _refused(where: str, number: int, line: str, problem: str) -> AidgeError:
    return AidgeError.at(f"{where}, line {number}", f"{line.strip()!r} {problem}", cure=_CURE)


def _is_python(text: str) -> bool:
    """Return whether a cell is Python, without magics and shell commands."""
    lines = [
        re.sub(r"^(\s*)[%!].*", r"\1pass", line)
        for line in text.splitlines()
        if not line.startswith("%%")
    ]
    try:
        ast.parse("\n".join(lines))
    except (SyntaxError, ValueError):
        return False
    return True


def main(arguments: Sequence[str]) -> int:
    """Write the release of all notebooks below a folder; return the exit code.

    Nothing is written when any notebook is refused.
    """
    if len(arguments) != 2:
        sys.stderr.write("usage: python -m aidge_nb.course.release SOURCE RELEASE\n")
        return 2
    source, target = map(Path, arguments)
    made = {}
    try:
        for path in sorted(source.rglob("*.ipynb")):
            with reading(str(path), expected="a notebook"):
                notebook = json.loads(path.read_text("utf-8"))
            notebook = release(notebook, str(path.relative_to(source)))
            made[path] = json.dumps(notebook, indent=1, sort_keys=True) + "\n"
    except (AidgeError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    for path, text in made.items():
        written = target / path.relative_to(source)
        written.parent.mkdir(parents=True, exist_ok=True)
        written.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
