"""Find live ranges in an order of executions.

A tick is one execution. Each execution of a node writes a *value* per output; it lives until the
last execution that reads it. Two ways to share memory are found here, and both hold for an
executor that computes whole tensors:

- a *view* (``OpSpec.is_view``: Reshape, Flatten, ...) is its input under other dimensions;
- an output may be written *in place* of an input where the operator's declaration permits it
  (``OpSpec.in_place``), the input has as many bytes, and nothing in its memory is read later.

A third one on demand: *parts*. What Slice and Split cut out may stay where it is, and inputs of
Concat may be computed at their place in the result (:mod:`aidge_nb.memory.live.sharing`). An output
may then be written over a part while other parts are still needed, so that an element-wise layer in
tiles takes no more memory than in one piece (:mod:`aidge_nb.memory.live.sharing`). Parts can
take more memory than copies, so the caller names the nodes.

This is stricter than the protected amounts of the consumer-producer model on which
:func:`aidge_nb.memory.generate_memory` builds as Aidge does: those speak of hardware that streams.

Values that share memory form a *storage*; a planner places storages.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from aidge_nb.memory.live.facts import (
    Changes,
    Lifetimes,
    Schedule,
    Setting,
    check_order,
    nodes_in_order,
)
from aidge_nb.memory.live.sharing import Avoid
from aidge_nb.memory.live.walk import SharingWalk
from aidge_nb.memory.values.options import PlanOptions
from aidge_nb.memory.values.storages import Liveness

if TYPE_CHECKING:
    from aidge_nb.graph import GraphView, Node


def live_values(
    graph: GraphView,
    schedule: Schedule | None = None,
    options: PlanOptions | None = None,
    *,
    without_copy: Collection[Node] = (),
    **changes: Any,
) -> Liveness:
    """Find when each value of a graph is live.

    Parameters
    ----------
    graph, schedule, options, **changes
        As for :func:`~aidge_nb.memory.plan_memory`; of the options, those that say what takes
        memory and what may share it.
    without_copy
        Slice, Split and Concat nodes whose parts share memory with the whole, where they can.

    Raises
    ------
    MemoryPlanError
        When dimensions are unknown, or the order does not belong to the graph.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.ReLU(name="b")])
    >>> view.forward_dims([[1, 4]])
    True
    >>> live = live_values(view)
    >>> [(value.name, value.lower, value.upper) for value in live.storages[0].values]
    [('a', 0, 2), ('b', 1, 2)]
    """
    order, chosen = nodes_in_order(graph, schedule), PlanOptions.of(options, **changes)
    return Lives(graph, order, chosen).find(without_copy)


class Lives:
    """Finds live ranges repeatedly, under choices that change what shares memory.

    Raise MemoryPlanError when the order does not belong to the graph.

    Parameters
    ----------
    graph
        The graph, with known dimensions.
    order
        The node of each execution; Producers are skipped unless ``options.inc_producers``.
    options
        What takes memory, and what may share it.

    Attributes
    ----------
    executed
        The node of each tick.
    names, nodes
        Names of the nodes in live ranges, and nodes by name.
    alignment
        The alignment of offsets, in bytes.
    """

    def __init__(self, graph: GraphView, order: Sequence[Node], options: PlanOptions) -> None:
        check_order(graph, order)
        with_producers = options.inc_producers
        self.executed = [node for node in order if with_producers or node.type() != "Producer"]
        self.names, self.alignment = graph.unique_names(), options.alignment
        self.nodes = {name: node for node, name in self.names.items()}
        changes = Changes.of(options.what_if, self.nodes)
        life = Lifetimes(graph, self.executed, changes)
        self._setting = Setting(self.names, life, options, changes)
        self._inputs = list(enumerate(graph.get_input_groups() if options.inc_inputs else ()))
        self._missing = [
            node
            for node in (graph.get_nodes() if with_producers else ())
            if node.type() == "Producer" and node not in life.ticks
        ]

    def find(
        self,
        without_copy: Collection[Node] = (),
        *,
        apart: Collection[Node] = (),
        only: Collection[Node] | None = None,
    ) -> Liveness:
        """Find when each value is live.

        Raise MemoryPlanError when dimensions are unknown.

        Parameters
        ----------
        without_copy
            Slice, Split and Concat nodes whose parts share memory with the whole, where they can.
        apart
            Nodes whose outputs share memory with none of their inputs.
        only
            Look at the outputs of these nodes alone: one of :meth:`families`.
        """
        avoided: set[Avoid] = set()
        while True:
            walk = self._walk(SharingWalk(self._setting, without_copy, apart, avoided), only)
            if walk.part_writes.avoided() <= avoided:
                break
            avoided |= walk.part_writes.avoided()
        names = tuple(self._setting.names[node] for node in self.executed)
        return Liveness(names, tuple(storage for storage in walk.storages if storage.values))

    def _walk(self, walk: SharingWalk, only: Collection[Node] | None) -> SharingWalk:
        for number, group in self._inputs:
            if only is None or group[0].node in only:
                walk.add_input(number, group)
        for node in self._missing:
            if only is None or node in only:
                walk.add_producer(node, 0)
        ticks: Iterable[int] = range(len(self.executed))
        if only is not None:
            of_node = self._setting.life.ticks
            ticks = sorted(tick for node in only for tick in of_node.get(node, ()))
        for tick in ticks:
            walk.execute(tick, self.executed[tick])
        return walk

    def families(self, candidates: Collection[Node]) -> list[set[Node]]:
        """Group the nodes whose outputs may come to share memory if ``candidates`` do not copy.

        What is chosen for nodes of one family changes nothing about another one.
        """
        family = {node: {node} for node in (*self._missing, *self.executed)}
        for node in dict.fromkeys(self.executed):
            spec, setting = node.get_operator().spec, self._setting
            shares: Iterable[int] = setting.overwrites(node)
            if spec.is_view:
                shares = (0, *shares)
            if node in candidates:
                shares = range(node.get_nb_inputs())
            for index in shares:
                parent = node.source(index) if index < node.get_nb_inputs() else None
                if parent is not None and parent.node in family:
                    _unite(family, node, parent.node)
        for _, group in self._inputs:
            for port in group[1:]:
                _unite(family, group[0].node, port.node)
        return list({id(each): each for each in family.values()}.values())


def _unite(family: dict[Node, set[Node]], first: Node, second: Node) -> None:
    one, other = family[first], family[second]
    if one is other:
        return
    if len(one) < len(other):
        one, other = other, one
    one |= other
    family.update(dict.fromkeys(other, one))
