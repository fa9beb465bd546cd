"""What students get: notebooks without solutions, hidden tests and outputs.

    python -m aidge_nb.course.release SOURCE RELEASE

The marks are those of nbgrader (``### BEGIN SOLUTION`` …), and so is what comes out with the
``nbgrader_config.py`` beside the course: a teacher can use either.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

STUB = "answer = None  # your answer here"
"""What stands in the place of a solution."""

SOLUTION = re.compile(r"^### BEGIN SOLUTION\n.*?^### END SOLUTION\n?", re.MULTILINE | re.DOTALL)
HIDDEN = re.compile(
    r"\n?^### BEGIN HIDDEN TESTS\n.*?^### END HIDDEN TESTS\n?", re.MULTILINE | re.DOTALL
)


def release(notebook: dict[str, Any]) -> dict[str, Any]:
    r"""Make what students get of one notebook.

    Parameters
    ----------
    notebook
        A notebook with solutions, as JSON; it is left as it is.

    Examples
    --------
    >>> source = "### BEGIN SOLUTION\nanswer = 42\n### END SOLUTION\n"
    >>> cell = {"cell_type": "code", "source": source, "outputs": [1], "execution_count": 1}
    >>> release({"cells": [cell]})["cells"][0]["source"]
    'answer = None  # your answer here'
    """
    return {**notebook, "cells": [_cell(cell) for cell in notebook["cells"]]}


def _cell(cell: dict[str, Any]) -> dict[str, Any]:
    if cell["cell_type"] != "code":
        return dict(cell)
    text = "".join(cell["source"])
    text = HIDDEN.sub("", SOLUTION.sub(STUB + "\n", text)).rstrip("\n")
    kept = text if isinstance(cell["source"], str) else text.splitlines(keepends=True)
    return {**cell, "source": kept, "outputs": [], "execution_count": None}


def main(arguments: Sequence[str]) -> int:
    """Make the release of all notebooks below a folder; give the exit code."""
    if len(arguments) != 2:
        sys.stderr.write("usage: python -m aidge_nb.course.release SOURCE RELEASE\n")
        return 2
    source, target = map(Path, arguments)
    for path in sorted(source.rglob("*.ipynb")):
        made = target / path.relative_to(source)
        made.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(release(json.loads(path.read_text("utf-8"))), indent=1, sort_keys=True)
        made.write_text(text + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
