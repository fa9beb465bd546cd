"""What tests of operators share: dims and types from a declaration, without a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.dtype import DType
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import SPECS, Operator
from aidge_nb.ops.build import make_node

Given = Sequence[int] | NDArray[Any] | None
"""An input: its dims, its data, or None when it is not there."""


def operator(
    type_name: str,
    inputs: Sequence[Given],
    nb_outputs: int | None = None,
    dtypes: Sequence[DType] = (),
    **attributes: Any,
) -> Operator:
    """Make an operator whose inputs have dims or data."""
    spec = SPECS[type_name]
    count = len(inputs) if spec.variadic else None
    node = make_node(spec, "node", nb_inputs=count, nb_outputs=nb_outputs, **attributes)
    for index, given in enumerate(inputs):
        if isinstance(given, np.ndarray):
            node.get_operator().associate_input(index, Tensor(given))
        elif given is not None:
            dtype = dtypes[index] if index < len(dtypes) else DType.float32
            node.get_operator().associate_input(index, Tensor.of_dims(given, dtype))
    return node.get_operator()


def infer(made: Operator) -> list[tuple[int, ...]]:
    """Compute the output dims; data of inputs that have some are known."""

    def value(index: int) -> NDArray[Any] | None:
        tensor = made.get_input(index)
        return tensor.array if tensor is not None and tensor.has_data else None

    made.infer_dims(value)
    return [tuple(made.get_output(index).dims) for index in range(made.nb_outputs)]


def dims_of(
    type_name: str, *inputs: Given, nb_outputs: int | None = None, **attributes: Any
) -> list[tuple[int, ...]]:
    """Compute the output dims of an operator."""
    return infer(operator(type_name, inputs, nb_outputs, **attributes))


def ints(*values: int) -> NDArray[np.int64]:
    """Make a list of numbers, as ONNX passes axes and shapes."""
    return np.array(values, np.int64)
