"""One call: from a graph to a package of C sources."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from aidge_nb.export.harness import kernel_tests
from aidge_nb.export.make import Made, make_plan
from aidge_nb.export.names import identifier
from aidge_nb.export.order import choose_layout
from aidge_nb.export.package import ExportedPackage
from aidge_nb.export.plan import ExportPlan
from aidge_nb.export.prepare import prepare
from aidge_nb.export.project import render
from aidge_nb.export.record import as_inputs, example_inputs, record
from aidge_nb.export.targets import find_target
from aidge_nb.export.write import check_folder, write_folder

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node
    from aidge_nb.graph.view import GraphView

__all__ = ["export", "plan_export"]


def plan_export(
    graph: GraphView,
    *,
    target: str = "host",
    name: str = "",
    order: Sequence[Node] | None = None,
    inputs: Sequence[ArrayLike] | None = None,
) -> ExportPlan:
    """Plan the program of a graph, and write nothing."""
    return _make(graph, target, name, order, inputs).plan


def _make(
    graph: GraphView,
    target: str,
    name: str,
    order: Sequence[Node] | None,
    inputs: Sequence[ArrayLike] | None,
) -> Made:
    chosen = find_target(target)
    view = prepare(graph, inputs, chosen.name)
    layout = choose_layout(view)
    prefix = identifier(name or graph.name() or "model")
    return make_plan(view, layout.order, layout.memory, name=prefix, target=chosen.name, stack=1024)


def export(
    graph: GraphView,
    folder: str | PathLike[str],
    *,
    target: str = "host",
    inputs: Sequence[ArrayLike] | None = None,
    force: bool = False,
    name: str = "",
    order: Sequence[Node] | None = None,
    parameters: str = "incbin",
    seed: int = 0,
) -> ExportedPackage:
    """Write the program of a graph: a folder of C sources that builds and tests itself."""
    path = Path(folder)
    check_folder(path, force=force)
    made = _make(graph, target, name, order, inputs)
    given = example_inputs(made, seed) if inputs is None else as_inputs(made, inputs)
    tests = kernel_tests(made.plan)
    recording = record(made, given, {test.step.number for test in tests})
    files = render(made, find_target(target), recording, parameters=parameters)
    write_folder(path, files, force=force)
    return ExportedPackage(path, made, {name: len(content) for name, content in files.items()})
