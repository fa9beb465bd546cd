"""Limits on the resources that reading an untrusted file may take, and how to raise them.

Reading, showing and planning a model takes memory and time in proportion to the file. What a few
bytes of a file could blow up is limited; a limit that is reached raises an error that names it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace
from typing import Any

from aidge_nb.core.errors import AidgeError


@dataclass(frozen=True, slots=True)
class Limits:
    """The resources that reading a file may take.

    Each can be raised for a while by :func:`limits`, and for a process by an environment variable:
    ``AIDGE_NB_`` and the name in capitals, such as ``AIDGE_NB_OUTSIDE_LINKS=1``.

    Attributes
    ----------
    outside_links
        Whether symbolic links of external data may leave the folder of their model: 0 or 1.

    Examples
    --------
    >>> current_limits().outside_links
    0
    >>> with limits(outside_links=1):
    ...     current_limits().outside_links
    1
    """

    outside_links: int = 0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, int) or value < 0:
                raise AidgeError.at(
                    f"limit {field.name}", "is not a number", expected="0 or more", found=value
                )


def from_environment() -> Limits:
    """Return the limits of this process: the defaults, and what environment variables say.

    Raises
    ------
    AidgeError
        When a variable is not a number.
    """
    given: dict[str, Any] = {}
    for field in fields(Limits):
        variable = f"AIDGE_NB_{field.name.upper()}"
        text = os.environ.get(variable)
        if text is not None:
            if not text.isdecimal():
                raise AidgeError.at(variable, "is not a number", expected="digits", found=text)
            given[field.name] = int(text)
    return Limits(**given)


_CURRENT: ContextVar[Limits | None] = ContextVar("aidge_nb_limits", default=None)


def current_limits() -> Limits:
    """Return the limits that hold now, in this thread or task."""
    return _CURRENT.get() or from_environment()


@contextmanager
def limits(**raised: int) -> Iterator[Limits]:
    """Change limits while a ``with`` block runs, in this thread or task alone.

    Parameters
    ----------
    **raised
        Fields of :class:`Limits`.

    Raises
    ------
    AidgeError
        For a name that is no limit, or a value below 0.

    Examples
    --------
    >>> with limits(depth_of_nothing=3):
    ...     pass
    Traceback (most recent call last):
    ...
    aidge_nb.core.errors.AidgeError: limit depth_of_nothing: unknown (expected outside_links)
    """
    known = [field.name for field in fields(Limits)]
    for name in raised:
        if name not in known:
            raise AidgeError.at(f"limit {name}", "unknown", expected=", ".join(known))
    token = _CURRENT.set(replace(current_limits(), **raised))
    try:
        yield current_limits()
    finally:
        _CURRENT.reset(token)
