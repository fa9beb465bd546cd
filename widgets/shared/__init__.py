"""Data that the Python painters and the front-end share.

Each file says one thing once: ``colours.json`` the colours of views and operators, ``panels.json``
sizes of the panels, ``labels.json`` rules for numbers and names, ``wire.json`` the columns that
Python sends to the browser, ``terms.json`` what words mean, ``saved.json`` how a notebook keeps a
view. TypeScript imports the same files.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def _read(name: str) -> dict[str, Any]:
    found = json.loads((Path(__file__).parent / f"{name}.json").read_text(encoding="utf-8"))
    return dict(found)


COLOURS = _read("colours")
"""Colours for light and dark backgrounds, and the families of operators."""

PANELS = _read("panels")
"""Sizes of what panels draw, in pixels or as shares."""

LABELS = _read("labels")
"""Units, and rules for shortening names."""

WIRE = _read("wire")
"""Version and columns of the data that views send to the browser."""

SAVED = _read("saved")
"""MIME types of a view in a notebook, and how many bytes of it are saved."""
