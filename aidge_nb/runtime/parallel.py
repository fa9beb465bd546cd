"""The parallel scheduler: what may run at the same step runs side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aidge_nb.errors import SchedulingError, explain
from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.runtime.conditional import is_needed
from aidge_nb.runtime.sequential import RunningScheduler
from aidge_nb.runtime.tape import TapeEntry, run_and_record

if TYPE_CHECKING:
    from concurrent.futures import Executor

__all__ = ["ParallelScheduler"]


class ParallelScheduler(RunningScheduler):
    """Runs the nodes of each step on an executor, step after step.

    Nodes with the same early step have no data dependency between them.

    Parameters
    ----------
    graph_view
        The graph.
    reset_cp_model
        Whether the C-P state of the nodes starts over.
    executor
        Who runs the nodes: any ``concurrent.futures.Executor`` that shares memory with the
        caller; a thread pool for the duration of each pass when None.

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
        if executor is not None and not callable(getattr(executor, "map", None)):
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
        entries: list[TapeEntry] = []
        for nodes in self._nodes_by_step(step):
            needed = [node for node in nodes if is_needed(node)]
            entries.extend(executor.map(run_and_record, needed))
        return entries

    def _nodes_by_step(self, step: int) -> list[list[Node]]:
        """List the nodes by early step, those without slack first."""
        found = self._step(step)
        groups: list[list[tuple[int, Node]]] = [[] for _ in range(found.schedule.n_steps)]
        for firing in found.schedule.firings:
            groups[firing.early].append((firing.slack, found.graph[firing.actor]))
        return [[node for _, node in sorted(group, key=lambda pair: pair[0])] for group in groups]
