"""Draw mappings: what each element and link does, and what lies in each memory meanwhile.

The scene of a mapping has its tiles as nodes. Beside a graph, bars and buffers belong to the nodes
of the graph; what computes several nodes together has the colour of the node with most work.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from aidge_nb.advice.reading import mapping_findings
from aidge_nb.widgets.palette import family_of, in_turn
from aidge_nb.widgets.scene.findings import cards_of
from aidge_nb.widgets.scene.parts import KINDS, Devices, MemoryMap, Row, SceneNode, Space, ints
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.text import count_text, size_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aidge_nb.hardware.mapping import Mapping
    from aidge_nb.hardware.steps import MappingStep, Work
    from aidge_nb.widgets.scene.index import NodeIndex
    from aidge_nb.widgets.scene.parts import Devices, MemoryMap, SceneNode

Key = tuple[str, int]
"""A tile: name of the work that it is of, and its number."""


def mapping_scene(mapping: Mapping, title: str = "") -> Scene:
    """Draw a mapping: a row for each element, link and bus, and a map of each memory.

    Parameters
    ----------
    mapping
        The mapping.
    title
        Title; by default the target.

    Examples
    --------
    >>> import aidge_nb
    >>> from aidge_nb import hardware
    >>> view = aidge_nb.sequential([aidge_nb.Conv2D(3, 32, [3, 3], name="conv0")])
    >>> view.forward_dims([[1, 3, 66, 66]])
    True
    >>> tiling = aidge_nb.plan_tiling(view, [view.get_node("conv0")], {2: 16})
    >>> mapping = hardware.map_tiles(view, tiling, hardware.target("quad_cluster"))
    >>> scene = mapping_scene(mapping)
    >>> scene.panels, len(scene.nodes)
    (('devices', 'memory', 'table'), 16)
    """
    steps = steps_by_tile(mapping)
    works = {work.name: work for work in mapping.works}
    tiles = Counter(work for work, _ in steps)
    place = {key: node for node, key in enumerate(steps)}
    return Scene(
        title=title or f"on {mapping.target}",
        nodes=tuple(_node(works[work], tile, own, tiles) for (work, tile), own in steps.items()),
        devices=devices_of(mapping, place),
        memory=mapping_memory(mapping, place),
        figures=mapping_figures(mapping),
        notes=() if steps else ("the mapping is empty: nothing runs",),
        findings=cards_of(mapping_findings(mapping)),
    )


def steps_by_tile(mapping: Mapping) -> dict[Key, list[MappingStep]]:
    """Return the steps of each tile, ordered as the nodes of the scene: by work, then by tile."""
    found: dict[Key, list[MappingStep]] = {}
    for step in mapping.steps:
        found.setdefault((step.work, step.tile), []).append(step)
    rank = {work.name: number for number, work in enumerate(mapping.works)}
    return {key: found[key] for key in sorted(found, key=lambda key: (rank[key[0]], key[1]))}


def _node(work: Work, tile: int, steps: list[MappingStep], tiles: Counter[str]) -> SceneNode:
    """Describe a tile; ``tiles`` counts those of each work."""
    is_one, name = len(tiles) == 1, work.name
    if tiles[work.name] > 1:
        name = f"tile {tile}" if is_one else f"{work.name}, tile {tile}"
    operator = work.functions[0].operator if work.functions else "?"
    details = tuple((step.name, _span(step)) for step in steps[:12])
    macs = sum(step.amount for step in steps if step.kind == "operation")
    family = in_turn(tile) if is_one else family_of(operator)
    return SceneNode(name, operator, 0, macs, details, family=family)


def _span(step: MappingStep) -> str:
    what = f"{count_text(step.amount)} MACs" if step.kind == "operation" else size_text(step.amount)
    return f"cycles {step.start} to {step.end} on {', '.join(step.devices)}: {what}"


def devices_of(
    mapping: Mapping, place: dict[Key, int], nodes: dict[str, tuple[int, ...]] | None = None
) -> Devices:
    """Draw what each element and link does.

    Parameters
    ----------
    mapping
        The mapping.
    place
        The node that each tile belongs to.
    nodes
        The nodes that are computed together in each work, by its name.
    """
    row = {device: number for number, device in enumerate(mapping.devices)}
    works = {name: number for number, name in enumerate(nodes or ())}
    bars = [
        (
            row[device],
            step.start,
            step.end - step.start,
            place[step.work, step.tile],
            works.get(step.work, -1),
        )
        for step in mapping.steps
        for device in step.devices
        if step.end > step.start
    ]
    table = np.array(sorted(bars), np.int64).reshape(-1, 5)
    elements = set(mapping.elements)
    rows = tuple(
        Row(device, "element" if device in elements else "link", -1, producer=False)
        for device in mapping.devices
    )
    row_of, start, length, node, work = table.T
    if not nodes or all(len(together) < 2 for together in nodes.values()):
        return Devices(rows, row_of, start, length, node, mapping.cycles)
    # What moves for no work in particular belongs to none of them: the last is empty.
    work = np.where(work < 0, len(nodes), work)
    together = (*nodes.values(), ())
    return Devices(rows, row_of, start, length, node, mapping.cycles, work, together)


def mapping_memory(mapping: Mapping, place: dict[Key, int]) -> MemoryMap:
    """Draw what lies in each memory; ``place`` gives the node that each tile belongs to."""
    uses = [use for use in mapping.memories if use.peak]
    bases = list(accumulate((_room(use.peak) for use in uses), initial=0))
    spaces = tuple(
        Space(f"{use.path}: {size_text(use.peak)} of {size_text(use.capacity)}", base, use.peak)
        for use, base in zip(uses, bases, strict=False)
    )
    base_of = {use.path: base for use, base in zip(uses, bases, strict=False)}
    owner = _owners(mapping, place)
    placed = [each for each in mapping.placements if each.memory in base_of]
    kind_of = _kinds(mapping)
    return MemoryMap(
        names=tuple(each.buffer for each in placed),
        node=ints(owner.get(each.buffer, 0) for each in placed),
        kind=ints(KINDS.index(kind_of.get(each.buffer, "activation")) for each in placed),
        lower=ints(each.start for each in placed),
        upper=ints(each.end for each in placed),
        offset=ints(base_of[each.memory] + each.offset for each in placed),
        size=ints(each.size for each in placed),
        tick_node=ints(()),
        peak=bases[-1],
        lower_bound=0,
        spaces=spaces,
    )


def _kinds(mapping: Mapping) -> dict[str, str]:
    """Tell the buffers that are there from the beginning, and copies of parameters, from others."""
    given = set(mapping.given)
    found = {
        each.buffer: "input" if each.holds else "producer"  # parameters are no values of the graph
        for each in mapping.placements
        if each.buffer in given
    }
    parameters = {name for name, kind in found.items() if kind == "producer"}
    for step in mapping.steps:
        if step.kind == "transfer" and not parameters.isdisjoint(step.reads):
            is_alone = parameters.issuperset(step.reads)  # else they come behind what is loaded
            found |= dict.fromkeys(step.writes[0 if is_alone else 1 :], "producer")
    return found


def _room(peak: int) -> int:
    """Leave a little between memories, so that their names can be read."""
    return peak + max(1, peak // 8)


def _owners(mapping: Mapping, place: dict[Key, int]) -> dict[str, int]:
    """Find the tile that each buffer belongs to: the first that reads or writes it."""
    owner: dict[str, int] = {}
    for step in mapping.steps:
        for buffer in (*step.writes, *step.reads):
            owner.setdefault(buffer, place[step.work, step.tile])
    for each in mapping.placements:
        known = (owner[name] for name in each.holds if name in owner)
        owner.setdefault(each.buffer, next(known, 0))
    return owner


def mapping_figures(mapping: Mapping) -> tuple[tuple[str, str], ...]:
    """List label and text of the figures in the header."""
    if not mapping.cycles:
        return (("cycles", "0"),)
    busy = mapping.busy()
    figures = [
        ("cycles", f"{mapping.cycles:,}"),
        ("time", f"{1e3 * mapping.seconds:.3g} ms"),
        ("elements", str(len(mapping.elements))),
        ("bound by", mapping.bottleneck),
        ("busy there", f"{100 * busy[mapping.bottleneck] / mapping.cycles:.0f} %"),
    ]
    if mapping.max_latency:
        share = 100 * mapping.seconds / mapping.max_latency
        figures.append(("of the time allowed", f"{share:.0f} %"))
    return tuple(figures)


def machine_of(mapping: Mapping, index: NodeIndex) -> tuple[Devices, MemoryMap]:
    """Draw what each device does, and what lies in each memory; bars belong to nodes of a graph.

    Parameters
    ----------
    mapping
        The mapping.
    index
        The nodes of the graph; those that it does not know are appended.
    """
    node_of = {work.name: _most_of(work, index) for work in mapping.works}
    place = {
        (step.work, step.tile): node_of[step.work]
        if step.work in node_of
        else index.find(step.work)
        for step in mapping.steps
    }
    nodes = {work.name: tuple(index.find(name) for name in work.nodes) for work in mapping.works}
    return devices_of(mapping, place, nodes), mapping_memory(mapping, place)


def _most_of(work: Work, index: NodeIndex) -> int:
    """Find the node with most work, and add the others to the index."""
    for function in work.functions:
        index.find(function.node, function.operator)
    if not work.functions:
        return index.find(work.name)
    return index.find(max(work.functions, key=lambda function: function.macs).node)


def placed(nodes: Iterable[SceneNode], mapping: Mapping) -> tuple[SceneNode, ...]:
    """Note the elements of each node, its cycles, and the nodes computed with it."""
    spans: dict[str, list[tuple[int, int]]] = {}
    for step in mapping.steps:
        if step.kind == "operation":
            spans.setdefault(step.work, []).append((step.start, step.end))
    works: dict[str, list[Work]] = {}
    for work in mapping.works:
        for name in work.nodes:
            works.setdefault(name, []).append(work)
    return tuple(_placed(node, works.get(node.name, []), spans) for node in nodes)


def _placed(
    node: SceneNode, works: list[Work], spans: dict[str, list[tuple[int, int]]]
) -> SceneNode:
    if not works:
        return node
    elements = dict.fromkeys(element for work in works for element in work.elements)
    others = dict.fromkeys(name for work in works for name in work.nodes if name != node.name)
    details = [("runs on", ", ".join(elements))]
    own = [span for work in works for span in spans.get(work.name, ())]
    if own:
        first, last = min(start for start, _ in own), max(end for _, end in own)
        busy = sum(end - start for start, end in own)
        details.append(("computed", f"cycles {first} to {last}, {count_text(busy)} cycles of work"))
    if others:
        details.append(("together with", ", ".join(others)))
    return replace(node, device=" + ".join(elements), details=(*node.details, *details))
