"""Run a model on seeded random input, and describe its outputs in one line each."""

from __future__ import annotations

import numpy as np

from aidge_nb.core.dtype import DType
from aidge_nb.core.errors import MissingKernelError, ShapeError
from aidge_nb.core.limits import run_time
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.inputs import InputSlot, input_slots
from aidge_nb.graph.view import GraphView
from aidge_nb.runtime.schedulers.sequential import SequentialScheduler

FIRST_VALUES = 5


def run_on_random_input(
    view: GraphView, scheduler: SequentialScheduler
) -> tuple[float, dict[str, Tensor]]:
    """Run a graph once; give the time that its nodes took, in milliseconds, and its outputs.

    Raises
    ------
    AidgeError
        When it cannot be run, or when values of an input cannot be made up.
    """
    data = [random_input(slot) for slot in input_slots(view)]
    with run_time():
        outputs = scheduler.forward(data=data)
    elapsed = sum(each.end - each.start for each in scheduler.get_forward_scheduling())
    names = [f"output {i}" for i in range(len(outputs))]
    signature = view.annotations.get("onnx")
    if signature is not None and len(signature.outputs) == len(outputs):
        names = [value.name for value in signature.outputs]
    return elapsed / 1e6, dict(zip(names, outputs, strict=True))


def random_input(slot: InputSlot, turn: int = 0) -> Tensor:
    """Make up values for an input of a graph, the same each time for a turn.

    Raise MissingKernelError for text, and ShapeError where memory does not suffice.
    """
    tensor = slot.tensor
    if tensor is None or tensor.undefined():
        return Tensor()
    port = slot.ports[0]
    if tensor.has_data:
        return Tensor(tensor.array)
    if tensor.dtype is DType.string:
        raise MissingKernelError(f"{port.node.label}: cannot make up text for an input")
    generator = np.random.default_rng([port.index, turn] if turn else port.index)
    try:
        if tensor.dtype.is_float:
            values = generator.standard_normal(tensor.dims)
        else:
            values = generator.integers(0, 2, tensor.dims).astype(np.float64)
        return Tensor(values.astype(tensor.dtype.numpy))
    except (MemoryError, ValueError) as error:  # NumPy also refuses sizes that none can have
        raise ShapeError.at(
            f"{port.node.label}, input#{port.index}",
            f"not enough memory for values of this input: {error}",
            found=f"{tensor.nbytes} bytes",
            cure="Give this process more memory, or the input smaller dimensions.",
        ) from error


def summary(tensor: Tensor) -> str:
    """Describe a tensor: dims, type, range, and position of its largest value.

    Examples
    --------
    >>> summary(Tensor(np.array([[0.5, 2.0, -1.0]], np.float32)))
    '1×3 float32, -1 to 2, largest at [0, 1]'
    """
    array = tensor.array
    shape = "×".join(map(str, array.shape)) or "scalar"
    if not array.size or array.dtype.kind not in "fiu":
        return f"{shape} {tensor.dtype.name}"
    text = f"{shape} {tensor.dtype.name}, {array.min():.4g} to {array.max():.4g}"
    if array.size == 1 or np.isnan(array).any():
        return text
    place = [int(each) for each in np.unravel_index(int(array.argmax()), array.shape)]
    return f"{text}, largest at {place}"


def values_text(tensor: Tensor) -> str:
    """Write the first values of a tensor.

    Examples
    --------
    >>> values_text(Tensor([0.5, 2.0, 3.0, 4.0, 5.0, 1 / 3])), values_text(Tensor([True]))
    ('0.5 2 3 4 5 ...', 'True')
    """
    values = tensor.array.reshape(-1)[:FIRST_VALUES]
    texts = [f"{v:.6g}" if tensor.dtype.is_float else str(v) for v in values.tolist()]
    return " ".join(texts + ["..."] * (tensor.array.size > FIRST_VALUES))
