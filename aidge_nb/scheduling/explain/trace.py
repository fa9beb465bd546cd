"""Trace the scheduling algorithm round by round.

Each round follows the steps of the seed tutorial, section "Master the C-P model":

1. Take the consumers; at first, these are the nodes that give the graph outputs.
2. Replace each consumer that lacks data by its *priors*: the nodes furthest up that only Producers
   keep from running. A consumer stays when its way up ends at the loop output of a Memorize.
3. Fire the Producers that priors need.
4. Fire the consumers that now have all their data.
5. Their children are the next consumers, if there are data for them.
6. A node that fired and has data left is a *still-consumer*: it becomes a consumer again when no
   other consumer is left or can run.

The trace ends when no consumer is left or none can run. This code is written to be read, with a
plain walk per consumer and round; the scheduler finds the same firings faster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from aidge_nb.core.errors import SchedulingError, saying_where
from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.scheduling.explain.rounds import Lack, Round, TraceEnd, find_status
from aidge_nb.scheduling.model.conditional import condition_nodes
from aidge_nb.scheduling.model.elts import EltType
from aidge_nb.scheduling.model.replay import Replay, count_of


def trace_of(
    view: GraphView, max_rounds: int = 1000, upper: Node | None = None
) -> tuple[Round, ...]:
    """Trace the scheduling of a graph from the start; its C-P state does not change.

    Parameters
    ----------
    view
        The graph.
    max_rounds
        Maximum number of rounds; the last one has the end ``CutOff``.
    upper
        The meta-operator node whose micro-graph is ``view``, if any; it feeds the open inputs.

    Raises
    ------
    SchedulingError
        When a model fails or needs elements of a tensor without dimensions, or ``max_rounds`` is
        below 1.

    Examples
    --------
    >>> import aidge_nb
    >>> model = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.Tanh(name="b")])
    >>> for each in trace_of(model):
    ...     print(each.consumers, each.priors, each.fired, each.following)
    ('b',) ('a',) ('a',) ('b',)
    ('b',) () ('b',) ()
    """
    if max_rounds < 1:
        raise SchedulingError.at(
            "trace_of",
            "no rounds to trace",
            expected="max_rounds ≥ 1",
            found=max_rounds,
        )
    tracer = _Tracer(view, upper)
    rounds: list[Round] = []
    while tracer.consumers and len(rounds) < max_rounds:
        is_last = len(rounds) + 1 == max_rounds
        rounds.append(tracer.play(len(rounds), is_last))
        if rounds[-1].end:
            break
    return tuple(rounds)


class _Tracer:
    """Execute rounds; keep consumers, still-consumers and amounts."""

    def __init__(self, view: GraphView, upper: Node | None) -> None:
        self.view, self.upper = view, upper
        self.names = view.unique_names()
        self.order = {node: rank for rank, node in enumerate(view.topological_order())}
        self.replay = Replay(view)
        self.consumers = view.get_output_nodes()
        self.outputs = frozenset(self.consumers)
        self.still: list[Node] = []

    def play(self, number: int, is_last: bool) -> Round:
        """Execute one round."""
        asked = self.consumers
        lacks = tuple(self._describe(node, index) for node in asked for index in self._lacks(node))
        consumers, priors, producers = self._find_priors(asked)
        for node in producers:
            self._fire(node)
        fired = self._sorted(node for node in consumers if self._is_runnable(node))
        for node in fired:
            self._fire(node)
        waiting = [node for node in consumers if node not in fired]
        for node in fired:
            if self._has_something_for_children(node):
                waiting += [child for child in node.get_children() if child in self.view]
            if self._has_left(node) and node not in self.still:
                self.still.append(node)
        if not fired:
            self.still = self._serving()
        still, again = self.still, list[Node]()
        begun = self._loops_to_begin(waiting) if not fired and not still else []
        waiting += begun
        is_stuck = not (fired or still or begun)
        if not is_stuck and (not fired or not waiting):
            again = self._sorted(node for node in still if self._has_left(node))
            self.still = []
        self.consumers = list(dict.fromkeys([*waiting, *again]))
        end = None
        if is_stuck or not self.consumers:
            end = TraceEnd.Stuck if self.consumers else TraceEnd.Done
        elif is_last:
            end = TraceEnd.CutOff
        return Round(
            number=number,
            consumers=self._named(asked),
            lacks=lacks,
            priors=self._named(priors),
            producers=self._named(producers),
            fired=self._named(fired),
            still=self._named(still),
            asked_again=self._named(again),
            following=() if end is TraceEnd.Done else self._named(self.consumers),
            end=end,
        )

    def _serving(self) -> list[Node]:
        """Return the still-consumers whose data can reach an output through nodes that can run."""
        behind = self._closure(self.still, lambda node: node.get_children())
        givers = {
            node: [node.source(index) for index in self._lacks(node)]
            for node in self._closure(behind, self._givers)
        }
        live: set[Node] = set()
        serving = {node for node in behind if node in self.outputs}
        for _ in givers:  # at most as often as the longest path is long
            before = len(live) + len(serving)
            for node in self._sorted(givers):
                if node.type() == "Producer" or all(p and p.node in live for p in givers[node]):
                    live.add(node)
            for node in reversed(self._sorted(behind)):
                if any(child in live and child in serving for child in node.get_children()):
                    serving.add(node)
            if before == len(live) + len(serving):
                break
        return [node for node in self.still if node in serving]

    def _loops_to_begin(self, waiting: Iterable[Node]) -> list[Node]:
        """Return the Memorize nodes that never ran and that consumers wait for."""
        reached = self._closure(waiting, self._givers)
        ports = [node.source(index) for node in reached for index in self._lacks(node)]
        closing = [port.node for port in ports if port is not None and port.index == 1]
        found = [node for node in closing if node.type() == "Memorize" and node not in waiting]
        return self._sorted(node for node in found if not self.replay.executions.get(node, 1))

    def _givers(self, node: Node) -> list[Node]:
        """Return the nodes that have not given a node enough."""
        ports = [node.source(index) for index in self._lacks(node)]
        return [port.node for port in ports if port is not None]

    def _closure(
        self, nodes: Iterable[Node], following: Callable[[Node], Iterable[Node]]
    ) -> list[Node]:
        """Return nodes of the graph with all nodes that follow them."""
        found = dict.fromkeys(nodes)
        pending = list(found)
        for node in pending:
            more = [each for each in following(node) if each in self.view and each not in found]
            found.update(dict.fromkeys(more))
            pending += more
        return list(found)

    def _named(self, nodes: Iterable[Node]) -> tuple[str, ...]:
        return tuple(self.names[node] for node in nodes)

    def _sorted(self, nodes: Iterable[Node]) -> list[Node]:
        return sorted(dict.fromkeys(nodes), key=self.order.__getitem__)

    # --- amounts ----------------------------------------------------------------------------

    def _lacks(self, node: Node) -> list[int]:
        """Return the numbers of the inputs with too little data."""
        found = []
        for index in range(node.get_nb_inputs()):
            with saying_where(f"{node.label}, input#{index}"):
                if self.replay.lacks(node, index):
                    found.append(index)
        return found

    def _describe(self, node: Node, index: int) -> Lack:
        port, wanted = node.source(index), self.replay.wanted(node, index)
        offered = self.replay.offered(node, index)
        source = "" if port is None else self.names.get(port.node, port.node.label)
        return Lack(
            consumer=self.names[node],
            input=index,
            source=source,
            status=find_status(node, index, self.upper),
            needed=count_of(wanted, like=wanted),
            available=0 if offered is None else count_of(offered, like=wanted),
            unit="elements" if wanted.type is EltType.Data else "tokens",
        )

    def _fire(self, node: Node) -> None:
        with saying_where(node.label):
            self.replay.fire(node)

    def _has_left(self, node: Node) -> bool:
        """Tell whether a data input holds data that were not taken."""
        for index in range(node.get_nb_inputs()):
            offered = self.replay.offered(node, index)
            taken = self.replay.model(node).get_nb_consumed_data(index)
            if node.input_category(index).is_data and offered is not None and taken < offered:
                return True
        return False

    def _has_something_for_children(self, node: Node) -> bool:
        given = self.replay.model(node).get_nb_produced_data
        return any(
            self.replay.model(child).get_nb_consumed_data(index) < given(output)
            for output, ports in enumerate(node.outputs())
            for child, index in ports
            if child in self.view
        )

    def _is_runnable(self, node: Node) -> bool:
        """Tell whether a node has all its data, and its conditions were computed."""
        runs = self.replay.executions
        is_decided = all(runs.get(each, 0) > runs[node] for each in condition_nodes(node))
        return is_decided and not self._lacks(node)

    # --- priors -----------------------------------------------------------------------------

    def _find_priors(self, consumers: Iterable[Node]) -> tuple[list[Node], list[Node], list[Node]]:
        """Return the consumers after replacement, their priors, and the Producers needed."""
        found: list[Node] = []
        new: list[Node] = []
        needed: list[Node] = []
        for consumer in consumers:
            priors, producers = self._priors_of(consumer)
            found += self._sorted(priors) or [consumer]
            new += [node for node in self._sorted(priors) if node is not consumer]
            needed += producers
        ordered = self._sorted(needed)
        ordered.sort(key=lambda node: bool(condition_nodes(node)))  # conditional ones last
        return list(dict.fromkeys(found)), list(dict.fromkeys(new)), ordered

    def _priors_of(self, consumer: Node) -> tuple[list[Node], list[Node]]:
        """Walk up along inputs that lack data; return nothing where a loop cuts the way."""
        priors: list[Node] = []
        producers: list[Node] = []
        seen = [consumer]
        for node in seen:  # grows
            sources = [port for index in self._lacks(node) if (port := node.source(index))]
            inside = [port for port in sources if port.node in self.view]
            if any(port.node.type() == "Memorize" and port.index == 1 for port in inside):
                return [], []
            above = [port.node for port in inside if port.node.type() != "Producer"]
            if not above or len(above) < len(sources):
                priors.append(node)
            producers += [port.node for port in inside if port.node.type() == "Producer"]
            seen += [parent for parent in dict.fromkeys(above) if parent not in seen]
        return priors, producers
