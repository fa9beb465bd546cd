"""Limits on the resources that a file, or the program made of it, may take; how to raise them.

Reading, showing and planning a model takes memory and time in proportion to the file. What a few
bytes of a file could blow up is limited; a limit that is reached raises an error that names it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import fields, replace
from math import prod
from typing import Any, TypeVar

from aidge_nb.core.errors import AidgeError, LimitError, explain
from aidge_nb.core.values import dataclass

PER_CONSTANT = 16
"""How many bytes may be computed of each byte of a constant, whatever the limit."""

MACS_PER_BYTE = 16
"""How many multiply-accumulates take as long as writing a byte."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The resources that a file, or the program made of it, may take.

    Each can be raised for a while by :func:`limits`, for a command by ``--limit NAME=VALUE``, and
    for a process by an environment variable: ``AIDGE_NB_`` and the name in capitals, such as
    ``AIDGE_NB_OUTSIDE_LINKS=1``. No published network is known that meets one of the defaults.

    Attributes
    ----------
    constant_bytes
        Bytes that may be written to compute constants before the graph runs, beyond
        :data:`PER_CONSTANT` times those of the file; :data:`MACS_PER_BYTE` multiply-accumulates
        count as one byte. What exceeds it is computed when the graph runs, and a warning says so.
    expanded_nodes
        Nodes of a model after its functions have replaced their calls.
    depth
        Levels of functions that call functions, and of graphs, lists or mappings inside others.
    rank
        Dimensions of a tensor.
    loop_trips
        Turns of a Loop, and steps of a sequence that is taken apart.
    run_seconds
        Seconds after which a compiler, an exported program, or a run by ``aidge-nb report --run``
        is stopped; that of a graph between two nodes.
    export_bytes
        Bytes that an exported program writes while it runs, counted once for each execution of a
        step; its tests record them all.
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

    constant_bytes: int = 1 << 28
    expanded_nodes: int = 200_000
    depth: int = 100
    rank: int = 32
    loop_trips: int = 100_000
    run_seconds: int = 600
    export_bytes: int = 1 << 32
    outside_links: int = 0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, int) or value < 0:
                raise AidgeError.at(
                    f"limit {field.name}", "is not a number", expected="0 or more", found=value
                )


_T = TypeVar("_T")
_DIGITS = 20


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
            if not (text.isascii() and text.isdecimal() and len(text) < _DIGITS):
                raise AidgeError.at(variable, "is not a number", expected="digits", found=text)
            given[field.name] = int(text)
    return Limits(**given)


LIMITS = tuple(field.name for field in fields(Limits))
"""Names of all limits."""

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
    aidge_nb.core.errors.AidgeError: limit depth_of_nothing: unknown (expected constant_bytes, ...)
    """
    for name in raised:
        if name not in LIMITS:
            raise AidgeError.at(f"limit {name}", "unknown", expected=", ".join(LIMITS))
    with _holding(_CURRENT, replace(current_limits(), **raised)):
        yield current_limits()


def over_limit(name: str, needed: int, where: str, problem: str) -> str:
    """Return the message about something that needs more than a limit permits.

    Parameters
    ----------
    name, needed
        A field of :class:`Limits`, and the value that would suffice.
    where, problem
        File and node, and what they ask for.

    Examples
    --------
    >>> over_limit("rank", 40, "fold (Reshape)", "too many dimensions")
    'fold (Reshape): too many dimensions (expected at most 32, found 40). Where the file is trusted,
    raise the limit: --limit rank=40, AIDGE_NB_RANK=40, or limits(rank=40).'
    """
    return explain(
        where,
        problem,
        expected=f"at most {getattr(current_limits(), name)}",
        found=needed,
        cure=f"Where the file is trusted, raise the limit: --limit {name}={needed}, "
        f"AIDGE_NB_{name.upper()}={needed}, or limits({name}={needed}).",
    )


def check_limit(name: str, needed: int, where: str, problem: str) -> None:
    """Check that something needs no more than a limit permits.

    Parameters
    ----------
    name, needed, where, problem
        As :func:`over_limit` takes them.

    Raises
    ------
    LimitError
        When it needs more.
    """
    if needed > getattr(current_limits(), name):
        raise LimitError(over_limit(name, needed, where, problem))


@contextmanager
def _holding(variable: ContextVar[_T | None], value: _T) -> Iterator[None]:
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


_ROOM: ContextVar[int | None] = ContextVar("aidge_nb_room", default=None)


def room(size: int) -> AbstractContextManager[None]:
    """Let :func:`need_room` refuse what takes more bytes than ``size`` in this block."""
    return _holding(_ROOM, size)


def need_room(dims: Iterable[int], itemsize: int = 8) -> None:
    """Check, before an array is made before the graph runs, that it is not too large.

    For kernels whose results are not as large as the dimensions of their inputs say. When a graph
    runs, it takes what it asks for.

    Raises
    ------
    LimitError
        In a block of :func:`room`, when the array takes more.
    """
    size = _ROOM.get()
    if size is not None and (needed := prod(dims) * itemsize) > size:
        problem = "a value is not computed before the graph runs, it takes too many bytes"
        raise LimitError(over_limit("constant_bytes", needed, "", problem))


_END: ContextVar[float | None] = ContextVar("aidge_nb_end", default=None)


def run_time() -> AbstractContextManager[None]:
    """End the run of a graph in this block after ``run_seconds``, between two of its nodes."""
    return _holding(_END, time.monotonic() + current_limits().run_seconds)


def check_time(where: str) -> None:
    """Check, before node ``where`` runs, that the time of :func:`run_time` is not over.

    Raises
    ------
    LimitError
        When it is.
    """
    end = _END.get()
    if end is not None and time.monotonic() > end:
        seconds = current_limits().run_seconds
        raise LimitError(over_limit("run_seconds", 10 * seconds, where, "the run takes too long"))
