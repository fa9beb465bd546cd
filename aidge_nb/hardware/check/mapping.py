"""Check a mapping against its target, rule by rule.

With the graph, also check that all of it is computed, in an order that its edges allow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.hardware.check.counts import check_counts, fail, placed_at, places, takes_no_time
from aidge_nb.hardware.mapping import Mapping
from aidge_nb.hardware.steps import Function, MappingStep, Placed, Work
from aidge_nb.hardware.targets.constraints import Constraints
from aidge_nb.hardware.targets.parts import busy_on_way
from aidge_nb.hardware.targets.target import Target
from aidge_nb.tiling.ranges import elements as count


def check_mapping(
    mapping: Mapping,
    target: Target,
    constraints: Constraints | None = None,
    view: GraphView | None = None,
) -> None:
    """Check that a mapping can be carried out on a target.

    Parameters
    ----------
    mapping
        The mapping.
    target, constraints
        The target, and its usable parts. A missed ``max_latency`` is an error, too.
    view
        The graph before tiling: checks that each node is computed after its predecessors. Without
        it, bytes and work are still counted on the graph that the mapping knows.

    Raises
    ------
    HardwareError
        Names the steps or buffers, and the broken rule.

    Examples
    --------
    >>> from aidge_nb import hardware
    >>> check_mapping(Mapping("mcu", (), 1.0, (), (), ()), hardware.target("mcu"))
    """
    limits = constraints or Constraints(target.name)
    if mapping.target != target.name:
        fail("mapping", f"is for another target than {target.name}", mapping.target)
    _check_frame(mapping, target, limits)
    _check_steps(mapping)
    _check_one_at_a_time(mapping.steps)
    _check_memories(mapping, target, limits)
    _check_operations(mapping, target, limits)
    _check_data(mapping)
    _check_buffers(mapping, target)
    if view is not None:
        _check_graph(mapping, view)
    graph = mapping.view if view is None else view
    if graph is not None and (view is not None or _is_of(mapping, graph)):
        check_counts(mapping, target, graph)


def _is_of(mapping: Mapping, view: GraphView) -> bool:
    """Return whether a graph still has the mapped nodes; it may have been rewritten."""
    names = set(view.unique_names().values())
    return all(set(work.nodes) <= names for work in mapping.works)


def _check_frame(mapping: Mapping, target: Target, limits: Constraints) -> None:
    """Check elements, capacities and latency."""
    allowed = {element.path for element in limits.elements(target)}
    strangers = [*mapping.elements, *mapping.double_buffered]
    for path in strangers:
        if path not in allowed:
            fail("mapping", "names an element that may not be used", path, sorted(allowed))
    for path, size in mapping.capacities:
        most = limits.capacity(target, path)
        if size > most:
            fail(path, "has less room than the mapping says", size, f"at most {most} bytes")
    allowed_time = limits.max_latency
    if allowed_time is not None and mapping.seconds > allowed_time:
        fail("mapping", "takes too long", f"{mapping.seconds} s", f"at most {allowed_time} s")


def _check_steps(mapping: Mapping) -> None:
    """Check work, tile and devices of each step."""
    works = {work.name: work for work in mapping.works}
    for step in mapping.steps:
        if step.kind not in ("operation", "transfer"):
            fail(step, "unknown kind of step", step.kind, "operation or transfer")
        if not step.devices or (step.kind == "operation" and len(step.devices) > 1):
            expected = "one element" if step.kind == "operation" else "links"
            fail(step, "runs on nothing, or on several at once", step.devices, expected)
        if step.work not in works:
            fail(step, "is part of no work", step.work)
        tiling = works[step.work].tiling
        tiles = 1 if tiling is None else len(tiling.tiles)
        if not 0 <= step.tile < tiles:
            fail(step, "is of no tile", step.tile, f"0 to {tiles - 1}")
    for work in mapping.works:
        if work.tiling is not None and set(work.tiling.nodes) != set(work.nodes):
            fail(work.name, "is tiled as other nodes", work.tiling.nodes, work.nodes)


def _check_one_at_a_time(steps: Iterable[MappingStep]) -> None:
    busy: dict[str, list[MappingStep]] = {}
    for step in steps:
        if step.end < step.start or step.start < 0:
            fail(step, "ends before it begins", (step.start, step.end))
        for device in step.devices:
            busy.setdefault(device, []).append(step)
    for device, mine in busy.items():
        mine.sort(key=lambda step: (step.start, step.end))
        for before, after in pairwise(mine):
            if after.start < before.end:
                both = f"{before.work}, {before.name} and {after.work}, {after.name}"
                fail(device, f"does {both} at once", after.start)


def _check_memories(mapping: Mapping, target: Target, limits: Constraints) -> None:
    by_memory: dict[str, list[Placed]] = {}
    written = {buffer for step in mapping.steps for buffer in step.writes}
    for each in mapping.placements:
        if each.offset < 0 or each.offset + each.size > limits.capacity(target, each.memory):
            fail(each.buffer, f"does not fit into {each.memory}", each.offset + each.size)
        is_written = bool(each.holds) or each.buffer in written
        if is_written and target.memory(each.memory).kind == "rom":
            fail(each.buffer, f"is written into {each.memory}", "a ROM", "RAM")
        by_memory.setdefault(each.memory, []).append(each)
    for memory, placed in by_memory.items():
        live: list[Placed] = []
        for each in sorted(placed, key=lambda each: each.start):
            live = [other for other in live if other.end > each.start]
            for other in live:
                ends = each.offset + each.size, other.offset + other.size
                if each.offset < ends[1] and other.offset < ends[0]:
                    fail(each.buffer, f"overlaps {other.buffer} in {memory}", each.offset)
            live.append(each)
    for use in mapping.memories:
        if use.peak > use.capacity:
            fail(use.path, "is fuller than may be", use.peak, f"at most {use.capacity} bytes")


def _check_operations(mapping: Mapping, target: Target, limits: Constraints) -> None:
    """Check elements and times of operations; each tile is computed once."""
    allowed = {element.path for element in limits.elements(target)}
    done: dict[str, list[int]] = {work.name: [] for work in mapping.works}
    for step in mapping.steps:
        if step.kind != "operation":
            continue
        work = mapping.work(step.work)
        done[step.work].append(step.tile)
        if not set(step.devices) <= allowed & set(work.elements) & set(mapping.elements):
            fail(step, "runs on an element that may not be used", step.devices)
        element = target.element(step.devices[0])
        cycles, amount = 0.0, 0
        for function in _calls(work, step.tile):
            if not element.runs(function.operator):
                fail(step, f"{element.path} does not run {function.operator}", function.node)
            cycles += function.cycles_on(element)
            amount += function.macs or function.elements
        if step.amount != amount:
            fail(step, "says another amount than it computes", step.amount, amount)
        if step.end - step.start < cycles * mapping.clock / element.frequency - 1e-6:
            fail(step, "takes less time than its work", step.end - step.start)
    for work in mapping.works:
        tiles = range(1 if work.tiling is None else len(work.tiling.tiles))
        if sorted(done[work.name]) != list(tiles):
            fail(work.name, f"computes not each of {len(tiles)} tiles once", done[work.name])
        devices = {path.removesuffix("/pe") for path in work.elements}
        if len(devices) > 1 and not any(devices <= set(g.members) for g in target.cooperation):
            fail(work.name, "is shared by elements that may not cooperate", sorted(devices))


def _calls(work: Work, tile: int) -> Iterator[Function]:
    """List the computations of a tile."""
    if work.tiling is None:
        yield from work.functions
        return
    whole = {function.node: function for function in work.functions}
    for part in work.tiling.tiles[tile].parts:
        yield replace(whole[part.node], macs=part.macs, elements=count(part.output))


def _check_buffers(mapping: Mapping, target: Target) -> None:
    """Check that buffers are in reach of their steps, and that transfers follow links."""
    placed = places(mapping)

    def memory_of(step: MappingStep, buffer: str) -> str:
        found = placed_at(placed, step, [buffer])
        if not found:
            fail(step, f"{buffer} lies nowhere meanwhile", step.start)
        return found[0].memory

    for step in mapping.steps:
        read = {memory_of(step, buffer) for buffer in step.reads}
        written = {memory_of(step, buffer) for buffer in step.writes}
        if step.kind == "operation":
            for memory in read | written:
                if target.link(step.devices[0], memory) is None:
                    fail(step, f"{step.devices[0]} is not linked to {memory}", step.start)
            continue
        ways = [(one, target.route(one, other)) for one in read for other in written]
        for start, links in ways:
            if set(step.devices) != set(busy_on_way(links, start)):
                fail(step, "takes another way than the links between", step.devices)
            least = float(sum(link.latency for link in links))
            least += step.amount / min(link.bytes_per_cycle for link in links)
            if step.end - step.start < least - 1e-6:
                fail(step, "is faster than its links", step.end - step.start)


def _check_data(mapping: Mapping) -> None:
    """Check that buffers are written before they are read."""
    written: dict[str, list[MappingStep]] = {}
    whole = {each.buffer for each in mapping.placements if each.holds}
    for step in mapping.steps:
        for buffer in step.writes:
            written.setdefault(buffer, []).append(step)
    for step in mapping.steps:
        for buffer in step.reads:
            writers = written.get(buffer, [])
            if buffer in mapping.given:
                continue
            if not writers:
                fail(step, f"reads {buffer}, which nothing writes", step.start)
            if not any(writer.end <= step.start for writer in writers):
                fail(step, f"reads {buffer} before it is written", step.start)
            if buffer not in whole and any(
                writer.start < step.end and step.start < writer.end for writer in writers
            ):
                fail(step, f"reads {buffer} while it is written", step.start)


def _check_graph(mapping: Mapping, view: GraphView) -> None:
    """Check that each node is computed, after its predecessors."""
    names = view.unique_names()
    works: dict[str, list[Work]] = {}
    for work in mapping.works:
        for name in work.nodes:
            works.setdefault(name, []).append(work)
    ends: dict[str, int] = {}
    starts: dict[str, int] = {}
    for step in mapping.steps:
        ends[step.work] = max(ends.get(step.work, 0), step.end)
        if not step.name.startswith("parameters"):
            starts[step.work] = min(starts.get(step.work, step.start), step.start)
    for node in view.get_nodes():
        mine = works.get(names[node], [])
        if not mine and node.type() != "Producer" and not takes_no_time(node):
            fail(node.label, "is computed by no work", mapping)
        if len(mine) != 1:
            continue
        for source in _sources(node, works, names):
            if source is mine[0]:
                continue
            if ends[source.name] > starts[mine[0].name]:
                fail(mine[0].name, f"begins before {source.name} ends", starts[mine[0].name])
            if source.name not in mine[0].after:
                fail(mine[0].name, f"does not say that it follows {source.name}", mine[0].after)


def _sources(node: Node, works: dict[str, list[Work]], names: dict[Node, str]) -> Iterator[Work]:
    """Find the works whose results a node reads, through nodes that take no time."""
    pending, seen = [node], {node}
    while pending:
        here = pending.pop()
        for index, port in here.edges_in():
            if here.parent_is_back_edge(index) or port.node in seen:
                continue
            seen.add(port.node)
            found = works.get(names[port.node], [])
            if len(found) == 1:
                yield found[0]
            elif not found:
                pending.append(port.node)
