"""Preparing a graph for a pass on tensors that somebody else provides, and putting it back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from aidge_nb.core.errors import MemoryPlanError, explain
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.node import Port
from aidge_nb.graph.spec import InputCategory
from aidge_nb.memory.values.plan import MemoryPlan
from aidge_nb.runtime.backends.bad_input import as_array
from aidge_nb.runtime.backends.cpu import CpuImpl

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView


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


def check_is_plan(plan: object) -> None:
    """Refuse what is no memory plan.

    Raises
    ------
    MemoryPlanError
        Telling where the plan is, if it is part of what was given.
    """
    if not isinstance(plan, MemoryPlan):
        inside = isinstance(getattr(plan, "plan", None), MemoryPlan)
        raise MemoryPlanError(
            explain(
                "plan",
                "is no memory plan",
                expected="a MemoryPlan",
                found=type(plan).__name__,
                cure="Pass its .plan." if inside else "plan_memory(view, order) makes one.",
            )
        )


def set_inputs(view: GraphView, inputs: Sequence[Tensor | ArrayLike] | None) -> None:
    """Fill the inputs of a graph whose dimensions are known; None keeps what they hold.

    Raises
    ------
    MemoryPlanError
        For what is no list, when there are too many or too few, or one has other dimensions than
        the graph was planned for.
    """
    if inputs is None:
        return
    groups = view.get_input_groups()
    if not isinstance(inputs, (list, tuple)):
        raise MemoryPlanError(
            explain(
                "inputs",
                "are a list, one tensor per input of the graph",
                found=type(inputs).__name__,
                cure="Write run_in_arena(view, plan, [x]).",
            )
        )
    if len(inputs) > len(groups):
        raise MemoryPlanError(
            explain("inputs", "too many of them", expected=len(groups), found=len(inputs))
        )
    for port, *_ in groups[len(inputs) :]:
        if _must_be_fed(port):
            raise MemoryPlanError(
                explain(
                    "inputs",
                    f"too few of them: there is none for {port.node.label}, input#{port.index}",
                    found=f"{len(inputs)} for the {len(groups)} inputs of the graph",
                    cure="Leave inputs= out to run on what the graph holds.",
                )
            )
    for (port, *_), given in zip(groups, inputs, strict=False):
        tensor = port.node.get_operator().get_input(port.index)
        known = tensor is not None and not tensor.undefined
        array = as_array(given, f"{port.node.label}, input#{port.index}")
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
        if not np.can_cast(array.dtype, tensor.dtype.numpy, "same_kind"):
            raise MemoryPlanError(
                explain(
                    f"{port.node.label}, input#{port.index}",
                    "the plan is for another element type",
                    expected=tensor.dtype.name,
                    found=array.dtype.name,
                    cure=f"Convert the data with astype({tensor.dtype.name!r}).",
                )
            )
        tensor.set_array(array.astype(tensor.dtype.numpy, copy=False))


def _must_be_fed(port: Port) -> bool:
    """Whether an input needs data with each pass; parameters may have been set once."""
    operator = port.node.get_operator()
    if operator.is_optional_input(port.index):
        return False
    tensor = operator.get_input(port.index)
    is_set = tensor is not None and tensor.has_data
    return not is_set or operator.input_category(port.index) is InputCategory.Data


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
