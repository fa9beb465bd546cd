"""Cover what a cell prints: readers open it when they have answered."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from html import escape
from io import StringIO
from typing import Any

SUMMARY = "Answered? Open what came out."


class CoveredText:
    """Text that is covered until it is opened, by a click or the Enter key.

    Examples
    --------
    >>> CoveredText("4 steps")
    4 steps
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<details><summary>{SUMMARY}</summary><pre>{escape(self.text)}</pre></details>"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return {"text/plain": SUMMARY, "text/html": self._repr_html_()}


@contextmanager
def covered() -> Iterator[None]:
    """Cover what is printed inside: it would answer the question above.

    Examples
    --------
    >>> with covered():
    ...     print("4 steps")
    4 steps
    """
    printed = StringIO()
    with redirect_stdout(printed):
        yield
    text = CoveredText(printed.getvalue().rstrip())
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None:
        sys.stdout.write(f"{text}\n")
    else:
        shell.display_pub.publish(data=text._repr_mimebundle_())
