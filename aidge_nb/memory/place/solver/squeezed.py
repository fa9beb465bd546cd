"""What comes of looking for a smaller arena."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Squeezed:
    """The outcome.

    Attributes
    ----------
    offsets
        Of the buffers as they were given, in bytes; None when nothing better was found.
    lower_bound
        Bytes below which there is proven to be nothing.
    method
        Who found the offsets.
    """

    offsets: list[int] | None
    lower_bound: int
    method: str = ""
