"""The scheduling algorithm once more, plainly: round by round, asking the models themselves.

What the package does with compiled models and loops is compared with this.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from aidge_nb.core.errors import SchedulingError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.scheduling.model.conditional import condition_nodes
from aidge_nb.scheduling.model.elts import Elts_t, EltType
from aidge_nb.scheduling.model.impl import prod_conso_of
from aidge_nb.scheduling.model.prod_conso import ProdConso
from aidge_nb.scheduling.solve.priors import PriorProducersConsumers


class EndlessError(Exception):
    """The schedule has no end, or not soon."""


class SlowFlow:
    """A view, its execution order and the consumer-producer state of its nodes.

    Parameters
    ----------
    view
        The graph; the C-P state of its nodes changes as they :meth:`fire`.
    """

    def __init__(self, view: GraphView) -> None:
        self.view = view
        self.order = view.topological_order()
        self.rank = {node: i for i, node in enumerate(self.order)}
        self.outputs = view.get_output_nodes()
        self.fired: dict[Node, int] = {}
        self._models: dict[Node, ProdConso] = {}

    def model(self, node: Node) -> ProdConso:
        """Give the C-P model of a node, inside the view or just outside."""
        model = self._models.get(node)
        if model is None:
            model = self._models[node] = prod_conso_of(node.get_operator())
        return model

    def reset(self) -> None:
        """Start all models over."""
        self.fired.clear()
        for node in self.order:
            self.model(node).reset_consummer_producer()

    def sorted(self, nodes: Iterable[Node]) -> list[Node]:
        """Put nodes into topological order."""
        return sorted(nodes, key=self.rank.__getitem__)

    def available(self, node: Node, index: int) -> Elts_t | None:
        """Tell how much was ever offered at an input; None where nothing is connected."""
        port = node.input(index)
        if port is not None:
            return self.model(port.node).get_nb_produced_data(port.index)
        tensor = node.get_operator().get_input(index)
        return None if tensor is None else _direct(tensor)

    def lacks(self, node: Node, index: int) -> bool:
        """Whether an input has too little for the next execution."""
        available = self.available(node, index)
        if available is None:
            return False
        model = self.model(node)
        required = model.get_nb_required_data(index)
        if available.type is EltType.Undef and required.type is not EltType.Undef:
            return True  # an empty tensor, too, must be made before it is read
        try:
            return model.get_nb_consumed_data(index) + required > available
        except SchedulingError as error:
            raise SchedulingError(f"{node.label}, input#{index}: {error}") from error

    def is_runnable(self, node: Node) -> bool:
        """Whether all inputs have enough for the next execution, and its conditions are known."""
        return self.knows_conditions(node) and not any(
            self.lacks(node, index) for index in range(node.get_nb_inputs())
        )

    def knows_conditions(self, node: Node) -> bool:
        """Whether all that decides if a conditional node runs at all has run before it."""
        done = self.fired.get(node, 0)
        return all(self.fired.get(each, 0) > done for each in condition_nodes(node))

    def has_backlog(self, node: Node) -> bool:
        """Whether data are left on a data input."""
        for index in range(node.get_nb_inputs()):
            if not node.input_category(index).is_data:
                continue
            available = self.available(node, index)
            if available is not None and self.model(node).get_nb_consumed_data(index) < available:
                return True
        return False

    def feeds(self, node: Node) -> bool:
        """Whether something produced by the node is not taken yet."""
        model = self.model(node)
        for output, ports in enumerate(node.outputs()):
            produced = model.get_nb_produced_data(output)
            for child, index in ports:
                if child in self.view and self.model(child).get_nb_consumed_data(index) < produced:
                    return True
        return False

    def fire(self, node: Node) -> None:
        """Count one execution of a node."""
        try:
            self.model(node).update_consummer_producer()
        except SchedulingError as error:
            raise SchedulingError(f"{node.label}: {error}") from error
        self.fired[node] = self.fired.get(node, 0) + 1


def _direct(tensor: Tensor) -> Elts_t:
    """Give a tensor set on an input: all of it, once."""
    return Elts_t.data_elts(0 if tensor.undefined() else tensor.size)


@dataclass(frozen=True, slots=True)
class SlowSchedule:
    """What the algorithm found: batches of nodes that ran together, and who still waits."""

    batches: tuple[tuple[Node, ...], ...]
    remaining: tuple[Node, ...]

    @property
    def nodes(self) -> list[Node]:
        """The nodes in order, once per execution."""
        return [node for batch in self.batches for node in batch]


def schedule_slowly(dataflow: SlowFlow, max_firings: int = 20_000) -> SlowSchedule:
    """Schedule a graph from its present C-P state, which is changed.

    Parameters
    ----------
    dataflow
        The graph and its state.
    max_firings
        Bound on the length of the schedule.

    """
    consumers = dict.fromkeys(dataflow.outputs)
    still: dict[Node, None] = {}
    batches: list[tuple[Node, ...]] = []
    firings = 0
    while consumers:
        consumers, producers = _replace_by_priors(dataflow, consumers)
        runnable = _fire_runnable(dataflow, producers, consumers, batches)
        if runnable:
            _hand_on(dataflow, runnable, consumers, still)
        else:
            still = {node: None for node in still if _serves(dataflow, node, {})}
            if not still:
                begun = _loops_to_begin(dataflow, consumers)
                if not begun:
                    break
                consumers.update(dict.fromkeys(begun))
        if not runnable or not consumers:
            waiting = [node for node in still if dataflow.has_backlog(node)]
            consumers.update(dict.fromkeys(dataflow.sorted(waiting)))
            still = {}
        firings += len(producers) + len(runnable)
        if firings > max_firings:
            raise EndlessError
    return SlowSchedule(tuple(batches), tuple(dataflow.sorted(consumers)))


def _loops_to_begin(flow: SlowFlow, consumers: Iterable[Node]) -> list[Node]:
    """List what closes the loops that consumers wait for and that nothing began."""
    seen = list(consumers)
    found = set()
    for node in seen:
        for index, port in node.edges_in():
            if port.node in flow.rank and flow.lacks(node, index):
                seen += [port.node] if port.node not in seen else []
                if port.node.type() == "Memorize" and port.index == 1:
                    found.add(port.node)
    return flow.sorted(found - set(consumers) - set(flow.fired))


def _serves(flow: SlowFlow, node: Node, known: dict[Node, bool]) -> bool:
    """Whether what is left at a node can still come to an output."""
    if node not in known:
        known[node] = node in flow.outputs
        children = [child for child in node.get_children() if child in flow.rank]
        known[node] = known[node] or any(
            _can_go_on(flow, child, {}) and _serves(flow, child, known) for child in children
        )
    return known[node]


def _can_go_on(flow: SlowFlow, node: Node, known: dict[Node, bool]) -> bool:
    """Whether a node has its data, or gets them from nodes that can go on."""
    if node not in known:
        known[node] = False
        ports = [
            node.input(index) for index in range(node.get_nb_inputs()) if flow.lacks(node, index)
        ]
        known[node] = all(
            port is not None
            and port.node in flow.rank
            and (port.node.type() == "Producer" or _can_go_on(flow, port.node, known))
            for port in ports
        )
    return known[node]


def _replace_by_priors(
    dataflow: SlowFlow, consumers: Iterable[Node]
) -> tuple[dict[Node, None], list[Node]]:
    """Put the priors of each consumer in its place; list the Producers that are needed."""
    known: dict[Node, PriorProducersConsumers] = {}
    found: dict[Node, None] = {}
    producers: set[Node] = set()
    for consumer in consumers:
        prior = find_prior(dataflow, consumer, known)
        if prior.is_prior:
            producers |= prior.required_producers
            found.update(dict.fromkeys(dataflow.sorted(prior.prior_consumers)))
        else:
            found[consumer] = None
    ordered = dataflow.sorted(producers)
    return found, sorted(ordered, key=lambda node: bool(condition_nodes(node)))


def find_prior(
    dataflow: SlowFlow, consumer: Node, known: dict[Node, PriorProducersConsumers]
) -> PriorProducersConsumers:
    """Find what must run before a consumer can; ``known`` remembers what was found already."""
    pending = [consumer]
    while pending:
        node = pending[-1]
        if node in known:
            pending.pop()
            continue
        lacking = _lacking_parents(dataflow, node)
        unknown = [parent for parent in lacking or () if parent not in known]
        if unknown:
            pending.extend(unknown)
        else:
            known[node] = _join_priors(dataflow, node, lacking, known)
            pending.pop()
    return known[consumer]


def _lacking_parents(dataflow: SlowFlow, node: Node) -> list[Node] | None:
    """List the parents to look at in turn; None when a cycle cuts the search."""
    parents = []
    for index, port in node.edges_in():
        if not dataflow.lacks(node, index) or port.node not in dataflow.view:
            continue
        if port.node.type() == "Memorize" and port.index == 1:
            return None
        if port.node.type() != "Producer":
            parents.append(port.node)
    return parents


def _join_priors(
    dataflow: SlowFlow,
    node: Node,
    lacking: list[Node] | None,
    known: dict[Node, PriorProducersConsumers],
) -> PriorProducersConsumers:
    priors = [known[parent] for parent in lacking or ()]
    if lacking is None or not all(prior.is_prior for prior in priors):
        return PriorProducersConsumers(is_prior=False)
    producers = {
        port.node
        for index, port in node.edges_in()
        if port.node.type() == "Producer"
        and port.node in dataflow.view
        and dataflow.lacks(node, index)
    }
    outside = any(
        port.node not in dataflow.view and dataflow.lacks(node, index)
        for index, port in node.edges_in()
    )
    consumers = {node} if producers or outside or not priors else set()
    return PriorProducersConsumers(
        is_prior=True,
        required_producers=frozenset(producers).union(*(p.required_producers for p in priors)),
        prior_consumers=frozenset(consumers).union(*(p.prior_consumers for p in priors)),
    )


def _fire_runnable(
    dataflow: SlowFlow,
    producers: list[Node],
    consumers: dict[Node, None],
    batches: list[tuple[Node, ...]],
) -> list[Node]:
    """Fire the Producers, then all consumers that have their data; list the latter."""
    for producer in producers:
        dataflow.fire(producer)
    runnable = dataflow.sorted(node for node in consumers if dataflow.is_runnable(node))
    for node in runnable:
        dataflow.fire(node)
    batches.extend(tuple(batch) for batch in (producers, runnable) if batch)
    return runnable


def _hand_on(
    dataflow: SlowFlow, ran: list[Node], consumers: dict[Node, None], still: dict[Node, None]
) -> None:
    """Make the children of the nodes that ran the next consumers."""
    for node in ran:
        del consumers[node]
    for node in ran:
        if dataflow.feeds(node):
            children = [child for child in node.get_children() if child in dataflow.view]
            consumers.update(dict.fromkeys(children))
        if dataflow.has_backlog(node):
            still[node] = None
