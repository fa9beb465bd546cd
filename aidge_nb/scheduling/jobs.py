"""Start jobs on an executor and take their results as they end, in bounded time.

Executors fail in ways that leave their caller waiting for ever, or without a word about what was to
be computed: they are shut down, their processes are killed, or they wait for their own workers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from aidge_nb.core.errors import AidgeError, SchedulingError, in_a_browser

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

Key = TypeVar("Key")


class Jobs(AbstractContextManager["Jobs[Key]"], Generic[Key]):
    """The jobs that run on an executor.

    At the end of a ``with`` block those that have not begun are cancelled, and the others waited
    for.

    Parameters
    ----------
    executor
        Any ``concurrent.futures.Executor``.
    error
        The kind of error when the executor fails.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(1) as pool, Jobs(pool) as jobs:
    ...     jobs.start("2 * 2", "key", pow, 2, 2)
    ...     jobs.next()
    ('key', 4)
    """

    def __init__(self, executor: Executor, error: type[AidgeError] = SchedulingError) -> None:
        self._executor, self._error = executor, error
        self._running: dict[Future[Any], tuple[str, Key]] = {}
        # Futures add themselves when they end or are cancelled. The standard function wait() does
        # not notice those that the shutdown of an executor cancels.
        self._ended: SimpleQueue[Future[Any]] = SimpleQueue()

    def start(self, label: str, key: Key, function: Callable[..., Any], *arguments: Any) -> None:
        """Start a job.

        Raise AidgeError when the executor takes no jobs, or this thread is one of its workers; says
        which job, by its ``label``.
        """
        try:
            future = self._executor.submit(function, *arguments)
        except RuntimeError as error:  # shut down or broken
            cure = in_a_browser("Pass an executor that is open.")
            problem = f"its executor takes no jobs: {error}"
            raise self._error.at(label, problem, cure=cure) from error
        self._running[future] = (label, key)
        future.add_done_callback(self._ended.put)
        # Not before submit(): a pool notes its new thread after this thread began.
        if threading.current_thread() in getattr(self._executor, "_threads", ()):
            raise self._error.at(
                label,
                "cannot start: this thread is itself a worker of the executor, and would wait for "
                "one",
                cure="Submit it to another executor.",
            )

    def next(self) -> tuple[Key, Any]:
        """Wait for the next job that ends; return its key and its result.

        Raises
        ------
        AidgeError
            When the executor was shut down, or a worker died; says which job, by its label.
        Exception
            The error of the job.
        """
        from concurrent.futures import BrokenExecutor, CancelledError

        future = self._ended.get()
        label, key = self._running.pop(future)
        try:
            return key, future.result()
        except CancelledError as error:
            problem = "its executor was shut down before it began"
            cure = "Leave the executor open until all is done."
            raise self._error.at(label, problem, cure=cure) from error
        except BrokenExecutor as error:
            problem = f"a worker of its executor died: {error}"
            cure = "Pass a new executor; is there enough memory?"
            raise self._error.at(label, problem, cure=cure) from error

    def __len__(self) -> int:
        return len(self._running)

    def __exit__(self, *failure: object) -> None:
        from concurrent.futures import wait

        wait([future for future in self._running if not future.cancel()])
