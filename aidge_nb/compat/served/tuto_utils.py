"""Stands in for the helper module of Aidge's tutorials: shows the Mermaid files they write."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from aidge_nb.compat.served.display import display

__all__ = ["visualize_mmd"]

SUBMODULES: dict[str, object] = {}

MERMAID = "text/vnd.mermaid"


def visualize_mmd(path: str | PathLike[str]) -> None:
    """Show a Mermaid file in the notebook: JupyterLab draws it itself, without a network.

    Outside of a notebook nothing is shown.

    Raises
    ------
    FileNotFoundError
        When there is no such file.
    """
    text = Path(path).read_text("utf-8")
    display({MERMAID: text, "text/plain": text})
