"""Data that a graph cannot take: said clearly, and without consequences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.dtype import as_dtype
from aidge_nb.core.errors import AidgeError, ShapeError, explain
from aidge_nb.core.tensor import Dims, Tensor
from aidge_nb.graph.spec import ShapeContext

if TYPE_CHECKING:
    from aidge_nb.graph.node import Port
    from aidge_nb.graph.operator import Operator
    from aidge_nb.graph.view import GraphView

Array = NDArray[Any]


def as_array(value: Any, where: str) -> Array:
    """Make an array of what somebody gives.

    Raises
    ------
    ShapeError
        When it is none.

    Examples
    --------
    >>> as_array([[1, 2], [3]], "data[0]")
    Traceback (most recent call last):
        ...
    aidge_nb.core.errors.ShapeError: data[0]: is no array (found list). Its rows differ in length.
    """
    try:
        array = np.asarray(value)
    except ValueError as error:
        cure = "Its rows differ in length."
        found = type(value).__name__
        raise ShapeError(explain(where, "is no array", found=found, cure=cure)) from error
    if array.dtype.kind == "O" and array.ndim == 0 and not isinstance(value, np.ndarray):
        cure = "Pass an array, a tensor, or a list of numbers."
        raise ShapeError(explain(where, "is no array", found=type(value).__name__, cure=cure))
    return array


def as_tensors(data: Sequence[Any]) -> list[Tensor]:
    """Make tensors of data; None becomes one that is not defined.

    Raises
    ------
    ShapeError
        For what is no array.
    """
    return [
        each
        if isinstance(each, Tensor)
        else Tensor(None if each is None else as_array(each, f"forward, data[{index}]"))
        for index, each in enumerate(data)
    ]


@contextmanager
def inputs_kept_on_failure(view: GraphView, data: Sequence[Tensor]) -> Iterator[None]:
    """Put the tensors at the inputs of a graph back if something goes wrong."""
    groups = view.get_input_groups() if data else []
    held = [(p, p.node.get_operator().get_input(p.index)) for group in groups for p in group]
    try:
        yield
    except BaseException as error:
        for port, tensor in held:
            operator = port.node.get_operator()
            if tensor is None:
                operator.reset_input(port.index)
            else:
                operator.associate_input(port.index, tensor)
        if isinstance(error, AidgeError):
            _add_surplus(error, groups, len(data))
        raise


def _add_surplus(error: AidgeError, groups: list[list[Port]], count: int) -> None:
    """Note which data went to optional inputs: that is seldom meant."""
    for index, (port, *_) in enumerate(groups[:count]):
        if port.node.is_optional_input(port.index):
            label = f"{port.node.label}, input#{port.index}"
            error.add_note(f"data[{index}] is for an optional input, {label}.")


def why_it_failed(
    operator: Operator, arrays: Sequence[Array | None], error: Exception
) -> AidgeError:
    """Make an error of what a kernel raised: the declaration of the operator often knows better."""
    context = ShapeContext(
        operator.label,
        [None if array is None else Dims(array.shape) for array in arrays],
        [None if array is None else as_dtype(array.dtype) for array in arrays],
        operator.attr,
        lambda index: arrays[index],
        operator.nb_outputs,
    )
    try:
        operator.spec.dims(context)
    except AidgeError as clear:
        return clear
    except (ValueError, TypeError, IndexError, ArithmeticError):
        pass  # it knows no better
    return ShapeError(
        explain(
            operator.label,
            f"the kernel failed: {error}",
            found=[None if a is None else f"{a.dtype}{list(a.shape)}" for a in arrays],
        )
    )


def check_kinds(operator: Operator, arrays: Sequence[Array | None]) -> None:
    """Refuse data of another kind than the parameters: results would be cut to whole numbers.

    Raises
    ------
    ShapeError
        When parameters are floating-point numbers and the data are not.
    """
    data = arrays[0] if arrays else None
    if data is None or data.dtype.kind == "f" or not operator.input_category(0).is_data:
        return
    for index, array in enumerate(arrays[1:], start=1):
        if array is None or array.dtype.kind != "f":
            continue
        if operator.input_category(index).is_param:
            raise ShapeError(
                explain(
                    f"{operator.label}, input#0",
                    f"is of another kind than the parameters at input#{index}",
                    expected=array.dtype.name,
                    found=data.dtype.name,
                    cure=f"Convert the data with astype({array.dtype.name!r}).",
                )
            )
