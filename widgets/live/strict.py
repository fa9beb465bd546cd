"""Views refuse what they have no name for: a slip of the pen must not pass for a change."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from aidge_nb.core.errors import explain


class Strict:
    """A mixin for widgets, to stand first: only attributes that the class knows can be set.

    Examples
    --------
    >>> class Lamp(Strict):
    ...     colour = "white"
    >>> Lamp().color = "red"
    Traceback (most recent call last):
    ...
    AttributeError: Lamp: nothing is called color here. Did you mean colour?
    """

    def __setattr__(self, name: str, value: Any) -> None:
        kind = type(self)
        if not name.startswith("_") and not hasattr(kind, name) and not _is_declared(kind, name):
            problem, cure = f"nothing is called {name} here", self._meant(name)
            raise AttributeError(explain(kind.__name__, problem, cure=cure))
        super().__setattr__(name, value)

    def _meant(self, name: str) -> str:
        """Say what was meant, where that can be guessed."""
        known = [each for each in dir(type(self)) if not each.startswith("_")]
        close = get_close_matches(name, known, n=1, cutoff=0.7)
        return f"Did you mean {close[0]}?" if close else ""


def _is_declared(kind: type, name: str) -> bool:
    return any(name in vars(each).get("__annotations__", ()) for each in kind.__mro__)
