"""From a prepared graph, an order and a memory plan to an export plan.

Every operand of every call gets its address here: a place in an arena, an input of the program, a
parameter, or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from aidge_nb.export.boards.targets import ExportTarget
from aidge_nb.export.plan.addresses import NOTHING, Addresses, outputs_of
from aidge_nb.export.plan.calls import (
    Calls,
    find_calls,
    known_of,
    sites_of,
    stack_bytes,
    with_scratch,
)
from aidge_nb.export.plan.ends import load_steps, result_step
from aidge_nb.export.plan.fused import FusedChain, Fusion, fuse
from aidge_nb.export.plan.loops import Turn, fold, moves, spread_moves, turns, written
from aidge_nb.export.plan.made import Made
from aidge_nb.export.plan.parts import (
    Action,
    Choice,
    Field,
    KernelCall,
    Place,
    ProgramLoop,
    ProgramTensor,
    Step,
)
from aidge_nb.export.plan.pieces import NodeInPieces, find_pieces, piece_actions
from aidge_nb.export.plan.prepare import graph_inputs, without_producers
from aidge_nb.export.plan.rows_last import fuse_scattered
from aidge_nb.export.plan.scattered import (
    CUTS,
    Scattered,
    find_scattered,
    move_boxes,
    move_view,
    part_actions,
)
from aidge_nb.export.plan.stretches import SpreadValues, find_spread
from aidge_nb.export.plan.strided import with_joined
from aidge_nb.export.plan.value import ExportPlan
from aidge_nb.export.write.literals import SymbolTable
from aidge_nb.graph.node import Node, Port
from aidge_nb.kernels.c import CCall, Constant, In, Out, Scratch, units_of
from aidge_nb.kernels.c.adapters.channels_last import MORE
from aidge_nb.kernels.c.calls import Argument
from aidge_nb.scheduling.model.conditional import CONDITION
from aidge_nb.scheduling.schedule.nest import Repeat

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView
    from aidge_nb.memory import MemoryPlan


def make_plan(
    view: GraphView,
    order: Sequence[Node],
    memory: MemoryPlan,
    *,
    name: str,
    target: ExportTarget,
    fixed: bool = False,
) -> Made:
    """Assign every operand its address.

    Raise ExportError when a kernel refuses a node, or cannot follow the plan there. The order is
    the node of each execution, without Producers. With ``fixed`` the arena of the memory plan does
    not grow for the working memory of kernels.
    """
    known = known_of(view)
    site_of, loaded = sites_of(view, known, memory)
    calls = find_calls(order, target.name, site_of)
    names = view.unique_names()
    spread = SpreadValues()
    if any(b.execution or b.levels or b.wrapped_size for b in memory.buffers):
        spread = find_spread(memory, {name: node for node, name in names.items()})
    scattered = find_scattered(view, order, memory, target.name, site_of, calls, spread.buffers)
    fusion = Fusion()
    if target.has_vectors and not (scattered.nodes or loaded):
        fusion, fused = fuse(
            view, without_producers(order), memory, calls, known, channels_last=target.is_host
        )
    elif target.has_vectors:
        fusion, fused, scattered = fuse_scattered(
            view,
            without_producers(order),
            memory,
            calls,
            scattered,
            spread.buffers,
            loaded,
            known,
            site_of,
            target,
        )
    else:
        fused = {node: found for node, found in calls.items() if node not in scattered.nodes}
    pieces: dict[Node, NodeInPieces] = {}
    if spread.buffers:
        pieces = find_pieces(order, memory, names, scattered, spread, calls, site_of, target.name)
    memory = with_joined(memory, fusion.joined)
    calls = {**fused, **{node: parts.calls for node, parts in scattered.parts.items()}}
    calls = {**calls, **{node: found.calls for node, found in pieces.items()}}
    wanted = {
        names[node]: max((c.scratch for c in found), default=0) for node, found in calls.items()
    }
    memory = with_scratch(memory, wanted, fixed=fixed)
    addresses = Addresses(
        view, memory, SymbolTable(("forward", "observe")), fusion.last, scattered.outside, spread
    )
    maker = _Maker(addresses, calls, fusion, scattered, pieces)
    steps = maker.steps(order)
    outputs, results = outputs_of(addresses)
    if any(place.kind == "spread" for place in results):
        steps = (*steps, result_step(addresses, outputs, results, maker.count + 1))
        results = tuple(NOTHING if place.kind == "spread" else place for place in results)
    plan = ExportPlan(
        name=name,
        target=target.name,
        inputs=addresses.inputs,
        outputs=outputs,
        results=results,
        parameters=tuple(addresses.parameters.values()),
        arenas=addresses.arenas,
        buffers=tuple(sorted(addresses.every_buffer.values(), key=lambda b: (b.arena, b.lower))),
        steps=steps,
        units=tuple(u.name for u in units_of(c for found in calls.values() for c in found)),
        memory=memory,
        stack_by=stack_bytes(steps, target),
    )
    inputs = tuple(map(tuple, graph_inputs(view)))
    return Made(plan, addresses.arrays, view, tuple(order), inputs)


class _Maker:
    """Makes steps, one after the other."""

    def __init__(
        self,
        addresses: Addresses,
        calls: Calls,
        fusion: Fusion,
        scattered: Scattered,
        pieces: Mapping[Node, NodeInPieces],
    ) -> None:
        self._addresses, self._calls, self._fusion = addresses, calls, fusion
        self._scattered, self._pieces = scattered, pieces
        self._numbers: dict[Node, int] = {}
        self._resolved: dict[Node, tuple[KernelCall, ...]] = {}
        self._number = self._before = 0  # steps made, and those of them before the first tick

    @property
    def count(self) -> int:
        """Number of steps made."""
        return self._number

    def steps(self, order: Sequence[Node]) -> tuple[Step | ProgramLoop, ...]:
        """Make all steps of an order, repetitions as loops where values keep their places."""
        nest = tuple(order) if self._addresses.move else fold(list(order))
        loads = self._addresses.loads(set(order))
        before = tuple(load_steps(self._addresses, loads)) if loads else ()
        self._number = self._before = len(before)
        return (*before, *self._walk(nest, turns(nest)))

    def _walk(
        self, nest: Sequence[Node | Repeat[Node]], each: Iterator[Turn]
    ) -> tuple[Step | ProgramLoop, ...]:
        return tuple(
            ProgramLoop(item.count, self._walk(item.body, each))
            if isinstance(item, Repeat)
            else self._step(item, next(each))
            for item in nest
        )

    def _step(self, node: Node, turn: Turn) -> Step:
        if self._addresses.move:  # without loops each step is one tick
            self._addresses.go_to(self._number - self._before)
        owner, chain = self._fusion.owner(node), self._fusion.chains.get(node)
        if owner is not None:
            return self._done_before(node, self._fusion.chains[owner])
        step = self._own_step(node, turn)
        self._numbers[node] = step.number
        return step if chain is None else self._with_others(step, chain, turn)

    def _done_before(self, node: Node, chain: FusedChain) -> Step:
        """Make the step of a node that was computed with another one."""
        self._number += 1
        return Step(
            number=self._number,
            node=self._addresses.node_names[node],
            type=node.type(),
            symbol=self._addresses.symbol_of(node),
            reads=(),
            sources=tuple(
                self._addresses.of_input(node, index) if chain.more == (node, index) else NOTHING
                for index in range(node.get_nb_inputs())
            ),
            writes=(),
            actions=(),
            done_by=self._numbers[chain.conv],
        )

    def _with_others(self, step: Step, chain: FusedChain, turn: Turn) -> Step:
        """Let the step of a convolution write what the last node of its chain writes."""
        addresses = self._addresses
        reads, sources = step.reads, step.sources
        if chain.more is not None:
            node, index = chain.more
            reads = (*reads, *self._reads(node)[index : index + 1])
            sources = (*sources, addresses.of_input(node, index))
        also = tuple(addresses.node_names[node] for node in chain.after)
        writes = written(addresses, chain.last, turn)
        return replace(step, reads=reads, sources=sources, writes=writes, also=also)

    def _own_step(self, node: Node, turn: Turn) -> Step:
        addresses = self._addresses
        actions = self._actions(node, turn)
        self._number += 1
        return Step(
            number=self._number,
            node=addresses.node_names[node],
            type=node.type(),
            symbol=addresses.symbol_of(node),
            reads=self._reads(node),
            sources=tuple(self._source(node, i) for i in range(node.get_nb_inputs())),
            writes=written(addresses, node, turn),
            actions=actions,
            choices=self._choices(node),
            base=turn.base,
            strides=turn.steps,
            total=turn.total,
        )

    def _actions(self, node: Node, turn: Turn) -> tuple[Action, ...]:
        addresses, scattered = self._addresses, self._scattered
        chain = self._fusion.chains.get(node)
        last = node if chain is None else chain.last
        source, target = partial(self._read_by, node), partial(addresses.of_output, last)
        depth = len(turn.counts)
        if node.type() == "Producer":
            return tuple(addresses.load(node))
        if node in scattered.parts:
            aside = partial(self._aside, node)
            call_of = partial(self._part_call, node)
            parts = scattered.parts[node]
            return part_actions(parts, depth, source, target, aside, call_of)
        if node in self._pieces:
            aside, call_of = partial(self._aside, node), partial(self._part_call, node)
            portions = self._pieces[node].executions[turn.base]
            place_of = addresses.place_of
            return piece_actions(node.label, portions, source, target, aside, place_of, call_of)
        is_spread = bool(addresses.spread.buffers) and addresses.spread.touches(node)
        if node in scattered.nodes and not (is_spread or addresses.is_in_place_already(node)):
            if Port(node, 0) in scattered.outside:
                return ()
            if node.type() in CUTS:
                return move_boxes(scattered, node, depth, source, target)
            if not addresses.same_bytes(target(0), source(0)):
                return move_view(scattered, node, depth, source(0), target(0))
        actions = moves(addresses, node, turn)
        return self._calls_of(node) if actions is None else spread_moves(addresses, node, actions)

    def _read_by(self, node: Node, index: int) -> Place:
        chain = self._fusion.chains.get(node)
        if index == MORE and chain is not None and chain.more is not None:
            return self._addresses.of_input(*chain.more)
        return self._addresses.of_input(node, index)

    def _aside(self, node: Node, offset: int) -> Place:
        """Return a place in the working memory of a node."""
        buffer = self._addresses.buffers[self._addresses.node_names[node], -1]
        return Place("arena", buffer.symbol, offset)

    def _part_call(
        self, node: Node, call: CCall, place_of: Callable[[In | Out | Scratch], Place]
    ) -> KernelCall:
        number = self._calls[node].index(call)
        return self._resolve(node, call, f"_{number + 1}" if number else "", place_of)

    def _reads(self, node: Node) -> tuple[str, ...]:
        found = []
        for index in range(node.get_nb_inputs()):
            tensor = node.get_operator().get_input(index)
            if tensor is not None and self._is_read(node, index):
                found.append(ProgramTensor("", "", tensor.dtype, tuple(tensor.dims)).text)
        return tuple(found)

    def _is_read(self, node: Node, index: int) -> bool:
        """Tell whether an input is read when the program runs, as it is or in another form."""
        if self._source(node, index) != NOTHING:
            return True
        if node.source(index) in self._addresses.spread.buffers:
            return True
        arguments = (arg for call in self._calls.get(node, ()) for arg in call.args)
        return any(isinstance(arg, Constant) and arg.of == index for arg in arguments)

    def _source(self, node: Node, index: int) -> Place:
        if self._is_replaced(node, index):
            return NOTHING
        return self._addresses.to_read(self._addresses.of_input(node, index))

    def _is_replaced(self, node: Node, index: int) -> bool:
        """Tell whether a parameter is stored in another form, or not at all."""
        port = node.source(index)
        is_fixed = port is None or port.node.type() == "Producer"
        used = {
            arg.index
            for call in self._calls.get(node, ())
            for arg in call.args
            if isinstance(arg, In)
        }
        return is_fixed and node in self._calls and index not in used

    def _choices(self, node: Node) -> tuple[Choice, ...]:
        found = []
        pairs = sorted(
            node.annotations.get(CONDITION, ()), key=lambda pair: (pair[0].id(), pair[1])
        )
        for select, number in pairs:
            tensor = select.get_operator().get_input(0)
            if tensor is not None:
                place = self._addresses.to_read(self._addresses.of_input(select, 0))
                found.append(Choice(place, tensor.dtype, number))
        return tuple(found)

    def _calls_of(self, node: Node) -> tuple[KernelCall, ...]:
        if node not in self._resolved or self._addresses.move:
            found = self._calls.get(node, ())
            self._resolved[node] = tuple(
                self._resolve(node, call, f"_{number + 1}" if number else "")
                for number, call in enumerate(found)
            )
        return self._resolved[node]

    def _resolve(
        self,
        node: Node,
        call: CCall,
        suffix: str,
        place_of: Callable[[In | Out | Scratch], Place] | None = None,
    ) -> KernelCall:
        def operand(argument: Argument) -> Place:
            if place_of is not None and isinstance(argument, (In, Out, Scratch)):
                return place_of(argument)
            return self._place(node, argument)

        return KernelCall(
            function=call.function,
            unit=call.unit,
            config=call.config,
            symbol=f"{self._addresses.symbol_of(node)}_config{suffix}",
            fields=tuple(Field(key, _plain(value)) for key, value in call.fields.items()),
            operands=tuple(map(operand, call.args)),
        )

    def _place(self, node: Node, argument: Argument) -> Place:
        addresses, chain = self._addresses, self._fusion.chains.get(node)
        if chain is not None and isinstance(argument, Out):
            return addresses.of_output(chain.last, 0)
        if chain is not None and chain.more is not None and argument == In(MORE):
            return addresses.of_input(*chain.more)
        if isinstance(argument, In):
            return _moved(addresses.of_input(node, argument.index), argument.offset)
        if isinstance(argument, Out):
            return _moved(addresses.of_output(node, argument.index), argument.offset)
        if isinstance(argument, Scratch):
            return self._aside(node, argument.offset)
        if isinstance(argument, Constant):
            return addresses.constant(
                f"{addresses.symbol_of(node)}_{argument.name}", argument.array
            )
        return NOTHING


def _moved(place: Place, offset: int) -> Place:
    return Place(place.kind, place.name, place.offset + offset) if offset else place


def _plain(value: Any) -> Any:
    """Return a number of NumPy, or a sequence of them, as Python's own."""
    if isinstance(value, (list, tuple)):
        return tuple(_plain(each) for each in value)
    return value.item() if hasattr(value, "item") else value
