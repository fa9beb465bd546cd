"""Which calls of C kernels compute a node.

An adapter is a pure function from a :class:`Site`, one node with its dimensions, to one or
several :class:`CCall`. It is bound to the operator's declaration, as NumPy kernels are; operators
that only the ONNX standard declares are found by name. Who lays out memory turns :class:`In`,
:class:`Out` and :class:`Scratch` into addresses; :class:`Constant` are arrays that the adapter
derived from parameters, such as packed weights.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from types import MappingProxyType
from typing import Any, TypeVar

from numpy.typing import NDArray

from aidge_nb.dtype import DType
from aidge_nb.errors import ExportError, explain
from aidge_nb.graph.node import Node
from aidge_nb.graph.operator import Operator
from aidge_nb.graph.spec import OpSpec
from aidge_nb.kernels.padded import inner_window
from aidge_nb.tensor import Tensor

__all__ = [
    "NULL",
    "Argument",
    "CCall",
    "Constant",
    "Fields",
    "In",
    "Null",
    "Out",
    "Scratch",
    "Site",
    "TensorType",
    "c_calls",
    "c_kernel",
    "calls_at",
    "describe_site",
    "find_c_kernel",
    "has_c_kernel",
    "site_of_operator",
]


@dataclass(frozen=True)
class TensorType:
    """Element type and dimensions of a tensor; it is contiguous, row-major."""

    dtype: DType
    dims: tuple[int, ...]

    @property
    def size(self) -> int:
        """Number of elements."""
        count = 1
        for size in self.dims:
            count *= size
        return count

    @property
    def nbytes(self) -> int:
        """Size in bytes."""
        return self.size * self.dtype.itemsize

    def __repr__(self) -> str:
        return f"{self.dtype.name}{list(self.dims)}"


@dataclass(frozen=True, eq=False)
class Site:
    """One node as the kernels see it.

    Attributes
    ----------
    label
        The node, as error messages name it.
    spec
        Its declaration; for a padded meta-operator that of the operator behind the Pad.
    attrs
        Its attributes; for a padded meta-operator also ``pads``: those before each spatial axis,
        then those behind.
    inputs
        Types of the inputs, None for those that are not there.
    outputs
        Types of the outputs.
    constants
        Values of the inputs that are known: those that Producers feed.
    unread
        Outputs that nothing reads, among those that are optional (indices of MaxPooling): they
        need no memory and are not computed.
    """

    label: str
    spec: OpSpec
    attrs: Mapping[str, Any]
    inputs: tuple[TensorType | None, ...]
    outputs: tuple[TensorType, ...]
    constants: Mapping[int, NDArray[Any]] = field(default_factory=lambda: MappingProxyType({}))
    unread: frozenset[int] = frozenset()

    def input(self, index: int) -> TensorType:
        """Give the type of an input that must be there.

        Raises
        ------
        ExportError
            When it is not.
        """
        found = self.inputs[index] if index < len(self.inputs) else None
        if found is None:
            raise ExportError(explain(f"{self.label}, input#{index}", "is not connected"))
        return found

    def has(self, index: int) -> bool:
        """Whether an input is there."""
        return index < len(self.inputs) and self.inputs[index] is not None

    def constant(self, index: int) -> NDArray[Any]:
        """Give the value of an input that must be known before the program runs.

        Raises
        ------
        ExportError
            When it is not.
        """
        if index not in self.constants:
            raise ExportError(
                explain(
                    f"{self.label}, input#{index}",
                    "must be known before the program runs",
                    found="a value that is computed",
                    cure="Fold it with constant_folding(), or feed it by a Producer.",
                )
            )
        return self.constants[index]


@dataclass(frozen=True)
class In:
    """An input of the node, from ``offset`` bytes on."""

    index: int
    offset: int = 0


@dataclass(frozen=True)
class Out:
    """An output of the node, from ``offset`` bytes on."""

    index: int
    offset: int = 0


@dataclass(frozen=True)
class Scratch:
    """Working memory of the call, from ``offset`` bytes on; it holds nothing between calls."""

    offset: int = 0


@dataclass(frozen=True, eq=False)
class Constant:
    """An array that the adapter made.

    Attributes
    ----------
    name
        Distinguishes several of one node: ``weight``.
    array
        Its values.
    of
        The input whose value it stands for, so that the original need not be stored; None when
        it replaces none.
    """

    name: str
    array: NDArray[Any]
    of: int | None = None

    def __repr__(self) -> str:
        return f"Constant({self.name}, {self.array.dtype}{list(self.array.shape)}, of={self.of})"


@dataclass(frozen=True)
class Null:
    """An optional operand that is not there."""


NULL = Null()

Argument = In | Out | Scratch | Constant | Null
"""A pointer behind the configuration."""

Value = int | float | tuple[int, ...] | tuple[float, ...]
Fields = Mapping[str, Value]
"""Values of the fields of a configuration."""


@dataclass(frozen=True, eq=False)
class CCall:
    """One call of a C function.

    Attributes
    ----------
    function
        Its name: ``nb_relu_f32``.
    unit
        The header and source that declare and define it: ``nb_unary``.
    config
        The struct that its first argument points to.
    fields
        The struct's fields, all of them; a tuple that is shorter than its array is filled with
        zeros.
    args
        The pointers behind the configuration.
    scratch
        Bytes of working memory that it wants.
    """

    function: str
    unit: str
    config: str
    fields: Fields
    args: tuple[Argument, ...]
    scratch: int = 0


Adapter = Callable[[Site], CCall | tuple[CCall, ...]]
Function = TypeVar("Function", bound=Adapter)

_ADAPTERS: dict[tuple[OpSpec | str, str | None], Adapter] = {}


def c_kernel(*operators: OpSpec | str, target: str | None = None) -> Callable[[Function], Function]:
    """Bind the decorated adapter to operators.

    Parameters
    ----------
    operators
        Declarations; or, for operators that only a standard declares, its domain and their name:
        ``"QLinearConv"``, ``"com.microsoft.QGemm"``.
    target
        The target that it is for; the one for all targets when None. One of a target goes first.

    Raises
    ------
    ExportError
        When an operator has an adapter for this target already.

    Examples
    --------
    >>> from aidge_nb.graph import OpSpec
    >>> from aidge_nb.graph.spec import InputSpec
    >>> spec = OpSpec("Shiny", (InputSpec("x"),), lambda context: [context.dim(0)])
    >>> @c_kernel(spec, target="robot")
    ... def shiny(site):
    ...     fields = {"count": site.outputs[0].size}
    ...     return CCall("nb_relu_f32", "nb_unary", "nb_unary_config", fields, (In(0), Out(0)))
    >>> find_c_kernel(spec) is None, find_c_kernel(spec, "robot") is shiny
    (True, True)
    """

    def bind(function: Function) -> Function:
        for operator in operators:
            if (operator, target) in _ADAPTERS:
                raise ExportError(explain(str(operator), "has a C kernel already", found=target))
            _ADAPTERS[operator, target] = function
        return function

    return bind


def find_c_kernel(operator: OpSpec | str, target: str | None = None) -> Adapter | None:
    """Find the adapter of an operator; None when there is none."""
    import_module("aidge_nb.kernels.c.adapters")
    return _ADAPTERS.get((operator, target)) or _ADAPTERS.get((operator, None))


def _standard_name(operator: Operator) -> str | None:
    """Name an operator that only a standard declares; None for others."""
    domain = getattr(operator, "domain", None)
    if domain is None:
        return None
    return f"{domain}.{operator.type()}" if domain else operator.type()


def _adapter_of(operator: Operator, target: str | None) -> Adapter | None:
    padded = inner_window(operator)
    if padded is not None:
        return find_c_kernel(padded.spec, target)
    return find_c_kernel(_standard_name(operator) or operator.spec, target)


def has_c_kernel(node: Node, target: str | None = None) -> bool:
    """Whether calls of C kernels can compute a node, as one.

    A meta-operator that pads in front of a sliding window is one; others are to be expanded.

    Examples
    --------
    >>> import aidge_nb
    >>> has_c_kernel(aidge_nb.ReLU()), has_c_kernel(aidge_nb.GenericOperator("Odd", 1, 0, 1))
    (True, False)
    """
    return _adapter_of(node.get_operator(), target) is not None


def describe_site(
    node: Node,
    known: Mapping[int, NDArray[Any]] | None = None,
    unread: Collection[int] | None = None,
) -> Site:
    """Describe a node to the kernels.

    Parameters
    ----------
    node
        The node; its dimensions must be known.
    known
        Values of inputs that are known besides those that Producers feed.
    unread
        Optional outputs that need not be computed; those that feed nothing when None.

    Raises
    ------
    ExportError
        When dimensions are unknown.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.FC(3, 2, name="fc")])
    >>> view.forward_dims([[1, 3]])
    True
    >>> site = describe_site(view.get_node("fc"))
    >>> site.inputs, site.outputs
    ((float32[1, 3], float32[2, 3], float32[2]), (float32[1, 2],))
    """
    operator = node.get_operator()
    if unread is None:
        unread = {index for index in operator.spec.optional_outputs if not node.output(index)}
    inputs = tuple(
        _type_of(operator, index, "input", operator.get_input(index))
        for index in range(operator.nb_inputs)
    )
    outputs = [
        _type_of(operator, index, "output", operator.get_output(index))
        for index in range(operator.nb_outputs)
    ]
    types = tuple(output for output in outputs if output is not None)
    constants = MappingProxyType({**_from_producers(node), **(known or {})})
    site = site_of_operator(operator, inputs, types)
    return replace(site, constants=constants, unread=frozenset(unread))


def site_of_operator(
    operator: Operator,
    inputs: tuple[TensorType | None, ...],
    outputs: tuple[TensorType, ...],
) -> Site:
    """Describe an operator on tensors of the given types."""
    padded = inner_window(operator)
    if padded is not None:
        attrs = MappingProxyType(dict(padded.attrs))
        return Site(operator.label, padded.spec, attrs, inputs[: padded.nb_inputs], outputs)
    attrs = MappingProxyType(operator.attr.dict())
    return Site(operator.label, operator.spec, attrs, inputs, outputs)


def _type_of(operator: Operator, index: int, side: str, tensor: Tensor | None) -> TensorType | None:
    if tensor is None:
        return None
    if tensor.undefined:
        if side == "input" and operator.is_optional_input(index):
            return None
        raise ExportError(
            explain(
                f"{operator.label}, {side}#{index}",
                "dimensions are unknown",
                cure="Call forward_dims() with the dimensions of the inputs first.",
            )
        )
    return TensorType(tensor.dtype, tuple(tensor.dims))


def _from_producers(node: Node) -> dict[int, NDArray[Any]]:
    found = {}
    for index, port in node.edges_in():
        tensor = port.node.get_operator().get_output(port.index)
        if port.node.type() == "Producer" and tensor.has_data:
            found[index] = tensor.array
    return found


def c_calls(
    node: Node,
    target: str | None = None,
    known: Mapping[int, NDArray[Any]] | None = None,
    unread: Collection[int] | None = None,
) -> tuple[CCall, ...]:
    """Give the calls that compute a node, in their order.

    Parameters are those of :func:`describe_site` and :func:`c_kernel`.

    Raises
    ------
    ExportError
        When the operator has no C kernel, or none for these types or attributes; naming the node
        and what is missing.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.ReLU(name="relu")])
    >>> view.forward_dims([[1, 3, 4]])
    True
    >>> [(call.function, dict(call.fields), call.args) for call in c_calls(view.get_node("relu"))]
    [('nb_relu_f32', {'count': 12}, (In(index=0, offset=0), Out(index=0, offset=0)))]
    """
    operator = node.get_operator()
    _need_adapter(operator, target)
    return calls_at(describe_site(node, known, unread), operator, target)


def calls_at(site: Site, operator: Operator, target: str | None = None) -> tuple[CCall, ...]:
    """Give the calls that compute an operator at a site.

    Raises
    ------
    ExportError
        As :func:`c_calls` does.
    """
    calls = _need_adapter(operator, target)(site)
    return calls if isinstance(calls, tuple) else (calls,)


def _need_adapter(operator: Operator, target: str | None) -> Adapter:
    adapter = _adapter_of(operator, target)
    if adapter is None:
        cure = "Give it one with c_kernel(), or replace the operator."
        if not operator.is_atomic():
            cure = "Put what is inside in its place with expand_metaops()."
        raise ExportError(
            explain(operator.label, f"operator {operator.type()} has no C kernel", cure=cure)
        )
    return adapter
