"""Attributes of an operator, a small namespace that is also a mapping; and answers by its type."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from aidge_nb.core.dformat import DataFormat, as_dformat
from aidge_nb.core.dims import ListLike
from aidge_nb.core.dtype import as_dtype
from aidge_nb.core.errors import GraphError, ShapeError, UnknownAttributeError
from aidge_nb.graph.backend import check_device

if TYPE_CHECKING:
    from aidge_nb.graph.operator import Operator


class _Required:
    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED = _Required()
"""The default of an attribute that has none: it must be given."""


def _listed(value: Any) -> Any:
    """Return a tuple as one that equals lists; anything else as it is."""
    return ListLike(value) if type(value) is tuple else value


class Attributes(dict[str, Any]):
    """Named values, read and written as ``attr.kernel_dims`` or ``attr["kernel_dims"]``.

    Only names that exist can be written: a misspelt attribute is an error. Tuples equal lists, as
    in Aidge.

    Parameters
    ----------
    *given, **values
        Names and values, as ``dict`` takes them.

    Examples
    --------
    >>> attr = Attributes({"axis": 1})
    >>> attr.axis = 2
    >>> attr.dict()
    {'axis': 2}
    """

    __slots__ = ()

    def __init__(self, *given: Any, **values: Any) -> None:
        super().__init__({name: _listed(value) for name, value in dict(*given, **values).items()})

    def _check(self, name: str) -> None:
        if name not in self:
            raise UnknownAttributeError.at(
                "attribute", "no such name", expected=sorted(self), found=name
            )

    def __getattr__(self, name: str) -> Any:
        return self.get_attr(name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __setitem__(self, name: str, value: Any) -> None:
        self._check(name)
        super().__setitem__(name, _listed(value))

    def update(self, *given: Any, **values: Any) -> None:
        """Set attributes that exist, given as a dict does."""
        for name, value in dict(*given, **values).items():
            self[name] = value

    def setdefault(self, name: str, default: Any = None) -> Any:
        """Return the value of an attribute, which must exist: ``default`` is never needed."""
        return self.get_attr(name)

    def dict(self) -> dict[str, Any]:
        """Return a copy as a plain dict."""
        return dict(self)

    def has_attr(self, name: str) -> bool:
        """Return whether there is such an attribute."""
        return name in self

    def get_attr(self, name: str) -> Any:
        """Return the value of an attribute."""
        self._check(name)
        return self[name]

    def set_attr(self, name: str, value: Any) -> None:
        """Set an attribute that exists."""
        self[name] = value

    def add_attr(self, name: str, value: Any) -> None:
        """Add an attribute, or set it if it exists."""
        super().__setitem__(name, _listed(value))

    def __reduce__(self) -> tuple[type[Attributes], tuple[Mapping[str, Any]]]:
        return Attributes, (self.dict(),)

    def __repr__(self) -> str:
        return f"Attributes({super().__repr__()})"


class DynamicAttributes(Attributes):
    """Attributes of which new ones can be set: those of generic operators, and annotations.

    Examples
    --------
    >>> attr = DynamicAttributes({"axis": 1})
    >>> attr.keep = True
    >>> attr.dict()
    {'axis': 1, 'keep': True}
    """

    __slots__ = ()

    def __setitem__(self, name: str, value: Any) -> None:
        dict.__setitem__(self, name, _listed(value))

    def setdefault(self, name: str, default: Any = None) -> Any:
        """Return the value of an attribute, which is made where it is missing."""
        return dict.setdefault(self, name, default)

    def del_attr(self, name: str) -> None:
        """Remove an attribute that exists."""
        self._check(name)
        del self[name]

    def __reduce__(self) -> tuple[type[Attributes], tuple[Mapping[str, Any]]]:
        return type(self), (self.dict(),)


class Annotations(DynamicAttributes):
    """Notes about a node or graph: a dict, and ``node.annotations()`` as Aidge has it."""

    __slots__ = ()

    def __call__(self) -> Annotations:
        """Return the annotations themselves."""
        return self

    def __repr__(self) -> str:
        return dict.__repr__(self)


class Count(int):
    """A number; callable, because Aidge writes ``operator.nb_inputs()``.

    Examples
    --------
    >>> Count(2)(), Count(2) + 1
    (2, 3)
    """

    __slots__ = ()

    def __call__(self) -> int:
        """Return the number itself."""
        return int(self)


class OperatorWords:
    """Mixin of operators: what aidge_core's have besides."""

    __slots__ = ()

    NoBackend = ("__no_backend__", 0)
    """Stands for a backend, and its device, that is none."""

    force_dynamic_dims = False
    """True when dims are found anew in each pass; they never change here."""

    @property
    def _operator(self) -> Operator:
        return cast("Operator", self)

    def __getattr__(self, name: str) -> Any:
        """Find what operators of this type alone have, such as ``in_channels``."""
        found = (
            None if name.startswith("_") or name == "spec" else find_method(self._operator, name)
        )
        if found is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return found

    @property
    def prop(self) -> Any:
        """The attributes, under a name that Aidge has as well."""
        return self._operator.attr

    def set_back_edges(self, input_indexes: Collection[int]) -> None:
        """Choose the inputs that close a cycle: an execution need not wait for them."""
        operator = self._operator
        for index in input_indexes:
            operator.get_input(index)  # raises
        operator.spec = replace(operator.spec, back_edges=tuple(sorted(input_indexes)))

    def set_dataformat(self, dataformat: DataFormat | str) -> None:
        """Label the outputs with an axis order; their numbers stay."""
        for tensor in self._operator.get_outputs():
            tensor.set_data_format(as_dformat(dataformat))

    def set_device(self, device: int) -> None:
        """Check that the device is the only one there is, number 0."""
        check_device(device)

    def dims_forwarded(self) -> bool:
        """Return whether the dims of all outputs are known."""
        return not any(tensor.is_undefined() for tensor in self._operator.get_outputs())

    def forward_dims(self, allow_data_dependency: bool = False) -> bool:
        """Find the dims of the outputs from those of the inputs; return whether they are known.

        Raises
        ------
        ShapeError
            When an input that must be there has no dims, or the inputs do not fit.
        """
        operator = self._operator
        for index, tensor in enumerate(operator.get_inputs()):
            lacks = tensor is None or tensor.is_undefined()
            if lacks and not (operator.is_optional_input(index) or operator.is_back_edge(index)):
                raise ShapeError.at(f"{operator.label}, input#{index}", "has no dims")

        def value(index: int) -> Any:
            tensor = operator.get_input(index)
            return tensor.array if tensor is not None and tensor.has_data else None

        operator.infer_dims(value, allow_data_dependency=allow_data_dependency)
        return self.dims_forwarded()

    def forward_dtype(self) -> bool:
        """Return whether the types of the outputs are known: they always are."""
        return True

    # --- C-P model --------------------------------------------------------------------------

    def _model(self) -> Any:
        return self._operator._need_impl().prod_conso()

    def get_nb_required_data(self, input_idx: int) -> Any:
        """Return what the next execution requires of an input."""
        return self._model().get_nb_required_data(input_idx)

    def get_nb_required_protected(self, input_idx: int) -> Any:
        """Return what of an input may not be overwritten during an execution."""
        return self._model().get_nb_required_protected(input_idx)

    def get_required_memory(self, output_idx: int, inputs_size: Sequence[Any] = ()) -> Any:
        """Return what the next execution writes to an output."""
        return self._model().get_required_memory(output_idx, inputs_size)

    def get_nb_consumed_data(self, input_idx: int) -> Any:
        """Return what the executions so far consumed of an input."""
        return self._model().get_nb_consumed_data(input_idx)

    def get_nb_produced_data(self, output_idx: int) -> Any:
        """Return what the executions so far produced at an output."""
        return self._model().get_nb_produced_data(output_idx)

    def update_consummer_producer(self) -> None:
        """Count one more execution."""
        self._model().update_consummer_producer()

    def reset_consummer_producer(self) -> None:
        """Forget the executions counted so far."""
        self._model().reset_consummer_producer()


