"""Operators of any type, for graphs whose operators are not declared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from aidge_nb.core.errors import DataDependencyError, GraphError
from aidge_nb.core.values import dataclass
from aidge_nb.graph.attributes import DynamicAttributes
from aidge_nb.graph.node import Node
from aidge_nb.graph.operator import Operator
from aidge_nb.graph.spec import InputCategory, InputSpec, OpSpec, ShapeContext

ForwardDims = Callable[[list[list[int]]], Sequence[Sequence[int]]]


@dataclass(frozen=True, slots=True)
class FixedDims:
    """Output dims that do not depend on the inputs: a function that can be pickled."""

    dims: Sequence[Sequence[int]]

    def __call__(self, inputs: list[list[int]]) -> Sequence[Sequence[int]]:
        """Return the dims."""
        return self.dims


class GenericOperatorOp(Operator):
    """An operator with the type, ports and attributes that its user chose.

    Attributes
    ----------
    is_known
        Whether what it computes is known, though its type is not declared.
    learned
        The inputs with learned values; None where the categories of inputs say it.
    """

    __slots__ = ("_forward_dims",)

    is_known = False
    learned: tuple[int, ...] | None = None

    def __init__(
        self,
        type_name: str,
        categories: Sequence[InputCategory],
        nb_outputs: int,
        attributes: Mapping[str, Any] | None = None,
    ) -> None:
        self._forward_dims: ForwardDims | None = None
        attrs = dict(attributes or {})
        spec = OpSpec(
            type_name,
            tuple(InputSpec(f"input_{i}", category) for i, category in enumerate(categories)),
            self._dims,
            outputs=tuple(f"output_{i}" for i in range(nb_outputs)),
            attrs=attrs,
        )
        super().__init__(spec, DynamicAttributes(attrs))

    def set_forward_dims(self, function: ForwardDims) -> None:
        """Return the function from input dims (lists, one per input) to output dims."""
        self._forward_dims = function

    @staticmethod
    def identity(dims: list[list[int]]) -> list[list[int]]:
        """Return the dims of the inputs: the function for outputs like the inputs."""
        return dims

    def _dims(self, context: ShapeContext) -> Sequence[Sequence[int]]:
        if self._forward_dims is None:
            raise DataDependencyError.at(
                context.where,
                "output dims are unknown for a generic operator",
                cure="Give it a function with set_forward_dims().",
            )
        return self._forward_dims([list(dims or ()) for dims in context.dims])

    def clone(self) -> GenericOperatorOp:
        """Make an independent operator with the same dims function."""
        copy = GenericOperatorOp(
            self.type(),
            [port.category for port in self.spec.inputs],
            self.nb_outputs,
            self.attr.dict(),
        )
        copy.spec = replace(self.spec, dims=copy._dims)
        copy._forward_dims = self._forward_dims
        copy._outputs = [tensor.clone() for tensor in self._outputs]
        if self._backend:
            copy.set_backend(self._backend)
        return copy


def GenericOperator(  # noqa: N802  # factories carry the operator's name
    type_name: str,
    inputs: Sequence[InputCategory] | int,
    *counts: int,
    name: str = "",
    **attributes: Any,
) -> Node:
    """Make a node of any type.

    Parameters
    ----------
    type_name
        What ``node.type()`` gives.
    inputs, *counts
        Either the category of each input followed by the number of outputs, or three numbers:
        data inputs, parameter inputs, outputs.
    name
        Name of the node.
    **attributes
        Attributes of the operator.

    Raises
    ------
    GraphError
        When ``inputs`` and ``counts`` fit neither form.

    Examples
    --------
    >>> node = GenericOperator("Upsampler", 1, 0, 1, name="up", factor=2)
    >>> node.get_operator().attr.factor
    2
    """
    if isinstance(inputs, int) and len(counts) == 2:
        nb_params, nb_outputs = counts
        categories = [InputCategory.Data] * inputs + [InputCategory.Param] * nb_params
    elif not isinstance(inputs, int) and len(counts) == 1:
        categories, nb_outputs = list(inputs), counts[0]
    else:
        raise GraphError.at(
            f"{name} ({type_name})",
            "cannot tell its ports",
            expected="(categories, outputs) or (data inputs, parameter inputs, outputs)",
            found=(inputs, *counts),
        )
    return Node(GenericOperatorOp(type_name, categories, nb_outputs, attributes), name)
