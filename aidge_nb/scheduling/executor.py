"""Fire nodes on the tensors of their graph, with observers: the core of all recorded runs.

The runtime binds it to the arena of a memory plan, the export records the values of a program with
it, and workers of a mapped network run their tiles with it.

One thread at a time: the tensors of a graph, the consumer-producer state of its operators and the
memory of its implementations exist once. Two passes at a time would mix their values, so scheduling
or running nodes that another thread uses is refused at once: it does not wait, and cannot block.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock, get_ident
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import SchedulingError, ShapeError
from aidge_nb.core.values import dataclass
from aidge_nb.graph.node import Node, Port
from aidge_nb.scheduling.model.conditional import CONDITION
from aidge_nb.scheduling.model.impl import OperatorImpl

if TYPE_CHECKING:
    from aidge_nb.graph.operator import Operator
    from aidge_nb.graph.view import GraphView
    from aidge_nb.memory.values.plan import Buffer

_LOCK = Lock()
_THREAD_OF: dict[Node, int] = {}
"""The threads that use nodes now."""


@contextmanager
def occupied(nodes: Collection[Node], graph: str = "") -> Iterator[None]:
    """Keep nodes for this thread within a block; a thread may enter again what it keeps.

    Raise SchedulingError when another thread keeps one of them.

    Parameters
    ----------
    nodes
        The nodes of a graph, or some of them.
    graph
        The name of the graph, for the message.

    Examples
    --------
    >>> import aidge_nb
    >>> with occupied([aidge_nb.ReLU("relu")]):
    ...     print("only this thread")
    only this thread
    """
    here = get_ident()
    with _LOCK:
        keepers = [(node, _THREAD_OF.get(node)) for node in nodes]
        other = next((node for node, keeper in keepers if keeper not in (None, here)), None)
        if other is None:
            mine = [node for node, keeper in keepers if keeper is None]
            _THREAD_OF.update(dict.fromkeys(mine, here))
    if other is not None:
        raise SchedulingError.at(
            f"graph {graph or '(unnamed)'}",
            f"another thread is scheduling or running it, with {other.label}",
            cure="Give each thread its own copy, graph.clone(), and a scheduler for it; "
            "or one PreparedRun per thread.",
        )
    try:
        yield
    finally:
        with _LOCK:
            for node in mine:
                del _THREAD_OF[node]


Array = NDArray[Any]


def start_pass(view: GraphView) -> None:
    """Reset the state of all operators, and request the optional outputs that are read."""
    results = set(view.get_ordered_outputs())
    for node in view.get_nodes():
        operator = node.get_operator()
        impl = operator.get_impl()
        if impl is not None:
            impl.reset_state()
        if isinstance(impl, OperatorImpl):
            impl.needs_optional_outputs = any(
                node.output(index) or Port(node, index) in results
                for index in operator.spec.optional_outputs
            )


def chosen_input(select: Operator) -> int:
    """Return the number, from 0, of the data input that a Select takes in this pass."""
    tensor = select.get_input(0)
    if tensor is None or not tensor.has_data or tensor.array.size == 0:
        raise ShapeError.at(f"{select.label}, input#0", "the condition has no data")
    index = int(tensor.array.reshape(-1)[0])
    if not 0 <= index < select.nb_inputs - 1:
        raise ShapeError.at(
            f"{select.label}, input#0",
            "the condition names no input",
            expected=f"0 to {select.nb_inputs - 2}",
            found=index,
        )
    return index


def is_needed(node: Node) -> bool:
    """Tell whether a node runs in this pass: some Select takes the branch that it is on."""
    conditions: set[tuple[Node, int]] = node.annotations.get(CONDITION, set())
    return not conditions or any(
        is_needed(select) and chosen_input(select.get_operator()) == number
        for select, number in conditions
    )


@dataclass(frozen=True, slots=True, eq=False)
class Access:
    """A value that a firing reads or writes.

    Attributes
    ----------
    tick, node, index
        The firing, and the number of the input or output.
    value
        The array; None for an input that the node need not read, since its output lies there.
    buffer
        Where it lies; None outside of the arena.
    scratch
        Bytes that the kernel computed outside of the arena, to be copied there.
    cut
        Cuts the part that lies in ``buffer`` out of an array of the whole output; None for all.
    """

    tick: int
    node: Node
    index: int
    value: Array | None
    buffer: Buffer | None = None
    scratch: int = 0
    cut: Callable[[Array], Array] | None = None


class Observer:
    """Follow what an executor does; this one ignores everything."""

    def before(self, tick: int, node: Node) -> None:
        """Called before a node reads, also when it is skipped."""

    def reads(self, access: Access) -> None:
        """Called for each input, before the node computes."""

    def writes(self, access: Access) -> None:
        """Called for each output, after it was written."""

    def after(self, tick: int, node: Node) -> None:
        """Called after a node ran."""


class NodeExecutor:
    """Fire nodes one after the other on the tensors of their graph, notifying observers.

    Parameters
    ----------
    order
        The node of each tick.
    observers
        Who is notified, in this order.
    """

    def __init__(self, order: Sequence[Node], observers: Sequence[Observer] = ()) -> None:
        self.order = order
        self.observers = observers

    def run(self) -> None:
        """Fire all ticks.

        Raise SchedulingError when another thread runs one of the nodes.
        """
        with occupied(self.order):
            for tick in range(len(self.order)):
                self.fire(tick)

    def fire(self, tick: int) -> None:
        """Fire one tick; ticks come one after the other."""
        node = self.order[tick]
        for observer in self.observers:
            observer.before(tick, node)
        if node.type() == "Producer":
            self._load(tick)
        elif is_needed(node):
            self._read(tick, node)
            with np.errstate(all="ignore"):
                self._compute(tick, node)
            self._write(tick, node)
            for observer in self.observers:
                observer.after(tick, node)

    def _load(self, tick: int) -> None:
        """Load what a Producer holds; here it is in its tensor already."""

    def _read(self, tick: int, node: Node) -> None:
        for index, tensor in enumerate(node.get_operator().get_inputs()):
            if tensor is not None and tensor.has_data:
                self._notify_read(Access(tick, node, index, tensor.array))

    def _compute(self, tick: int, node: Node) -> None:
        node.forward()

    def _write(self, tick: int, node: Node) -> None:
        for index, tensor in enumerate(node.get_operator().get_outputs()):
            if tensor.has_data:
                self._notify_write(Access(tick, node, index, tensor.array))

    def _notify_read(self, access: Access) -> None:
        for observer in self.observers:
            observer.reads(access)

    def _notify_write(self, access: Access) -> None:
        for observer in self.observers:
            observer.writes(access)
