"""Stands in for the helper module of Aidge's tutorials: shows the Mermaid files they write."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from aidge_nb.compat.served.display import display
from aidge_nb.compat.served.hints import not_served
from aidge_nb.core.errors import AidgeError

__all__ = ["download_material", "visualize_mmd"]

SUBMODULES: dict[str, object] = {}

MERMAID = "text/vnd.mermaid"


def __getattr__(name: str) -> Any:
    __tracebackhide__ = True  # tracebacks end where the name was asked for
    raise AttributeError(not_served("tuto_utils", name, __all__))


def visualize_mmd(path: str | PathLike[str]) -> None:
    """Show a Mermaid file in the notebook; JupyterLab draws it offline.

    Outside of a notebook nothing is shown.

    Raises
    ------
    FileNotFoundError
        When there is no such file.
    """
    text = Path(path).read_text("utf-8")
    display({MERMAID: text, "text/plain": text})


def download_material(tutorial: str, name: str) -> None:
    """Check that a file is there; the reader has to fetch it.

    Raises
    ------
    AidgeError
        When it is not there.
    """
    if not Path(name).exists():
        raise AidgeError.at(
            f"download_material {name!r}",
            "the file is not there, and this library knows no server to fetch it from",
            cure=f"Copy it from Aidge's tutorial {tutorial} to {Path(name).resolve()}.",
        )
