"""Check that a program fits the memories of a target, and name what would help."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aidge_nb.core.errors import AidgeError, ExportError, explain
from aidge_nb.export.boards.boards import as_int8

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView


def too_large(view: GraphView, name: str, needed: int, free: int, where: str) -> ExportError:
    """Say that activations do not fit, and look for what would bring them there."""
    return ExportError(
        explain(
            name,
            f"its activations do not fit: {needed - free} bytes too many",
            expected=f"at most {free} bytes in {where}",
            found=f"{needed} bytes",
            cure=_cure(view, needed, free),
        )
    )


def _cure(view: GraphView, needed: int, free: int) -> str:
    from aidge_nb.tiling import tile_for

    try:
        best = tile_for(view, memory=free).best
    except AidgeError:
        best = None
    if best is None:
        small = as_int8(needed, free, "A smaller input or a narrower model would fit.")
        return f"No tiling was found that fits. {small}"
    return (
        f"tile_for(view, memory={free}) finds a tiling of {best.peak} bytes; apply it, and export "
        "the result."
    )
