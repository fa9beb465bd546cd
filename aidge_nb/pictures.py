"""How values show themselves in a notebook.

Values of every room have a picture, and pictures are drawn by ``aidge_nb.widgets``, which imports
those rooms. This module is the one place that reaches the other way, when a picture is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["picture"]


def picture(value: object) -> dict[str, Any]:
    """Draw a value: MIME types (``image/svg+xml``, ``text/plain``) and what to show for each."""
    bundle: dict[str, Any] = import_module("aidge_nb.widgets").picture(value)
    return bundle
