"""The answer of a solver: offsets, and the bound that it has proven."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Outcome(NamedTuple):
    """Offsets that a solver found.

    Attributes
    ----------
    offsets
        One for each buffer; None when it found none in time.
    bound
        Bytes that it has proven to be needed; 0 if it proves nothing.
    note
        What else it says: why there are no offsets.
    seconds
        What it took by its own clock; None to be measured from outside.
    """

    offsets: Sequence[int] | None
    bound: int = 0
    note: str = ""
    seconds: float | None = None
