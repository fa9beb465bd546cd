"""Pause garbage collection during bulk allocation."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def put_off_collection(*, for_good: bool = False) -> Iterator[None]:
    """Pause garbage collection while many objects are allocated that all stay alive.

    It looks again and again at objects that only grow in number: of the time that scheduling
    10,000 nodes or drawing a tiled network anew takes, a third and more would be its.

    Parameters
    ----------
    for_good
        Whether the objects are left out of all later collections, too, and their memory to the
        system: for a process that ends soon, which looks at all of them once more as it does.

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
        if for_good:
            gc.freeze()
        if was_on:
            gc.enable()
