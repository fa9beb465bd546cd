"""A mapping beside the graph that was mapped: its devices and memories, in the graph's index space.

Bars and buffers belong to the nodes of the graph, so that picking a node shows where and when it
runs. What computes several nodes together has the colour of the one of them that does most.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from aidge_nb.widgets.scene.mapping_scene import devices_of, mapping_memory
from aidge_nb.widgets.text import count_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aidge_nb.hardware.mapping import Mapping
    from aidge_nb.hardware.steps import Work
    from aidge_nb.widgets.scene.index import NodeIndex
    from aidge_nb.widgets.scene.scene import Devices, MemoryMap, SceneNode


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
    """Find the node that most is computed of, and note the others."""
    for function in work.functions:
        index.find(function.node, function.operator)
    if not work.functions:
        return index.find(work.name)
    return index.find(max(work.functions, key=lambda function: function.macs).node)


def placed(nodes: Iterable[SceneNode], mapping: Mapping) -> tuple[SceneNode, ...]:
    """Give each node the elements that it runs on, and say when, and together with what.

    A node that runs several times names its elements once.
    """
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
