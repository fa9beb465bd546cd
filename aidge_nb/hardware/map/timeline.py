"""When devices are busy, and the first gap in which several of them are free at once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence


class Timeline:
    """Busy intervals of elements, links and buses; those that touch are one.

    Examples
    --------
    >>> timeline = Timeline()
    >>> timeline.book(["pe"], 0, 10)
    >>> timeline.book(["pe"], 15, 20)
    >>> timeline.first_gap(["pe"], 3, 5), timeline.first_gap(["pe"], 3, 6)
    (10, 20)
    """

    def __init__(self) -> None:
        self._busy: dict[str, tuple[list[int], list[int]]] = {}

    def first_gap(self, devices: Sequence[str], ready: int, length: int) -> int:
        """Find the first start, not before ``ready``, from which all are free for ``length``."""
        start = ready
        while True:
            later = start
            for device in devices:
                later = max(later, self._free(device, start, length))
            if later == start:
                return start
            start = later

    def book(self, devices: Iterable[str], start: int, end: int) -> None:
        """Note that devices are busy on [start, end), in which they were free."""
        if end <= start:
            return
        for device in devices:
            starts, ends = self._busy.setdefault(device, ([], []))
            at = bisect_right(starts, start)
            follows = at > 0 and ends[at - 1] == start
            precedes = at < len(starts) and starts[at] == end
            if follows and precedes:
                ends[at - 1] = ends.pop(at)
                del starts[at]
            elif follows:
                ends[at - 1] = end
            elif precedes:
                starts[at] = start
            else:
                starts.insert(at, start)
                ends.insert(at, end)

    def copy(self) -> Timeline:
        """Give a timeline of its own with the same intervals."""
        other = Timeline()
        other._busy = {device: (s.copy(), e.copy()) for device, (s, e) in self._busy.items()}
        return other

    def _free(self, device: str, start: int, length: int) -> int:
        """Find the first gap of one device."""
        starts, ends = self._busy.get(device, ((), ()))
        at = bisect_right(starts, start)
        if at and ends[at - 1] > start:
            start = ends[at - 1]
        while at < len(starts) and starts[at] < start + max(length, 1):
            start = ends[at]
            at += 1
        return start
