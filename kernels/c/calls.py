"""Values that describe a node to the C kernels, and which calls of these compute it.

An adapter is a pure function from a :class:`Site`, one node with its dimensions, to one or
several :class:`CCall`. It is bound to the operator's declaration, as NumPy kernels are; operators
that only the ONNX standard declares are found by name. Who lays out memory turns :class:`In`,
:class:`Out` and :class:`Scratch` into addresses; :class:`Constant` are arrays that the adapter
derived from parameters, such as packed weights.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import prod
from types import MappingProxyType
from typing import Any, TypeVar

from numpy.typing import NDArray

from aidge_nb.core.dtype import DType
from aidge_nb.core.errors import ExportError
from aidge_nb.graph.spec import OpSpec


@dataclass(frozen=True)
class TensorType:
    """Element type and dimensions of a tensor; it is contiguous, row-major."""

    dtype: DType
    dims: tuple[int, ...]

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.dims)

    @property
    def nbytes(self) -> int:
        """Size in bytes."""
        return self.size * self.dtype.itemsize

    def __repr__(self) -> str:
        return f"{self.dtype.name}{list(self.dims)}"


@dataclass(frozen=True, eq=False)
class Site:
    """One node as the kernels see it; of a padded meta-operator, the operator after the Pad."""

    label: str  # the node, as error messages name it
    spec: OpSpec
    # With those of a Pad before, as ``pads``: before each spatial axis, then after.
    attrs: Mapping[str, Any]
    inputs: tuple[TensorType | None, ...]  # None for those that are not there
    outputs: tuple[TensorType, ...]
    # Values of the inputs that Producers feed.
    constants: Mapping[int, NDArray[Any]] = field(default_factory=lambda: MappingProxyType({}))
    # Optional outputs (indices of MaxPooling) without readers: no memory, not computed.
    unread: frozenset[int] = frozenset()

    def input(self, index: int) -> TensorType:
        """Return the type of an input that must be there; raise ExportError when it is not."""
        found = self.inputs[index] if index < len(self.inputs) else None
        if found is None:
            raise ExportError.at(f"{self.label}, input#{index}", "is not connected")
        return found

    def has(self, index: int) -> bool:
        """Return whether an input is there."""
        return index < len(self.inputs) and self.inputs[index] is not None

    def constant(self, index: int) -> NDArray[Any]:
        """Return the value of an input that must be known before the program runs.

        Raise ExportError when it is not.
        """
        if index not in self.constants:
            raise ExportError.at(
                f"{self.label}, input#{index}",
                "must be known before the program runs",
                found="a value that is computed",
                cure="Fold it with constant_folding(), or feed it by a Producer.",
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
    """An array that the adapter made."""

    name: str  # distinguishes several of one node, such as "weight"
    array: NDArray[Any]
    of: int | None = None  # the input that it replaces, which need not be stored then

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
    """One call of a C function."""

    function: str  # its name, such as "nb_relu_f32"
    unit: str  # the header and source that declare and define it, such as "nb_unary"
    config: str  # the struct that its first argument points to
    fields: Fields  # all fields of the struct; a tuple shorter than its array is filled with zeros
    args: tuple[Argument, ...]  # the pointers after the configuration
    scratch: int = 0  # bytes of working memory that it wants


Adapter = Callable[[Site], CCall | tuple[CCall, ...]]
Function = TypeVar("Function", bound=Adapter)

_ADAPTERS: dict[tuple[OpSpec | str, str | None], Adapter] = {}


def c_kernel(*operators: OpSpec | str, target: str | None = None) -> Callable[[Function], Function]:
    """Bind the decorated adapter to operators.

    Raise ExportError when an operator has an adapter for this target already. Operators are
    declarations or, where only a standard declares them, their domain and name: ``"QLinearConv"``,
    ``"com.microsoft.QGemm"``. An adapter of a target goes before one for all targets.

    Examples
    --------
    >>> from aidge_nb.graph import OpSpec
    >>> from aidge_nb.kernels.c import find_c_kernel
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
                raise ExportError.at(str(operator), "has a C kernel already", found=target)
            _ADAPTERS[operator, target] = function
        return function

    return bind


def bound_adapter(operator: OpSpec | str, target: str | None = None) -> Adapter | None:
    """Return the adapter that an imported module bound to an operator, or None."""
    return _ADAPTERS.get((operator, target)) or _ADAPTERS.get((operator, None))
