"""Make the step of a prepared run from a node and its arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
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
from aidge_nb.runtime.arena.lstm import lstm_of
from aidge_nb.runtime.backends.cpu import CpuImpl, MetaImpl, check_kinds
from aidge_nb.runtime.passes import kept
from aidge_nb.scheduling.executor import occupied
from aidge_nb.scheduling.model.impl import OperatorImpl

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node

Array = NDArray[Any]
Find = Callable[[Tensor], Array]


def step_of(node: Node, bound: Bound, find: Find) -> Step:
    """Prepare the step of a node that is bound to its arrays.

    ``find`` returns the array of any other tensor, such as a parameter inside of a meta-operator.
    """
    operator = node.get_operator()
    impl = operator.get_impl()
    if type(impl) is CpuImpl:
        check_kinds(operator, bound.inputs)
        step = make_step(bound)
        if step is None:
            raise MissingKernelError.at(node.label, "has no kernel")
        return step
    if type(impl) is MetaImpl and isinstance(operator, MetaOperatorOp):
        step = _of_window(operator, bound) or _of_lstm(operator, bound, find)
        if step is not None:
            return step
    if isinstance(impl, OperatorImpl) and type(impl).forward is OperatorImpl.forward:
        return partial(run_and_store, partial(impl.run, bound.inputs), bound.outputs)
    return partial(_forward, node, bound)


def _of_window(operator: MetaOperatorOp, bound: Bound) -> Step | None:
    """Prepare a padded operator without padding its data first."""
    window = inner_window(operator)
    if window is None:
        return None
    inputs = bound.inputs[: window.nb_inputs]
    return fixed_step(replace(bound, spec=window.spec, attrs=window.attrs, inputs=inputs))


def _of_lstm(operator: MetaOperatorOp, bound: Bound, find: Find) -> Step | None:
    """Prepare an LSTM over a sequence without its micro-graph."""
    from aidge_nb.kernels.cpu.recurrent.fixed import LstmArrays, lstm_step

    cell, x = lstm_of(operator), bound.inputs[0]
    if cell is None or x is None or x.ndim != 3:
        return None
    results: list[Array | None] = [None, None, None]
    for result, out in zip(cell.results, bound.outputs, strict=True):
        results[result] = out
    arrays = [find(tensor) for tensor in cell.tensors]
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
    return lstm_step(found, bound.workspace)


def _forward(node: Node, bound: Bound) -> None:
    """Run an implementation that works on the tensors of its operator, and restore these."""
    operator = node.get_operator()
    inputs, outputs = operator.get_inputs(), operator.get_outputs()
    with occupied([node]), kept(tensor for tensor in (*inputs, *outputs) if tensor is not None):
        for tensor, array in zip(inputs, bound.inputs, strict=True):
            if tensor is not None and array is not None:
                tensor.set_array(array)
        impl = operator.get_impl()
        if impl is not None:
            impl.reset_state()
        operator.forward()
        for tensor, out in zip(outputs, bound.outputs, strict=True):
            if out is not None:
                put(tensor.array, out)
