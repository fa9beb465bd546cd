"""Operator declarations: ports, attributes, shapes, types, consumption, ONNX names.

Everything that concerns an operator hangs on its :class:`OpSpec`: kernels bind to it, the ONNX
reader finds it by name, the scheduler takes its consumer-producer model from it. Specs live in
``aidge_nb.ops``, one module per family, and are found by type name in :data:`SPECS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import field, fields
from enum import Enum
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.dims import Dims
from aidge_nb.core.dtype import DType
from aidge_nb.core.errors import DataDependencyError, GraphError
from aidge_nb.core.values import dataclass
from aidge_nb.graph.attributes import REQUIRED, Attributes


class InputCategory(Enum):
    """The role of an input, with Aidge's names.

    *Data* flows through the network, *Param* are learnable parameters, *Attr* are attributes
    given as tensors. Optional ones may stay unconnected.
    """

    Data = 0
    """Data that must be there."""
    Param = 1
    """A learnable parameter, such as weights."""
    Attr = 2
    """An attribute that is given as a tensor, such as a shape."""
    OptionalData = 3
    """Data that may be missing."""
    OptionalParam = 4
    """A parameter that may be missing, such as a bias."""
    OptionalAttr = 5
    """An attribute that may come as a tensor instead."""

    @property
    def is_optional(self) -> bool:
        """True when the input may stay unconnected."""
        return self in _OPTIONAL

    @property
    def is_param(self) -> bool:
        """True when the input is a learnable parameter."""
        return self in (InputCategory.Param, InputCategory.OptionalParam)

    @property
    def is_data(self) -> bool:
        """True when data flow through the input."""
        return self in (InputCategory.Data, InputCategory.OptionalData)


_OPTIONAL = (
    InputCategory.OptionalData,
    InputCategory.OptionalParam,
    InputCategory.OptionalAttr,
)


class CpModel(Enum):
    """The default consumer-producer model of an operator (see ``aidge_nb.scheduling``)."""

    DEFAULT = "default"
    """Consumes whole inputs and produces whole outputs; inputs stay alive while it runs."""
    IN_PLACE = "in_place"
    """Like DEFAULT, but the output may overwrite input 0."""
    IDENTITY = "identity"
    """Like IN_PLACE, for operators that move no data."""
    PRODUCER = "producer"
    """Produces its tensor for every reader, without consuming anything."""
    POP = "pop"
    """Consumes a tensor, then produces one slice of it at each execution."""
    STACK = "stack"
    """Consumes a tensor at each execution, and produces one more slice of its output."""
    MEMORIZE = "memorize"
    """Produces its initial value first, then the value consumed last."""
    PADDED = "padded"
    """Padding and operator in one: the output trails the input by the padding."""


@dataclass(frozen=True, slots=True)
class InputSpec:
    """One input port.

    Attributes
    ----------
    name
        Its name, such as ``weight``.
    category
        What it is for.
    """

    name: str
    category: InputCategory = InputCategory.Data


class ShapeContext:
    """The facts that a shape function may use.

    Parameters
    ----------
    where
        The node, as error messages name it.
    dims, dtypes
        Dimensions and element type of each input; None for an optional input that is not there.
    attrs
        The operator's attributes.
    values
        Gives the data of an input, or None when they are not known before the graph runs.
    nb_outputs
        Number of outputs.
    """

    __slots__ = ("_values", "attrs", "dims", "dtypes", "nb_outputs", "where")

    def __init__(
        self,
        where: str,
        dims: Sequence[Dims | None],
        dtypes: Sequence[DType | None],
        attrs: Attributes,
        values: Callable[[int], NDArray[Any] | None] = lambda index: None,
        nb_outputs: int = 1,
    ) -> None:
        self.where = where
        self.dims = tuple(dims)
        self.dtypes = tuple(dtypes)
        self.attrs = attrs
        self.nb_outputs = nb_outputs
        self._values = values

    def present(self, index: int) -> bool:
        """Return whether input ``index`` is there."""
        return index < len(self.dims) and self.dims[index] is not None

    def dim(self, index: int) -> Dims:
        """Return the dimensions of input ``index``, which is known to be there.

        Raises
        ------
        GraphError
            When it is not.
        """
        dims = self.dims[index]
        if dims is None:
            raise GraphError.at(f"{self.where}, input#{index}", "is not connected")
        return dims

    def value(self, index: int) -> NDArray[Any]:
        """Return the data of input ``index``.

        Raises
        ------
        DataDependencyError
            When they are not known before the graph runs.
        """
        value = self._values(index)
        if value is None:
            raise DataDependencyError.at(
                self.where,
                f"output dims are data dependent on input#{index}",
                cure="Pass allow_data_dependency=True if the data are known before the run, "
                "or fold them with constant_folding().",
            )
        return np.asarray(value)


@dataclass(frozen=True, slots=True, eq=False)
class OpSpec:
    """The declaration of an operator.

    Attributes
    ----------
    type
        Its name, as ``node.type()`` gives it.
    inputs
        Input ports in order; with ``variadic`` the last one repeats.
    outputs
        Names of the output ports.
    attrs
        Attribute names and their defaults (:data:`REQUIRED` for none).
    dims
        Dimensions of the outputs, from a :class:`ShapeContext`.
    dtypes
        Element types of the outputs; None means that of input 0.
    cp
        The default consumer-producer model.
    back_edges
        Inputs that close a cycle and are not needed for the first execution.
    optional_outputs
        Numbers of outputs that are no result of the graph when nothing reads them (indices of
        MaxPooling).
    overwrites
        Inputs in whose place output 0 may be written, element by element, where both have the
        same size: a stricter promise than the consumer-producer model's.
    overwrites_mixed
        Inputs in whose place output 0 may be written too, although its elements depend on several
        of theirs: a kernel keeps aside what it still needs (LRN: the channels of a point).
    is_view
        Whether output 0 is input 0 with other dimensions, so that nothing need be moved.
    onnx
        ONNX operators that differ by their name alone.
    macs
        Multiply-accumulates for a :class:`ShapeContext` and the output dimensions.
    """

    type: str
    inputs: tuple[InputSpec, ...]
    dims: Callable[[ShapeContext], Sequence[Sequence[int]]]
    outputs: tuple[str, ...] = ("data_output",)
    attrs: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    dtypes: Callable[[ShapeContext], Sequence[DType]] | None = None
    cp: CpModel = CpModel.DEFAULT
    variadic: bool = False
    back_edges: tuple[int, ...] = ()
    optional_outputs: tuple[int, ...] = ()
    overwrites: tuple[int, ...] = ()
    overwrites_mixed: tuple[int, ...] = ()
    is_view: bool = False
    onnx: tuple[str, ...] = ()
    macs: Callable[[ShapeContext, Sequence[Dims]], int] | None = None

    def __repr__(self) -> str:
        return f"OpSpec({self.type})"

    def __reduce__(self) -> tuple[Callable[..., OpSpec], tuple[Any, ...]]:
        if SPECS.get(self.type) is self:
            return _declared, (self.type,)
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return OpSpec, tuple((values | {"attrs": dict(self.attrs)}).values())

    @property
    def in_place(self) -> tuple[int, ...]:
        """The inputs whose memory output 0 may reuse, element by element or not."""
        return self.overwrites + self.overwrites_mixed

    def input_spec(self, index: int) -> InputSpec:
        """Return the spec of input ``index``; variadic inputs repeat the last one.

        Raises
        ------
        GraphError
            When the operator has no such input.
        """
        if index < len(self.inputs) - self.variadic:
            return self.inputs[index]
        if self.variadic:
            last = self.inputs[-1]
            return InputSpec(f"{last.name}_{index - len(self.inputs) + 1}", last.category)
        raise GraphError.at(
            self.type, "no such input", expected=f"0 to {len(self.inputs) - 1}", found=index
        )

    def make_attributes(self, **given: Any) -> Attributes:
        """Build an operator's attributes from the given ones and the defaults.

        Raises
        ------
        GraphError
            For an attribute that is unknown or missing.
        """
        unknown = given.keys() - self.attrs.keys()
        if unknown:
            found, expected = sorted(unknown), sorted(self.attrs)
            raise GraphError.at(self.type, "unknown attribute", expected=expected, found=found)
        values = {**self.attrs, **given}
        missing = [name for name, value in values.items() if value is REQUIRED]
        if missing:
            raise GraphError.at(self.type, f"attribute missing: {', '.join(sorted(missing))}")
        return Attributes(values)


class SpecRegistry(MutableMapping[str, OpSpec]):
    """Declared operators by type; families of operators are imported when a type is missing."""

    def __init__(self) -> None:
        self._specs: dict[str, OpSpec] = {}
        self._load: Callable[[], object] | None = None

    def complete_with(self, load: Callable[[], object]) -> None:
        """Call `load`, which registers operators, before a type is found missing."""
        self._load = load

    def register(self, spec: OpSpec) -> OpSpec:
        """Add a spec; see :func:`register`."""
        if spec.type in self._specs:
            raise GraphError.at(spec.type, "an operator of this type is registered already")
        self._specs[spec.type] = spec
        return spec

    def _complete(self) -> dict[str, OpSpec]:
        if self._load is not None:
            self._load()
            self._load = None
        return self._specs

    def __getitem__(self, type_name: str) -> OpSpec:
        spec = self._specs.get(type_name)
        return self._complete()[type_name] if spec is None else spec

    def __setitem__(self, type_name: str, spec: OpSpec) -> None:
        self._specs[type_name] = spec

    def __delitem__(self, type_name: str) -> None:
        del self._specs[type_name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._complete())

    def __len__(self) -> int:
        return len(self._complete())


SPECS = SpecRegistry()
"""All declared operators, by the name of their type."""


def register(spec: OpSpec) -> OpSpec:
    """Make a spec known by its type name.

    Raises
    ------
    GraphError
        When the name is taken.
    """
    return SPECS.register(spec)


def _declared(type_name: str) -> OpSpec:
    """Return the declaration of an operator that was pickled by its name."""
    if type_name not in SPECS:
        problem, cure = "is not declared in this process", "Import the module that registers it."
        raise GraphError.at(type_name, problem, cure=cure)
    return SPECS[type_name]


def find_spec(type_name: str) -> OpSpec | None:
    """Find a spec by type name."""
    return SPECS.get(type_name)
