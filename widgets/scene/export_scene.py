"""Build the scene of an export: the schedule beside the forward function, memory, and files.

The text is that of the C program; timeline, memory map and graph show the same plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from aidge_nb.widgets.scene.build import build_scene
from aidge_nb.widgets.scene.parts import NO_NODE, CodeRow, Exported, FileRow

if TYPE_CHECKING:
    from aidge_nb.export import ExportedPackage, ExportPlan
    from aidge_nb.widgets.scene.scene import Scene


def export_scene(value: ExportedPackage | ExportPlan) -> Scene:
    """Show an export with the memory plan and, for a package, the graph and the order that it has.

    Examples
    --------
    >>> import aidge_nb
    >>> from aidge_nb.export import plan_export
    >>> view = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.ReLU(name="b")])
    >>> view.forward_dims([[1, 8]])
    True
    >>> [row.name for row in export_scene(plan_export(view)).exported.rows]
    ['a', 'b']
    """
    from aidge_nb.export import ExportedPackage
    from aidge_nb.scheduling.solve.outline import schedule_nodes

    if not isinstance(value, ExportedPackage):
        return _with_code(build_scene(plan=value.memory, title=value.name), value, {})
    plan, view = value.plan, value.made.view
    schedule = schedule_nodes(view, value.made.order)
    scene = build_scene(view.snapshot(), schedule, plan.memory, title=plan.name)
    return _with_code(scene, plan, value.files)


def _with_code(scene: Scene, plan: ExportPlan, files: Mapping[str, int]) -> Scene:
    """Add the program to a scene; its lines belong to the nodes of the scene."""
    from aidge_nb.export.write.show import memory_rows, schedule_rows

    places = {node.name: number for number, node in enumerate(scene.nodes)}
    rows = tuple(
        # The head of a loop has no type, and its name is not that of a node.
        CodeRow(str(number), depth, places.get(name, NO_NODE) if kind else NO_NODE, name, kind, c)
        for number, depth, name, kind, c in schedule_rows(plan)
    )
    # A plan of memory does not know what its nodes are; the program does.
    types = {row.name: row.type for row in rows if row.node != NO_NODE}
    nodes = tuple(
        replace(node, type=types.get(node.name, "?")) if node.type == "?" else node
        for node in scene.nodes
    )
    layers = {f"src/layers/{step.symbol}.h": places.get(step.node, NO_NODE) for step in plan.walk()}
    tree = tuple(_tree(files, layers))
    memory = tuple(memory_rows(plan))
    exported = Exported(f"{plan.name}_forward", rows, memory, tree)
    return replace(scene, nodes=nodes, exported=exported)


def _tree(
    files: Mapping[str, int], layers: Mapping[str, int], above: str = ""
) -> Iterator[FileRow]:
    """List what lies in a folder: files, then folders with what is in them."""
    depth = above.count("/")
    inside = {path.removeprefix(above): size for path, size in files.items()}
    names = dict.fromkeys(path.partition("/")[0] for path in sorted(inside))
    for name in sorted(names, key=lambda each: (each not in inside, each)):
        if name in inside:
            yield FileRow(depth, name, inside[name], layers.get(above + name, NO_NODE))
            continue
        folder = f"{above}{name}/"
        below = {path: size for path, size in files.items() if path.startswith(folder)}
        yield FileRow(depth, f"{name}/", sum(below.values()))
        yield from _tree(below, layers, folder)
