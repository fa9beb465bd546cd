"""Declare an operator and its function in one place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import signature
from typing import Any, TypeVar

from aidge_nb.core.dtype import DType
from aidge_nb.graph.attributes import REQUIRED
from aidge_nb.graph.node import Node
from aidge_nb.graph.operator import Operator
from aidge_nb.graph.spec import InputCategory, InputSpec, OpSpec, ShapeContext
from aidge_nb.kernels.registry import kernel

Function = TypeVar("Function", bound=Callable[..., Any])
Dims = Callable[[ShapeContext], Sequence[Sequence[int]]]
DTypes = Callable[[ShapeContext], Sequence[DType]]

SPECS: dict[str, OpSpec] = {}
"""Those that are declared here, by type."""


def same(context: ShapeContext) -> Sequence[Sequence[int]]:
    """Return the dimensions of the data."""
    return [context.dim(0)]


def operator(
    type_name: str,
    inputs: str,
    dims: Dims = same,
    dtypes: DTypes | None = None,
    outputs: Sequence[str] = ("data_output",),
) -> Callable[[Function], Function]:
    """Declare an operator whose function is decorated.

    Its attributes are the function's keyword-only parameters, with their defaults.

    Parameters
    ----------
    type_name
        What ``node.type()`` gives.
    inputs
        Names of the inputs; those that end with ``?`` are optional.
    dims, dtypes, outputs
        See :class:`~aidge_nb.graph.OpSpec`.
    """
    ports = tuple(
        InputSpec(name.rstrip("?"), InputCategory.OptionalData)
        if name.endswith("?")
        else InputSpec(name)
        for name in inputs.split()
    )

    def declare(function: Function) -> Function:
        parameters = signature(function).parameters.values()
        attrs = {
            each.name: REQUIRED if each.default is each.empty else each.default
            for each in parameters
            if each.kind is each.KEYWORD_ONLY
        }
        spec = OpSpec(type_name, ports, dims, outputs=tuple(outputs), attrs=attrs, dtypes=dtypes)
        SPECS[type_name] = spec
        return kernel(spec)(function)

    return declare


def node_of(type_name: str, name: str, **attrs: Any) -> Node:
    """Make a node of an operator that is declared here."""
    spec = SPECS[type_name]
    return Node(Operator(spec, spec.make_attributes(**attrs)), name)
