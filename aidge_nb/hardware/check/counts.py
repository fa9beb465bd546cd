"""Check the amounts of steps: count work and bytes again, from the graph.

Reads of a tile follow from its regions, contents of a buffer from the tensors of the graph. No code
of the mapper is used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import prod

from aidge_nb.core.errors import HardwareError
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView
from aidge_nb.hardware.mapping import Mapping
from aidge_nb.hardware.steps import MappingStep, Placed, Work
from aidge_nb.hardware.targets.target import Target
from aidge_nb.ops.coded import kind_of
from aidge_nb.tiling.ranges import Region, whole

Places = dict[str, list[Placed]]
"""The places of each buffer."""


@dataclass(slots=True)
class _Needs:
    """Bytes that a tile reads from outside, of its parameters, and of its result.

    ``roots`` counts tensors once that are views or parts of one tensor. ``passed`` sums the bytes
    that its operators read and write.
    """

    outside: dict[tuple[int, Region], int] = field(default_factory=dict)
    roots: dict[object, int] = field(default_factory=dict)
    parameters: dict[tuple[int, Region], int] = field(default_factory=dict)
    result: int = 0
    awaited: int = 0
    passed: int = 0


def check_counts(mapping: Mapping, target: Target, view: GraphView) -> None:
    """Check amounts of steps and sizes of buffers.

    Raise HardwareError, naming the step or buffer, what it has and what it needs.
    """
    nodes = {name: node for node, name in view.unique_names().items()}
    _check_functions(mapping, nodes)
    outputs = set(view.get_ordered_outputs())
    _check_sizes(mapping, view, nodes, outputs)
    placed = places(mapping)
    needs: dict[tuple[str, int], _Needs] = {}
    times = Counter(name for work in mapping.works for name in work.nodes)
    for step in mapping.steps:
        key = (step.work, step.tile)
        if key not in needs:
            work = mapping.work(step.work)
            needs[key] = _needs(work, step.tile, nodes, outputs)
            if any(times[name] > 1 for name in work.nodes):
                # An execution may read initial values, or add to existing ones.
                needs[key].roots, needs[key].awaited = {}, 0
        reads, writes = (placed_at(placed, step, names) for names in (step.reads, step.writes))
        if step.kind == "operation":
            _check_operation(step, needs[key], reads, writes, target)
        else:
            _check_transfer(step, needs[key], reads, writes)
    _check_stores(mapping, placed)


def takes_no_time(node: Node) -> bool:
    """Return whether a node may need no step: a view, Slice, Split or Concat."""
    return node.get_operator().spec.is_view or node.type() in ("Slice", "Split", "Concat")


def fail(where: str | MappingStep, problem: str, found: object, expected: object = None) -> None:
    """Raise that a step, or what is so called, has a problem."""
    called = where if isinstance(where, str) else f"{where.work}, {where.name}"
    raise HardwareError.at(called, problem, expected=expected, found=found)


def places(mapping: Mapping) -> Places:
    """List the places of each buffer."""
    found: Places = {}
    for each in mapping.placements:
        found.setdefault(each.buffer, []).append(each)
    return found


def placed_at(placed: Places, step: MappingStep, names: Iterable[str]) -> list[Placed]:
    """Find the placed buffers of a step."""
    found = (each for name in names for each in placed.get(name, ()))
    return [each for each in found if each.start <= step.start and step.end <= each.end]


def _bytes(placed: Iterable[Placed]) -> int:
    return sum(each.size for each in placed)


# --- buffers -----------------------------------------------------------------------------------


def _check_functions(mapping: Mapping, nodes: dict[str, Node]) -> None:
    for work in mapping.works:
        for each in work.functions:
            if each.node not in nodes:
                fail(work.name, "computes what is not in the graph", each.node, "a node of it")
            node = nodes[each.node]
            size = sum(node.get_operator().get_output(i).size for i in _outputs(node))
            is_so = (kind_of(node), node.get_operator().macs() or 0, size)
            if (each.operator, each.macs, each.elements) != is_so:
                found = (each.operator, each.macs, each.elements)
                fail(work.name, f"says what {each.node} is not", found, is_so)


def _outputs(node: Node) -> list[int]:
    """List the computed outputs of a node."""
    leaves_out = node.get_operator().may_leave_out
    return [i for i in range(node.get_nb_outputs()) if node.output(i) or not leaves_out(i)]


def _check_sizes(
    mapping: Mapping, view: GraphView, nodes: dict[str, Node], outputs: set[Port]
) -> None:
    """Check size and live range of buffers of whole tensors."""
    sizes: dict[str, int] = {}
    results: set[str] = set()
    for name, node in nodes.items():
        for index, tensor in enumerate(node.get_operator().get_outputs()):
            value = f"{name}:{index}" if index else name
            sizes[value] = 0 if tensor.undefined() else tensor.nbytes
            results |= {value} if Port(node, index) in outputs else set()
    for number, group in enumerate(view.get_input_groups()):
        given = group[0].node.get_operator().get_input(group[0].index)
        sizes[f"input#{number}"] = 0 if given is None or given.undefined() else given.nbytes
    written = {buffer for step in mapping.steps for buffer in step.writes}
    for each in mapping.placements:
        for value in each.holds or (each.buffer,) * (each.buffer in mapping.given):
            least = sizes.get(value.partition("[")[0], 0)
            if each.size < least:
                fail(each.buffer, f"is too small for {value}", each.size, f"{least} bytes")
        if each.buffer in mapping.given and each.start > 0:
            fail(each.buffer, "is given, but not there from the beginning", each.start, 0)
        if each.buffer not in mapping.given and results & set(each.holds):
            if each.buffer not in written:
                fail(each.buffer, "is a result that nothing writes", "none", "a step")
            if each.end < mapping.cycles:
                fail(each.buffer, "is a result, but gone at the end", each.end, mapping.cycles)


# --- needs of steps ---------------------------------------------------------------------------


def _needs(work: Work, tile: int, nodes: dict[str, Node], outputs: set[Port]) -> _Needs:
    """Count the bytes that a tile reads and writes."""
    found = _Needs()
    mine = [nodes[name] for name in work.nodes]
    for node, output, inputs in _parts(work, tile, nodes):
        operator = node.get_operator()
        if output is None:
            found.passed += sum(operator.get_output(i).nbytes for i in _outputs(node))
        else:
            found.passed += _size(output) * operator.get_output(0).dtype.itemsize
        for index, region in inputs:
            tensor, port = operator.get_input(index), node.source(index)
            size = 0 if tensor is None else _size(region) * tensor.dtype.itemsize
            if port is not None and port.node.type() == "Producer":
                found.parameters[id(port.node), region] = size
                continue
            found.passed += size
            if port is None or port.node not in mine:
                found.outside[id(tensor), region] = size
                root = _root(node, index)
                found.roots[root] = max(found.roots.get(root, 0), size)
    found.roots.pop(None, None)
    last = mine[-1]
    if work.tiling is not None:
        region = work.tiling.tiles[tile].output
        found.result = _size(region) * last.get_operator().get_output(0).dtype.itemsize
        found.awaited = found.result if _is_awaited(Port(last, 0), outputs) else 0
        return found
    for index in _outputs(last):
        size = last.get_operator().get_output(index).nbytes
        found.result += size
        found.awaited += size if _is_awaited(Port(last, index), outputs) else 0
    return found


def _parts(
    work: Work, tile: int, nodes: dict[str, Node]
) -> Iterator[tuple[Node, Region | None, list[tuple[int, Region]]]]:
    """List each node of a tile, the computed region (None for all), and the regions it reads."""
    if work.tiling is not None:
        for part in work.tiling.tiles[tile].parts:
            yield nodes[part.node], part.output, list(part.inputs)
        return
    for name in work.nodes:
        node = nodes[name]
        given = ((i, node.get_operator().get_input(i)) for i in range(node.get_nb_inputs()))
        yield node, None, [(i, whole(tensor.dims)) for i, tensor in given if tensor is not None]


def _size(region: Region) -> int:
    return prod(stop - start for start, stop in region)


def _root(node: Node, index: int) -> object:
    """Find the tensor that an input is a view or part of; None for parameters."""
    port, tensor = node.source(index), node.get_operator().get_input(index)
    while port is not None and (takes_no_time(port.node) and port.node.type() != "Concat"):
        tensor, port = port.node.get_operator().get_input(0), port.node.source(0)
    if port is not None and port.node.type() == "Producer":
        return None
    return id(tensor) if port is None else port


def _is_awaited(port: Port, outputs: set[Port]) -> bool:
    """Return whether an output is read by a node that takes time, or by the caller."""
    pending = [port]
    while pending:
        here = pending.pop()
        if here in outputs:
            return True
        for reader in here.node.output(here.index):
            if not takes_no_time(reader.node):
                return True
            pending += [Port(reader.node, i) for i in range(reader.node.get_nb_outputs())]
    return False


# --- steps --------------------------------------------------------------------------------------


def _check_operation(
    step: MappingStep, needs: _Needs, reads: list[Placed], writes: list[Placed], target: Target
) -> None:
    least = sum(needs.roots.values()) + sum(needs.parameters.values())
    if _bytes(reads) < least:
        fail(step, "reads less than it needs", _bytes(reads), f"{least} bytes")
    if _bytes(writes) < needs.awaited:
        fail(step, "has no room for its result", _bytes(writes), f"{needs.awaited} bytes")
    link = target.link(step.devices[0], writes[0].memory) if writes else None
    if link is not None and step.end - step.start < link.cycles(needs.passed) - 1e-6:
        least_cycles = f"{link.cycles(needs.passed):.0f} cycles for {needs.passed} bytes"
        fail(step, "is faster than its memory", step.end - step.start, least_cycles)


def _check_transfer(
    step: MappingStep, needs: _Needs, reads: list[Placed], writes: list[Placed]
) -> None:
    what = step.name.partition(" ")[0]
    parameters, outside = sum(needs.parameters.values()), sum(needs.outside.values())
    with_parameters = parameters if len(step.writes) > 1 else 0
    amounts = {"parameters": parameters, "load": outside + with_parameters, "store": needs.result}
    if what not in amounts:
        fail(step, "unknown transfer", what, " or ".join(amounts))
    if step.amount != amounts[what]:
        fail(step, "moves another amount", step.amount, f"{amounts[what]} bytes")
    room = _bytes(reads if what == "store" else writes)
    if room < step.amount:
        fail(step, "moves more than there is room for", room, f"{step.amount} bytes")


def _check_stores(mapping: Mapping, placed: Places) -> None:
    """Check that results in local memories are stored to the whole tensor."""
    stores: dict[str, list[MappingStep]] = {}
    for step in mapping.steps:
        for buffer in step.reads if step.kind == "transfer" else ():
            stores.setdefault(buffer, []).append(step)
    for step in mapping.steps:
        result = step.writes[0] if step.kind == "operation" and step.writes else ""
        is_whole = not result or any(each.holds for each in placed.get(result, ()))
        if is_whole or "result" not in result.removeprefix(step.work):
            continue
        if not any(store.start >= step.end for store in stores.get(result, ())):
            fail(step, f"{result} is not stored", "none", f"a transfer after cycle {step.end}")
