"""Read the tables of this package: what is recorded of Aidge, and what is said of it."""

from __future__ import annotations

from pathlib import Path


def table_lines(name: str) -> list[str]:
    """Return the lines of a text beside this module, without comments and empty ones.

    Examples
    --------
    >>> table_lines("absent.txt")[0].partition(":")[0]
    'aidge_backend_cuda'
    """
    text = Path(__file__).with_name(name).read_text("utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]
