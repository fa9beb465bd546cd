"""Names of ``aidge_core`` that come in families, one for each operator that is declared."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from aidge_nb import ops
from aidge_nb.compat import operators
from aidge_nb.compat.operators import declare
from aidge_nb.compat.served.analysis import REGISTERED, OperatorStats
from aidge_nb.compat.served.type_facts import INNER
from aidge_nb.core.errors import GraphError
from aidge_nb.graph.attributes import Attributes, find_method, methods_of
from aidge_nb.graph.backend import MAKERS, available_backends, make_implementation
from aidge_nb.graph.generic import GenericOperatorOp
from aidge_nb.graph.meta import MetaOperatorOp
from aidge_nb.graph.node import Node
from aidge_nb.graph.operator import Operator
from aidge_nb.graph.spec import SPECS, OpSpec, find_spec
from aidge_nb.scheduling.model.prod_conso import MODELS, ProdConso

__all__ = ["family_member", "family_names"]

_VERBS = ("register_", "get_keys_", "get_key_value_")

_BY_CLASS: dict[str, type[Operator]] = {
    "GenericOperator": GenericOperatorOp,
    "MetaOperator": MetaOperatorOp,
}


class _Kind(type):
    """Classes of the operators of one type; all of them are :class:`Operator`."""

    Type: str

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, Operator) and value.type() == cls.Type

    def __call__(cls, *values: Any, **attributes: Any) -> Operator:
        """Make an operator of the type, of attributes in their order or by name."""
        spec = _spec_of(cls.Type)
        if spec is None and cls.Type in _META:
            return _meta_operator(cls.Type, values, attributes)
        if spec is None:
            cure = f"Make a node with aidge_core.{cls.Type} or GenericOperator."
            raise GraphError.at(f"{cls.Type}Op", "is not made alone", cure=cure)
        given = dict(zip(spec.attrs, values, strict=False)) | attributes
        return Operator(spec, spec.make_attributes(**given))


_STEPS = {"GRU": 2, "LSTM": 2, "SLSTM": 2}
"""Cells whose operators are made without their channels, of which there are so many."""

_WINDOWS = tuple(
    f"Padded{kind}{rank}D"
    for kind in ("AvgPooling", "Conv", "ConvDepthWise", "ConvTranspose", "MaxPooling")
    for rank in (1, 2, 3)
)
_META = ("Cusum", *_STEPS, *_WINDOWS)
"""Operators that are made of others, and what their classes can be called with."""


def _meta_operator(type_name: str, values: Sequence[Any], named: Mapping[str, Any]) -> Operator:
    """Make the operator of a node that a factory makes, without its channels and parameters."""
    rooms = (ops, operators)
    make = next(getattr(room, type_name) for room in rooms if type_name in room.__all__)
    channels: tuple[int, ...] = (1,) * _STEPS.get(type_name, 0)
    if type_name in _WINDOWS:
        if "Conv" in type_name:
            channels = (1,) if "DepthWise" in type_name else (1, 1)
        between: tuple[str, ...] = ("padding_dims", "dilation_dims")
        if "Transpose" in type_name:
            between = between[::-1]
        if "Pooling" in type_name:
            between = ("dilations", "padding_dims", "ceil_mode")
        order = ("kernel_dims", "stride_dims", *between)
        named, values = dict(zip(order, values, strict=False)) | dict(named), ()
    node: Node = make(*channels, *values, **named)
    for index, parent in enumerate(node.get_parents()):
        if parent is not None:
            node.remove_parent(index)
    return node.get_operator()


def _spec_of(type_name: str) -> OpSpec | None:
    """Find a declaration, also of operators that are there for Aidge's sake alone."""
    if type_name in operators.__all__:
        getattr(operators, type_name)  # declares it
    return find_spec(type_name) or declare.SPECS.get(type_name)


@cache
def _recorded() -> frozenset[str]:
    """Return the types that Aidge has classes for; some are made of others, or not declared."""
    text = files("aidge_nb.compat").joinpath("aidge_0_10_1.txt").read_text("utf-8")
    return frozenset(re.findall(r"\b([A-Z]\w*)Op\b", text)) - {"", *_BY_CLASS}


def _is_type(name: str) -> bool:
    return find_spec(name) is not None or name in _recorded()