def _dims_of(operator: Operator, index: int) -> Sequence[int]:
    tensor = operator.get_input(index)
    if tensor is None or tensor.is_undefined():
        raise GraphError.at(f"{operator.label}, input#{index}", "has no dims yet")
    return tensor.shape


def _attribute(name: str) -> Callable[[Operator], Any]:
    return lambda operator: operator.attr[name]


_CHANNELS: dict[str, Callable[[Operator], Any]] = {
    "in_channels": lambda operator: _dims_of(operator, 1)[1],
    "out_channels": lambda operator: _dims_of(operator, 1)[0],
}
_TRANSPOSED: dict[str, Callable[[Operator], Any]] = {
    "in_channels": _CHANNELS["out_channels"],
    "out_channels": _CHANNELS["in_channels"],
}
_DEPTHWISE = {"nb_channels": _CHANNELS["out_channels"]}
_BY_TYPE: dict[str, dict[str, Callable[[Operator], Any]]] = {
    **dict.fromkeys(("Conv1D", "Conv2D", "Conv3D", "FC"), _CHANNELS),
    **dict.fromkeys((f"ConvTranspose{n}D" for n in (1, 2, 3)), _TRANSPOSED),
    **dict.fromkeys((f"ConvDepthWise{n}D" for n in (1, 2)), _DEPTHWISE),
    "Producer": {"dims": lambda operator: list(operator.get_output(0).dims)},
    "Clip": {"min": _attribute("min"), "max": _attribute("max")},
    "Flatten": {"axis": _attribute("axis")},
    "Hardmax": {"axis": _attribute("axis")},
    "Squeeze": {"axes": _attribute("axes")},
    "ConstantOfShape": {"value": _attribute("value")},
    "HardSigmoid": {"alpha": _attribute("alpha"), "beta": _attribute("beta")},
    "Cast": {"target_type": _attribute("target_type")},
}
"""Methods without arguments that operators of one type have."""


OF_ALL: dict[str, Callable[[Operator], Any]] = {}
"""Methods without arguments that other packages give all operators."""


def methods_of(type_name: str) -> list[str]:
    """Return the names of what operators of one type have besides."""
    cast_alone = ["set_totype"] if type_name == "Cast" else []
    return [*_BY_TYPE.get(type_name, ()), *cast_alone, *OF_ALL]


def find_method(operator: Operator, name: str) -> Callable[..., Any] | None:
    """Find what operators of one type alone have, such as ``in_channels``; None for others."""
    found = _BY_TYPE.get(operator.spec.type, {}).get(name) or OF_ALL.get(name)
    if found is not None:
        return lambda: found(operator)
    if name == "set_totype" and operator.spec.type == "Cast":
        return lambda dtype: operator.attr.set_attr("target_type", as_dtype(dtype))
    return None
