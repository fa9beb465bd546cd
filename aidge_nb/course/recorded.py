"""Show what a cell of a tutorial gave on a machine, where the cell itself cannot run.

A browser has no threads, no C compiler and no boards. Where the tutorials are laid out for one
(``docs/lite.py``), ``%%recorded`` stands above the cells that need them (they have the tag
``machine``): it shows the outputs that the installed tutorial holds.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from aidge_nb.core.errors import AidgeError

FIRST = "01_scheduling.ipynb"
"""The first tutorial."""

NOTE = (
    "**This cell needs a machine**: threads, a C compiler or an emulated board, which a browser "
    "does not have. On a machine, `aidge-nb lab` opens this notebook and runs it all. "
)
SHOWN, SILENT = "What it gave there:", "It prints nothing there."


def tutorial_sources() -> Path:
    """Return the folder of the installed tutorials, or of those in a checkout.

    Raises
    ------
    AidgeError
        When there are none.
    """
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "notebooks", package.parent / "notebooks"):
        if (folder / FIRST).is_file():
            return folder
    raise AidgeError(f"{package}: the tutorials are missing, please install aidge_nb again")


def register() -> None:
    """Register the magic ``%%recorded`` in the notebook that runs."""
    from IPython import get_ipython

    get_ipython().register_magic_function(recorded, "cell")


def recorded(line: str, cell: str = "") -> None:
    """Show the recorded outputs of a cell: ``%%recorded 07b_export c14``."""
    from IPython.display import display

    def show(data: dict[str, Any]) -> None:
        display(data, raw=True)  # type: ignore[no-untyped-call]  # IPython's

    outputs = outputs_of(*line.split())
    show({"text/markdown": NOTE + (SHOWN if outputs else SILENT)})
    for output in outputs:
        if "text" in output:
            sys.stdout.write("".join(output["text"]))
        elif "data" in output:
            show({kind: joined(value) for kind, value in output["data"].items()})


def outputs_of(notebook: str = "", cell: str = "") -> list[dict[str, Any]]:
    """Return the outputs of a cell of an installed tutorial, by its id.

    Examples
    --------
    >>> outputs_of("07b_export", "c14")[0]["output_type"]
    'execute_result'

    Raises
    ------
    AidgeError
        When there is no such tutorial, or no such cell in it.
    """
    path = tutorial_sources() / f"{notebook}.ipynb"
    cells = json.loads(path.read_text("utf-8"))["cells"] if path.is_file() else []
    for each in cells:
        if each.get("id") == cell and cell:
            outputs: list[dict[str, Any]] = each.get("outputs", [])
            return outputs
    place, problem = f"%%recorded {notebook} {cell}".rstrip(), "there is no such cell"
    expected = "the name of a tutorial and the id of a cell, such as 07b_export c14"
    raise AidgeError.at(place, problem, expected=expected)


def joined(value: Any) -> Any:
    """Return a text that a file keeps as a list of lines."""
    is_lines = isinstance(value, list) and all(isinstance(each, str) for each in value)
    return "".join(value) if is_lines else value
