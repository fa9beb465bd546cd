"""Run a mapping with one worker for each element, and measure its steps.

Each element computes its tiles in the order of the mapping, one at a time, on any
``concurrent.futures.Executor``: threads, processes, or a Dask cluster (``client.get_executor()``).
Results equal those of a sequential run bit for bit. With the backend ``cpu``, the BLAS of workers
needs as many threads as the caller's, since the order of its sums depends on them: Dask workers
have one thread unless ``distributed.nanny.pre-spawn-environ`` is set. The backend ``exact`` gives
the same bits everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike, NDArray

from aidge_nb.core.errors import GraphError, HardwareError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.backend import make_implementation
from aidge_nb.graph.generic import GenericOperatorOp
from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.hardware.mapping import Mapping, need_nodes
from aidge_nb.hardware.run.data import RunData
from aidge_nb.hardware.run.programs import TileProgram, run_program, tile_program, whole_program
from aidge_nb.hardware.steps import MappingStep, Work
from aidge_nb.scheduling import OperatorImpl
from aidge_nb.scheduling.executor import NodeExecutor, Observer
from aidge_nb.scheduling.jobs import Jobs

if TYPE_CHECKING:
    from concurrent.futures import Executor

Array = NDArray[Any]
Spent = tuple[MappingStep, float, float]
"""A step, its start and its end."""


@dataclass(frozen=True, slots=True)
class MeasuredStep:
    """The measured times of a step.

    Attributes
    ----------
    step
        The step of the mapping.
    start, end
        Seconds since the start of the run.
    """

    step: MappingStep
    start: float
    end: float


@dataclass(frozen=True, repr=False)
class MappedRun:
    """The outputs and times of a run.

    Attributes
    ----------
    outputs
        The outputs of the graph, in order.
    steps
        The operations, by end.
    seconds
        Total time in seconds.
    modelled
        Total time of the model, in seconds.
    transfers
        The transfers of the mapping: copies in the memory of the caller, without those to other
        processes or machines.
    """

    outputs: tuple[Array, ...]
    steps: tuple[MeasuredStep, ...]
    seconds: float
    modelled: float = field(compare=False)
    transfers: tuple[MeasuredStep, ...] = ()

    def report(self) -> str:
        """Compare shares of work and transfers with the model."""
        lines = [f"{self.seconds * 1e3:.1f} ms here, {self.modelled * 1e3:.3f} ms by the model"]
        lines += _shares(self.steps, "the work")
        if self.transfers:
            copied = sum(each.end - each.start for each in self.transfers)
            cycles = sum(each.step.end - each.step.start for each in self.transfers)
            longest = max((each.step.end for each in (*self.steps, *self.transfers)), default=1)
            modelled = self.modelled * cycles / longest if longest else 0.0
            lines.append(
                f"transfers: {copied * 1e3:.1f} ms of copies here, "
                f"{modelled * 1e3:.3f} ms on links and buses by the model"
            )
            lines += _shares(self.transfers, "what is moved")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"MappedRun({len(self.steps)} operations, {len(self.outputs)} outputs)"


def _shares(steps: Sequence[MeasuredStep], what: str) -> list[str]:
    """Write a line for each device: its measured and modelled share of the time."""
    measured: dict[str, float] = {}
    modelled: dict[str, int] = {}
    for each in steps:
        for device in each.step.devices:
            measured[device] = measured.get(device, 0.0) + each.end - each.start
            modelled[device] = modelled.get(device, 0) + each.step.end - each.step.start
    all_measured, all_modelled = sum(measured.values()) or 1.0, sum(modelled.values()) or 1
    return [
        f"  {device}: {100 * measured[device] / all_measured:.1f} % of {what} here, "
        f"{100 * modelled[device] / all_modelled:.1f} % by the model"
        for device in sorted(measured)
    ]


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
        The mapping.
    inputs
        The inputs of the graph, in order.
    executor
        Any executor; a pool with a thread for each element when None. Meta-operators, operators
        with a state (Pop, Stack, Memorize) and implementations of the user run in the caller.

    Raises
    ------
    HardwareError
        For a mapping of another graph, or inputs that do not fit it; when the executor is shut
        down, or one of its workers dies.

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
    nodes = {name: node for node, name in view.unique_names().items()}
    _check(mapping, nodes)
    data = RunData(view, mapping.works, nodes, inputs)
    run = _MappingRunner(mapping, nodes, data)
    start = perf_counter()
    if executor is not None:
        run.go(executor)
    else:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(max(1, len(run.queues))) as pool:
            run.go(pool)
    seconds = perf_counter() - start
    outputs = tuple(data.result(port) for port in view.get_ordered_outputs())
    steps, transfers = (
        tuple(MeasuredStep(step, begin - start, end - start) for step, begin, end in spent)
        for spent in (run.done, run.moved)
    )
    return MappedRun(outputs, steps, seconds, mapping.seconds, transfers)


class _MappingRunner:
    """Starts steps as soon as their element and data are ready."""

    def __init__(self, mapping: Mapping, nodes: dict[str, Node], data: RunData) -> None:
        self._nodes, self._data = nodes, data
        self._works = {work.name: work for work in mapping.works}
        self._number = {work.name: number for number, work in enumerate(mapping.works)}
        self._left = {work.name: 0 for work in mapping.works}
        self._ended: set[str] = set()
        self.done: list[Spent] = []
        self.moved: list[Spent] = []
        self.queues: dict[str, list[MappingStep]] = {}
        self._transfers: dict[tuple[str, int, str], MappingStep] = {}
        for step in sorted(mapping.steps, key=lambda each: (each.start, each.end)):
            if step.kind == "operation":
                self._left[step.work] += 1
                self.queues.setdefault(step.devices[0], []).append(step)
            else:
                self._transfers[step.work, step.tile, step.name.split()[0]] = step
        for node in nodes.values():
            impl = node.get_operator().get_impl()
            if impl is not None:
                impl.reset_state()

    def go(self, executor: Executor) -> None:
        """Run all operations, each as soon as possible."""
        with Jobs[MappingStep](executor, HardwareError) as jobs:
            self._go(jobs)

    def _go(self, jobs: Jobs[MappingStep]) -> None:
        at = dict.fromkeys(self.queues, 0)
        busy: set[str] = set()
        while True:
            begun = False
            for element, queue in self.queues.items():
                while element not in busy and at[element] < len(queue):
                    step = queue[at[element]]
                    if not set(self._works[step.work].after) <= self._ended:
                        break
                    at[element], begun = at[element] + 1, True
                    if self._begin(step, jobs):
                        busy.add(element)
            if begun:
                continue  # steps computed here may unblock an earlier element
            if not jobs:
                return
            step, result = jobs.next()
            busy.discard(step.devices[0])
            self._end(step, *result)

    def _begin(self, step: MappingStep, jobs: Jobs[MappingStep]) -> bool:
        """Start a step; return whether a worker computes it."""
        work = self._works[step.work]
        try:
            program = self._program(work, step.tile)
        except GraphError:  # cannot be sent to a worker
            self._compute_here(step, work)
            return False
        jobs.start(work.name, step, run_program, program.calls, self._load(step, program))
        return True

    def _load(self, step: MappingStep, program: TileProgram) -> list[Array]:
        """Copy the inputs of a tile, and note the transfer times."""
        arrays: dict[int, Array] = {}
        apart = (step.work, step.tile, "parameters") in self._transfers
        for kind, wanted in (("parameters", True), ("load", False)):
            start = perf_counter()
            for number, (key, region) in enumerate(program.data):
                if (apart and key.node.type() == "Producer") is wanted:
                    arrays[number] = self._data.part(key, region)
            self._note_transfer(step, kind, start)
        return [arrays[number] for number in range(len(arrays))]

    def _note_transfer(self, step: MappingStep, kind: str, start: float) -> None:
        transfer = self._transfers.get((step.work, step.tile, kind))
        if transfer is not None:
            self.moved.append((transfer, start, perf_counter()))

    def _program(self, work: Work, tile: int) -> TileProgram:
        nodes = {name: self._nodes[name] for name in work.nodes}
        if any(_is_computed_here(node) for node in nodes.values()):
            raise GraphError.at(
                work.name,
                "has its own implementation",
                cure='Call set_backend("cpu") for ours, or run the graph with a scheduler.',
            )
        number = self._number[work.name]
        if work.tiling is None:
            return whole_program(list(nodes.values()), self._data.reader(number))
        members = list(nodes.values()) if work.tiling.halo == "cache" else []
        return tile_program(nodes, work.tiling.tiles[tile], self._data.reader(number, members))

    def _compute_here(self, step: MappingStep, work: Work) -> None:
        """Compute a step on the tensors of the graph, in the caller."""
        if work.tiling is not None:
            problem = "is tiled, and has its own implementation"
            raise HardwareError.at(work.name, problem, cure="Take it back with set_impl(None).")
        start, number = perf_counter(), self._number[work.name]
        nodes = [self._nodes[name] for name in work.nodes]
        NodeExecutor(nodes, [_OnGraph(self._data, number, nodes)]).run()
        self._note(step, start, perf_counter())

    def _end(
        self, step: MappingStep, outputs: Sequence[tuple[Array, ...]], begin: float, end: float
    ) -> None:
        work, number, start = self._works[step.work], self._number[step.work], perf_counter()
        if work.tiling is None:
            self._data.keep(self._nodes[work.nodes[-1]], number, outputs[-1])
        else:
            tile = work.tiling.tiles[step.tile]
            pairs = list(zip(tile.parts, outputs, strict=True))
            for part, made in pairs if work.tiling.halo == "cache" else pairs[-1:]:
                self._data.put(self._nodes[part.node], number, part.output, made[0])
        self._note_transfer(step, "store", start)
        self._note(step, begin, end)

    def _note(self, step: MappingStep, start: float, end: float) -> None:
        self.done.append((step, start, end))
        self._left[step.work] -= 1
        if not self._left[step.work]:
            self._ended.add(step.work)


class _OnGraph(Observer):
    """Set the inputs of nodes that run on the tensors of the graph, and keep their outputs."""

    def __init__(self, data: RunData, number: int, nodes: Sequence[Node]) -> None:
        self._data, self._number = data, number
        self._key_of = data.reader(number, nodes)

    def before(self, tick: int, node: Node) -> None:
        """Set the inputs of a node."""
        for index, tensor in enumerate(node.get_operator().get_inputs()):
            port = node.source(index)
            if tensor is None or (port is not None and port.node.type() == "Producer"):
                continue
            key = self._key_of(node, index)
            if key.is_input or self._data.is_known(key):  # back edges are unknown at first
                tensor.set_array(self._data.at(key))

    def after(self, tick: int, node: Node) -> None:
        """Keep the outputs of a node."""
        outputs = node.get_operator().get_outputs()
        made = [tensor.array.copy() for tensor in outputs if tensor.has_data]
        self._data.keep(node, self._number, made)


def _is_computed_here(node: Node) -> bool:
    """Return whether a node keeps a state, or has its own implementation."""
    operator = node.get_operator()
    impl = operator.get_impl()
    if impl is None:
        return False
    generic = isinstance(operator, GenericOperatorOp)
    ours = (
        operator.clone().get_impl()
        if generic
        else make_implementation(operator.backend(), operator)
    )
    keeps_state = isinstance(impl, OperatorImpl) and impl.keeps_state()
    return keeps_state or type(impl) is not type(ours)


def _check(mapping: Mapping, nodes: dict[str, Node]) -> None:
    """Check that the mapping belongs to the graph, and that the graph has a backend."""
    need_nodes(mapping, nodes)
    names = [name for work in mapping.works for name in work.nodes]
    if any(not nodes[name].get_operator().backend() for name in names):
        raise HardwareError.at(
            "run_mapping", "the graph has no backend", cure='Call set_backend("cpu").'
        )
