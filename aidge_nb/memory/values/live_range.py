"""The least memory that any placement of given live ranges needs.

What lives at one tick cannot share memory, so the largest sum of live sizes is a bound from
below. It is not always reachable (the problem is NP-hard), but on real networks it nearly always
is, and a placement that reaches it is proven optimal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class LiveRange(NamedTuple):
    """A buffer to be placed: ``size`` bytes on the half-open ticks [lower, upper)."""

    lower: int
    upper: int
    size: int


class LowerBound(NamedTuple):
    """The bound in bytes, and the first tick at which so much is live."""

    size: int
    tick: int


def lower_bound(ranges: Sequence[tuple[int, int, int]]) -> LowerBound:
    """Find the tick at which most bytes are live.

    Examples
    --------
    >>> lower_bound([(0, 2, 10), (1, 3, 20), (2, 4, 5)])
    LowerBound(size=30, tick=1)
    """
    if not ranges:
        return LowerBound(0, 0)
    starts = np.unique(columns(ranges)[0])  # the sum can only rise where something begins
    live = live_bytes(ranges, starts)
    first = int(np.argmax(live))
    return LowerBound(int(live[first]), int(starts[first]))


def live_bytes(ranges: Sequence[tuple[int, int, int]], ticks: Any) -> NDArray[np.int64]:
    """Sum the sizes of what lives at each of the given ticks: an array of as many, in bytes.

    Examples
    --------
    >>> live_bytes([(0, 2, 10), (1, 3, 20)], range(4)).tolist()
    [10, 30, 20, 0]
    """
    lower, upper, size = columns(ranges)
    when = np.asarray(ticks, dtype=np.int64)
    return _total_until(lower, size, when) - _total_until(upper, size, when)


def columns(ranges: Sequence[tuple[int, int, int]]) -> tuple[NDArray[np.int64], ...]:
    """Turn (lower, upper, size) triples into three arrays."""
    table = np.array(ranges, dtype=np.int64).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 2]


def _total_until(
    times: NDArray[np.int64], size: NDArray[np.int64], when: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Sum the sizes of the events that happened up to each moment, that moment included."""
    order = np.argsort(times, kind="stable")
    totals = np.concatenate(([0], np.cumsum(size[order])))
    found: NDArray[np.int64] = totals[np.searchsorted(times[order], when, side="right")]
    return found
