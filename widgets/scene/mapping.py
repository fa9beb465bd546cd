"""Draw mappings: what each element and link does, and what lies in each memory meanwhile.

The scene of a mapping has its tiles as nodes. Beside a graph, bars and buffers belong to the nodes
of the graph; what computes several nodes together has the colour of the node with most work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from aidge_nb.advice.findings import WaitFinding
from aidge_nb.advice.reading import mapping_findings
from aidge_nb.widgets.palette import family_of, in_turn
from aidge_nb.widgets.scene.devices import MOVES, Devices, Space, short_labels
from aidge_nb.widgets.scene.findings import cards_of
from aidge_nb.widgets.scene.labels.blocks import NodeLabels, label_nodes
from aidge_nb.widgets.scene.labels.names import Names
from aidge_nb.widgets.scene.mapping_colours import MappingColours
from aidge_nb.widgets.scene.mapping_details import (
    Key,
    MappingReader,
    clock_text,
    macs_of,
    seconds_text,
)
from aidge_nb.widgets.scene.parts import KINDS, Ints, MemoryMap, Row, SceneNode, ints
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.shared import PANELS
from aidge_nb.widgets.text import count_text

if TYPE_CHECKING:
    from aidge_nb.hardware.mapping import Mapping
    from aidge_nb.hardware.steps import MappingStep, Work
    from aidge_nb.widgets.scene.index import NodeIndex


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
    nodes = [_node(works[work], tile, own, tiles) for (work, tile), own in steps.items()]
    labels = _labels(mapping, nodes, place) if len(tiles) > 1 else NodeLabels()
    reader = MappingReader(mapping, Names([node.name for node in nodes], labels))
    details = (reader.details(key, own) for key, own in steps.items())
    families = [node.colours for node in nodes]
    is_tiled = len(tiles) == 1 and len(steps) > 1
    colours = MappingColours(mapping, place, families, by_tile=is_tiled)
    devices = devices_of(mapping, place, colours)
    return Scene(
        title=title or _title(mapping),
        nodes=tuple(map(lambda node, own: replace(node, details=own), nodes, details)),
        labels=labels,
        devices=replace(devices, phases=_phases(reader, steps, lambda key: (place[key],))),
        memory=mapping_memory(mapping, place, colours),
        figures=mapping_figures(mapping),
        notes=() if steps else ("the mapping is empty: nothing runs",),
        findings=cards_of(mapping_findings(mapping)),
    )


def _title(mapping: Mapping) -> str:
    name = mapping.view.name() if mapping.view is not None else ""
    return f"{name} on {mapping.target}".strip()


def _labels(mapping: Mapping, nodes: list[SceneNode], place: dict[Key, int]) -> NodeLabels:
    """Find blocks and leaves of works; those with tiles have no blocks."""
    if len(place) != len(mapping.works):
        return NodeLabels()
    number = {work: node for (work, _), node in place.items()}
    down = [
        (number[name], number[w.name]) for w in mapping.works for name in w.after if name in number
    ]
    return label_nodes([node.name for node in nodes], [node.type for node in nodes], down)


def _phases(
    reader: MappingReader,
    steps: dict[Key, list[MappingStep]],
    nodes_of: Callable[[Key], Iterable[int]],
) -> Ints:
    """Make a row for each phase of each node: that of its first work."""
    seen: set[int] = set()
    found: list[tuple[int, int, int, int]] = []
    for key, own in steps.items():
        phases = reader.phases(own)
        for node in nodes_of(key):
            if node not in seen:
                seen.add(node)
                found += [(node, *phase) for phase in phases]
    return np.array(found, np.int64).reshape(-1, 4)


def steps_by_tile(mapping: Mapping) -> dict[Key, list[MappingStep]]:
    """Return the steps of each tile, ordered as the nodes of the scene: by work, then by tile."""
    found: dict[Key, list[MappingStep]] = {}
    for step in mapping.steps:
        found.setdefault((step.work, step.tile), []).append(step)
    rank = {work.name: number for number, work in enumerate(mapping.works)}
    return {key: found[key] for key in sorted(found, key=lambda key: (rank[key[0]], key[1]))}


def _node(work: Work, tile: int, steps: list[MappingStep], tiles: Counter[str]) -> SceneNode:
    """Describe a tile; ``tiles`` counts those of each work."""
    is_one, name = len(tiles) == 1 and tiles[work.name] > 1, work.name
    if tiles[work.name] > 1:
        name = f"tile {tile}" if is_one else f"{work.name}, tile {tile}"
    operator = work.functions[0].operator if work.functions else "?"
    family = in_turn(tile) if is_one else family_of(operator)
    return SceneNode(name, operator, 0, macs_of(work, steps, tiles[work.name]), family=family)


def devices_of(
    mapping: Mapping,
    place: dict[Key, int],
    colours: MappingColours,
    nodes: dict[str, tuple[int, ...]] | None = None,
) -> Devices:
    """Draw what each element and link does.

    Parameters
    ----------
    mapping
        The mapping.
    place
        The node that each tile belongs to.
    colours
        Colours of steps.
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
            _move_of(step, colours),
            colours.of_step(step),
        )
        for step in mapping.steps
        for device in step.devices
        if step.end > step.start
    ]
    table = np.array(sorted(bars), np.int64).reshape(-1, 7)
    elements = set(mapping.elements)
    rows = tuple(
        Row(device, "element" if device in elements else "link", -1, producer=False)
        for device in mapping.devices
    )
    row_of, start, length, node, work, move, source = table.T
    family = colours.families(source)
    busy = mapping.busy()
    waiting = [
        row[each.device] for each in mapping_findings(mapping) if isinstance(each, WaitFinding)
    ][:1]
    if waiting and len(elements) <= PANELS["mapping"]["element"]["few"][0]:
        waiting = sorted({*waiting, *(row[device] for device in elements)})
    drawn = Devices(
        rows,
        row_of,
        start,
        length,
        node,
        mapping.cycles,
        move=move,
        source=source,
        family=family,
        shade=_shades(row_of, start, length, family),
        labels=short_labels(mapping.devices),
        busy=tuple(busy[device] for device in mapping.devices),
        idle=tuple(_idle(waiting, row_of, start, start + length, mapping.cycles)),
        hertz=mapping.clock if mapping.clock > 1 else 0.0,
    )
    if not nodes or all(len(together) < 2 for together in nodes.values()):
        return drawn
    # What moves for no work in particular belongs to none of them: the last is empty.
    work = np.where(work < 0, len(nodes), work)
    return replace(drawn, work=work, works=(*nodes.values(), ()))


