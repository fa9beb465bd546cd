"""Preparing a graph for a pass on tensors that somebody else provides, and putting it back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from aidge_nb.errors import MemoryPlanError, explain
from aidge_nb.graph.node import Port
from aidge_nb.runtime.backend import CpuImpl
from aidge_nb.tensor import Tensor

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView

__all__ = ["kept_tensors", "set_inputs", "start_pass"]


@contextmanager
def kept_tensors(view: GraphView) -> Iterator[None]:
    """Put back at the end what the tensors of a graph held."""
    before = [(tensor, _copy_of(tensor)) for tensor in _tensors(view)]
    try:
        yield
    finally:
        for tensor, content in before:
            tensor.copy_from(content)


def _tensors(view: GraphView) -> Iterable[Tensor]:
    """List the tensors at all ports, each once."""
    found: dict[int, Tensor] = {}
    for node in view.get_nodes():
        operator = node.get_operator()
        ports = [operator.get_output(index) for index in range(operator.nb_outputs)]
        ends = [operator.get_input(index) for index in range(operator.nb_inputs)]
        for tensor in (*ports, *ends):
            if tensor is not None:
                found.setdefault(id(tensor), tensor)
    return found.values()


def _copy_of(tensor: Tensor) -> Tensor:
    copy = Tensor()
    copy.copy_from(tensor)
    return copy


def set_inputs(view: GraphView, inputs: Sequence[Tensor | ArrayLike]) -> None:
    """Fill the inputs of a graph whose dimensions are known.

    Raises
    ------
    MemoryPlanError
        When there are too many, or one has other dimensions than the graph was planned for.
    """
    groups = view.get_input_groups()
    if len(inputs) > len(groups):
        raise MemoryPlanError(
            explain("inputs", "too many of them", expected=len(groups), found=len(inputs))
        )
    for (port, *_), given in zip(groups, inputs, strict=False):
        tensor = port.node.get_operator().get_input(port.index)
        known = tensor is not None and not tensor.undefined
        array = np.asarray(given)
        if tensor is None or not known or array.shape != tensor.shape:
            raise MemoryPlanError(
                explain(
                    f"{port.node.label}, input#{port.index}",
                    "the plan is for other dimensions",
                    expected=list(tensor.dims) if tensor is not None and known else "none known",
                    found=list(array.shape),
                    cure="Call forward_dims() with the dimensions of these data, and plan again.",
                )
            )
        tensor.set_array(array.astype(tensor.dtype.numpy, copy=False))


def start_pass(view: GraphView) -> None:
    """Let operators start over, and tell them which optional outputs nobody reads."""
    results = set(view.get_ordered_outputs())
    for node in view.get_nodes():
        operator = node.get_operator()
        impl = operator.get_impl()
        if impl is not None:
            impl.reset_state()
        if isinstance(impl, CpuImpl):
            impl.needs_optional_outputs = any(
                node.output(index) or Port(node, index) in results
                for index in operator.spec.optional_outputs
            )
