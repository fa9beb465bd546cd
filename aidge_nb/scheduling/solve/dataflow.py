"""The state of the scheduling algorithm: actors, and counters of the data given and taken.

Nodes are numbered in topological order; all amounts are whole numbers. An *edge* is an input with
a source: an output of a node inside or just outside the graph, or a tensor set on the input. Each
output has two counters of all data ever given, in elements and in tokens. Each edge counts all data
ever taken, and is compared with one of the two counters: the difference is its *backlog*. As in
Aidge the consumer decides which counter, so that a token consumer can read an element producer. An
output that never gave anything has count -1: it lacks data even where nothing is needed.

A conditional node has one more edge per node that computes its condition: it may fire as often as
that node did.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from aidge_nb.core.errors import SchedulingError
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.topology import CycleError
from aidge_nb.graph.view import GraphView
from aidge_nb.scheduling.model.compiled import CompiledModel, Transfer, compile_model
from aidge_nb.scheduling.model.conditional import condition_nodes
from aidge_nb.scheduling.model.elts import Elts_t, EltType
from aidge_nb.scheduling.model.impl import prod_conso_of
from aidge_nb.scheduling.model.prod_conso import describe_failure
from aidge_nb.scheduling.solve.lacks import cycle_lacks, refuse_sum, refuse_tokens

NONE, DATA, TOKEN = EltType.Undef, EltType.Data, EltType.Token

_Check = tuple[int, int, int]
"""An edge, the counter that it is compared with, and the amount needed."""

_Additions = tuple[list[tuple[int, int]], list[tuple[int, int]]]
"""A transfer on the counters: edges and amounts taken; counters of outputs and amounts given."""


def reset_models(view: GraphView) -> None:
    """Reset the consumer-producer models of a graph."""
    for node in view.get_nodes():
        operator = node.get_operator()
        if operator.cp_model is None and operator.get_impl() is None:
            continue  # made at first use, in its initial state
        model = prod_conso_of(operator)
        try:
            model.reset_consummer_producer()
        except Exception as error:  # from a user's class
            call = "reset_consummer_producer()"
            raise SchedulingError(describe_failure(node.label, call, error)) from error


def find_readers(order: Sequence[Node], number: Mapping[Node, int]) -> list[list[int]]:
    """Return the numbers of the readers of each node of a graph."""
    return [[number[child] for child in node.get_children() if child in number] for node in order]


def counter_of(output: int, kind: EltType) -> int:
    """Return the counter of an output that counts elements, or tokens for any other kind."""
    return 2 * output if kind is DATA else 2 * output + 1


class Dataflow:
    """A graph in topological order, with the consumer-producer state of its nodes.

    Parameters
    ----------
    view
        The graph. Its library models change at :meth:`write_back` only, user models at each
        :meth:`fire`.
    """

    def __init__(self, view: GraphView) -> None:
        self.view = view
        self.order = _ordered(view)
        self.rank = {node: number for number, node in enumerate(self.order)}
        self.outputs = [self.rank[node] for node in view.get_output_nodes()]
        kinds = [node.type() for node in self.order]
        self.is_producer = [kind == "Producer" for kind in kinds]
        self.children = find_readers(self.order, self.rank)
        self.models: list[CompiledModel] = [compile_model(node) for node in self.order]
        self.varying = [n for n, model in enumerate(self.models) if model.varies]
        self.changes = 0  # number of ports whose unit became known; soon constant
        # By output: its kind, actor, readers. Counter 2n of output n counts elements ever given,
        # counter 2n + 1 tokens.
        self.given: list[int] = []
        self.given_kind: list[EltType] = []
        self.giver: list[int | None] = []
        self.readers: list[list[int]] = []
        # By edge: amounts ever taken and needed, in the unit of the counter that they are compared
        # with. The backlog is the excess of the counter `left_at`.
        self.taken: list[int] = []
        self.taken_kind: list[EltType] = []
        self.need: list[int] = []
        self.need_at: list[int] = []
        self.left_at: list[int] = []
        self.source: list[int] = []
        self.target: list[tuple[int, int]] = []
        # By actor.
        self.first_output: list[int] = []
        self.edges: list[list[int]] = [[] for _ in self.order]
        self.conditions: dict[int, list[int]] = {}
        self.fires_output: dict[int, int] = {}
        self.recurrent: set[int] = set()  # outputs that close the loop of a Memorize
        self.needs: dict[tuple[int, object], list[int]] = {}  # of the edges, by actor and phase
        self._checks: list[list[_Check] | None] = [None] * len(self.order)
        self._add_outputs(kinds)
        self._outside: dict[Port, int] = {}
        for number, node in enumerate(self.order):
            self._add_edges(number, node)
            if node.annotations:
                self._add_conditions(number, node)
        self._reading = [
            [edge for readers in self.readers[first:last] for edge in readers]
            for first, last in pairwise(self.first_output)
        ]

    # --- building ---------------------------------------------------------------------------

    def _add_outputs(self, kinds: Sequence[str]) -> None:
        for number, (model, kind) in enumerate(zip(self.models, kinds, strict=True)):
            first = len(self.given_kind)
            self.first_output.append(first)
            for amount in model.produced():
                self._add_output(amount, number)
            if kind == "Memorize":
                self.recurrent.add(first + 1)
        self.first_output.append(len(self.given_kind))

    def _add_output(self, amount: Elts_t, giver: int | None) -> int:
        output, kind = len(self.giver), amount.type
        self.given_kind.append(kind)
        self.given.append(amount.data if kind is DATA else -1)
        self.given.append(-1 if kind is NONE else amount.token)
        self.giver.append(giver)
        self.readers.append([])
        return output

    def _add_edges(self, number: int, node: Node) -> None:
        operator = node.get_operator()
        consumed = self.models[number].consumed()
        for index, port in enumerate(node.sources()):
            if port is not None:
                source = self._output_of(port)
            else:
                tensor = operator.get_input(index)
                if tensor is None:
                    continue
                size = 0 if tensor.undefined() else tensor.size  # all its elements, once
                source = self._add_output(Elts_t(DATA, size, 1), None)
            edge = self._add_edge(number, index, source, consumed[index])
            self.edges[number].append(edge)

    def _output_of(self, port: Port) -> int:
        number = self.rank.get(port.node)
        if number is not None:
            return self.first_output[number] + port.index
        if port not in self._outside:
            model = prod_conso_of(port.node.get_operator())
            given = model.get_nb_produced_data(port.index)
            self._outside[port] = self._add_output(given, None)
        return self._outside[port]

    def _add_edge(self, number: int, index: int, source: int, amount: Elts_t) -> int:
        edge = len(self.source)
        kind = amount.type
        counter = 2 * source if kind is DATA else 2 * source + 1
        self.source.append(source)
        self.target.append((number, index))
        self.readers[source].append(edge)
        self.taken.append(amount.data if kind is DATA else amount.token)
        self.taken_kind.append(kind)
        self.need.append(0)
        self.need_at.append(counter)
        self.left_at.append(counter)
        return edge

    def _add_conditions(self, number: int, node: Node) -> None:
        for each in condition_nodes(node):
            giver = self.rank.get(each)
            source = None if giver is None else self.fires_output.get(giver)
            if source is None:
                source = self._add_output(Elts_t.token_elts(0), giver)
                if giver is not None:
                    self.fires_output[giver] = source
            edge = self._add_edge(number, -1, source, Elts_t.token_elts(0))
            self.need[edge] = 1
            self.conditions.setdefault(number, []).append(edge)

    def where(self, edge: int) -> str:
        """Return the name of an edge: node and input."""
        number, index = self.target[edge]
        return f"{self.order[number].label}, input#{index}"

    # --- asking -----------------------------------------------------------------------------

    def lacking(self, number: int) -> list[int]:
        """Return the edges of an actor with too little data for its next execution."""
        checks = self._checks[number]
        if checks is None:
            checks = self._ask_needs(number)
        taken, given = self.taken, self.given
        found = []
        for edge, counter, need in checks:
            if taken[edge] + need > given[counter]:
                if not counter % 2 and self.given_kind[counter // 2] is TOKEN:
                    refuse_tokens(self, edge)
                found.append(edge)
        return found

    def _ask_needs(self, number: int) -> list[_Check]:
        """Ask the model for its needs in the present phase."""
        model = self.models[number]
        checks: list[_Check] = []
        for edge in self.edges[number]:
            wanted = model.required(self.target[edge][1])
            kind = self.taken_kind[edge]
            if kind is NONE:
                kind = wanted.type
            elif wanted.type is not kind and wanted.type is not NONE:
                refuse_sum(self.where(edge), self.taken_kind[edge], wanted)
            # Without any amount taken or needed, the output need not have given anything: -1.
            if kind is DATA:
                counter, need = 2 * self.source[edge], wanted.data
            else:
                counter, need = 2 * self.source[edge] + 1, -1 if kind is NONE else wanted.token
            self.need_at[edge], self.need[edge] = counter, need
            checks.append((edge, counter, need))
        if model.varies:
            self.needs[number, model.phase] = [need for _, _, need in checks]
        self._checks[number] = checks
        return checks

    def knows_conditions(self, number: int) -> bool:
        """Tell whether all conditions of an actor's next execution were computed."""
        edges = self.conditions.get(number, ())
        return all(self.taken[edge] < self.given[self.left_at[edge]] for edge in edges)

    def has_backlog(self, number: int) -> bool:
        """Tell whether data are left on a data input."""
        taken, given, left_at = self.taken, self.given, self.left_at
        node = self.order[number]
        for edge in self.edges[number]:
            if taken[edge] < given[left_at[edge]]:
                if node.input_category(self.target[edge][1]).is_data:
                    return True
        return False

    def feeds(self, number: int) -> bool:
        """Tell whether a reader has not taken all data of the actor yet."""
        taken, given, left_at = self.taken, self.given, self.left_at
        for edge in self._reading[number]:  # noqa: SIM110  # twice as fast as any()
            if taken[edge] < given[left_at[edge]]:
                return True
        return False

    # --- firing -----------------------------------------------------------------------------

    def fire(self, number: int) -> Transfer:
        """Execute an actor once; return its transfer."""
        model = self.models[number]
        phase = model.phase
        transfer = model.fire()
        if transfer.loaded is None:
            transfer.loaded = _load(self, number, transfer)
        takes, gives = transfer.loaded
        taken, given = self.taken, self.given
        for edge, amount in takes:
            taken[edge] += amount
        for counter, amount in gives:
            given[counter] += amount
        if model.phase != phase:
            self._checks[number] = None
        return transfer

    def forget_needs(self, number: int) -> None:
        """Ask the model for its needs again before the next execution."""
        self._checks[number] = None

    def skip(self, transfers: Iterable[tuple[int, Transfer, int]]) -> None:
        """Count executions (actor, transfer, times) that keep the discrete state."""
        for number, transfer, times in transfers:
            takes, gives = transfer.loaded
            for edge, amount in takes:
                self.taken[edge] += amount * times
            for counter, amount in gives:
                self.given[counter] += amount * times
            model = self.models[number]
            phase = model.phase
            model.skip(transfer, times)
            if model.phase != phase:
                self._checks[number] = None

    def write_back(self) -> None:
        """Update the models of the nodes to the present state."""
        for model in self.models:
            model.write_back()

    def find_unrolled(self) -> tuple[int, ...]:
        """Return the actors whose models never returned to an earlier state."""
        return tuple(number for number in self.varying if self.models[number].never_repeats)


