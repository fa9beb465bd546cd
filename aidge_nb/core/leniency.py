"""Aidge's leniency: what this library refuses and code written for Aidge may do.

:func:`aidge_nb.compat.install` switches it on. What is then done all the same is warned about.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

SWITCH = {"lenient": False}


def set_lenient(lenient: bool) -> None:
    """Switch Aidge's leniency on or off for this process."""
    SWITCH["lenient"] = lenient


def is_lenient() -> bool:
    """Return whether code written for Aidge runs."""
    return SWITCH["lenient"]


def allows(problem: str) -> bool:
    """Return whether to go on as Aidge does, and warn about the problem when so.

    Parameters
    ----------
    problem
        What is wrong and what happens all the same: a sentence.

    Examples
    --------
    >>> allows("'fc_w' was never filled: its values are 0.")
    False
    """
    if SWITCH["lenient"]:
        warnings.warn(f"as Aidge does: {problem}", stacklevel=3)
    return SWITCH["lenient"]


def refuses(problem: str) -> bool:
    """Return False; warn first where Aidge would go on, which makes what works fail."""
    if SWITCH["lenient"]:
        warnings.warn(f"not as Aidge does: {problem}", stacklevel=3)
    return False


@contextmanager
def strictly() -> Iterator[None]:
    """Switch leniency off for a while."""
    before = is_lenient()
    set_lenient(False)
    try:
        yield
    finally:
        set_lenient(before)
