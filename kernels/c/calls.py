"""Values that describe a node to the C kernels, and a call of a kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from numpy.typing import NDArray

from aidge_nb.core.dtype import DType
from aidge_nb.core.errors import ExportError, explain
from aidge_nb.graph.spec import OpSpec


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
        Its declaration; for a padded meta-operator that of the operator after the Pad.
    attrs
        Its attributes; for a padded meta-operator also ``pads``: those before each spatial axis,
        then those after.
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
        """Return the type of an input that must be there.

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
        """Return whether an input is there."""
        return index < len(self.inputs) and self.inputs[index] is not None

    def constant(self, index: int) -> NDArray[Any]:
        """Return the value of an input that must be known before the program runs.

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
        The pointers after the configuration.
    scratch
        Bytes of working memory that it wants.
    """

    function: str
    unit: str
    config: str
    fields: Fields
    args: tuple[Argument, ...]
    scratch: int = 0