def _ordered(view: GraphView) -> list[Node]:
    try:
        return view.topological_order()
    except CycleError as error:
        raise SchedulingError(cycle_lacks(error.cycle, view.get_nodes())) from error


def _load(flow: Dataflow, number: int, transfer: Transfer) -> _Additions:
    """Translate a transfer to counters; set the unit of ports that it is the first to use."""
    takes: list[tuple[int, int]] = []
    taken_kind, given_kind, target = flow.taken_kind, flow.given_kind, flow.target
    for edge in flow.edges[number]:
        amount = transfer.takes[target[edge][1]]
        kind = amount.type
        if kind is NONE:
            continue
        if taken_kind[edge] is not kind:
            _settle_edge(flow, number, edge, amount)
        takes.append((edge, amount.data if kind is DATA else amount.token))
    if flow.conditions:
        takes += [(edge, 1) for edge in flow.conditions.get(number, ())]
    gives: list[tuple[int, int]] = []
    for output, amount in enumerate(transfer.gives, flow.first_output[number]):
        kind = amount.type
        if kind is NONE:
            continue
        if given_kind[output] is not kind:
            _settle_output(flow, number, output, amount)
        gives.append((2 * output + 1, amount.token))
        if amount.data:
            gives.append((2 * output, amount.data))
    if number in flow.fires_output:
        gives.append((counter_of(flow.fires_output[number], TOKEN), 1))
    return takes, gives


def _settle_edge(flow: Dataflow, number: int, edge: int, amount: Elts_t) -> None:
    if flow.taken_kind[edge] is not NONE:
        refuse_sum(flow.order[number].label, flow.taken_kind[edge], amount)
    flow.taken_kind[edge] = amount.type
    counter = counter_of(flow.source[edge], amount.type)
    flow.left_at[edge] = counter
    if flow.need[edge] < 0 or flow.need_at[edge] != counter:
        flow.forget_needs(number)
    flow.changes += 1


def _settle_output(flow: Dataflow, number: int, output: int, amount: Elts_t) -> None:
    if flow.given_kind[output] is not NONE:
        refuse_sum(flow.order[number].label, flow.given_kind[output], amount)
    flow.given_kind[output] = amount.type
    flow.given[counter_of(output, amount.type)] = 0
    flow.given[counter_of(output, TOKEN)] = 0
    flow.changes += 1
