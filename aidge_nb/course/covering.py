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

    def __init__(self, text: str, summary: str = SUMMARY) -> None:
        self.text, self.summary = text, summary

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        summary, text = escape(self.summary), escape(self.text)
        return f"<details><summary>{summary}</summary><pre>{text}</pre></details>"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return {"text/plain": self.summary, "text/html": self._repr_html_()}


@contextmanager
def covered(summary: str = SUMMARY) -> Iterator[None]:
    """Cover what is printed inside: it would answer the question above.

    Parameters
    ----------
    summary
        What is seen in its place, to be opened.

    Examples
    --------
    >>> with covered():
    ...     print("4 steps")
    4 steps
    """
    printed = StringIO()
    with redirect_stdout(printed):
        yield
    text = CoveredText(printed.getvalue().rstrip(), summary)
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None:
        sys.stdout.write(f"{text}\n")
    else:
        shell.display_pub.publish(data=text._repr_mimebundle_())
