"""List the tasks of a schedule: nodes, buffers and dependencies of each.

A group of nodes becomes a task: one execution of a node, nodes tiled together, or a node with the
in-place operators after it (normalisations, activations), which need no transfers of their own. An
operator that fewer elements run than the node before it begins a group of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from aidge_nb.core.errors import HardwareError
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView
from aidge_nb.hardware.map.jobs import data_type, outputs_of
from aidge_nb.hardware.steps import Function
from aidge_nb.hardware.targets.parts import Element
from aidge_nb.memory import Liveness, Storage, Value, live_values
from aidge_nb.ops.coded import kind_of
from aidge_nb.scheduling import StaticSchedule
from aidge_nb.tiling import Tiling
from aidge_nb.tiling.rules import can_tile


@dataclass(frozen=True, slots=True)
class HomeBuffer:
    """Values that share bytes in the memory of whole tensors.

    ``users`` are the tasks, by number, that read or write it. Graph inputs are present from the
    beginning; graph outputs are kept to the end.
    """

    name: str
    size: int
    users: tuple[int, ...]
    holds: tuple[str, ...]
    is_input: bool = False
    is_kept: bool = False


@dataclass(eq=False, slots=True)
class Task:
    """Nodes computed together."""

    # number, name: position in the order, and a unique name
    number: int
    name: str
    # nodes, functions: the nodes in order, and their computations
    nodes: tuple[Node, ...]
    functions: tuple[Function, ...]
    after: set[int] = field(default_factory=set)  # numbers of the tasks that must end before
    # inputs, outputs: names of buffers
    inputs: dict[str, None] = field(default_factory=dict)
    outputs: dict[str, None] = field(default_factory=dict)
    parameters: dict[str, int] = field(default_factory=dict)  # bytes by the name of the Producer
    tiling: Tiling | None = None  # the given tiling, if any


@dataclass(frozen=True, eq=False)
class TaskList:
    """All tasks in schedule order, and the buffers between them."""

    view: GraphView
    tasks: tuple[Task, ...]
    buffers: tuple[HomeBuffer, ...]


def task_list(
    view: GraphView,
    schedule: StaticSchedule | Sequence[Node] | None = None,
    tilings: Sequence[Tiling] = (),
    elements: Sequence[Element] = (),
) -> TaskList:
    """List the tasks of a graph with known dimensions, for these elements.

    Raise HardwareError when a tiling or a schedule belongs to another graph. The order is
    topological by default; each tiling names nodes to tile together.
    """
    if not isinstance(view, GraphView):
        raise HardwareError.at(
            "mapping",
            "needs the graph",
            expected="GraphView",
            found=type(view).__name__,
            cure="Pass what load_onnx() or sequential() gave.",
        )
    groups = grouped(view, order_of(view, schedule), tilings, elements)
    order = [node for members, _ in groups for node in members]
    joined = [node for node in order if node.type() in ("Slice", "Split", "Concat")]
    live = live_values(view, order, inc_inputs=True, without_copy=joined)
    return _TaskListBuilder(view, groups, live).build()


class _TaskListBuilder:
    """Follows the order, and notes the readers and writers of values."""

    def __init__(self, view: GraphView, groups: Sequence[Group], live: Liveness) -> None:
        self.view, self.groups, self.storages = view, groups, live.storages
        self.names = view.unique_names()
        self._storage: dict[Value, Storage] = {}
        self._born: dict[tuple[str, int, int], Value] = {}
        self._given: dict[tuple[str, int], Value] = {}
        for storage in self.storages:
            for value in storage.values:
                self._storage[value] = storage
                if value.kind == "input":
                    self._given[value.node, value.output] = value
                else:
                    self._born[value.node, value.output, value.lower] = value
        self._name_of = {id(storage): storage.values[0].name for storage in self.storages}
        self._latest: dict[Port, Value] = {}
        self._users: dict[int, list[tuple[Value, set[int]]]] = {}
        self._made: dict[Value, set[int]] = {}
        self._repeats: Counter[Node] = Counter()

    def build(self) -> TaskList:
        """Make the tasks and the buffers."""
        tasks: list[Task] = []
        last_of: dict[Node, int] = {}
        tick = 0
        for nodes, tiling in self.groups:
            ticks = range(tick, tick + len(nodes))
            tick = ticks.stop
            if len(nodes) == 1 and self._is_free(ticks[0], nodes[0]):
                self._pass_on(ticks[0], nodes[0])
                continue
            task = self._task(len(tasks), nodes, tiling)
            for each, node in zip(ticks, nodes, strict=True):
                self._follow(task, each, node, ticks)
            task.after |= {last_of[each] for each in nodes if each in last_of}
            task.after.discard(task.number)
            last_of.update(dict.fromkeys(nodes, task.number))
            tasks.append(task)
        buffers = tuple(self._buffers())
        known = {buffer.name for buffer in buffers}
        for task in tasks:  # its private values lie in working memory
            task.inputs = {name: None for name in task.inputs if name in known}
            task.outputs = {name: None for name in task.outputs if name in known}
        return TaskList(self.view, tuple(tasks), buffers)

    def _is_free(self, tick: int, node: Node) -> bool:
        if node.get_operator().spec.is_view:
            return True
        value = self._born.get((self.names[node], 0, tick))
        return value is not None and (value.view_of is not None or bool(value.made_of))

    def _task(self, number: int, nodes: list[Node], tiling: Tiling | None) -> Task:
        functions = []
        for node in nodes:
            operator = node.get_operator()
            elements = sum(output.size for output in outputs_of(node))
            name = self.names[node]
            kind, macs = kind_of(node), operator.macs() or 0
            functions.append(Function(name, kind, macs, elements, data_type(node)))
        first, repeats = self.names[nodes[0]], self._repeats[nodes[0]]
        self._repeats.update(nodes)
        name = f"{first}[{repeats}]" if repeats else first
        return Task(number, name, tuple(nodes), tuple(functions), tiling=tiling)

    def _read(self, node: Node) -> Iterator[tuple[Node, Value | None]]:
        """List what feeds each input: a Producer, or a node and its current value."""
        for index in range(node.get_nb_inputs()):
            port = node.source(index)
            if port is not None and port.node.type() == "Producer":
                yield port.node, None
            elif port is not None:
                if (value := self._latest.get(port)) is not None:
                    yield port.node, value
            elif (given := self._input(node, index)) is not None:
                yield node, given

    def _input(self, node: Node, index: int) -> Value | None:
        """Return the value of a graph input, which several nodes may read."""
        for group in self.view.get_input_groups():
            if any(port.node is node and port.index == index for port in group):
                return self._given.get((self.names[group[0].node], group[0].index))
        return None

    def _follow(self, task: Task, tick: int, node: Node, members: range) -> None:
        """Note buffers and predecessors of a task that follow from one of its nodes."""
        for source, value in self._read(node):
            if value is None:
                tensor = source.get_operator().get_output(0)
                task.parameters[self.names[source]] = tensor.nbytes
                continue
            if value.lower in members and value.kind != "input":
                continue  # made inside the task
            task.after |= self._made.get(value, set())
            task.inputs[self._name_of[id(self._storage[value])]] = None
            self._use(value, task.number)
        for index in range(node.get_nb_outputs()):
            value = self._born.get((self.names[node], index, tick))
            if value is None:
                continue
            storage = self._storage[value]
            for other, users in self._users.get(id(storage), ()):
                if _overlap(value, other):
                    task.after |= users
            self._latest[Port(node, index)] = value
            self._made[value] = {task.number}
            self._use(value, task.number)
            task.outputs[self._name_of[id(storage)]] = None

    def _pass_on(self, tick: int, node: Node) -> None:
        """Note that a view has the bytes of its input."""
        sources = [value for _, value in self._read(node) if value is not None]
        for index in range(node.get_nb_outputs()):
            value = self._born.get((self.names[node], index, tick))
            if value is not None:
                self._latest[Port(node, index)] = value
                self._made[value] = set().union(*(self._made.get(s, set()) for s in sources))

    def _use(self, value: Value, number: int) -> None:
        users = self._users.setdefault(id(self._storage[value]), [])
        for other, numbers in users:
            if other is value:
                numbers.add(number)
                return
        users.append((value, {number}))

    def _buffers(self) -> Iterator[HomeBuffer]:
        for storage in self.storages:
            used = {n for _, numbers in self._users.get(id(storage), ()) for n in numbers}
            is_input = storage.values[0].kind == "input"
            kept = any(value.is_kept for value in storage.values)
            if not used or (len(used) == 1 and not kept and not is_input):
                continue
            names = tuple(value.name for value in storage.values)
            size = storage.live_range.size
            name = self._name_of[id(storage)]
            yield HomeBuffer(name, size, tuple(sorted(used)), names, is_input, kept)


def _overlap(one: Value, other: Value) -> bool:
    """Return whether two values of a storage share bytes."""
    if not (one.levels or other.levels):
        return one.start < other.start + other.size and other.start < one.start + one.size
    mine, others = one.at(0).intervals, other.at(0).intervals
    return any(a < d and c < b for a, b in mine for c, d in others)


Group = tuple[list[Node], Tiling | None]
"""Nodes in order, and their given tiling."""

_MANY = 20_000


def order_of(view: GraphView, schedule: StaticSchedule | Sequence[Node] | None) -> list[Node]:
    """Return the nodes in the order of a schedule, by default topological.

    Raise HardwareError for a schedule of another graph, or one that is too long.
    """
    if schedule is None:
        schedule = view.topological_order()
    elif isinstance(schedule, StaticSchedule):
        by_name = {name: node for node, name in view.unique_names().items()}
        missing = [name for name in schedule.order if name not in by_name]
        if missing:
            problem = "is of another graph"
            cure = "Schedule this one: static_schedule(view)."
            found = f"no node called {missing[0]}"
            raise HardwareError.at("schedule", problem, found=found, cure=cure)
        schedule = [by_name[name] for name in schedule.order]
    given: Sequence[object] = schedule
    for node in given:
        if not isinstance(node, Node) or node not in view:
            problem = "lists nodes of this graph"
            found = node.label if isinstance(node, Node) else repr(node)
            cure = "Take view.topological_order(), or static_schedule(view)."
            raise HardwareError.at("schedule", problem, found=found, cure=cure)
    order = [node for node in schedule if node.type() != "Producer"]
    if len(order) > _MANY:
        problem = "the schedule is too long to be mapped execution by execution"
        raise HardwareError.at(
            "map_schedule", problem, expected=_MANY, found=len(order), cure="Map one round of it."
        )
    return order


def grouped(
    view: GraphView,
    order: Sequence[Node],
    tilings: Sequence[Tiling],
    elements: Sequence[Element] = (),
) -> list[Group]:
    """Group nodes into tasks; a tiled group takes the place of its last node.

    Raise HardwareError for tilings of another graph, or two tilings of one node.
    """
    ends = _ends(view, order, tilings)
    taken = {node for members, _ in ends.values() for node in members}
    results = set(view.get_ordered_outputs())
    counts = Counter(order)
    groups: list[Group] = []
    for node in order:
        if node in ends:
            groups.append(ends[node])
        elif node not in taken or counts[node] > 1:
            members = [node]
            while (following := _follower(members[-1], results)) is not None:
                if following in taken or counts[following] != 1 or counts[node] != 1:
                    break
                kind = kind_of(following)
                if not all(e.runs(kind) for e in elements if e.runs(kind_of(node))):
                    break
                members.append(following)
            taken |= set(members)
            groups.append((members, None))
    return groups


def _ends(view: GraphView, order: Sequence[Node], tilings: Sequence[Tiling]) -> dict[Node, Group]:
    """Return the group of each tiling, by the last of its nodes."""
    by_name = {name: node for node, name in view.unique_names().items()}
    place = {node: number for number, node in reversed(list(enumerate(order)))}
    found: dict[Node, Group] = {}
    taken: set[Node] = set()
    for tiling in tilings:
        if not isinstance(tiling, Tiling):
            cure = "Pass what plan_tiling() gave, or best.plan(view) of a search."
            raise HardwareError.at("tilings", "must be Tilings", found=repr(tiling), cure=cure)
        if not set(tiling.nodes) <= set(by_name):
            raise HardwareError.at(
                "tiling",
                "belongs to another graph, or was applied already",
                found=", ".join(tiling.nodes),
                cure="Plan it for this graph, before it is applied.",
            )
        members = [by_name[name] for name in tiling.nodes]
        left = [node.label for node in members if node not in place]
        if left:
            problem, cure = "tiles nodes that are not in the schedule", "Schedule the whole graph."
            raise HardwareError.at("tiling", problem, found=", ".join(left), cure=cure)
        if not taken.isdisjoint(members):
            problem = "shares a node with another tiling"
            raise HardwareError.at(
                f"tiling of {tiling.nodes[-1]}", problem, cure="Leave one of them out."
            )
        taken.update(members)
        found[max(members, key=place.__getitem__)] = (members, tiling)
    return found


def _follower(node: Node, results: set[Port]) -> Node | None:
    """Return the only reader of a node, if it works in place and reads only parameters besides."""
    readers = node.output(0)
    if len(readers) != 1 or Port(node, 0) in results or node.get_nb_outputs() != 1:
        return None
    following, index = readers[0].node, readers[0].index
    operator = following.get_operator()
    others = [parent.node for _, parent in following.edges_in() if parent.node is not node]
    source, result = operator.get_input(index), operator.get_output(0)
    works_there = index in operator.spec.overwrites and not operator.spec.is_view
    if not works_there or not can_tile(following) or source is None or source.undefined():
        return None
    if any(each.type() != "Producer" for each in others) or source.nbytes != result.nbytes:
        return None
    return following
