"""Identifiers of C, made of the names that people gave to nodes and tensors."""

from __future__ import annotations

import re

_KEYWORDS = """
auto bool break case char const continue default do double else enum extern false float for goto
if inline int long main register restrict return short signed sizeof static struct switch true
typedef union unsigned void volatile while
"""
_OURS = re.compile(r"nb_|nb$|test_|app_|test$|app$")
"""How the names of kernels and tests in a package begin; no model or node may take them."""

_LONGEST = 40


def identifier(text: str) -> str:
    """Turn a name into an identifier: letters, digits and underscores, in lower case.

    Examples
    --------
    >>> identifier("/features/features.0/Conv"), identifier("3x3"), identifier("(FC#1)")
    ('features_features_0_conv', 'n3x3', 'fc_1')
    >>> identifier("nb_conv"), identifier("test_layers")  # names of our own files
    ('my_nb_conv', 'my_test_layers')
    """
    words = re.sub(r"[^0-9a-z]+", "_", text.lower()).strip("_") or "unnamed"
    if words[0].isdigit() or _OURS.match(words):
        words = f"n{words}" if words[0].isdigit() else f"my_{words}"
    # The end of a long name says more than its beginning.
    words = words if len(words) <= _LONGEST else f"n{words[1 - _LONGEST :]}"
    return f"{words}_" if words in _KEYWORDS.split() else words


class Names:
    """Hands out identifiers, no two of them alike.

    Examples
    --------
    >>> names = Names()
    >>> names.new("conv/1"), names.new("conv.1")
    ('conv_1', 'conv_1_2')
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def new(self, text: str) -> str:
        """Give an identifier that nobody has yet."""
        base = found = identifier(text)
        number = 2
        while found in self._taken:
            found = f"{base}_{number}"
            number += 1
        self._taken.add(found)
        return found
