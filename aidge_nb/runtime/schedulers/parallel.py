"""The parallel scheduler: what does not wait for anything runs side by side."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from aidge_nb.core.errors import SchedulingError, explain
from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.runtime.autodiff.tape import TapeEntry, Values, record, run_and_record, values_read
from aidge_nb.runtime.backends.shipping import compute, job_of
from aidge_nb.runtime.passes import is_needed
from aidge_nb.runtime.schedulers.sequential import RunningScheduler
from aidge_nb.scheduling.schedule.elements import SchedulingElement

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future


class ParallelScheduler(RunningScheduler):
    """Runs nodes on an executor as soon as what they wait for is there.

    While fewer nodes run than there are workers, the next one is, of those that wait for nothing,
    one on the critical path (whose early and late steps are equal), else that of the earliest step.
    Results are those of :class:`SequentialScheduler`, whatever runs when.

    Parameters
    ----------
    graph_view
        The graph.
    reset_cp_model
        Whether the C-P state of the nodes starts over.
    executor
        Who runs the nodes: a ``concurrent.futures.ThreadPoolExecutor``, or any other
        ``concurrent.futures.Executor``, such as a pool of processes or the one of a Dask client
        (``client.get_executor()``). To these each execution is sent as a value, arrays and all,
        and the results come back; what only this process can do runs here: operators with state or
        with a graph inside, users' implementations. None for a pool of threads for the duration of
        each pass.

    Raises
    ------
    SchedulingError
        When the executor is none.
    """

    def __init__(
        self,
        graph_view: GraphView,
        reset_cp_model: bool = True,
        executor: Executor | None = None,
    ) -> None:
        super().__init__(graph_view, reset_cp_model)
        if executor is not None and not callable(getattr(executor, "submit", None)):
            raise SchedulingError(
                explain(
                    "ParallelScheduler, executor",
                    "is no executor",
                    expected="a concurrent.futures.Executor, or None for a pool of threads",
                    found=repr(executor),
                    cure="Write executor=ThreadPoolExecutor(3) for three threads.",
                )
            )
        self._executor = executor

    def _run_step(self, step: int) -> list[TapeEntry]:
        if self._executor is not None:
            return self._run_on(self._executor, step)
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor() as executor:
            return self._run_on(executor, step)

    def _run_on(self, executor: Executor, step: int) -> list[TapeEntry]:
        found = self._step(step)
        schedule = found.schedule
        firings = schedule.firings
        queue = _Queue([(f.slack > 0, f.early) for f in firings], schedule.waits_for)
        nodes = [found.graph[firing.actor] for firing in firings]
        return _run_all(_Workers(executor), queue, nodes)


class _Queue:
    """The executions that wait for nothing, those on the critical path first, then the earliest."""

    def __init__(self, ranks: list[tuple[bool, int]], waits_for: Sequence[tuple[int, ...]]) -> None:
        self._ranks = ranks
        self._lacks = [len(others) for others in waits_for]
        self._readers: list[list[int]] = [[] for _ in ranks]
        for number, others in enumerate(waits_for):
            for other in others:
                self._readers[other].append(number)
        self._ready = [(*ranks[n], n) for n, count in enumerate(self._lacks) if not count]
        heapify(self._ready)

    def __bool__(self) -> bool:
        return bool(self._ready)

    def pop(self) -> int:
        """Take the next one."""
        return heappop(self._ready)[-1]

    def finish(self, number: int) -> None:
        """Note that one has ended: others may wait no longer."""
        for reader in self._readers[number]:
            self._lacks[reader] -= 1
            if not self._lacks[reader]:
                heappush(self._ready, (*self._ranks[reader], reader))


class _Workers:
    """An executor, and whether it can be given the nodes themselves."""

    def __init__(self, executor: Executor) -> None:
        from concurrent.futures import ThreadPoolExecutor

        self._executor = executor
        self._is_here = isinstance(executor, ThreadPoolExecutor)
        self.count = int(getattr(executor, "_max_workers", 0)) or 1 << 30

    def start(self, node: Node) -> tuple[Future[Any], Values | None] | TapeEntry:
        """Let a node run; give what will be there, or, when it had to run here, is there."""
        if self._is_here:
            return self._executor.submit(run_and_record, node), None
        job = job_of(node)
        if job is None:
            return run_and_record(node)
        return self._executor.submit(compute, job), values_read(node)


def _run_all(workers: _Workers, queue: _Queue, nodes: list[Node]) -> list[TapeEntry]:
    """Run all executions; give them in the order of the schedule."""
    from concurrent.futures import FIRST_COMPLETED, wait

    entries: dict[int, TapeEntry] = {}
    running: dict[Future[Any], tuple[int, Values | None]] = {}
    try:
        while queue or running:
            while queue and len(running) < workers.count:
                number = queue.pop()
                if not is_needed(nodes[number]):
                    queue.finish(number)
                    continue
                started = workers.start(nodes[number])
                if isinstance(started, TapeEntry):
                    entries[number] = started
                    queue.finish(number)
                else:
                    running[started[0]] = (number, started[1])
            if running:
                ended, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in ended:
                    number, values = running.pop(future)
                    result = future.result()
                    entries[number] = (
                        result if values is None else _received(nodes[number], values, *result)
                    )
                    queue.finish(number)
    finally:  # when one failed, none may write to the tensors of the graph afterwards
        for future in running:
            future.cancel()
        wait(running)
    return [entries[number] for number in sorted(entries)]


def _received(node: Node, values: Values, outputs: tuple[Any, ...], nanoseconds: int) -> TapeEntry:
    """Give a node the outputs that were computed elsewhere; clocks may differ, durations do not."""
    for index, array in enumerate(outputs):
        node.get_operator().get_output(index).set_array(array)
    end = perf_counter_ns()
    return record(SchedulingElement(node, end - nanoseconds, end), values)
