"""Stands in for the helper module of Aidge's tutorials: shows the Mermaid files they write."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from aidge_nb.compat.served.unserved import refusing
from aidge_nb.core.errors import AidgeError

__all__ = ["display", "download_material", "visualize_mmd"]

MERMAID = "text/vnd.mermaid"

__getattr__ = refusing(__name__, "tuto_utils")


def display(bundle: Mapping[str, Any]) -> None:
    """Show a MIME bundle in the running notebook; do nothing outside of one."""
    if "IPython" not in sys.modules:
        return
    from IPython import get_ipython
    from IPython.display import display as show

    if get_ipython() is not None:
        show(dict(bundle), raw=True)  # type: ignore[no-untyped-call]  # IPython's


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
