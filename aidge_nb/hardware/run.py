"""A mapping that really runs: one worker for each element, and the time that it takes.

Each element computes its tiles in the order of the mapping, one at a time, on any
``concurrent.futures.Executor``: threads, processes, or a Dask cluster (``client.get_executor()``).
Results are those of a sequential run, bit for bit. With the backend ``cpu`` that needs workers
whose BLAS has as many threads as the caller's, for the order of its sums depends on that with or
without tiles: Dask gives its workers one thread unless ``distributed.nanny.pre-spawn-environ`` says
otherwise. The backend ``exact`` gives the same bits everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aidge_nb.errors import GraphError, HardwareError, explain
from aidge_nb.graph.backend import make_implementation
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.spec import InputCategory
from aidge_nb.graph.view import GraphView
from aidge_nb.hardware.mapping import Mapping, Step, Work
from aidge_nb.hardware.programs import (
    Key,
    Program,
    run_program,
    slices_of,
    tile_program,
    whole_program,
)
from aidge_nb.tensor import Tensor

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

__all__ = ["MappedRun", "Measured", "run_mapping"]

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Measured:
    """One operation as it ran: its step, and its start and end in seconds since the run began."""

    step: Step
    start: float
    end: float


@dataclass(frozen=True, repr=False)
class MappedRun:
    """What came out of a run, and how long it took.

    Attributes
    ----------
    outputs
        The outputs of the graph, in their order.
    steps
        The operations, in the order in which they ended.
    seconds
        Time for all.
    modelled
        Time for all by the model.
    """

    outputs: tuple[Array, ...]
    steps: tuple[Measured, ...]
    seconds: float
    modelled: float = field(compare=False)

    def report(self) -> str:
        """Compare with the model: the share of the work of each element, measured and modelled."""
        measured: dict[str, float] = {}
        modelled: dict[str, int] = {}
        for each in self.steps:
            element = each.step.devices[0]
            measured[element] = measured.get(element, 0.0) + each.end - each.start
            modelled[element] = modelled.get(element, 0) + each.step.end - each.step.start
        all_measured, all_modelled = sum(measured.values()) or 1.0, sum(modelled.values()) or 1
        lines = [f"{self.seconds * 1e3:.1f} ms here, {self.modelled * 1e3:.3f} ms by the model"]
        lines += [
            f"  {element}: {100 * measured[element] / all_measured:.1f} % of the work here, "
            f"{100 * modelled[element] / all_modelled:.1f} % by the model"
            for element in sorted(measured)
        ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"MappedRun({len(self.steps)} operations, {len(self.outputs)} outputs)"


def run_mapping(
    view: GraphView,
    mapping: Mapping,
    inputs: Sequence[Tensor | ArrayLike],
    executor: Executor | None = None,
) -> MappedRun:
    """Run a mapped network with one worker for each element.

    Parameters
    ----------
    view
        The graph that was mapped, with a backend; it is not changed.
    mapping
        The mapping; each node fires once.
    inputs
        The inputs of the graph, in their order.
    executor
        Who computes; a pool with a thread for each element when None. Meta-operators and operators
        with an implementation of the user's own are computed by the caller.

    Raises
    ------
    HardwareError
        For a mapping of another graph, for inputs that do not fit it, and for nodes that fire
        several times.

    Examples
    --------
    >>> import aidge_nb, numpy
    >>> from aidge_nb import hardware
    >>> view = aidge_nb.sequential([aidge_nb.ReLU("relu"), aidge_nb.MaxPooling2D([2, 2], "pool")])
    >>> view.compile("cpu", dims=[[1, 1, 4, 4]])
    True
    >>> mapping = hardware.map_schedule(view, hardware.target("quad_cluster"))
    >>> ran = run_mapping(view, mapping, [numpy.arange(16.0, dtype="f").reshape(1, 1, 4, 4) - 8])
    >>> ran, ran.outputs[0].max()
    (MappedRun(2 operations, 1 outputs), np.float32(7.0))
    """
    data = _Data(view, inputs)
    run = _Run(view, mapping, data)
    start = perf_counter()
    if executor is not None:
        run.go(executor)
    else:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(max(1, len(run.queues))) as pool:
            run.go(pool)
    seconds = perf_counter() - start
    outputs = tuple(data.array(port) for port in view.get_ordered_outputs())
    measured = tuple(Measured(step, begin - start, end - start) for step, begin, end in run.done)
    return MappedRun(outputs, measured, seconds, mapping.seconds)


def _must_be_given(port: Port) -> bool:
    """Whether an input of the graph needs data; optional ones and those set before do not."""
    operator = port.node.get_operator()
    tensor = operator.get_input(port.index)
    is_set = tensor is not None and tensor.has_data
    is_data = operator.input_category(port.index) is InputCategory.Data
    return not operator.is_optional_input(port.index) and (is_data or not is_set)


class _Data:
    """What is known: parameters, inputs, and what has been computed."""

    def __init__(self, view: GraphView, inputs: Sequence[Tensor | ArrayLike]) -> None:
        self._given: dict[tuple[Node, int], Array] = {}
        self._made: dict[Port, Array] = {}
        groups = view.get_input_groups()
        needed = [group[0] for group in groups if _must_be_given(group[0])]
        count = len(inputs) if isinstance(inputs, (list, tuple)) else -1
        if not len(needed) <= count <= len(groups):
            found = type(inputs).__name__ if count < 0 else count
            problem = "a list with one tensor per input of the graph is needed"
            raise HardwareError(explain("inputs", problem, expected=len(needed), found=found))
        for group, given in zip(groups, inputs, strict=False):
            tensor = group[0].node.get_operator().get_input(group[0].index)
            array = np.asarray(given.array if isinstance(given, Tensor) else given)
            if tensor is None or tensor.undefined or tuple(tensor.dims) != array.shape:
                dims = None if tensor is None or tensor.undefined else list(tensor.dims)
                where = f"{group[0].node.label}, input#{group[0].index}"
                problem = "the graph was mapped for other dimensions"
                raise HardwareError(explain(where, problem, expected=dims, found=list(array.shape)))
            array = array.astype(tensor.dtype.numpy, copy=False)
            self._given.update({(port.node, port.index): array for port in group})

    def key(self, node: Node, index: int) -> Key:
        """Name what an input reads: the output of a node, or the input itself."""
        port = node.input(index)
        return Key(node, index, is_input=True) if port is None else Key(port.node, port.index)

    def at(self, key: Key) -> Array:
        """Give what was named so."""
        if not key.is_input:
            return self.array(Port(key.node, key.number))
        if (key.node, key.number) in self._given:
            return self._given[key.node, key.number]
        tensor = key.node.get_operator().get_input(key.number)
        if tensor is None or not tensor.has_data:
            where = f"{key.node.label}, input#{key.number}"
            raise HardwareError(explain(where, "has no data", cure="Pass it with the inputs."))
        return tensor.array

    def array(self, port: Port) -> Array:
        """Give an output; what takes no time is computed when it is asked for."""
        if port not in self._made:
            node = port.node
            if node.type() == "Producer":
                return node.get_operator().get_output(port.index).array
            program = whole_program([node], self.key)
            outputs, _, _ = run_program(program.calls, self.read(program))
            self.keep(node, outputs)
        return self._made[port]

    def read(self, program: Program) -> list[Array]:
        """Give the data of a program."""
        return [
            self.at(key)
            if region is None
            else np.ascontiguousarray(self.at(key)[slices_of(region)])
            for key, region in program.data
        ]

    def keep(self, node: Node, outputs: Sequence[Array]) -> None:
        """Note the outputs of a node."""
        self._made.update({Port(node, index): array for index, array in enumerate(outputs)})

    def put(self, node: Node, region: Any, part: Array) -> None:
        """Note a part of the output of a node."""
        tensor = node.get_operator().get_output(0)
        array = self._made.setdefault(Port(node, 0), np.empty(tensor.dims, part.dtype))
        array[slices_of(region)] = part


class _Run:
    """Who does what next."""

    def __init__(self, view: GraphView, mapping: Mapping, data: _Data) -> None:
        self._nodes = {name: node for node, name in view.unique_names().items()}
        self._mapping, self._data = mapping, data
        self._works = {work.name: work for work in mapping.works}
        _check(mapping, self._nodes)
        self._left = {work.name: 0 for work in mapping.works}
        self._ended: set[str] = set()
        self.done: list[tuple[Step, float, float]] = []
        self.queues: dict[str, list[Step]] = {}
        for step in sorted(mapping.steps, key=lambda each: (each.start, each.end)):
            if step.kind == "operation":
                self._left[step.work] += 1
                self.queues.setdefault(step.devices[0], []).append(step)

    def go(self, executor: Executor) -> None:
        """Let every element do its next operation as soon as it may, up to the end."""
        from concurrent.futures import FIRST_COMPLETED, wait

        running: dict[Future[Any], Step] = {}
        at = dict.fromkeys(self.queues, 0)
        busy: set[str] = set()
        while True:
            for element, queue in self.queues.items():
                while element not in busy and at[element] < len(queue):
                    step = queue[at[element]]
                    if not set(self._works[step.work].after) <= self._ended:
                        break
                    at[element] += 1
                    future = self._begin(step, executor)
                    if future is not None:
                        running[future] = step
                        busy.add(element)
            if not running:
                return
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                step = running.pop(future)
                busy.discard(step.devices[0])
                self._end(step, *future.result())

    def _begin(self, step: Step, executor: Executor) -> Future[Any] | None:
        work = self._works[step.work]
        try:
            program = self._program(work, step.tile)
        except GraphError:  # more than an operator and its attributes: only here
            self._compute_here(step, work)
            return None
        return executor.submit(run_program, program.calls, self._data.read(program))

    def _program(self, work: Work, tile: int) -> Program:
        nodes = {name: self._nodes[name] for name in work.nodes}
        if any(_has_own_implementation(node) for node in nodes.values()):
            raise GraphError(explain(work.name, "has an implementation of the user's own"))
        if work.tiling is None:
            return whole_program(list(nodes.values()), self._data.key)
        return tile_program(nodes, work.tiling.tiles[tile], self._data.key)

    def _compute_here(self, step: Step, work: Work) -> None:
        """Compute on the tensors of the graph what cannot be sent to a worker."""
        if work.tiling is not None:
            problem = "is tiled, and has an implementation of the user's own"
            cure = "Take it back with set_impl(None)."
            raise HardwareError(explain(work.name, problem, cure=cure))
        start = perf_counter()
        for name in work.nodes:
            node = self._nodes[name]
            operator = node.get_operator()
            for index in range(node.get_nb_inputs()):
                tensor, port = operator.get_input(index), node.input(index)
                if tensor is not None and (port is None or port.node.type() != "Producer"):
                    tensor.set_array(self._data.at(self._data.key(node, index)))
            node.forward()
            outputs = (operator.get_output(index) for index in range(node.get_nb_outputs()))
            self._data.keep(node, [tensor.array.copy() for tensor in outputs if tensor.has_data])
        self._note(step, start, perf_counter())

    def _end(self, step: Step, outputs: Sequence[Array], start: float, end: float) -> None:
        work = self._works[step.work]
        last = self._nodes[work.nodes[-1]]
        if work.tiling is None:
            self._data.keep(last, outputs)
        else:
            self._data.put(last, work.tiling.tiles[step.tile].output, outputs[0])
        self._note(step, start, end)

    def _note(self, step: Step, start: float, end: float) -> None:
        self.done.append((step, start, end))
        self._left[step.work] -= 1
        if not self._left[step.work]:
            self._ended.add(step.work)


def _has_own_implementation(node: Node) -> bool:
    operator = node.get_operator()
    impl = operator.get_impl()
    return impl is not None and type(impl) is not type(
        make_implementation(operator.backend(), operator)
    )


def _check(mapping: Mapping, nodes: dict[str, Node]) -> None:
    """Refuse mappings that cannot be run: of other graphs, with halos that are kept, with loops."""
    names = [name for work in mapping.works for name in work.nodes]
    missing = [name for name in names if name not in nodes]
    if missing:
        problem = "belongs to another graph"
        raise HardwareError(explain("mapping", problem, found=f"no node called {missing[0]}"))
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        cure = "Run it with SequentialScheduler or ParallelScheduler."
        raise HardwareError(explain(twice, "fires several times in this mapping", cure=cure))
    for work in mapping.works:
        if work.tiling is not None and work.tiling.halo == "cache":
            cure = 'Plan it with halo="recompute".'
            raise HardwareError(
                explain(work.name, "keeps halos, which workers do not hand on", cure=cure)
            )
    if any(not nodes[name].get_operator().backend() for name in names):
        raise HardwareError(
            explain("run_mapping", "the graph has no backend", cure='Call set_backend("cpu").')
        )
