"""Make factories, nodes with checked attributes, and Producers for parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import signature
from types import FunctionType
from typing import Any, Concatenate, ParamSpec, cast

from numpy.typing import DTypeLike

from aidge_nb.core.dtype import DType
from aidge_nb.core.errors import DataDependencyError, GraphError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.node import Node
from aidge_nb.graph.operator import Operator
from aidge_nb.graph.spec import CpModel, OpSpec, ShapeContext, register

P = ParamSpec("P")


def _registering(make: Callable[P, OpSpec]) -> Callable[P, OpSpec]:
    def made(*args: P.args, **kwargs: P.kwargs) -> OpSpec:
        return register(make(*args, **kwargs))

    return made


declare = _registering(OpSpec)
"""Make an :class:`OpSpec`, and make it known by its type name."""

_TEMPLATES: dict[Callable[..., Node], str] = {}


def factory(
    spec: OpSpec, make: Callable[Concatenate[OpSpec, P], Node], name: str = "", **words: object
) -> Callable[P, Node]:
    """Make the factory of one operator from a function for several.

    ``make`` takes the operator first; its docstring is a template for that of the factory, in which
    ``{type}`` and the ``words`` are replaced.

    Examples
    --------
    >>> Square = factory(PRODUCER, lambda spec, name="": make_node(spec, name), "Square")
    >>> Square.__name__, Square("four")
    ('Square', Node(four, Producer))
    """

    def call(*args: P.args, **kwargs: P.kwargs) -> Node:
        return make(spec, *args, **kwargs)

    whole = signature(make)
    parameters = list(whole.parameters.values())[1:]
    text = _TEMPLATES.setdefault(make, make.__doc__ or "")
    make.__doc__ = None  # a template is no docstring of its own
    for word, value in {"type": name or spec.type, **words}.items():
        text = text.replace(f"{{{word}}}", str(value))
    made: Any = FunctionType(  # in the module of `make`, where doctests look for it
        call.__code__, make.__globals__, name or spec.type, None, call.__closure__
    )
    made.__qualname__, made.__module__, made.__doc__ = name or spec.type, "aidge_nb.ops", text
    made.__signature__ = whole.replace(parameters=parameters)
    made.__annotations__ = {
        **{each.name: each.annotation for each in parameters},
        "return": whole.return_annotation,
    }
    return cast(Callable[P, Node], made)


def make_node(
    spec: OpSpec,
    name: str = "",
    *,
    nb_inputs: int | None = None,
    nb_outputs: int | None = None,
    **attributes: Any,
) -> Node:
    """Make a node of a declared operator; attributes not given have their defaults.

    Raise GraphError for an attribute that the operator does not have or one that it needs, and for
    a number of inputs or outputs that makes no sense.
    """
    least = len(spec.inputs) if spec.variadic else 0
    if (nb_inputs is not None and nb_inputs < least) or (nb_outputs is not None and nb_outputs < 1):
        raise GraphError.at(
            f"{name} ({spec.type})",
            "too few inputs or outputs",
            expected=f"at least {least} and 1",
            found=f"{nb_inputs} and {nb_outputs}",
        )
    if "nb_outputs" in spec.attrs:
        attributes["nb_outputs"] = len(spec.outputs) if nb_outputs is None else nb_outputs
    attrs = spec.make_attributes(**attributes)
    return Node(Operator(spec, attrs, nb_inputs=nb_inputs, nb_outputs=nb_outputs), name)


def plain(spec: OpSpec, name: str = "") -> Node:
    """Make a node that {does}.

    Parameters
    ----------
    name
        Name of the node.
    """
    return make_node(spec, name)


def _producer_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    raise DataDependencyError.at(context.where, "has no dimensions yet")


PRODUCER = declare("Producer", (), _producer_dims, attrs={"constant": False}, cp=CpModel.PRODUCER)


def make_producer(tensor: Tensor, name: str = "", *, constant: bool = False) -> Node:
    """Make a node that outputs a tensor."""
    node = make_node(PRODUCER, name, constant=constant)
    node.get_operator().set_output(0, tensor)
    return node


def add_parameter(
    node: Node,
    index: int,
    suffix: str,
    dims: Sequence[int],
    dtype: DType | DTypeLike = DType.float32,
) -> Node:
    """Feed input ``index`` of ``node`` from a new Producer, named after it.

    The Producer has dimensions and no values yet. That of an unnamed node is unnamed.
    """
    name = f"{node.name()}_{suffix}" if node.name() else ""
    producer = make_producer(Tensor.of_dims(dims, dtype), name)
    producer.add_child(node, 0, index)
    return producer
