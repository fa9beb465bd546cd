"""Running only what a Select takes."""

from __future__ import annotations

from aidge_nb.core.errors import ShapeError, explain
from aidge_nb.graph.node import Node
from aidge_nb.graph.operator import Operator
from aidge_nb.runtime.backends.passing_back import output_grad
from aidge_nb.scheduling.model.conditional import CONDITION
from aidge_nb.scheduling.model.impl import OperatorImpl


def chosen_input(select: Operator) -> int:
    """Read which data input, from 0, a Select takes in this pass.

    Raises
    ------
    ShapeError
        When the condition has no data, or names no input.
    """
    tensor = select.get_input(0)
    if tensor is None or not tensor.has_data or tensor.array.size == 0:
        raise ShapeError(explain(f"{select.label}, input#0", "the condition has no data"))
    index = int(tensor.array.reshape(-1)[0])
    if not 0 <= index < select.nb_inputs - 1:
        raise ShapeError(
            explain(
                f"{select.label}, input#0",
                "the condition names no input",
                expected=f"0 to {select.nb_inputs - 2}",
                found=index,
            )
        )
    return index


def is_needed(node: Node) -> bool:
    """Whether a node is run for an input that some Select takes in this pass."""
    conditions: set[tuple[Node, int]] = node.annotations.get(CONDITION, set())
    return not conditions or any(
        is_needed(select) and chosen_input(select.get_operator()) == number
        for select, number in conditions
    )


class SelectImpl(OperatorImpl):
    """Select gives one of its data inputs; the others need not have data."""

    def forward(self) -> None:
        """Hand on the input that the condition names."""
        operator = self._operator
        index = 1 + chosen_input(operator)
        array = self._input_array(index)
        if array is None:
            raise ShapeError(explain(f"{operator.label}, input#{index}", "has no data"))
        output = operator.get_output(0)
        output.set_array(array.astype(array.dtype if output.undefined else output.dtype.numpy))

    def backward(self) -> None:
        """Pass to the input that was taken."""
        tensor = self._operator.get_input(1 + chosen_input(self._operator))
        if tensor is not None:
            tensor.add_grad(output_grad(self._operator))
