"""Find the nodes whose operands do not lie as arrays, and write what computes them.

Slice, Split and Concat copy boxes; everything else is cut into parts by
:mod:`aidge_nb.export.plan.by_parts`.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aidge_nb.export.plan.aside import as_a_whole
from aidge_nb.export.plan.by_parts import ByParts, Operands, PartOperand, PartRun, by_parts
from aidge_nb.export.plan.parts import Action, ActionLoop, KernelCall, Place
from aidge_nb.export.plan.stretches import copy_runs, strided_runs
from aidge_nb.export.plan.strided import Strided, array_of, copied, lies_as
from aidge_nb.graph.node import Node, Port
from aidge_nb.kernels.c import CCall, In, Out, Scratch, Site
from aidge_nb.memory.live.by_rows import lead_of, row_window, works_by_lines
from aidge_nb.memory.live.sharing import first_in_input, firsts_in_output, has_one_type
from aidge_nb.tiling.ranges import Range, Region, whole

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView
    from aidge_nb.memory import Buffer, MemoryPlan

CUTS = ("Slice", "Split", "Concat")
"""Operators that copy boxes."""


@dataclass(frozen=True, eq=False)
class Scattered:
    """The nodes of a program that work on operands which do not lie as arrays.

    Attributes
    ----------
    nodes
        All of them.
    parts
        Those that kernels compute, part by part.
    outside
        Outputs of Slice and Split that are read where they lie in an input of the program: how many
        bytes behind what the node reads they begin.
    """

    nodes: frozenset[Node]
    parts: Mapping[Node, ByParts]
    outside: Mapping[Port, int]
    _lies: Mapping[Port, Strided]

    def of_output(self, node: Node, index: int) -> Strided:
        """Return how an output lies."""
        tensor = node.get_operator().get_output(index)
        return self._lies.get(Port(node, index)) or lies_as(tensor)

    def lies_elsewhere(self, port: Port) -> bool:
        """Tell whether an output does not lie as an array."""
        return port in self._lies or port in self.outside

    def of_input(self, node: Node, index: int) -> Strided | None:
        """Return how what an input reads lies; None where nothing is connected."""
        tensor = node.get_operator().get_input(index)
        if tensor is None or tensor.undefined():
            return None
        port = node.source(index)
        return (self._lies.get(port) if port is not None else None) or lies_as(tensor)


def find_scattered(
    view: GraphView,
    order: Sequence[Node],
    memory: MemoryPlan,
    target: str,
    site_of: Callable[[Node], Site],
    calls: Mapping[Node, tuple[CCall, ...]],
    spread: Container[Port] = (),
    fused: Container[Node] = (),
) -> Scattered:
    """Find the nodes of a plan whose operands lie in blocks, by rows, or over each other.

    ``calls`` compute whole nodes: they work on copies where nothing computes a node in parts. Nodes
    that read or write what is ``spread`` are among those found, without parts; those that are
    ``fused`` are left out.
    """
    buffers = buffers_by_port(view, memory)
    lies = {
        port: lies_as(port.node.get_operator().get_output(port.index), buffer)
        for port, buffer in buffers.items()
        if (buffer.levels or buffer.rows) and port not in spread
    }
    outside = dict[Port, int]()
    found = Scattered(frozenset(), {}, outside, lies)
    parts: dict[Node, ByParts] = {}
    nodes = set()
    for node in left_out(order, buffers):
        nodes.add(node)
        whole = found.of_input(node, 0)
        for index in range(node.get_nb_outputs()):
            if whole is not None:
                region = _region(first_in_input(node, index) or (), _dims_of(node, index))
                outside[Port(node, index)] = whole.start(region)
                if not whole.cut(region).is_array:
                    lies[Port(node, index)] = whole.cut(region)
    for node in dict.fromkeys(order):
        ports = [Port(node, index) for index in range(node.get_nb_outputs())]
        held = [buffers[port] for port in ports if port in buffers]
        over = any(buffer.in_place_of for buffer in held) and (
            _runs_over(node)
            or any(
                _overlap(buffer, buffers[port])
                for buffer in held
                for port in node.sources()
                if port in buffers and not buffer.view_of
            )
        )
        touches = any(port in lies for port in (*ports, *node.sources()))
        if any(port in spread for port in (*ports, *node.sources())):
            nodes.add(node)
            continue
        if node in nodes or node in fused or not (over or touches):
            continue
        nodes.add(node)
        is_moved = node.type() in CUTS and not over and _copies_boxes(node)
        if not (_is_in_place(node, held) or is_moved or node.get_operator().spec.is_view):
            operands = operands_of(node, found, [port for port in ports if port in buffers], over)
            cut = None
            if not over or runs_in_steps(node, buffers):
                cut = by_parts(node, site_of(node), operands, target)
            parts[node] = cut or as_a_whole(calls[node], operands)
    return Scattered(frozenset(nodes), parts, outside, lies)


def buffers_by_port(view: GraphView, memory: MemoryPlan) -> dict[Port, Buffer]:
    """Return the buffers of the outputs that a plan holds; the last one where it has several."""
    by_name = {name: node for node, name in view.unique_names().items()}
    return {
        Port(by_name[buffer.node], buffer.output): buffer
        for buffer in memory.buffers
        if buffer.output >= 0 and buffer.kind == "activation"
    }


def left_out(order: Sequence[Node], held: Container[Port]) -> list[Node]:
    """List the nodes of which a plan holds no output: Slice and Split of inputs of the program.

    What they cut out is read where it lies. ``held`` are the outputs that the plan holds.
    """
    found: list[Node] = []
    for node in dict.fromkeys(order):
        source = node.source(0) if node.type() in ("Slice", "Split") else node
        is_outside = source is None or (isinstance(source, Port) and source.node in found)
        outputs = range(node.get_nb_outputs())
        free = not any(Port(node, index) in held for index in outputs)
        if is_outside and free and all(first_in_input(node, i) is not None for i in outputs):
            found.append(node)
    return found


def _region(first: Sequence[int], dims: Sequence[int]) -> Region:
    return tuple(Range(at, at + size) for at, size in zip(first, dims, strict=True))


def _dims_of(node: Node, index: int) -> Sequence[int]:
    return node.get_operator().get_output(index).dims


def _runs_over(node: Node) -> bool:
    """Tell whether a node that writes over its input must do so part by part."""
    spec = node.get_operator().spec
    return not spec.in_place and not spec.is_view and node.type() not in CUTS


def _overlap(one: Buffer, other: Buffer) -> bool:
    """Tell whether two buffers share bytes, and do not lie in one place."""
    if (one.offset, one.size, one.levels) == (other.offset, other.size, other.levels):
        return False
    return any(max(a, c) < min(b, d) for a, b in one.intervals for c, d in other.intervals)


def runs_in_steps(node: Node, buffers: Mapping[Port, Buffer]) -> bool:
    """Tell whether a node may write over its input row by row, or line by line, as they lie."""
    source = node.source(0)
    one, other = buffers.get(Port(node, 0)), None if source is None else buffers.get(source)
    if one is None or other is None:
        return False
    if works_by_lines(node):
        return (one.offset, one.size, one.levels) == (other.offset, other.size, other.levels)
    window = row_window(node)
    by_rows = window is not None and one.rows and other.rows
    if window is None or not by_rows:
        return False
    return other.offset - one.offset >= lead_of(window, other.size, one.size)


def _is_in_place(node: Node, held: Sequence[Buffer]) -> bool:
    return bool(held) and all(b.view_of is not None or b.made_of for b in held)


def operands_of(
    node: Node, scattered: Scattered, held: Sequence[Port], runs_over: bool
) -> Operands:
    """Return how the operands of a node lie; ``held`` are the outputs that are wanted."""
    inputs = {}
    moving = set()
    for index in range(node.get_operator().nb_inputs):
        lies = scattered.of_input(node, index)
        if lies is None:
            continue
        inputs[index] = lies
        port = node.source(index)
        tensor = node.get_operator().get_input(index)
        is_fixed = port is not None and port.node.type() == "Producer"
        if not is_fixed and not (port is None and tensor is not None and tensor.has_data):
            moving.add(index)
    more = {port.index: scattered.of_output(node, port.index) for port in held if port.index}
    return Operands(inputs, frozenset(moving), scattered.of_output(node, 0), runs_over, more=more)


# --- what is done ---------------------------------------------------------------------------


def move_boxes(
    scattered: Scattered,
    node: Node,
    depth: int,
    source: Callable[[int], Place],
    target: Callable[[int], Place],
) -> tuple[Action, ...]:
    """Copy what Slice, Split and Concat cut out or put together.

    ``source`` and ``target`` are the places of inputs and outputs; ``depth`` loops are around.
    Raise ExportError where no boxes are copied.
    """
    found: list[Action] = []
    for index, whole_first, is_cut in _boxes(node):
        own = scattered.of_output(node, index) if is_cut else scattered.of_input(node, index)
        other = scattered.of_input(node, 0) if is_cut else scattered.of_output(node, 0)
        if own is None or other is None or not own.nbytes:
            continue
        region = _region(whole_first, own.dims)
        place = source(0) if is_cut else target(0)
        box = (_moved(place, other.start(region)), other.cut(region))
        mine = (target(index) if is_cut else source(index), own)
        found += copied(mine, box, depth) if is_cut else copied(box, mine, depth)
    return tuple(found)


def _copies_boxes(node: Node) -> bool:
    """Tell whether Slice, Split or Concat copies boxes."""
    if node.type() == "Concat":
        return has_one_type(node)
    return all(first_in_input(node, i) is not None for i in range(node.get_nb_outputs()))


def _boxes(node: Node) -> Iterator[tuple[int, Sequence[int], bool]]:
    """Yield the number of each part, where it begins in the whole, and whether it is cut out."""
    if node.type() == "Concat":
        for index, first in enumerate(firsts_in_output(node)):
            yield index, first, False
        return
    for index in range(node.get_nb_outputs()):
        yield index, first_in_input(node, index) or (), True


def move_view(
    scattered: Scattered, node: Node, depth: int, source: Place, target: Place
) -> tuple[Action, ...]:
    """Copy the input of a view, element by element in their order, to where its output lies."""
    x, y = scattered.of_input(node, 0), scattered.of_output(node, 0)
    if x is None:
        return ()
    if x.dims != y.dims and y.is_array:
        y = array_of(x.dims, x.itemsize)
    elif x.dims != y.dims and x.is_array:
        x = array_of(y.dims, y.itemsize)
    if x.dims != y.dims:
        to, have = (
            strided_runs(each, whole(each.dims), at) for each, at in ((y, target), (x, source))
        )
        return copy_runs(node.label, to, have, depth=depth)
    return copied((target, y), (source, x), depth)


def part_actions(
    parts: ByParts,
    depth: int,
    source: Callable[[int], Place],
    target: Callable[[int], Place],
    aside: Callable[[int], Place],
    call_of: Callable[[CCall, Callable[[In | Out | Scratch], Place]], KernelCall],
) -> tuple[Action, ...]:
    """Write the loops that compute a node part by part; ``depth`` loops are around them.

    ``source``, ``target`` and ``aside`` are the places of an input, of an output and of a byte of
    the working memory,
    ``call_of`` resolves a call, given where its operands are.
    """
    found: list[Action] = []
    for run in parts.runs:
        found += _run_actions(run, depth, source, target, aside, call_of)
    return tuple(found)


def _run_actions(
    run: PartRun,
    depth: int,
    source: Callable[[int], Place],
    target: Callable[[int], Place],
    aside: Callable[[int], Place],
    call_of: Callable[[CCall, Callable[[In | Out | Scratch], Place]], KernelCall],
) -> list[Action]:
    def place_of(operand: PartOperand, whole: Place) -> Place:
        steps = operand.steps if any(operand.steps) else ()
        around = (0,) * depth if steps else ()
        return Place(whole.kind, whole.name, whole.offset + operand.start, (*around, *steps))

    outputs = {0: run.output, **run.others}

    def operand_of(argument: In | Out | Scratch) -> Place:
        if isinstance(argument, Scratch):
            return aside(argument.offset)
        is_output = isinstance(argument, Out)
        operand = (outputs if is_output else run.inputs).get(argument.index)
        whole = (target if is_output else source)(argument.index)
        if operand is None:
            return whole
        found = place_of(operand, whole) if operand.aside is None else aside(operand.aside)
        return _moved(found, argument.offset)

    inner = depth + len(run.counts)
    body: list[Action] = []
    for index, operand in run.inputs.items():
        if operand.aside is not None:
            own = array_of(operand.box.dims, operand.box.itemsize, last=operand.box.last)
            there = place_of(operand, source(index))
            body += copied((aside(operand.aside), own), (there, operand.box), inner)
    body += [call_of(call, operand_of) for call in run.calls]
    for index, operand in outputs.items():
        if operand.aside is not None:
            own = array_of(operand.box.dims, operand.box.itemsize, last=operand.box.last)
            there = place_of(operand, target(index))
            body += copied((there, operand.box), (aside(operand.aside), own), inner)
    for count in reversed(run.counts):
        body = [ActionLoop(count, tuple(body))]
    return body


def _moved(place: Place, offset: int) -> Place:
    if not offset:
        return place
    return Place(place.kind, place.name, place.offset + offset, place.strides)
