"""Turn a graph and one order of its firings into an order problem.

Live ranges, views and overwriting follow the rules of ``aidge_nb.memory.live.liveness``, which
covers one given order. Here they are stated for all orders at once: a block is free when a *set*
of firings ran. Tests compare the two on random orders.

A node that fires several times keeps its turns with the nodes that it reads, as in the given order,
so that the data read by a firing do not depend on the chosen order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from aidge_nb.core.errors import SchedulingError
from aidge_nb.core.values import dataclass
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.spec import CpModel
from aidge_nb.scheduling.model.conditional import condition_nodes
from aidge_nb.scheduling.model.impl import adds_up
from aidge_nb.scheduling.model.prod_conso import later_reads
from aidge_nb.scheduling.order.problem import START, MemoryBlock, OrderProblem

if TYPE_CHECKING:
    from aidge_nb.core.tensor import Tensor
    from aidge_nb.graph.view import GraphView


@dataclass(frozen=True, slots=True)
class FiringOrder:
    """An order problem, and the firings that its tasks stand for.

    Attributes
    ----------
    problem
        The problem; the order of its numbers is the given order.
    positions
        For each task the position of its firing in the given order.
    givers
        The position of each Producer that is not a task, with the tasks that read it.
    repeats
        True when a node fires several times.
    """

    problem: OrderProblem
    positions: tuple[int, ...]
    givers: tuple[tuple[int, tuple[int, ...]], ...]
    repeats: bool

    def firings(self, order: Sequence[int]) -> list[int]:
        """Return the positions of all firings in an order of the tasks; Producers run when read."""
        rank = {task: place for place, task in enumerate(order)}
        givers: dict[int, list[int]] = {}
        for position, readers in self.givers:
            first = min((rank[task] for task in readers), default=len(order))
            givers.setdefault(first, []).append(position)
        found: list[int] = []
        for place, task in enumerate(order):
            found += [*givers.get(place, ()), self.positions[task]]
        return found + givers.get(len(order), [])


def firing_order(
    view: GraphView,
    order: Sequence[Node],
    *,
    inc_producers: bool = False,
    inc_inputs: bool = False,
    in_place: bool = True,
    alignment: int = 1,
) -> FiringOrder:
    """State the problem of ordering the firings of a graph.

    Parameters
    ----------
    view
        The graph, with known dimensions.
    order
        The node of each firing, in an order that can be executed.
    inc_producers, inc_inputs
        Count the memory of Producers (parameters) and of graph inputs.
    in_place
        Let outputs overwrite inputs where ``OpSpec.in_place`` permits it.
    alignment
        Sizes are rounded up to a multiple of it, in bytes.
    """
    stranger = next((node for node in order if node not in view), None)
    if stranger is not None:
        raise SchedulingError.at(
            stranger.label,
            "is in the order but not in the graph",
            cure="Schedule this graph, and order what was scheduled.",
        )
    times: dict[Node, int] = {}
    for node in order:
        times[node] = times.get(node, 0) + 1

    def is_task(node: Node) -> bool:
        return inc_producers or node.type() != "Producer" or times[node] > 1

    positions = tuple(p for p, node in enumerate(order) if is_task(node))
    tasks = [order[position] for position in positions]
    walk = _FiringWalk(view, tasks, in_place, alignment, inc_producers)
    if inc_inputs:
        walk.add_inputs()
    for task, node in enumerate(tasks):
        walk.execute(task, node)
    givers = tuple(
        (position, tuple(task for reads in walk.reads(node) for task in reads))
        for position, node in enumerate(order)
        if not is_task(node)
    )
    repeats = any(count > 1 for count in times.values())
    return FiringOrder(walk.problem(), positions, givers, repeats)


@dataclass(slots=True)
class _BlockDraft:
    """A block under construction."""

    size: int
    writer: int
    users: int = 0
    kept: bool = False
    parameter: bool = False


@dataclass(frozen=True, slots=True)
class _Written:
    """The last write to an output: its block, unrounded bytes, and the task that completes it."""

    block: int
    size: int
    whole: int


class _FiringWalk:
    """Go through the firings and collect their blocks."""

    def __init__(
        self,
        view: GraphView,
        tasks: Sequence[Node],
        in_place: bool,
        alignment: int,
        inc_producers: bool,
    ) -> None:
        self._view, self._tasks = view, tasks
        self._in_place, self._alignment = in_place, alignment
        self._inc_producers = inc_producers
        self._outputs = set(view.get_ordered_outputs())
        self._firings: dict[Node, list[int]] = {}
        for task, node in enumerate(tasks):
            self._firings.setdefault(node, []).append(task)
        self._done: dict[Node, int] = {}
        self._current: dict[object, _Written] = {}
        self._blocks: list[_BlockDraft] = []
        self._overwrites: list[tuple[int, ...]] = []

    def problem(self) -> OrderProblem:
        blocks = tuple(MemoryBlock(b.size, b.writer, b.users, b.kept) for b in self._blocks)
        return OrderProblem(tuple(self._before()), blocks, tuple(self._overwrites))

    def _before(self) -> list[int]:
        """Let each firing follow the last firings of its parents, its readers and its own node."""
        last: dict[Node, int] = {}
        before = []
        decided: dict[Node, list[Node]] = {}
        for node in self._firings:
            for condition in condition_nodes(node):
                decided.setdefault(condition, []).append(node)
        for task, node in enumerate(self._tasks):
            near = [node, *node.get_parents(), *node.get_children()]
            near += [*condition_nodes(node), *decided.get(node, ())]
            mask = 0
            for other in near:
                if other is not None and other in last:
                    mask |= 1 << last[other]
            before.append(mask)
            last[node] = task
        return before

    def reads(self, node: Node, index: int = 0) -> list[list[int]]:
        """Return the firings of each node that reads an output."""
        children = dict.fromkeys(port.node for port in node.output(index))
        return [self._firings[child] for child in children if child in self._firings]

    # --- blocks -----------------------------------------------------------------------------

    def add_inputs(self) -> None:
        """Add blocks for the inputs of the graph, live from the start."""
        for group in self._view.get_input_groups():
            first = group[0]
            tensor = first.node.get_operator().get_input(first.index)
            reads = [task for port in group for task in self._firings.get(port.node, ())]
            if tensor is not None and reads:
                size = _bytes_of(tensor, f"{first.node.label}, input#{first.index}")
                self._write(id(tensor), _BlockDraft(size, START, _mask(reads)), size, -1)

    def execute(self, task: int, node: Node) -> None:
        """Add the blocks that one firing writes."""
        execution = self._done.get(node, 0)
        self._done[node] = execution + 1
        self._overwrites.append(())
        if node.type() == "Producer":
            if self._inc_producers and not execution:
                users = _mask(each for reads in self.reads(node) for each in reads)
                size = _output_bytes(node, 0)
                kept = Port(node, 0) in self._outputs
                draft = _BlockDraft(size, task, _from(users, task), kept, parameter=True)
                self._write(Port(node, 0), draft, size, -1)
            return
        operator = node.get_operator()
        for index in range(node.get_nb_outputs()):
            port = Port(node, index)
            is_read = port in self._outputs or bool(node.output(index))
            if operator.may_leave_out(index) and not is_read:
                continue
            is_one = adds_up(port)
            if not (is_one and execution):
                self._add_output(task, port, 0 if is_one else execution, is_one)

    def _add_output(self, task: int, port: Port, execution: int, grows: bool) -> None:
        node, index = port
        firings = self._firings[node]
        is_last = grows or execution == len(firings) - 1
        size, users = _output_bytes(node, index), 0
        if not (kept := is_last and port in self._outputs):
            users = self._users(port, task, execution, grows)
        if grows:
            users |= _mask(firings)
        whole = firings[-1] if grows else task
        source = self._seen_by(task, node, size) if index == 0 else self._twin(task, node, size)
        if source is not None:
            block = self._blocks[source]
            block.users |= _from(users, task) | 1 << task
            block.kept |= kept
            self._current[port] = _Written(source, size, whole)
            return
        if index == 0 and self._in_place:
            self._overwrites[-1] = tuple(self._may_overwrite(node, size))
        self._write(port, _BlockDraft(size, task, _from(users, task), kept), size, whole)

    def _write(self, key: object, draft: _BlockDraft, size: int, whole: int) -> None:
        draft.size = -(-size // self._alignment) * self._alignment
        self._current[key] = _Written(len(self._blocks), size, whole)
        self._blocks.append(draft)

    def _users(self, port: Port, task: int, execution: int, grows: bool) -> int:
        """Return the mask of the firings that read the output of one execution."""
        writes = [task] if grows else self._firings[port.node]
        waits = port.node.get_operator().spec.cp is not CpModel.MEMORIZE
        mask = 0
        for reads in self.reads(*port):
            mask |= _mask(later_reads(reads, writes, execution, len(self._tasks), waits))
        return mask

    # --- shared memory ----------------------------------------------------------------------

    def _read_by(self, node: Node, index: int) -> _Written | None:
        if index >= node.get_nb_inputs():
            return None
        port = node.source(index)
        if port is not None and port in self._current:
            return self._current[port]
        return self._current.get(id(node.get_operator().get_input(index)))

    def _seen_by(self, task: int, node: Node, size: int) -> int | None:
        """Return the block that an output is a view of, or None."""
        if node.get_operator().spec.is_view and node.get_nb_inputs():
            source = self._read_by(node, 0)
            if source is not None and source.size == size and source.whole < task:
                return source.block
        return None

    def _twin(self, task: int, node: Node, size: int) -> int | None:
        """Return the block of the first output of a Memorize: both outputs are one value."""
        first = self._current.get(Port(node, 0))
        if node.get_operator().spec.cp is not CpModel.MEMORIZE or first is None:
            return None
        is_one = first.size == size and self._blocks[first.block].writer == task
        return first.block if is_one else None

    def _may_overwrite(self, node: Node, size: int) -> list[int]:
        found = []
        overwrites = node.get_operator().spec.in_place
        reads = [self._read_by(node, index) for index in range(node.get_nb_inputs())]
        for index in overwrites:
            source = reads[index] if index < len(reads) else None
            if source is None or source.size != size or self._blocks[source.block].parameter:
                continue
            if all(
                other is None
                or other.block != source.block
                or (other is source and number in overwrites)
                for number, other in enumerate(reads)
            ):
                found.append(source.block)
        return list(dict.fromkeys(found))


def _mask(tasks: Iterable[int]) -> int:
    mask = 0
    for task in tasks:
        mask |= 1 << task
    return mask


def _from(users: int, task: int) -> int:
    """Remove the tasks that ran before a block was written."""
    return users >> task << task


def _output_bytes(node: Node, index: int) -> int:
    return _bytes_of(node.get_operator().get_output(index), f"{node.label}, output#{index}")


def _bytes_of(tensor: Tensor, where: str) -> int:
    if tensor.undefined():
        raise SchedulingError.at(
            where,
            "cannot tell how much memory an order needs: its dimensions are unknown",
            cure="Call forward_dims() with the dimensions of the graph inputs first, and with "
            "allow_data_dependency=True if shapes depend on constants.",
        )
    return tensor.nbytes
