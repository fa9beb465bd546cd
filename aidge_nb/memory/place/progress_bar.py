"""How far a search is, as a bar in a notebook or a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from aidge_nb.core.errors import MissingExtraError
from aidge_nb.memory.place.solver import Progress

Watcher = Callable[[Progress], None]
"""What is told how far a search is."""


@contextmanager
def watched(progress: bool | Watcher, time_limit: float | None) -> Iterator[Watcher | None]:
    """Give what a search has to tell: a bar, the caller's own function, or nothing.

    The bar is as long as the time limit; without one it only counts seconds.

    Raises
    ------
    MissingExtraError
        For a bar without tqdm.

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
