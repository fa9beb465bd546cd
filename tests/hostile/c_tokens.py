"""Split C text into tokens as a compiler does: trigraphs, line splices, comments, then tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator

_TRIGRAPHS = dict(zip("=(/)'<!>-", "#[\\]^{|}~", strict=True))
_TOKEN = re.compile(
    r"""
    (?P<comment>/\*.*?\*/|//[^\n]*)
    |(?P<space>[ \t\f\v]+)
    |(?P<newline>\n)
    |(?P<string>"(?:\\.|[^"\\\n])*")
    |(?P<char>'(?:\\.|[^'\\\n])*')
    |(?P<word>[A-Za-z_]\w*)
    |(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
    |(?P<mark>.)
    """,
    re.VERBOSE | re.DOTALL,
)


def tokens(text: str) -> Iterator[tuple[str, str]]:
    """Return kind and text of each token; comments and white space inside lines are none."""
    text = re.sub(r"\?\?([=(/)'<!>-])", lambda match: _TRIGRAPHS[match[1]], text)
    text = re.sub(r"\r\n?|[\x85\u2028\u2029]", "\n", text)
    text = re.sub(r"\\[ \t\f\v]*\n", "", text)
    for match in _TOKEN.finditer(text):
        if match.lastgroup not in ("comment", "space"):
            yield str(match.lastgroup), match[0]


def shape(text: str) -> list[str]:
    """Return tokens with identifiers numbered by their first use, and texts of strings left out.

    Two programs that differ in names alone have the same shape.
    """
    known: dict[str, int] = {}
    found = []
    for kind, token in tokens(text):
        if kind == "word":
            found.append(f"word {known.setdefault(token, len(known))}")
        elif kind != "newline":
            found.append(kind if kind == "string" else token)
    return found
