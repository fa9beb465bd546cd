"""Parts of what lies outside of an arena: inputs of a graph and parameters that are not planned.

What Slice and Split cut out of them is read where it is, so that it is not in the plan either. All
who run a plan go by this. Nothing is ever written there: a plan lets outputs lie over inputs only
where both are in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from aidge_nb.core.errors import MemoryPlanError, explain
from aidge_nb.memory.live.sharing import first_in_input

if TYPE_CHECKING:
    from aidge_nb.core.tensor import Tensor
    from aidge_nb.graph.node import Node

Array = NDArray[Any]


def is_left_out(node: Node, is_planned: Iterable[bool]) -> bool:
    """Whether a plan holds none of the outputs of a Slice or Split, given which ones it holds."""
    return node.type() in ("Slice", "Split") and not any(is_planned)


def parts_outside(node: Node, whole: Array) -> Iterator[tuple[Tensor, Array]]:
    """Give the outputs of a Slice or Split, and what they are in the array that it cuts.

    Raises
    ------
    MemoryPlanError
        When an output is no box of it.
    """
    for index in range(node.get_nb_outputs()):
        part, first = node.get_operator().get_output(index), first_in_input(node, index)
        if first is None:
            raise MemoryPlanError(
                explain(
                    f"{node.label}, output#{index}",
                    "has no place in the plan, and is no box of what it is cut out of",
                    cure="Plan memory for this graph, with these constants.",
                )
            )
        ends = zip(first, part.dims, strict=True)
        yield part, whole[tuple(slice(start, start + size) for start, size in ends)]
