"""Run the gradient of one operator on the tensors at its ports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import AidgeError, SchedulingError, ShapeError, explain
from aidge_nb.scheduling.model.impl import OperatorImpl

if TYPE_CHECKING:
    from aidge_nb.core.tensor import Tensor
    from aidge_nb.graph.operator import Operator
    from aidge_nb.kernels.gradients import Recorded

Array = NDArray[Any]
Function = Callable[["Recorded", Mapping[str, Any]], tuple[Array | None, ...]]


def add_gradients(impl: OperatorImpl, function: Function) -> None:
    """Run a gradient function, and add its results to the gradients of the inputs."""
    from aidge_nb.kernels.gradients import Recorded

    operator = impl.get_operator()
    inputs, outputs = operator.get_inputs(), operator.get_outputs()
    arrays = tuple(map(_held, inputs))
    wanted = impl.wanted
    if wanted is None:
        wanted = frozenset(i for i, a in enumerate(arrays) if a is not None and a.dtype.kind == "f")
    if not any(tensor.has_grad() for tensor in outputs):
        raise _no_grad(operator)
    recorded = Recorded(arrays, tuple(map(_held, outputs)), tuple(map(_grad_of, outputs)), wanted)
    try:
        found = function(recorded, operator.attr)
    except AidgeError as error:
        raise type(error)(explain(operator.label, str(error))) from error
    except (ValueError, TypeError, IndexError) as error:
        raise ShapeError.at(
            operator.label,
            f"the gradient failed: {error}",
            found=[None if a is None else f"{a.dtype}{list(a.shape)}" for a in arrays],
        ) from error
    for index, grad in enumerate(found):
        tensor = inputs[index]
        if grad is not None and tensor is not None and index in wanted:
            tensor.add_grad(grad)


def output_grad(operator: Operator, index: int = 0) -> Array:
    """Return the gradient of an output; zeros when only other outputs have one."""
    outputs = operator.get_outputs()
    if not any(tensor.has_grad() for tensor in outputs):
        raise _no_grad(operator)
    tensor = outputs[index]
    grad = tensor.held_grad
    return np.zeros(tensor.shape, tensor.dtype.numpy) if grad is None else grad.array


def _no_grad(operator: Operator) -> SchedulingError:
    where = f"{operator.label}, output#0"
    return SchedulingError.at(where, "has no gradient", cure="Set its grad first.")


def _held(tensor: Tensor | None) -> Array | None:
    return tensor.array if tensor is not None and tensor.has_data else None


def _grad_of(tensor: Tensor) -> Array | None:
    if not tensor.dtype.is_float or not tensor.has_data:
        return None
    if tensor.held_grad is None:
        return np.zeros(tensor.shape, tensor.dtype.numpy)
    return tensor.held_grad.array.astype(tensor.dtype.numpy, copy=False)
