"""The memory of a prepared run: the arrays that a plan lays out in one block of bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from aidge_nb.core.errors import MemoryPlanError, explain
from aidge_nb.core.tensor import Tensor
from aidge_nb.runtime.arena.block import array_at

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node
    from aidge_nb.graph.view import GraphView
    from aidge_nb.memory import Buffer, MemoryPlan

Array = NDArray[Any]


def arrays_of(view: GraphView, plan: MemoryPlan, arena: Array) -> dict[int, Array]:
    """Give the arrays of the tensors that lie in an arena, by the tensor's id.

    Raises
    ------
    MemoryPlanError
        When the plan is for another graph or other dimensions, or lays out tensors in a way that
        no array has: wrapped around, or row by row.
    """
    nodes = {name: node for node, name in view.unique_names().items()}
    return {
        id(tensor): _array(buffer, tensor, arena)
        for buffer in plan.buffers
        for tensor in (_tensor(buffer, nodes),)
    }


def _tensor(buffer: Buffer, nodes: Mapping[str, Node]) -> Tensor:
    node = nodes.get(buffer.node)
    if node is None:
        cure = "Plan memory for this graph."
        raise MemoryPlanError(explain(f"buffer {buffer.name}", "is of another graph", cure=cure))
    operator = node.get_operator()
    is_input = buffer.kind == "input"
    tensor = operator.get_input(buffer.output) if is_input else operator.get_output(buffer.output)
    if tensor is None or tensor.nbytes != buffer.size:
        raise MemoryPlanError(
            explain(
                f"buffer {buffer.name}",
                "does not have the bytes of the tensor that belongs there",
                expected="nothing" if tensor is None else f"{tensor.nbytes} bytes",
                found=f"{buffer.size} bytes",
                cure="Plan memory again after dimensions or types changed.",
            )
        )
    return tensor


def _array(buffer: Buffer, tensor: Tensor, arena: Array) -> Array:
    if buffer.wrapped_size or buffer.rows:
        raise MemoryPlanError(
            explain(
                f"buffer {buffer.name}",
                "does not lie in memory as an array does",
                found="wrapped around" if buffer.wrapped_size else "row by row",
                cure="Plan memory without by_rows=True; run_in_arena() runs such a plan.",
            )
        )
    return array_at(buffer, tensor, arena)
