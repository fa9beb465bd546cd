"""Python's garbage collector, put off while many objects are made that all stay."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def put_off_collection() -> Iterator[None]:
    """Keep the garbage collector from looking, in vain, at all that is being made.

    It looks again and again at objects that only grow in number: of the time that scheduling
    10,000 nodes or drawing a tiled network anew takes, a third and more would be its.

    Examples
    --------
    >>> with put_off_collection():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
