"""Run a model inside the arena of its memory plan, and record what each firing does there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike, NDArray

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.node import Node
from aidge_nb.runtime.arena.executor import ArenaExecutor, loaded_first
from aidge_nb.runtime.passes import kept_tensors, set_inputs
from aidge_nb.scheduling.executor import Access, Observer, occupied, start_pass

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView
    from aidge_nb.memory import Buffer, MemoryPlan

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class FiringCheck:
    """The effect of one execution on the arena.

    Attributes
    ----------
    tick, node
        The tick, and the name of the node.
    reads, writes
        Names of the buffers that it read and wrote.
    poisoned
        Bytes that were poisoned before.
    scratch
        Bytes of outputs that the kernel computed outside of the arena, to be copied there.
    """

    tick: int
    node: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    poisoned: int
    scratch: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ArenaRun:
    """The outputs of a model that ran in its arena, and what happened there.

    Attributes
    ----------
    outputs
        Copies of the outputs of the graph, in their order.
    arena_bytes
        Size of the arena, the planned peak.
    touched
        The highest byte that was written, plus one.
    firings
        What each execution did.
    """

    outputs: tuple[Array, ...]
    arena_bytes: int
    touched: int
    firings: tuple[FiringCheck, ...]

    @property
    def scratch(self) -> int:
        """The most bytes that a firing computed outside of the arena."""
        return max((firing.scratch for firing in self.firings), default=0)

    def __repr__(self) -> str:
        return (
            f"ArenaRun({len(self.firings)} firings, touched {self.touched} of "
            f"{self.arena_bytes} bytes, scratch {self.scratch} bytes)"
        )


def run_in_arena(
    graph: GraphView,
    plan: MemoryPlan,
    inputs: Sequence[Tensor | ArrayLike] | None = None,
    *,
    poison: bool = True,
    observers: Sequence[Observer] = (),
) -> ArenaRun:
    """Run a model inside one block of bytes, each value where its plan puts it.

    Parameters
    ----------
    graph
        The graph, with a backend and with the dimensions for which it was planned. Its tensors are
        restored at the end.
    plan
        A plan of :func:`aidge_nb.memory.plan_memory` with any options, or one of the memory
        manager's layouts.
    inputs
        Data for the inputs of the graph, in their order, as a list; by default what they hold.
    poison
        Whether bytes that hold no value are poisoned before each firing.
    observers
        Notified of each firing and of the values that it reads and writes.

    Returns
    -------
    ArenaRun
        The outputs, and what each firing did to the arena.

    Raises
    ------
    MemoryPlanError
        When the plan does not fit this graph and these dimensions, when ``inputs`` is not a list or
        has too few entries, or when a firing writes beyond the arena.
    SchedulingError
        When another thread schedules or runs the graph.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.Tanh(name="b")])
    >>> view.set_backend("cpu")
    >>> view.forward_dims([[2]])
    True
    >>> run = run_in_arena(view, aidge_nb.plan_memory(view, view.topological_order()), [[-1.0, 0]])
    >>> run, run.outputs[0].tolist()
    (ArenaRun(2 firings, touched 8 of 8 bytes, scratch 0 bytes), [0.0, 0.0])
    """
    executor = ArenaExecutor(graph, plan)
    record = _Record(executor, poison)
    executor.observers = (record, *observers)
    with occupied(graph.get_nodes(), graph.name()), kept_tensors(graph):
        set_inputs(graph, inputs)
        start_pass(graph)
        executor.run()
        outputs = executor.outputs()
    return ArenaRun(outputs, plan.peak, executor.arena.touched, record.firings())


class _Record(Observer):
    """Poison what holds no value before each firing, check the fence after it, and take notes."""

    def __init__(self, executor: ArenaExecutor, poison: bool) -> None:
        self._plan, self._arena, self._poison = executor.plan, executor.arena, poison
        self._living: list[Buffer] = []
        self._starting: dict[int, list[Buffer]] = {}
        first = {buffer.name for buffer in loaded_first(self._plan)}
        for buffer in self._plan.buffers:
            tick = buffer.lower + (buffer.name not in first)  # others live once they are written
            self._starting.setdefault(tick, []).append(buffer)
        self._poisoned: list[int] = []
        self._scratch: list[int] = []
        self._reads: list[list[str]] = []
        self._writes: list[list[str]] = []

    def before(self, tick: int, node: Node) -> None:
        """Poison the bytes without a value, and begin a note."""
        self._living += self._starting.get(tick, ())
        self._living = [buffer for buffer in self._living if buffer.upper > tick]
        self._poisoned.append(self._arena.poison_all_but(self._living) if self._poison else 0)
        self._scratch.append(0)
        self._reads.append([])
        self._writes.append([])

    def reads(self, access: Access) -> None:
        """Note the buffer that was read."""
        if access.buffer is not None:
            self._reads[-1].append(access.buffer.name)

    def writes(self, access: Access) -> None:
        """Note the buffer that was written, and the bytes computed elsewhere."""
        self._scratch[-1] += access.scratch
        if access.buffer is not None:
            self._writes[-1].append(access.buffer.name)

    def after(self, tick: int, node: Node) -> None:
        """Check the bytes after the arena."""
        if not self._arena.fence_stands():
            raise MemoryPlanError.at(f"tick {tick}, {node.label}", "wrote beyond the arena")

    def firings(self) -> tuple[FiringCheck, ...]:
        """Return the notes."""
        notes = zip(
            self._plan.order, self._reads, self._writes, self._poisoned, self._scratch, strict=True
        )
        return tuple(
            FiringCheck(tick, node, tuple(reads), tuple(writes), poisoned, scratch)
            for tick, (node, reads, writes, poisoned, scratch) in enumerate(notes)
        )
