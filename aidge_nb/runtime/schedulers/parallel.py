"""Run a graph in parallel: every node as soon as its inputs are there, on any executor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import SchedulingError
from aidge_nb.graph.attributes import Attributes
from aidge_nb.graph.node import Node
from aidge_nb.graph.operator import Operator
from aidge_nb.graph.spec import SPECS
from aidge_nb.graph.view import GraphView
from aidge_nb.runtime.autodiff.tape import TapeEntry, Values, record, run_and_record, values_read
from aidge_nb.runtime.backends.cpu import CpuImpl
from aidge_nb.runtime.schedulers.sequential import RunningScheduler
from aidge_nb.scheduling.executor import is_needed
from aidge_nb.scheduling.jobs import Jobs
from aidge_nb.scheduling.schedule.elements import SchedulingElement

if TYPE_CHECKING:
    from concurrent.futures import Executor

Array = NDArray[Any]


class ParallelScheduler(RunningScheduler):
    """Run nodes on an executor as soon as their inputs are there.

    While a worker is free, the next ready node starts: one on the critical path (early and late
    steps are equal) first, then that of the earliest step. The results are those of
    :class:`SequentialScheduler`.

    Parameters
    ----------
    graph_view
        The graph.
    reset_cp_model
        Whether the C-P state of the nodes starts over.
    executor
        Any ``concurrent.futures.Executor``: threads, processes, or a Dask client's
        (``client.get_executor()``). Other processes get each execution as a value, arrays
        included, and return the results; operators with a state or a micro-graph, and users'
        implementations, run here. By default a pool of threads for each pass.

    Raises
    ------
    SchedulingError
        When ``executor`` is not an executor. In a pass also when it is shut down, when one of its
        workers dies, or when :meth:`forward` itself runs in one of its threads.
    """

    def __init__(
        self,
        graph_view: GraphView,
        reset_cp_model: bool = True,
        executor: Executor | None = None,
    ) -> None:
        super().__init__(graph_view, reset_cp_model)
        if executor is not None and not callable(getattr(executor, "submit", None)):
            raise SchedulingError.at(
                "ParallelScheduler, executor",
                "is not an executor",
                expected="a concurrent.futures.Executor, or None for a pool of threads",
                found=repr(executor),
                cure="Write executor=ThreadPoolExecutor(3) for three threads.",
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
        return _run_all(executor, queue, nodes)


class _Queue:
    """The executions that are ready: those on the critical path first, then the earliest."""

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
        """Mark an execution as ended, and add those that waited only for it."""
        for reader in self._readers[number]:
            self._lacks[reader] -= 1
            if not self._lacks[reader]:
                heappush(self._ready, (*self._ranks[reader], reader))


def _run_all(executor: Executor, queue: _Queue, nodes: list[Node]) -> list[TapeEntry]:
    """Run all executions; return their entries in the order of the schedule.

    Threads get the nodes themselves, other workers get values. When an execution failed, none may
    write to the tensors of the graph afterwards: :class:`Jobs` waits for those that run.
    """
    from concurrent.futures import ThreadPoolExecutor

    are_threads = isinstance(executor, ThreadPoolExecutor)
    workers = int(getattr(executor, "_max_workers", 0)) or 1 << 30
    entries: dict[int, TapeEntry] = {}
    with Jobs[tuple[int, Values | None]](executor) as jobs:
        while queue or jobs:
            while queue and len(jobs) < workers:
                number = queue.pop()
                node = nodes[number]
                if not is_needed(node):
                    queue.finish(number)
                elif are_threads:
                    jobs.start(node.label, (number, None), run_and_record, node)
                elif (firing := remote_firing(node)) is None:
                    entries[number] = run_and_record(node)
                    queue.finish(number)
                else:
                    jobs.start(node.label, (number, values_read(node)), compute, firing)
            if jobs:
                (number, values), result = jobs.next()
                if values is not None:
                    result = _received(nodes[number], values, *result)
                entries[number] = result
                queue.finish(number)
    return [entries[number] for number in sorted(entries)]


def _received(node: Node, values: Values, outputs: tuple[Any, ...], nanoseconds: int) -> TapeEntry:
    """Store the outputs that a worker computed; its clock may differ, the duration does not."""
    for index, array in enumerate(outputs):
        node.get_operator().get_output(index).set_array(array)
    end = perf_counter_ns()
    return record(SchedulingElement(node, end - nanoseconds, end), values)


@dataclass(frozen=True, slots=True, eq=False)
class RemoteFiring:
    """One execution of a declared operator, as a value for another process."""

    # type, attributes: the operator
    type: str
    attributes: Mapping[str, Any]
    label: str  # the name of the node in messages
    arrays: tuple[Array | None, ...]  # the inputs; None for a missing optional one
    nb_outputs: int  # number of outputs
    optional_outputs: bool  # whether optional outputs are computed


def remote_firing(node: Node) -> RemoteFiring | None:
    """Make the value of an execution; None when only the node's own implementation can run it.

    Operators with a state, meta-operators, undeclared ones and users' implementations run here.
    """
    operator = node.get_operator()
    impl = operator.get_impl()
    if type(impl) is not CpuImpl or SPECS.get(operator.type()) is not operator.spec:
        return None
    return RemoteFiring(
        operator.type(),
        dict(operator.attr),
        operator.label,
        tuple(impl.input_arrays()),
        operator.nb_outputs,
        impl.needs_optional_outputs,
    )


def compute(firing: RemoteFiring) -> tuple[tuple[Array, ...], int]:
    """Run an execution; return the outputs, and the nanoseconds that it took.

    Examples
    --------
    >>> firing = RemoteFiring("ReLU", {}, "a (ReLU)", (np.array([-1.0, 2.0]),), 1, True)
    >>> [array.tolist() for array in compute(firing)[0]]
    [[0.0, 2.0]]
    """
    operator = Operator(
        SPECS[firing.type],
        Attributes(firing.attributes),
        nb_inputs=len(firing.arrays),
        nb_outputs=firing.nb_outputs,
    )
    operator.label = firing.label
    impl = CpuImpl(operator)
    impl.needs_optional_outputs = firing.optional_outputs
    start = perf_counter_ns()
    with np.errstate(all="ignore"):
        outputs = impl.run(firing.arrays)
    return outputs, perf_counter_ns() - start
