"""The graph as the scheduling algorithm sees it: actors, and what each has and lacks.

Nodes are numbered in topological order; everything that an algorithm compares is a whole number.
An *edge* is an input with something to read: an output of a node, inside the graph or just
outside, or a tensor set on it. Each output has two counters of what was ever given, of elements and
of tokens; each edge counts what was ever taken, and is compared with one of the two: the difference
is the *backlog*. As in Aidge the consumer decides which, so that a token consumer can read an
element producer; an output that was never given lacks even where nothing is needed, which a count
of -1 stands for.

A conditional node has one more edge for each node that computes a condition: it may run as often
as that one did.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from aidge_nb.core.errors import GraphError, SchedulingError, explain
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView
from aidge_nb.scheduling.model.compiled import CompiledModel, Move, compile_model
from aidge_nb.scheduling.model.conditional import condition_nodes
from aidge_nb.scheduling.model.elts import Elts_t, EltType
from aidge_nb.scheduling.model.impl import prod_conso_of
from aidge_nb.scheduling.model.prod_conso import describe_failure
from aidge_nb.scheduling.solve.deadlock import describe_cycle
from aidge_nb.scheduling.solve.moves import load_move

NONE, DATA, TOKEN = EltType.Undef, EltType.Data, EltType.Token

_Check = tuple[int, int, int]
"""An edge, the counter that it is compared with, and what is needed of it."""


def reset_models(view: GraphView) -> None:
    """Start the consumer-producer models of a graph over.

    Raises
    ------
    SchedulingError
        When one of them cannot be made, or fails.
    """
    for node in view.get_nodes():
        operator = node.get_operator()
        if operator.cp_model is None and operator.get_impl() is None:
            continue  # it will be made when it is asked for, and is at its start then
        model = prod_conso_of(operator)
        try:
            model.reset_consummer_producer()
        except Exception as error:  # whatever a user's class raises
            call = "reset_consummer_producer()"
            raise SchedulingError(describe_failure(node.label, call, error)) from error


def find_readers(order: Sequence[Node], number: Mapping[Node, int]) -> list[list[int]]:
    """List the nodes of a graph that read what each one gives, by number."""
    return [[number[child] for child in node.get_children() if child in number] for node in order]


class Dataflow:
    """A view, its execution order and the consumer-producer state of its nodes.

    Parameters
    ----------
    view
        The graph. The models of its nodes are left as they are until :meth:`write_back`, those
        that users wrote are brought along by each :meth:`fire`.

    Raises
    ------
    SchedulingError
        For a cycle that nothing starts.
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
        self.changes = 0  # of what is counted at some port: grows, and stops growing soon
        # By output: its kind, actor, readers. Of output n, counter 2n is what was ever given in
        # elements, counter 2n + 1 the same in tokens.
        self.given: list[int] = []
        self.given_kind: list[EltType] = []
        self.giver: list[int | None] = []
        self.readers: list[list[int]] = []
        # By edge: what was ever taken and what is needed, in the unit of the counter that both are
        # compared with; backlog is what exceeds in the counter `left_at`.
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
        self.needs: dict[tuple[int, object], list[int]] = {}  # by actor and phase, of its edges
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
        for index, port in enumerate(node.inputs()):
            if port is not None:
                source = self._output_of(port)
            else:
                tensor = operator.get_input(index)
                if tensor is None:
                    continue
                source = self._add_output(_direct(tensor), None)
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

    # --- asking -----------------------------------------------------------------------------

    def lacking(self, number: int) -> list[int]:
        """List the edges of an actor that have too little for its next execution."""
        checks = self._checks[number]
        if checks is None:
            checks = self._ask_needs(number)
        taken, given = self.taken, self.given
        found = []
        for edge, counter, need in checks:
            if taken[edge] + need > given[counter]:
                if not counter % 2 and self.given_kind[counter // 2] is TOKEN:
                    self._refuse_tokens(edge)
                found.append(edge)
        return found

    def _ask_needs(self, number: int) -> list[_Check]:
        """Ask the model what it needs in its present phase."""
        model = self.models[number]
        checks: list[_Check] = []
        for edge in self.edges[number]:
            wanted = model.required(self.target[edge][1])
            kind = self.taken_kind[edge]
            if kind is NONE:
                kind = wanted.type
            elif wanted.type is not kind and wanted.type is not NONE:
                self._refuse_sum(edge, wanted)
            # Where nothing was ever taken and nothing is asked, nothing need ever have been given.
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
        """Whether all that decides if a conditional actor runs at all has run before it."""
        edges = self.conditions.get(number, ())
        return all(self.taken[edge] < self.given[self.left_at[edge]] for edge in edges)

    def has_backlog(self, number: int) -> bool:
        """Whether data are left on a data input."""
        taken, given, left_at = self.taken, self.given, self.left_at
        for edge in self.edges[number]:
            if taken[edge] < given[left_at[edge]] and self._reads_data(edge):
                return True
        return False

    def _reads_data(self, edge: int) -> bool:
        number, index = self.target[edge]
        return self.order[number].input_category(index).is_data

    def feeds(self, number: int) -> bool:
        """Whether something produced by the actor is not taken yet."""
        taken, given, left_at = self.taken, self.given, self.left_at
        for edge in self._reading[number]:  # noqa: SIM110  # asked at each firing: half of any()
            if taken[edge] < given[left_at[edge]]:
                return True
        return False

    # --- firing -----------------------------------------------------------------------------

    def fire(self, number: int) -> Move:
        """Count one execution of an actor."""
        model = self.models[number]
        phase = model.phase
        move = model.fire()
        if move.loaded is None:
            move.loaded = load_move(self, number, move)
        takes, gives = move.loaded
        taken, given = self.taken, self.given
        for edge, amount in takes:
            taken[edge] += amount
        for counter, amount in gives:
            given[counter] += amount
        if model.phase != phase:
            self._checks[number] = None
        return move

    def forget_needs(self, number: int) -> None:
        """Ask the model again before its next execution."""
        self._checks[number] = None

    def skip(self, moves: Iterable[tuple[int, Move, int]]) -> None:
        """Count executions that end where they began: actor, move, times."""
        for number, move, times in moves:
            takes, gives = move.loaded
            for edge, amount in takes:
                self.taken[edge] += amount * times
            for counter, amount in gives:
                self.given[counter] += amount * times
            model = self.models[number]
            phase = model.phase
            model.skip(move, times)
            if model.phase != phase:
                self._checks[number] = None

    def write_back(self) -> None:
        """Bring the models of the nodes to the present state."""
        for model in self.models:
            model.write_back()

    def find_unrolled(self) -> tuple[int, ...]:
        """List the actors whose models never came back to a state."""
        return tuple(number for number in self.varying if self.models[number].never_repeats)

    # --- telling ----------------------------------------------------------------------------

    def taken_amount(self, edge: int, more: int = 0) -> Elts_t:
        """Give what was taken on an edge, and perhaps more, as an amount."""
        count = self.taken[edge] + more
        in_data = _counts_data(self.need_at[edge])
        return Elts_t.data_elts(count) if in_data else Elts_t.token_elts(count)

    def given_amount(self, edge: int) -> Elts_t:
        """Give what was ever offered on an edge as an amount."""
        source = self.source[edge]
        if self.given_kind[source] is NONE:
            return Elts_t.none_elts()
        data, tokens = self.given[2 * source], self.given[2 * source + 1]
        is_data = self.given_kind[source] is DATA
        return Elts_t.data_elts(data, tokens) if is_data else Elts_t.token_elts(tokens)

    def where(self, edge: int) -> str:
        """Name an edge by node and input."""
        number, index = self.target[edge]
        return f"{self.order[number].label}, input#{index}"

    def describe_lack(self, number: int) -> str:
        """Say which inputs of an actor lack how much."""
        parts = []
        for edge in self.lacking(number):
            port = self.order[number].input(self.target[edge][1])
            parts.append(
                explain(
                    self.where(edge),
                    f"waits for {'a tensor' if port is None else port.node.label}",
                    expected=self.taken_amount(edge, self.need[edge]),
                    found=self.given_amount(edge),
                )
            )
        return "; ".join(parts)

    def _refuse_tokens(self, edge: int) -> None:
        try:
            self.taken_amount(edge, self.need[edge]) > self.given_amount(edge)  # noqa: B015  # raises
        except SchedulingError as error:
            raise SchedulingError(f"{self.where(edge)}: {error}") from error

    def _refuse_sum(self, edge: int, wanted: Elts_t) -> None:
        try:
            self.taken_amount(edge) + wanted
        except SchedulingError as error:
            raise SchedulingError(f"{self.where(edge)}: {error}") from error


def _counts_data(counter: int) -> bool:
    return counter % 2 == 0


def _direct(tensor: Tensor) -> Elts_t:
    """Give a tensor set on an input: all of it, once."""
    return Elts_t.data_elts(0 if tensor.undefined else tensor.size)


def _ordered(view: GraphView) -> list[Node]:
    try:
        return view.topological_order()
    except GraphError as error:
        raise SchedulingError(describe_cycle(view)) from error
