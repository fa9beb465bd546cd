"""Run a graph on inputs of any dimensions, with one prepared run for each.

A graph that cannot be prepared, with branches, loops or dimensions that depend on data, is run by
the sequential scheduler.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from aidge_nb.core.dtype import as_dtype
from aidge_nb.core.errors import AidgeError
from aidge_nb.core.log import logger
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.inference import propagate_dims
from aidge_nb.runtime.arena.prepared import PreparedRun
from aidge_nb.runtime.schedulers.sequential import SequentialScheduler

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView

Array = NDArray[Any]
Key = tuple[tuple[tuple[int, ...], str], ...]

_KEPT = 2  # arenas: one, and one for the last, smaller batch


class PreparedRuns:
    """A graph that runs on inputs of any dimensions.

    The graph has a backend.

    Examples
    --------
    >>> import numpy as np
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.ReLU()])
    >>> view.set_backend("cpu")
    >>> runs = PreparedRuns(view)
    >>> [runs.run([np.full(size, -1.0)])[0].tolist() for size in (1, 2, 1)]
    [[0.0], [0.0, 0.0], [0.0]]
    >>> runs
    PreparedRuns(2 prepared)
    """

    def __init__(self, view: GraphView) -> None:
        self._view = view
        self._scheduler = SequentialScheduler(view)
        self._runs: dict[Key, PreparedRun | None] = {}

    def run(self, arrays: Sequence[Array]) -> list[Array]:
        """Run the graph, and return its outputs in their order."""
        key = tuple((array.shape, array.dtype.str) for array in arrays)
        if key not in self._runs:
            self._keep(key, self._prepare(arrays))
        prepared = self._runs[key]
        if prepared is not None:
            try:
                return list(prepared.run(arrays))
            except AidgeError as error:  # the scheduler explains it, or finds other dims
                logger.debug("the prepared run failed: %s", error)
                self._runs[key] = None
        return self.run_once(arrays)

    def run_once(self, arrays: Sequence[Array]) -> list[Array]:
        """Run the graph with the scheduler, without preparing a run."""
        data = [Tensor(array) for array in arrays]
        return [result.array for result in self._scheduler.forward(data=data)]

    def prepared(self, arrays: Sequence[Array]) -> PreparedRun | None:
        """Return the run that was prepared for inputs like these, if any."""
        return self._runs.get(tuple((array.shape, array.dtype.str) for array in arrays))

    def _keep(self, key: Key, run: PreparedRun | None) -> None:
        """Keep a run, and drop the oldest one when there would be too many arenas."""
        made = [each for each, prepared in self._runs.items() if prepared is not None]
        if run is not None and len(made) >= _KEPT:
            del self._runs[made[0]]
        self._runs[key] = run

    def _prepare(self, arrays: Sequence[Array]) -> PreparedRun | None:
        """Prepare a run from the dimensions of its inputs; None when that is impossible."""
        if any(array.dtype.kind == "O" for array in arrays):
            return None
        try:
            self._scheduler.connect_inputs(
                [Tensor.of_dims(array.shape, as_dtype(array.dtype)) for array in arrays]
            )
            report = propagate_dims(self._view, allow_data_dependency=True)
            if not report.complete or report.problems:
                logger.debug("cannot be prepared: %s", [*report.problems, *report.notes])
                return None
            return PreparedRun(self._view)
        except AidgeError as error:
            logger.debug("cannot be prepared: %s", error)
            return None

    def __repr__(self) -> str:
        return f"PreparedRuns({sum(run is not None for run in self._runs.values())} prepared)"
