"""Symbols of a program: C identifiers, each given once."""

from __future__ import annotations

from collections.abc import Iterable

from aidge_nb.core.text import c_identifier


class SymbolTable:
    """Makes C identifiers from names, no two of them alike.

    Parameters
    ----------
    taken
        Identifiers that are in use already.

    Examples
    --------
    >>> symbols = SymbolTable()
    >>> symbols.new("conv/1"), symbols.new("conv.1")
    ('conv_1', 'conv_1_2')
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)

    def new(self, name: str) -> str:
        """Return an identifier for a name that is not in use yet."""
        base = found = c_identifier(name)
        number = 2
        while found in self._taken:
            found = f"{base}_{number}"
            number += 1
        self._taken.add(found)
        return found
