"""Take the data of a pass, and restore tensors at its end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from aidge_nb.core.errors import AidgeError, MemoryPlanError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.inputs import InputSlot, as_array, fitting_arrays, input_slots, port_label

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView

# --- data ---------------------------------------------------------------------------------------


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
    cure = "Call forward_dims() with the dimensions of these data, and plan again."
    fitting = fitting_arrays(input_slots(view), inputs, "the plan is", MemoryPlanError, cure)
    for slot, array in fitting:
        if slot.tensor is not None:
            slot.tensor.set_array(array)


# --- restoring tensors --------------------------------------------------------------------------


@contextmanager
def kept_tensors(view: GraphView) -> Iterator[None]:
    """Restore all tensors of a graph at the end."""
    operators = [node.get_operator() for node in view.get_nodes()]
    found = (tensor for each in operators for tensor in (*each.get_outputs(), *each.get_inputs()))
    with kept(tensor for tensor in found if tensor is not None):
        yield


@contextmanager
def kept(tensors: Iterable[Tensor]) -> Iterator[None]:
    """Restore tensors at the end."""
    before = [(each, copy_of(each)) for each in {id(each): each for each in tensors}.values()]
    try:
        yield
    finally:
        for tensor, content in before:
            tensor.share(content)


def copy_of(tensor: Tensor) -> Tensor:
    """Return another tensor with the same type and the same array."""
    copy = Tensor()
    copy.share(tensor)
    return copy


@contextmanager
def inputs_kept_on_failure(view: GraphView, data: Sequence[Tensor]) -> Iterator[None]:
    """Connect the former tensors to the inputs of a graph again when something fails."""
    slots = input_slots(view) if data else []
    held = [(p, p.node.get_operator().get_input(p.index)) for slot in slots for p in slot.ports]
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
            _note_optional(error, slots[: len(data)])
        raise


def _note_optional(error: AidgeError, slots: Sequence[InputSlot]) -> None:
    """Add a note when data went to optional inputs, which is seldom meant."""
    for index, slot in enumerate(slots):
        if slot.ports and slot.ports[0].node.is_optional_input(slot.ports[0].index):
            error.add_note(f"data[{index}] is for an optional input, {port_label(slot.ports[0])}.")