def _move_of(step: MappingStep, colours: MappingColours) -> int:
    if step.kind != "transfer":
        return MOVES.index("work")
    return MOVES.index("parameters" if colours.is_parameters(step) else "value")


def _shades(row: Ints, start: Ints, length: Ints, family: Ints) -> Ints:
    """Return 1 for every second of the works that follow each other in one colour."""
    place = np.arange(len(row))
    follows = np.zeros(len(row), bool)
    follows[1:] = (
        (row[1:] == row[:-1])
        & (start[1:] == start[:-1] + length[:-1])
        & (family[1:] == family[:-1])
    )
    first = np.maximum.accumulate(np.where(follows, 0, place))
    return np.asarray((place - first) % 2, np.int64)


def _idle(
    rows: Sequence[int], row_of: Ints, start: Ints, stop: Ints, cycles: int
) -> Iterator[tuple[int, int, int]]:
    """List all ranges in which rows wait, those at the start and the end among them."""
    for row in rows:
        own = row_of == row
        begins = [*start[own].tolist(), cycles]
        ends = [0, *np.maximum.accumulate(stop[own]).tolist()]
        yield from (
            (row, end, begin) for end, begin in zip(ends, begins, strict=True) if begin > end
        )


def mapping_memory(mapping: Mapping, place: dict[Key, int], colours: MappingColours) -> MemoryMap:
    """Draw what lies in each memory; ``place`` gives the node that each tile belongs to."""
    uses = [use for use in mapping.memories if use.peak]
    bases = list(accumulate((_room(use.peak) for use in uses), initial=0))
    spaces = tuple(
        Space(use.path, base, use.peak, use.capacity)
        for use, base in zip(uses, bases, strict=False)
    )
    base_of = {use.path: base for use, base in zip(uses, bases, strict=False)}
    owner = _owners(mapping, place)
    placed = [each for each in mapping.placements if each.memory in base_of]
    kind_of, node_of = colours.kinds, [owner.get(each.buffer, 0) for each in placed]
    source = ints(
        colours.of_buffer(each.buffer, node) for each, node in zip(placed, node_of, strict=True)
    )
    return MemoryMap(
        names=tuple(each.buffer for each in placed),
        node=ints(node_of),
        kind=ints(KINDS.index(kind_of.get(each.buffer, "activation")) for each in placed),
        lower=ints(each.start for each in placed),
        upper=ints(each.end for each in placed),
        offset=ints(base_of[each.memory] + each.offset for each in placed),
        size=ints(each.size for each in placed),
        tick_node=ints(()),
        peak=bases[-1],
        lower_bound=0,
        spaces=spaces,
        copy=ints(each.buffer in colours.copies for each in placed),
        source=source,
        family=colours.families(source),
    )


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
    figures = [("cycles", f"{mapping.cycles:,}")]
    if mapping.clock > 1:
        figures.append((f"at {clock_text(mapping.clock)}", seconds_text(mapping.seconds)))
    figures += [
        ("works", str(len(mapping.works))),
        ("elements", str(len(mapping.elements))),
        ("memories", str(sum(use.peak > 0 for use in mapping.memories))),
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
    colours = MappingColours(mapping, place, [node.colours for node in index.nodes])
    reader = MappingReader(mapping, Names([], NodeLabels()))
    phases = _phases(reader, steps_by_tile(mapping), lambda key: nodes.get(key[0]) or (place[key],))
    drawn = replace(devices_of(mapping, place, colours, nodes), phases=phases)
    return drawn, mapping_memory(mapping, place, colours)


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
    reader = MappingReader(mapping, Names([], NodeLabels()))
    steps = steps_by_tile(mapping)
    tiles = Counter(name for name, _ in steps)
    whole = {
        name: reader.details((name, 0), own) for (name, _), own in steps.items() if tiles[name] == 1
    }
    return tuple(_placed(node, works.get(node.name, []), spans, whole) for node in nodes)


def _placed(
    node: SceneNode,
    works: list[Work],
    spans: dict[str, list[tuple[int, int]]],
    whole: dict[str, tuple[tuple[str, str], ...]],
) -> SceneNode:
    """Note of one work all that is known, of several ones when and where they run."""
    if not works:
        return node
    elements = dict.fromkeys(element for work in works for element in work.elements)
    others = dict.fromkeys(name for work in works for name in work.nodes if name != node.name)
    details = [("runs on", ", ".join(elements))]
    own = [span for work in works for span in spans.get(work.name, ())]
    if len(works) == 1 and works[0].name in whole:
        details = list(whole[works[0].name])
    elif own:
        first, last = min(start for start, _ in own), max(end for _, end in own)
        busy = sum(end - start for start, end in own)
        details.append(("computed", f"cycles {first} to {last}, {count_text(busy)} cycles of work"))
    if others:
        details.append(("together with", ", ".join(others)))
    return replace(node, device=" + ".join(elements), details=(*node.details, *details))
