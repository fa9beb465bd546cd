"""Check what an export is given: words, a graph or a mapping, a memory plan to take as it is."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, NoReturn

from aidge_nb.core.errors import ExportError, MemoryPlanError
from aidge_nb.core.tensor import Tensor
from aidge_nb.export.plan.order import Layout
from aidge_nb.export.plan.scattered import left_out
from aidge_nb.export.plan.stretches import is_ring
from aidge_nb.graph.node import Port
from aidge_nb.graph.view import GraphView
from aidge_nb.hardware.mapping import Mapping
from aidge_nb.memory import Buffer, MemoryPlan, check_plan

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node
    from aidge_nb.graph.view import GraphView


def check_choice(name: str, given: str, known: tuple[str, ...]) -> None:
    """Check that something is one of a few words; raise ExportError when it is not."""
    if given not in known:
        raise ExportError.at(name, "no such form", expected=" or ".join(known), found=given)


def graph_and_mapping(
    given: object, mapping: Mapping | None = None
) -> tuple[GraphView, Mapping | None]:
    """Tell apart what is to be exported and how it is mapped: a mapping knows its graph.

    Raise ExportError when there is no graph, or a mapping beside a mapping.
    """
    if isinstance(given, GraphView):
        return given, mapping
    is_path = isinstance(given, (str, PathLike))
    cure = f"Write export(aidge_nb.load_onnx({given!r}), …)." if is_path else ""
    problem = "there is no graph to export"
    if isinstance(given, Mapping):
        if given.view is not None and mapping is None:
            return given.view, given
        cure = "Write export(graph, …, mapping=mapping)."
        problem = "the mapping was read and does not know its graph"
        if mapping is not None:
            problem = "there are two mappings"
    found = repr(given) if is_path else type(given).__name__
    expected = "a GraphView, or a Mapping of one"
    raise ExportError.at("export", problem, expected=expected, found=found, cure=cure)


def check_sizes(view: GraphView) -> None:
    """Check that no tensor is empty: C has no arrays of size 0.

    Raise ExportError, naming the first node that gives an empty tensor.
    """
    for node in view.topological_order():
        operator = node.get_operator()
        for index in range(operator.nb_outputs):
            dims = operator.get_output(index).dims
            if 0 in list(dims):
                raise ExportError.at(
                    f"{node.label}, output#{index}",
                    "is empty: a C program has no tensors of size 0",
                    expected="dimensions of at least 1",
                    found=list(dims),
                    cure="Give the inputs other dimensions with forward_dims().",
                )


_MOST = 3
"""Messages list so many names."""


def given_layout(view: GraphView, plan: MemoryPlan) -> Layout:
    """Return the order and the memory of a plan for a prepared graph, unchanged.

    Raise ExportError when the plan breaks a rule, is for another graph, or asks for what the C
    kernels cannot do: the reason, and how to plan instead.
    """
    if not isinstance(plan, MemoryPlan):
        raise ExportError.at(
            "plan",
            "is no memory plan",
            expected="a MemoryPlan: plan_memory(graph, schedule)",
            found=type(plan).__name__,
        )
    try:
        check_plan(plan)
    except MemoryPlanError as error:
        raise ExportError.at("plan", str(error)) from error
    nodes = {name: node for node, name in view.unique_names().items()}
    _check_options(plan)
    _check_nodes(plan, nodes)
    order = tuple(nodes[name] for name in plan.order)
    _check_buffers(plan, nodes)
    _check_outputs(view, plan, nodes)
    return Layout(order, plan, fixed=True)


def _refuse(where: str, problem: str, cure: str) -> NoReturn:
    raise ExportError.at(
        where, f"the exported program cannot follow this plan: {problem}", cure=cure
    )


def _check_options(plan: MemoryPlan) -> None:
    options = plan.options
    if options is not None and options.what_if.fused:
        _refuse(
            "plan",
            "it is for a model with changes that were not made (what_if)",
            "Fuse these nodes in the graph, or plan without what_if.",
        )


def _check_nodes(plan: MemoryPlan, nodes: dict[str, Node]) -> None:
    """Check that the plan runs the nodes of the prepared graph, and no other."""
    computed = {name for name, node in nodes.items() if node.type() != "Producer"}
    gone = [name for name in dict.fromkeys(plan.order) if name not in nodes]
    new = sorted(computed - set(plan.order))
    if gone or new:
        told = [
            f"{what}: {', '.join(names[:_MOST])}{' and more' if len(names) > _MOST else ''}"
            for what, names in (("not in the program", gone), ("not in the plan", new))
            if names
        ]
        raise ExportError.at(
            "plan",
            "is for other nodes than those of the program, whose constants are folded and whose "
            "meta-operators are expanded",
            found="; ".join(told),
            cure="Plan the graph that the program is made of: graph = prepare_export(graph), "
            "plan_memory(graph, static_schedule(graph)).",
        )


def _check_buffers(plan: MemoryPlan, nodes: dict[str, Node]) -> None:
    groups: dict[tuple[str, int, str], list[Buffer]] = {}
    for buffer in plan.buffers:
        groups.setdefault((buffer.node, buffer.output, buffer.kind), []).append(buffer)
    for buffer in plan.buffers:
        where = f"buffer {buffer.name}"
        tensor = _tensor_of(buffer, nodes)
        if tensor is None:
            raise ExportError.at(where, "is for an input that is not connected", cure="Plan again.")
        pieces = groups[buffer.node, buffer.output, buffer.kind]
        is_loaded = buffer.kind in ("input", "producer")
        if is_loaded and (len(pieces) > 1 or buffer.wrapped_size or buffer.levels):
            _refuse(
                where,
                f"its {buffer.kind} is loaded in pieces, or more than once",
                "Plan with plan_memory(), which loads it once, in one piece.",
            )
        if tensor.nbytes != buffer.size and not is_ring(pieces, tensor):
            raise ExportError.at(
                where,
                "does not have the bytes of its tensor",
                expected=f"{tensor.nbytes} bytes",
                found=f"{buffer.size} bytes",
                cure="Plan again after dimensions or types changed.",
            )
        wraps = (buffer.wrapped_offset, buffer.wrapped_size)
        steps = (buffer.offset, *wraps, *(step for _, step in buffer.levels))
        if buffer.size and any(step % tensor.dtype.itemsize for step in steps):
            _refuse(
                where,
                f"elements of {tensor.dtype.itemsize} bytes cannot begin at byte {buffer.offset}",
                f"Plan with alignment={tensor.dtype.itemsize}.",
            )


def _tensor_of(buffer: Buffer, nodes: dict[str, Node]) -> Tensor | None:
    operator = nodes[buffer.node].get_operator()
    if buffer.kind == "input":
        return operator.get_input(buffer.output)
    return operator.get_output(buffer.output)


def _check_outputs(view: GraphView, plan: MemoryPlan, nodes: dict[str, Node]) -> None:
    """Check that everything that is read has a buffer."""
    held = {(buffer.node, buffer.output) for buffer in plan.buffers if buffer.kind != "input"}
    ports = {Port(nodes[name], output) for name, output in held}
    outside = left_out([nodes[name] for name in plan.order], ports)
    held |= {
        (name, index)
        for name in dict.fromkeys(plan.order)
        if nodes[name] in outside
        for index in range(nodes[name].get_nb_outputs())
    }
    results = set(view.get_ordered_outputs())
    for name in dict.fromkeys(plan.order):
        node = nodes[name]
        missing = [
            index
            for index in range(node.get_nb_outputs())
            if (name, index) not in held
            and (node.output(index) or (node, index) in results)
            and node.get_operator().get_output(index).nbytes
        ]
        if missing:
            raise ExportError.at(
                f"{name}, output#{missing[0]}",
                "has no buffer in the plan",
                cure="Plan the graph with plan_memory(graph, schedule).",
            )