@cache
def _class_of(type_name: str) -> type:
    """Make the class of the operators of a type.

    What is declared by no one, such as CryptoHash, are generic operators of that type.
    """
    spec = _spec_of(type_name)
    members: dict[str, Any] = {
        "__slots__": (),
        "__doc__": f"The operators of type {type_name}.",
        "Type": type_name,
    }
    if spec is not None:
        members |= {
            "Prop": Attributes(spec.attrs),
            "attributes_name": staticmethod(lambda: list(spec.attrs)),
            "get_inputs_name": staticmethod(lambda: [each.name for each in spec.inputs]),
            "get_outputs_name": staticmethod(lambda: list(spec.outputs)),
        }
    for name in methods_of(type_name):
        members[name] = _method(name)
    for (owner, name), enumeration in INNER.items():
        if owner == f"{type_name}Op":
            members[name] = enumeration
    return _Kind(f"{type_name}Op", (Operator,), members)


def _method(name: str) -> Callable[..., Any]:
    def call(self: Operator, *given: Any) -> Any:
        found = find_method(self, name)
        return found(*given) if found else None

    return call


def family_member(name: str) -> Any:
    """Return the member of a family of a name; None where there is none."""
    if name.endswith("Op") and not name.startswith(_VERBS):
        type_name = name.removesuffix("Op")
        if type_name in _BY_CLASS:
            return _BY_CLASS[type_name]
        return _class_of(type_name) if _is_type(type_name) else None
    verb = next((verb for verb in _VERBS if name.startswith(verb)), None)
    owner = name.removeprefix(verb or "")
    type_name = owner.removesuffix("Op")
    table: _Table | _Makers | None = _TABLES.get(owner)
    if owner != type_name and (type_name in _BY_CLASS or _is_type(type_name)):
        table = _Makers(type_name)
    return None if verb is None or table is None else getattr(table, verb.strip("_"))


def family_names() -> list[str]:
    """List the members of all families."""
    types = dict.fromkeys([*SPECS, *_BY_CLASS, *sorted(_recorded())])
    owners = [f"{verb}{each}" for each in _TABLES for verb in _VERBS]
    return owners + [f"{verb}{each}Op" for each in types for verb in ("", *_VERBS)]


class _Makers:
    """Registry of what makes implementations of operators of one type, by backend.

    The backend of generic and meta operators comes with their type.
    """

    def __init__(self, type_name: str) -> None:
        self._type = type_name

    def register(self, backend: str | Sequence[str], maker: Any) -> None:
        """Make operators of this type run with an implementation of one's own on a backend.

        The maker of generic operators takes the backend as well.
        """
        key = self._key(backend)
        found: Any = next(iter(maker.values())) if isinstance(maker, Mapping) else maker
        is_generic = self._type == "GenericOperator"
        MAKERS[key] = (lambda operator: found(operator, key[1])) if is_generic else found

    def get_keys(self) -> list[Any]:
        """List the backends that implementations of this type are known for."""
        if self._type in _BY_CLASS:
            return [[backend, kind] for kind, backend in MAKERS if find_spec(kind) is None]
        mine = [backend for kind, backend in MAKERS if kind == self._type]
        return list(dict.fromkeys([*available_backends(), *mine]))

    def get_key_value(self, backend: str | Sequence[str]) -> Callable[[Operator], Any]:
        """Return what makes implementations of this type on a backend."""
        key = self._key(backend)
        if key not in MAKERS and key[1] not in available_backends():
            raise GraphError.at(
                f"{key[0]} on backend {key[1]!r}",
                "no implementation is registered",
                expected=self.get_keys(),
            )
        return lambda operator: make_implementation(key[1], operator)

    def _key(self, backend: str | Sequence[str]) -> tuple[str, str]:
        return (self._type, backend) if isinstance(backend, str) else (backend[1], backend[0])


class _Table:
    """A registry that is no operator's: what makes counts, or C-P models."""

    def __init__(self, made: dict[Any, Any], default: Callable[[Any], Any]) -> None:
        self._made, self._default = made, default

    def register(self, key: Any, maker: Any) -> None:
        """Register what makes them for a key."""
        self._made[self._plain(key)] = maker

    def get_keys(self) -> list[Any]:
        """List the keys that have a maker."""
        return [*self._made, *SPECS] if self._default is OperatorStats else list(self._made)

    def get_key_value(self, key: Any) -> Any:
        """Return the maker of a key; the one that fits every operator by default."""
        return self._made.get(self._plain(key), self._default)

    @staticmethod
    def _plain(key: Any) -> Any:
        return key if isinstance(key, str) else tuple(key)


_TABLES = {
    "OperatorStats": _Table(REGISTERED, OperatorStats),
    "ProdConso": _Table(MODELS, ProdConso.default_model),
}
