"""Make the step of a prepared run from a node and its arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from aidge_nb.core.errors import MissingKernelError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.meta import MetaOperatorOp
from aidge_nb.kernels.fixed import Bound, Step, put, run_and_store
from aidge_nb.kernels.padded import inner_window
from aidge_nb.kernels.steps import fixed_step, make_step
from aidge_nb.kernels.workspace import Workspace
from aidge_nb.runtime.arena.lstm import lstm_of
from aidge_nb.runtime.backends.cpu import CpuImpl, MetaImpl, check_kinds
from aidge_nb.runtime.passes import copy_of
from aidge_nb.scheduling.model.impl import OperatorImpl

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node
    from aidge_nb.graph.operator import Operator

Array = NDArray[Any]
Find = Callable[[Tensor], Array]


@dataclass(frozen=True, slots=True, eq=False)
class Ends:
    """The arrays at the ports of a node.

    Attributes
    ----------
    inputs
        The inputs; None for an optional input that is missing.
    outputs
        Where its outputs go; None for an output that nobody reads.
    constants
        The numbers of the inputs that come from Producers.
    find
        Returns the array of any other tensor, such as a parameter inside of a meta-operator.
    """

    inputs: tuple[Array | None, ...]
    outputs: tuple[Array | None, ...]
    constants: frozenset[int]
    find: Find


def step_of(node: Node, ends: Ends, workspace: Workspace) -> Step:
    """Prepare the step of a node."""
    operator = node.get_operator()
    impl = operator.get_impl()
    bound = Bound(
        operator.spec, operator.attr, ends.inputs, ends.outputs, workspace, ends.constants
    )
    if type(impl) is CpuImpl:
        check_kinds(operator, ends.inputs)
        step = make_step(bound)
        if step is None:
            raise MissingKernelError.at(node.label, "has no kernel")
        return step
    if type(impl) is MetaImpl and isinstance(operator, MetaOperatorOp):
        step = _of_window(operator, bound) or _of_lstm(operator, ends, workspace)
        if step is not None:
            return step
    if isinstance(impl, OperatorImpl) and type(impl).forward is OperatorImpl.forward:
        return partial(run_and_store, partial(impl.run, ends.inputs), ends.outputs)
    return partial(_forward, operator, ends)


def _of_window(operator: MetaOperatorOp, bound: Bound) -> Step | None:
    """Prepare a padded operator without padding its data first."""
    window = inner_window(operator)
    if window is None:
        return None
    inputs = bound.inputs[: window.nb_inputs]
    return fixed_step(replace(bound, spec=window.spec, attrs=window.attrs, inputs=inputs))


def _of_lstm(operator: MetaOperatorOp, ends: Ends, workspace: Workspace) -> Step | None:
    """Prepare an LSTM over a sequence without its micro-graph."""
    from aidge_nb.kernels.cpu.recurrent.fixed import LstmArrays, lstm_step

    cell, x = lstm_of(operator), ends.inputs[0]
    if cell is None or x is None or x.ndim != 3:
        return None
    results: list[Array | None] = [None, None, None]
    for result, out in zip(cell.results, ends.outputs, strict=True):
        results[result] = out
    arrays = [ends.find(tensor) for tensor in cell.tensors]
    plain = [array for array in (x, *arrays, *results) if array is not None]
    if any(array.dtype != x.dtype or not array.flags.c_contiguous for array in plain):
        return None
    hidden = len(arrays[4])
    state = (x.shape[1], hidden)
    if x.dtype.kind != "f" or any(array.size != prod(state) for array in arrays[-2:]):
        return None
    every, last_h, last_c = results
    found = LstmArrays(
        x,
        arrays[:4],
        arrays[4:8],
        arrays[8:-2],
        (arrays[-2].reshape(state), arrays[-1].reshape(state)),
        (
            None if every is None else every.reshape(len(x), *state),
            None if last_h is None else last_h.reshape(state),
            None if last_c is None else last_c.reshape(state),
        ),
    )
    return lstm_step(found, workspace)


def _forward(operator: Operator, ends: Ends) -> None:
    """Run an implementation that works on the tensors of its operator, and restore these."""
    inputs, outputs = operator.get_inputs(), operator.get_outputs()
    held = [(tensor, copy_of(tensor)) for tensor in (*inputs, *outputs) if tensor is not None]
    try:
        for tensor, array in zip(inputs, ends.inputs, strict=True):
            if tensor is not None and array is not None:
                tensor.set_array(array)
        impl = operator.get_impl()
        if impl is not None:
            impl.reset_state()
        operator.forward()
        for tensor, out in zip(outputs, ends.outputs, strict=True):
            if out is not None:
                put(tensor.array, out)
    finally:
        for tensor, before in held:
            tensor.copy_from(before)
