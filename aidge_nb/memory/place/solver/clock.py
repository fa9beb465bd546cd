"""Limit a search by time or work, and report its progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from time import monotonic

from aidge_nb.core.errors import MissingExtraError
from aidge_nb.core.values import dataclass

_STEPS_PER_EFFORT = 600_000
"""Moves of the search: some six seconds of a present-day core."""

_TOLD_EVERY = 0.5
"""Seconds after which who asked for progress hears of it again, though nothing was found."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a search is.

    Attributes
    ----------
    peak
        The smallest arena found so far, in bytes.
    lower_bound
        Bytes below which there is proven to be nothing.
    method
        Who found that arena.
    seconds
        Since the search began.
    """

    peak: int
    lower_bound: int
    method: str
    seconds: float


Watcher = Callable[[Progress], None]
"""A function that is called with the progress of a search."""


class Clock:
    """Ends a search after a time, or after an amount of work.

    Work is counted in steps, so that the same problem always gets the same answer; with a
    ``time_limit`` it goes on until then, and answers are the same unless the limit cuts them off.

    Examples
    --------
    >>> clock = Clock(effort=1)
    >>> clock.steps_left > 0, clock.is_late()
    (True, False)
    """

    def __init__(
        self,
        effort: float = 1.0,
        time_limit: float | None = None,
        report: Watcher | None = None,
    ) -> None:
        self._start = monotonic()
        self._report = report
        self._told: Progress | None = None
        self.effort = effort
        self.time_limit = time_limit
        self.steps_left = _STEPS_PER_EFFORT * effort if time_limit is None else float("inf")

    @property
    def seconds(self) -> float:
        """Since the start."""
        return monotonic() - self._start

    @property
    def seconds_left(self) -> float:
        """Until the time limit; infinite without one."""
        return float("inf") if self.time_limit is None else self.time_limit - self.seconds

    def part(self, fraction: float) -> Clock:
        """Return a clock for the first part of the time limit."""
        left = None if self.time_limit is None else fraction * self.seconds_left
        part = Clock(self.effort, left, self._report)
        part._start, part._told = self._start, self._told
        if left is not None:
            part.time_limit = self.seconds + left
        return part

    def is_late(self) -> bool:
        """Return whether the time is over."""
        if self._told is not None and self.seconds - self._told.seconds >= _TOLD_EVERY:
            self._tell(replace(self._told, seconds=self.seconds))
        return self.time_limit is not None and self.seconds >= self.time_limit

    def is_over(self) -> bool:
        """Return whether the time or the work is over."""
        return self.steps_left <= 0 or self.is_late()

    def spend(self, steps: float) -> None:
        """Count work that was done."""
        self.steps_left -= steps

    def report(self, peak: int, lower_bound: int, method: str) -> None:
        """Report the best arena so far."""
        self._tell(Progress(peak, lower_bound, method, self.seconds))

    def _tell(self, progress: Progress) -> None:
        if self._report is not None:
            self._told = progress
            self._report(progress)


@contextmanager
def watched(progress: bool | Watcher, time_limit: float | None) -> Iterator[Watcher | None]:
    """Yield the function that reports progress: to a bar, the caller's function, or None.

    The bar is as long as the time limit; without one it only counts seconds.

    Raise MissingExtraError for a bar without tqdm.

    Examples
    --------
    >>> with watched(False, None) as watcher:
    ...     watcher is None
    True
    """
    if callable(progress) or not progress:
        yield progress or None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError as error:
        raise MissingExtraError("tqdm", "onnx") from error
    with tqdm(total=time_limit, unit="s") as bar:

        def show(now: Progress) -> None:
            above = now.peak / max(1, now.lower_bound) - 1
            text = f"peak {now.peak} bytes, {above:.2%} above the bound, by {now.method}"
            bar.set_postfix_str(text, refresh=False)
            bar.update(round(now.seconds, 1) - bar.n)

        yield show
