"""From a graph to one that can be exported: a copy in which every node is something kernels do.

Meta-operators that have no kernel of their own are expanded, what is known beforehand is computed,
and dimensions are all known. Whatever stands in the way is named here, before anything is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aidge_nb.core.errors import ExportError, listed
from aidge_nb.core.limits import check_limit, current_limits
from aidge_nb.core.log import logger
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.expand import expand_metaop
from aidge_nb.graph.inference import propagate_dims
from aidge_nb.graph.inputs import InputSlot, check_count, input_slots
from aidge_nb.graph.spec import CpModel
from aidge_nb.kernels.c import has_c_kernel
from aidge_nb.recipes.constant_folding import fold_constants
from aidge_nb.scheduling.model.conditional import CONDITION, tag_conditional_nodes

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node, Port
    from aidge_nb.graph.view import GraphView

STATEFUL = (CpModel.POP, CpModel.STACK, CpModel.MEMORIZE)
"""Operators whose work is moving bytes to where the turn of a loop says."""

Array = NDArray[Any]


def prepare(
    view: GraphView,
    inputs: Sequence[ArrayLike] | None = None,
    target: str | None = None,
    change: Callable[[GraphView], None] = lambda view: None,
    *,
    integer: bool = True,
    is_planned: bool = False,
) -> GraphView:
    """Make a copy of a graph that can be exported.

    Raise ExportError when dimensions stay open, or an operator has no C kernel. The dimensions are
    those of ``inputs``, if given. ``target`` may have kernels of its own; ``change`` is applied to
    the copy before anything else. With ``integer``, quantized layers compute on integers. Where
    memory ``is_planned``, the dimensions are those that were planned, unless ``inputs`` are given.
    """
    if not len(view):
        raise ExportError.at("graph", "there is no node in it")
    copy = view.clone()
    change(copy)
    _expand(copy, target)
    _set_input_dims(copy, inputs)
    _check_inputs(copy)
    if not is_planned or inputs is not None or _open_nodes(copy):
        _propagate(copy)
    if integer and any(node.type() == "DequantizeLinear" for node in copy.get_nodes()):
        from aidge_nb.quantization.integer import to_integer  # read for such graphs alone

        logger.info("export: %s", to_integer(copy))
    fold_constants(copy, constant_shape=True, backend="exact")
    if any(CONDITION in node.annotations for node in copy):
        tag_conditional_nodes(copy)  # notes of a copy still speak of the original's nodes
    _check_operators(copy, target)  # first: what is unknown often leaves dimensions open, too
    _check_dims(copy)
    _check_parameters(copy)
    check_bytes(copy, copy.get_nodes())  # once each: the order may be long
    return copy


def _expand(view: GraphView, target: str | None) -> None:
    pending = list(view.get_nodes())
    while pending:
        node = pending.pop()
        micro = node.get_operator().micro_graph
        if micro is not None and not has_c_kernel(node, target):
            pending += list(micro.get_nodes())
            # Names of what is inside a fused block are often no more than those of its operators.
            expand_metaop(node, unique_name=True)


def graph_inputs(view: GraphView) -> list[list[Port]]:
    """List the inputs of the program: groups of ports that read one tensor.

    Optional inputs of which nothing is known are not there; parameters that were set once, without
    a Producer, are constants.
    """
    found = []
    for group in view.get_input_groups():
        node, index = group[0]
        operator = node.get_operator()
        tensor = operator.get_input(index)
        absent = tensor is None or tensor.undefined()
        if absent and operator.is_optional_input(index):
            continue
        if tensor is not None and tensor.has_data and not operator.input_category(index).is_data:
            continue
        found.append(group)
    return found


def known_inputs(view: GraphView) -> dict[Port, Array]:
    """Return the inputs that nothing in the graph feeds and whose values are known all the same."""
    fed = {port for group in graph_inputs(view) for port in group}
    found = {}
    for port in view.get_ordered_inputs():
        tensor = port.node.get_operator().get_input(port.index)
        if port not in fed and tensor is not None and tensor.has_data:
            found[port] = tensor.array
    return found


def _set_input_dims(view: GraphView, inputs: Sequence[ArrayLike] | None) -> None:
    slots = _open_inputs(view)
    check_count(slots, inputs or (), ExportError)
    for slot, given in zip(slots, inputs or (), strict=False):
        array = np.asarray(given)
        dtype = array.dtype if array.dtype != np.float64 else np.float32
        _associate(slot.ports, array.shape, dtype)
    signature = view.annotations.get("onnx")
    declared = {each.name: each for each in getattr(signature, "inputs", ())}
    for slot in slots:
        dims = declared[slot.name].dims if slot.name in declared else None
        is_open = bool(slot.ports) and not _is_known(slot)
        if is_open and dims is not None and all(isinstance(each, int) for each in dims):
            _associate(slot.ports, dims, declared[slot.name].dtype)


def _check_inputs(view: GraphView) -> None:
    """Name the inputs whose dimensions a file leaves open, once for all of them."""
    declared = {each.name: each for each in getattr(view.annotations.get("onnx"), "inputs", ())}
    found: list[str] = []
    example: list[list[int]] = []
    for slot in _open_inputs(view):
        tensor = slot.tensor
        if tensor is not None and not tensor.undefined():
            example.append(list(tensor.dims))
        elif not slot.ports:
            example.append([])
        elif slot.name in declared:
            dims = declared[slot.name].dims
            found.append(f"{slot.name}: {'none declared' if dims is None else _shown(dims)}")
            example.append([each if isinstance(each, int) else 1 for each in dims or (1,)])
    if found:
        raise ExportError.at(
            "inputs",
            "dimensions are open: a program needs numbers for all of them",
            found="; ".join(found),
            cure=f"Call forward_dims({example}) of the graph, with your numbers, or pass "
            "example inputs=; on the command line it is --dims or --dim.",
        )


def _shown(dims: Sequence[int | str | None]) -> str:
    return f"[{', '.join('?' if dim is None else str(dim) for dim in dims)}]"


def _open_inputs(view: GraphView) -> list[InputSlot]:
    """List the inputs that data can be given to, those that something is known of among them."""
    return [
        slot
        for slot in input_slots(view)
        if not slot.ports
        or slot.ports[0].node.input_category(slot.ports[0].index).is_data
        or not slot.ports[0].node.is_optional_input(slot.ports[0].index)
        or _is_known(slot)
    ]


def _is_known(slot: InputSlot) -> bool:
    return slot.tensor is not None and not slot.tensor.undefined()


def _associate(group: Sequence[Port], dims: Sequence[int], dtype: Any) -> None:
    """Associate ports that share a tensor with one of these dimensions."""
    tensor = Tensor.of_dims(dims, dtype)
    for port in group:
        operator = port.node.get_operator()
        present = operator.get_input(port.index)
        if present is None or not (present.has_data and present.shape == tuple(dims)):
            operator.associate_input(port.index, tensor)


def _propagate(view: GraphView) -> None:
    report = propagate_dims(view, allow_data_dependency=True)
    if report.problems:
        raise ExportError.at(
            "graph",
            "; ".join(each.rstrip(".") for each in report.problems),
            cure="Give dimensions with forward_dims(), or pass inputs=.",
        )


def _open_nodes(view: GraphView) -> list[str]:
    """Name the nodes that have an output without dimensions."""
    return [
        node.label
        for node in view.get_nodes()
        if any(tensor.undefined() for tensor in node.get_operator().get_outputs())
    ]


def _check_dims(view: GraphView) -> None:
    if open_nodes := _open_nodes(view):
        raise ExportError.at(
            listed(open_nodes, most=3),
            "dimensions are open: a program needs numbers for all of them",
            cure="Call forward_dims() with the dimensions of the inputs, or pass inputs=.",
        )


def _check_operators(view: GraphView, target: str | None) -> None:
    """Name every node that nothing can compute."""
    missing: dict[str, list[str]] = {}
    for node in view.get_nodes():
        spec = node.get_operator().spec
        known = node.type() in ("Producer", "Select") or spec.is_view or spec.cp in STATEFUL
        if not known and not has_c_kernel(node, target):
            missing.setdefault(node.type(), []).append(node.name() or node.label)
    if missing:
        raise ExportError.at(
            "graph",
            "operators without a C kernel",
            found="; ".join(f"{kind} ({listed(names, most=3)})" for kind, names in missing.items()),
            cure="Replace them, expand them, or give them a kernel of your own: see "
            "aidge_nb.export.add_kernel.",
        )


def _check_parameters(view: GraphView) -> None:
    """Name the parameters that have no values: a program holds them."""
    empty = [
        node.name() or node.label
        for node in view.get_nodes()
        if node.type() == "Producer" and not node.get_operator().get_output(0).has_data
    ]
    if empty:
        raise ExportError.at(
            "graph",
            "parameters without values",
            found=listed(sorted(empty), most=3),
            cure="Fill them: init_weights(view) draws random ones.",
        )


def without_producers(order: Sequence[Node]) -> tuple[Node, ...]:
    """Return the nodes that a program runs."""
    return tuple(node for node in order if node.type() != "Producer")


# --- amounts ---------------------------------------------------------------------------------


def check_bytes(view: GraphView, order: Iterable[Node]) -> None:
    """Check that inputs and results take no more than the limit ``export_bytes``.

    An export records what each step writes, for the tests of the package, so that the sum bounds
    its arena, its memory and its time.

    Raise LimitError, naming the input or node at which the sum passes the limit, and the sum of
    all. ``order`` is the node of each execution.
    """
    limit, total, where = current_limits().export_bytes, 0, ""
    for label, tensor in _tensors(view, order):
        total += tensor.nbytes
        if total > limit and not where:
            where = f"{label} of {list(tensor.dims)}"
    check_limit("export_bytes", total, where, "the program reads and writes too many bytes")


def _tensors(view: GraphView, order: Iterable[Node]) -> Iterator[tuple[str, Tensor]]:
    for group in view.get_input_groups():
        tensor = group[0].node.get_operator().get_input(group[0].index)
        if tensor is not None and not tensor.has_data:
            yield f"{group[0].node.label}, input#{group[0].index}", tensor
    for node in order:
        operator = node.get_operator()
        if node.type() != "Producer" and not operator.spec.is_view:
            for index in range(operator.nb_outputs):
                yield f"{node.label}, output#{index}", operator.get_output(index)


@contextmanager
def enough_memory(node: Node, task: str) -> Iterator[None]:
    """Name the node that is worked on when memory ends; raise ExportError."""
    try:
        yield
    except MemoryError as error:
        raise ExportError.at(
            node.label,
            f"not enough memory to {task}: {error}",
            cure="Give this process more memory, or the graph smaller dimensions.",
        ) from error
