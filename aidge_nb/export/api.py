"""One call: from a graph to a package of C sources.

The phases of an export are kept apart: the graph is prepared, it is planned (:class:`ExportPlan`),
the plan is rendered in memory, and only when all of that has worked is a folder written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from aidge_nb.core.errors import ExportError, MemoryPlanError
from aidge_nb.core.text import c_identifier
from aidge_nb.export.boards.boards import activations_too_large, check_fits, data_memories
from aidge_nb.export.boards.targets import ExportTarget, find_target
from aidge_nb.export.package import ExportedPackage
from aidge_nb.export.plan.check import check_export
from aidge_nb.export.plan.given import check_choice, check_sizes, given_layout, graph_and_mapping
from aidge_nb.export.plan.made import Made
from aidge_nb.export.plan.make import make_plan
from aidge_nb.export.plan.mapped import apply_mapping, mapped_layout
from aidge_nb.export.plan.order import Layout, choose_layout, layout_in_blocks, spread_out
from aidge_nb.export.plan.prepare import check_bytes, prepare
from aidge_nb.export.plan.record import as_inputs, example_inputs, record
from aidge_nb.export.plan.value import ExportPlan
from aidge_nb.export.write.harness import kernel_tests
from aidge_nb.export.write.project import check_folder, render, write_folder

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView
    from aidge_nb.hardware.mapping import Mapping
    from aidge_nb.memory import Memory, MemoryPlan
    from aidge_nb.memory.live.facts import Ordered


def plan_export(
    graph: GraphView | Mapping,
    *,
    target: str = "host",
    name: str = "",
    inputs: Sequence[ArrayLike] | None = None,
    plan: MemoryPlan | None = None,
    order: Ordered | Sequence[str] | None = None,
    memories: Sequence[Memory] | None = None,
    mapping: Mapping | None = None,
    integer: bool = True,
) -> ExportPlan:
    """Plan the program of a graph, and write nothing.

    Parameters and errors are those of :func:`export`.

    Examples
    --------
    >>> import aidge_nb
    >>> from aidge_nb.export import plan_export
    >>> view = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.ReLU(name="b")])
    >>> view.forward_dims([[1, 8]])
    True
    >>> plan_export(view, name="two")
    ExportPlan(two for host: 2 entries, arena 32 bytes, parameters 0 bytes)
    """
    wish = _Wish(find_target(target), name, inputs, plan, order, memories, mapping, integer)
    return _make(graph, wish).plan


def prepare_export(
    graph: GraphView,
    *,
    target: str = "host",
    inputs: Sequence[ArrayLike] | None = None,
    integer: bool = True,
) -> GraphView:
    """Return the graph that a program is made of: plan this one to export the plan.

    Meta-operators without a kernel of their own are expanded, constants are folded. The graph is a
    copy; preparing it again changes nothing.

    Parameters
    ----------
    graph, target, inputs, integer
        As for :func:`export`.

    Raises
    ------
    ExportError
        When an operator has no C kernel, or dimensions are open.

    Examples
    --------
    >>> import aidge_nb
    >>> from aidge_nb.export import plan_export, prepare_export
    >>> view = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.ReLU(name="b")])
    >>> view.forward_dims([[1, 8]])
    True
    >>> graph = prepare_export(view)
    >>> plan = aidge_nb.plan_memory(graph, aidge_nb.static_schedule(graph))
    >>> plan_export(graph, plan=plan).arena_bytes == plan.peak
    True
    """
    return prepare(graph, inputs, find_target(target).name, integer=integer)


def export(
    graph: GraphView | Mapping,
    folder: str | PathLike[str],
    *,
    target: str = "host",
    inputs: Sequence[ArrayLike] | None = None,
    force: bool = False,
    name: str = "",
    plan: MemoryPlan | None = None,
    order: Ordered | Sequence[str] | None = None,
    memories: Sequence[Memory] | None = None,
    mapping: Mapping | None = None,
    integer: bool = True,
    parameters: str = "incbin",
    layers: str = "bytes",
    seed: int = 0,
) -> ExportedPackage:
    """Write the program of a graph: a folder of C sources that builds and tests itself.

    The program gives the bits of the exact NumPy runtime, in the memory that was planned.

    Parameters
    ----------
    graph
        The graph, or a mapping, which knows its graph; it is not changed.
    folder
        Where to write. It must be new, empty, or a package that was not changed since.
    target
        ``host`` (this machine) or a microcontroller: ``cortex-m3``, ``cortex-m4``, ``cortex-m7``
        or ``cortex-m55``, whose memories the program must then fit.
    inputs
        Example inputs, for the tests of the package; random ones by default. They also give the
        dimensions of a graph whose inputs have none.
    force
        Whether to replace a folder that is something else. What is there is lost.
    name
        Prefix of files and symbols; the name of the graph by default.
    plan
        A memory plan for the graph as :func:`prepare_export` returns it. The program has exactly
        its order, offsets and arena. Working memory of kernels lies in holes of the arena or in an
        arena of its own. By default the export plans memory.
    order
        A schedule, or names of nodes, once per execution; by default the order that needs less
        memory, of that of the schedule and a depth-first one.
    memories
        Memories to spread activations over, filled by priority: each becomes an arena.
    mapping
        A mapping of the graph onto hardware: it is cut into the mapping's tiles, and each of the
        mapping's memories that is used becomes an arena.
    integer
        Whether quantized layers compute on integers (:func:`aidge_nb.quantization.to_integer`); if
        not, in floating point between their codes.
    parameters
        ``incbin``: a file of bytes that the assembler includes; ``c``: arrays in C, for compilers
        without.
    layers
        What the package keeps of what every layer must write, for its tests: the ``bytes``, or
        ``sums``, a checksum of each (a large model then takes a fraction of the disk).
    seed
        Seed of the random inputs.

    Returns
    -------
    ExportedPackage
        To build, to run and to look at.

    Raises
    ------
    ExportError
        When an operator has no C kernel, dimensions are open, the folder is not ours, the program
        does not fit the target, or the plan breaks a rule or is for another graph. Nothing is
        written then.
    LimitError
        When the program would write more than the limit ``export_bytes``.

    Examples
    --------
    >>> import tempfile, aidge_nb
    >>> from aidge_nb.export import export
    >>> view = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.ReLU(name="b")])
    >>> view.forward_dims([[1, 8]])
    True
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     package = export(view, f"{folder}/two", name="two")
    ...     "src/two.c" in package.files
    True
    """
    chosen, path = find_target(target), Path(folder)
    check_choice("parameters", parameters, ("incbin", "c"))
    check_choice("layers", layers, ("bytes", "sums"))
    check_folder(path, force=force)
    made = _make(graph, _Wish(chosen, name, inputs, plan, order, memories, mapping, integer))
    given = example_inputs(made, seed) if inputs is None else as_inputs(made, inputs)
    tests = kernel_tests(made.plan)
    recording = record(made, given, {test.step.number for test in tests})
    files = render(made, chosen, recording, parameters=parameters, layers=layers)
    write_folder(path, files, force=force)
    return ExportedPackage(path, made, {name: len(content) for name, content in files.items()})


@dataclass(frozen=True, eq=False)
class _Wish:
    """The choices of an export; see the parameters of :func:`export`."""

    target: ExportTarget
    name: str
    inputs: Sequence[ArrayLike] | None
    plan: MemoryPlan | None
    order: Ordered | Sequence[str] | None
    memories: Sequence[Memory] | None
    mapping: Mapping | None
    integer: bool


def _make(graph: GraphView | Mapping, wish: _Wish) -> Made:
    graph, mapping = graph_and_mapping(graph, wish.mapping)
    others = {"order": wish.order, "memories": wish.memories, "mapping": mapping}
    given = [name for name, value in others.items() if value is not None]
    if wish.plan is not None and given:
        problem = f"a plan has an order and places, and {given[0]} is given too"
        raise ExportError.at("plan", problem, cure=f"Leave out plan or {given[0]}.")
    target, prefix = wish.target, c_identifier(wish.name or graph.name() or "model")
    blocks = None
    if mapping is not None:
        places: dict[str, str] = {}

        def cut(copy: GraphView) -> None:
            places.update(apply_mapping(copy, mapping))

        view = prepare(graph, wish.inputs, target.name, cut, integer=wish.integer)
        layout = mapped_layout(view, mapping, places)
    else:
        is_planned = wish.plan is not None
        view = prepare(graph, wish.inputs, target.name, integer=wish.integer, is_planned=is_planned)
        if wish.plan is not None:
            layout = given_layout(view, wish.plan)
        else:
            chosen = choose_layout(view, wish.order)
            layout = _in_memories(view, chosen, target, wish.memories, prefix)
            blocks = layout_in_blocks(view, chosen) if layout is chosen else None
    check_sizes(view)
    check_bytes(view, layout.order)
    made = make_plan(
        view, layout.order, layout.memory, name=prefix, target=target, fixed=layout.fixed
    )
    if blocks is not None:
        made = _less(made, view, blocks, prefix, target)
    if layout.fixed:
        check_export(made.plan)
    if not target.is_host:
        check_fits(made.plan, target.board)
    return made


def _less(made: Made, view: GraphView, blocks: Layout, name: str, target: ExportTarget) -> Made:
    """Return the program whose parts lie in blocks, where kernels can follow and it is smaller."""
    try:
        other = make_plan(view, blocks.order, blocks.memory, name=name, target=target)
    except ExportError:
        return made
    return other if other.plan.arena_bytes < made.plan.arena_bytes else made


def _in_memories(
    view: GraphView,
    layout: Layout,
    target: ExportTarget,
    memories: Sequence[Memory] | None,
    name: str,
) -> Layout:
    """Spread activations over the memories of the target where the first does not suffice."""
    if memories is None:
        if target.is_host:
            return layout
        memories = data_memories(target.board)
        if layout.memory.peak <= memories[0].capacity:
            return layout
    try:
        return spread_out(view, layout, memories)
    except MemoryPlanError as error:
        free = max(memory.capacity for memory in memories)
        where = " and ".join(memory.name for memory in memories)
        raise activations_too_large(view, name, layout.memory.peak, free, where) from error
