"""Begin and end a pass: take its data, reset its operators, restore its tensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aidge_nb.core.errors import AidgeError, MemoryPlanError, ShapeError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.node import Port
from aidge_nb.graph.spec import InputCategory
from aidge_nb.scheduling.model.impl import OperatorImpl

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView

Array = NDArray[Any]

# --- data ---------------------------------------------------------------------------------------


def as_array(value: Any, where: str) -> Array:
    """Convert a value to an array.

    Examples
    --------
    >>> as_array([[1, 2], [3]], "x")
    Traceback (most recent call last):
        ...
    aidge_nb.core.errors.ShapeError: x: is not an array (found list). Its rows differ in length.
    """
    try:
        array = np.asarray(value)
    except ValueError as error:
        cure = "Its rows differ in length."
        found = type(value).__name__
        raise ShapeError.at(where, "is not an array", found=found, cure=cure) from error
    if array.dtype.kind == "O" and array.ndim == 0 and not isinstance(value, np.ndarray):
        cure = "Pass an array, a tensor, or a list of numbers."
        raise ShapeError.at(where, "is not an array", found=type(value).__name__, cure=cure)
    return array


def as_tensors(data: Sequence[Any]) -> list[Tensor]:
    """Convert data to tensors, and None to an undefined tensor."""
    return [
        each
        if isinstance(each, Tensor)
        else Tensor(None if each is None else as_array(each, f"forward, data[{index}]"))
        for index, each in enumerate(data)
    ]


def set_inputs(view: GraphView, inputs: Sequence[Tensor | ArrayLike] | None) -> None:
    """Fill the inputs of a graph whose dimensions are known; None keeps what they hold."""
    if inputs is None:
        return
    groups = view.get_input_groups()
    if not isinstance(inputs, (list, tuple)):
        raise MemoryPlanError.at(
            "inputs",
            "are a list, one tensor per input of the graph",
            found=type(inputs).__name__,
            cure="Write run_in_arena(graph, plan, [x]).",
        )
    if len(inputs) > len(groups):
        raise MemoryPlanError.at(
            "inputs", "too many of them", expected=len(groups), found=len(inputs)
        )
    for port, *_ in groups[len(inputs) :]:
        if must_be_fed(port):
            raise MemoryPlanError.at(
                "inputs",
                f"too few of them: {port.node.label}, input#{port.index} gets no data",
                found=f"{len(inputs)} for the {len(groups)} inputs of the graph",
                cure="Leave inputs= out to run on what the graph holds.",
            )
    for (port, *_), given in zip(groups, inputs, strict=False):
        _set_input(port, given)


def _set_input(port: Port, given: Tensor | ArrayLike) -> None:
    where = f"{port.node.label}, input#{port.index}"
    tensor = port.node.get_operator().get_input(port.index)
    array = as_array(given, where)
    if tensor is None or tensor.undefined or array.shape != tensor.shape:
        is_known = tensor is not None and not tensor.undefined
        raise MemoryPlanError.at(
            where,
            "the plan is for other dimensions",
            expected=list(tensor.dims) if tensor is not None and is_known else "none known",
            found=list(array.shape),
            cure="Call forward_dims() with the dimensions of these data, and plan again.",
        )
    if not np.can_cast(array.dtype, tensor.dtype.numpy, "same_kind"):
        raise MemoryPlanError.at(
            where,
            "the plan is for another element type",
            expected=tensor.dtype.name,
            found=array.dtype.name,
            cure=f"Convert the data with astype({tensor.dtype.name!r}).",
        )
    tensor.set_array(array.astype(tensor.dtype.numpy, copy=False))


def must_be_fed(port: Port) -> bool:
    """Tell whether an input needs data in each pass; parameters may have been set once."""
    operator = port.node.get_operator()
    if operator.is_optional_input(port.index):
        return False
    tensor = operator.get_input(port.index)
    is_set = tensor is not None and tensor.has_data
    return not is_set or operator.input_category(port.index) is InputCategory.Data


# --- what nodes do in a pass --------------------------------------------------------------------


def start_pass(view: GraphView) -> None:
    """Reset the state of all operators, and request the optional outputs that are read."""
    results = set(view.get_ordered_outputs())
    for node in view.get_nodes():
        operator = node.get_operator()
        impl = operator.get_impl()
        if impl is not None:
            impl.reset_state()
        if isinstance(impl, OperatorImpl):
            impl.needs_optional_outputs = any(
                node.output(index) or Port(node, index) in results
                for index in operator.spec.optional_outputs
            )


# --- restoring tensors --------------------------------------------------------------------------


@contextmanager
def kept_tensors(view: GraphView) -> Iterator[None]:
    """Restore all tensors of a graph at the end."""
    tensors: dict[int, Tensor] = {}
    for node in view.get_nodes():
        operator = node.get_operator()
        for tensor in (*operator.get_outputs(), *operator.get_inputs()):
            if tensor is not None:
                tensors.setdefault(id(tensor), tensor)
    before = [(tensor, copy_of(tensor)) for tensor in tensors.values()]
    try:
        yield
    finally:
        for tensor, content in before:
            tensor.copy_from(content)


def copy_of(tensor: Tensor) -> Tensor:
    """Return another tensor with the same type and the same array."""
    copy = Tensor()
    copy.copy_from(tensor)
    return copy


@contextmanager
def inputs_kept_on_failure(view: GraphView, data: Sequence[Tensor]) -> Iterator[None]:
    """Connect the former tensors to the inputs of a graph again when something fails."""
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
            _note_optional(error, groups, len(data))
        raise


def _note_optional(error: AidgeError, groups: list[list[Port]], count: int) -> None:
    """Add a note when data went to optional inputs, which is seldom meant."""
    for index, (port, *_) in enumerate(groups[:count]):
        if port.node.is_optional_input(port.index):
            label = f"{port.node.label}, input#{port.index}"
            error.add_note(f"data[{index}] is for an optional input, {label}.")
