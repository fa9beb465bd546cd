"""The inputs of a graph as its file declares them, and the data given for them, by position.

An input that no node reads keeps its place: data for it are accepted and ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import AidgeError, ShapeError
from aidge_nb.core.values import dataclass
from aidge_nb.graph.spec import InputCategory

if TYPE_CHECKING:
    from aidge_nb.core.tensor import Tensor
    from aidge_nb.graph.node import Port
    from aidge_nb.graph.view import GraphView

UNREAD = "unread_inputs"
"""The annotation of a graph with the places in the file of the inputs that no node reads."""


@dataclass(frozen=True, slots=True)
class InputSlot:
    """An input of a graph.

    Attributes
    ----------
    name
        Its name in the file, or the port that reads it.
    ports
        The ports that read it, which share one tensor; empty when no node does.
    """

    name: str
    ports: tuple[Port, ...]
    like: Tensor | None = None
    """Dims and type of its data when they are not those that the graph has now."""

    @property
    def tensor(self) -> Tensor | None:
        """The tensor in the graph, if there is one."""
        for node, index in self.ports[:1]:
            return node.get_operator().get_input(index)
        return None


def input_slots(view: GraphView) -> list[InputSlot]:
    """Return the inputs of a graph, in their order.

    Those of a file are all that it declares, and those that nodes need besides. Without a file they
    include optional ones.

    Examples
    --------
    >>> import aidge_nb
    >>> [slot.name for slot in input_slots(aidge_nb.sequential([aidge_nb.ReLU(name="relu")]))]
    ['relu (ReLU), input#0']
    """
    names = view.annotations.get("input_names")
    slots = []
    for group, name in zip_longest(view.get_input_groups(), names or ()):
        slot = InputSlot(name or port_label(group[0]), tuple(group or ()))
        if names is None or name or slot.tensor is not None or not _is_optional(group[0]):
            slots.append(slot)
    places: dict[str, int] = view.annotations.get(UNREAD, {})
    for name in sorted(places, key=places.__getitem__):
        slots.insert(places[name], InputSlot(name, ()))
    return slots


def port_label(port: Port) -> str:
    """Return the name of an input in messages."""
    return f"{port.node.label}, input#{port.index}"


def check_count(slots: Sequence[InputSlot], data: Sequence[Any], error: type[AidgeError]) -> None:
    """Refuse more data than inputs, with the names of the inputs."""
    if len(data) > len(slots):
        names = "; ".join(slot.name for slot in slots)
        expected = f"{len(slots)}: {names}" if names else 0
        raise error.at("inputs", "too many of them", expected=expected, found=len(data))


def must_be_fed(port: Port) -> bool:
    """Tell whether an input needs data in each pass; parameters may have been set once."""
    node, index = port
    tensor = node.get_operator().get_input(index)
    is_set = tensor is not None and tensor.has_data
    is_data = node.input_category(index) is InputCategory.Data
    return not _is_optional(port) and (is_data or not is_set)


def _is_optional(port: Port) -> bool:
    return port.node.is_optional_input(port.index)


def fitting_arrays(
    slots: Sequence[InputSlot],
    data: Any,
    made: str,
    error: type[AidgeError],
    cure: str,
    needs: Callable[[Port], bool] = must_be_fed,
) -> list[tuple[InputSlot, NDArray[Any]]]:
    """Check data against inputs whose dims are known; pair those that are read with their arrays.

    Raise AidgeError when data are no list, too many or too few, or have other dims or another kind
    of elements.

    Parameters
    ----------
    slots
        The inputs.
    data
        A list of tensors or arrays, in their order; the last ones may be missing.
    made
        What has the dims of the inputs, such as ``the plan is``.
    error, cure
        The kind of error, and what to do about other dims.
    needs
        Tells which inputs may not be missing.
    """
    if not isinstance(data, (list, tuple)):
        problem, example = "are a list, one array per input of the graph", "Write [x]."
        raise error.at("inputs", problem, found=type(data).__name__, cure=example)
    check_count(slots, data, error)
    for slot in slots[len(data) :]:
        if slot.ports and needs(slot.ports[0]):
            raise error.at(
                "inputs",
                f"too few of them: {slot.name} gets no data",
                expected=f"{len(slots)}: {'; '.join(each.name for each in slots)}",
                found=len(data),
            )
    pairs = [pair for pair in zip(slots, data, strict=False) if pair[0].ports]
    return [(slot, _fitting(slot, given, made, error, cure)) for slot, given in pairs]


def _fitting(
    slot: InputSlot, given: Any, made: str, error: type[AidgeError], cure: str
) -> NDArray[Any]:
    where, tensor = port_label(slot.ports[0]), slot.like or slot.tensor
    array = as_array(given, where)
    known = None if tensor is None or tensor.undefined() else tensor
    if known is None or array.shape != known.shape:
        expected, found = "none known" if known is None else list(known.dims), list(array.shape)
        problem = f"{made} for other dimensions"
        raise error.at(where, problem, expected=expected, found=found, cure=cure)
    if not np.can_cast(array.dtype, known.dtype.numpy, "same_kind"):
        raise error.at(
            where,
            f"{made} for another element type",
            expected=known.dtype.name,
            found=array.dtype.name,
            cure=f"Convert the data with astype({known.dtype.name!r}).",
        )
    return array.astype(known.dtype.numpy, copy=False)


def as_array(value: Any, where: str) -> NDArray[Any]:
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
