"""Read the state of a user's consumer-producer model as a hashable value.

Executions that start from equal states are equal: this is how the scheduler finds loops.
:func:`attributes_of` collects the attributes of a model and of objects that it holds, of its class,
and variables that its methods closed over or that are global. Operators, nodes and tensors count as
constant: models depend on their dimensions alone, which do not change during scheduling.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.node import Node
from aidge_nb.graph.operator import Operator
from aidge_nb.graph.view import GraphView
from aidge_nb.scheduling.model.elts import Elts_t
from aidge_nb.scheduling.model.prod_conso import ProdConso

_CONSTANT = (Operator, Node, GraphView, Tensor, ModuleType, BuiltinFunctionType)
_PLAIN = (int, float, complex, str, bytes, type(None), Enum, np.generic, np.dtype, type)
_COUNTERS = frozenset({"_operator", "_in_place", "_consumed", "_produced", "_counts_were_read"})


class _CannotTellError(Exception):
    """Raised for objects with unreadable state, such as generators."""


def attributes_of(model: ProdConso) -> object | None:
    """Return the state of a model without its counters; None if it cannot be read.

    Examples
    --------
    >>> import aidge_nb
    >>> class Model(aidge_nb.ProdConso):
    ...     begun = False
    >>> model = Model(aidge_nb.ReLU().get_operator())
    >>> before = attributes_of(model)
    >>> model.begun = True
    >>> attributes_of(model) == before
    False
    """
    own = {name: value for name, value in vars(model).items() if name not in _COUNTERS}
    seen = {id(model): 0}
    try:
        state = [own, *_class_state(type(model))]
        return (*(_frozen(value, seen) for value in state), _slots(model, seen))
    except _CannotTellError:
        return None


def remembers_elsewhere(kind: type) -> bool:
    """Tell whether methods of a model's class assign to global or enclosing variables."""
    import dis

    for function in _functions(kind):
        free = function.__code__.co_freevars
        for step in dis.get_instructions(function):
            if step.opname == "STORE_GLOBAL":
                return True
            if step.opname == "STORE_DEREF" and step.argval in free:
                return True
    return False


def _user_classes(kind: type) -> Iterator[type]:
    for each in kind.__mro__:
        if not each.__module__.startswith("aidge_nb.") and each is not object:
            yield each


def _functions(kind: type) -> Iterator[FunctionType]:
    for each in _user_classes(kind):
        for value in vars(each).values():
            function = getattr(value, "__func__", value)
            if isinstance(function, property):
                function = function.fget
            if isinstance(function, FunctionType):
                yield function


def _class_state(kind: type) -> Iterator[object]:
    """Iterate over class attributes, and over variables that methods closed over or look up."""
    for each in _user_classes(kind):
        for name, value in vars(each).items():
            if not (name.startswith("__") or callable(value) or hasattr(value, "__get__")):
                yield value
    for function in _functions(kind):
        for cell in function.__closure__ or ():
            try:
                yield cell.cell_contents
            except ValueError:  # not assigned yet
                yield None
        yield from _globals_of(function)


def _globals_of(function: FunctionType) -> Iterator[object]:
    """Iterate over the global variables that a user's function reads."""
    if not str(function.__module__).startswith("aidge_nb."):
        for name in _global_names(function.__code__):
            if name in function.__globals__:
                yield function.__globals__[name]


@lru_cache(maxsize=1024)
def _global_names(code: CodeType) -> tuple[str, ...]:
    """Return the names of the global variables that code reads, inner functions included."""
    import dis

    read = [step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"]
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            read += _global_names(inner)
    return tuple(dict.fromkeys(read))


def _frozen(value: Any, seen: dict[int, int]) -> object:
    """Return a hashable value that is equal for equal content."""
    if isinstance(value, _PLAIN):
        return type(value), value
    if isinstance(value, _CONSTANT):
        return id(value)
    if isinstance(value, Elts_t):
        return value.type, value.data, value.token
    if id(value) in seen:
        return "seen", seen[id(value)]
    seen[id(value)] = len(seen)
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject:
            raise _CannotTellError
        return value.shape, value.dtype.str, value.tobytes()
    return _frozen_container(value, seen)


def _frozen_container(value: Any, seen: dict[int, int]) -> object:
    kind = type(value)
    if isinstance(value, (list, tuple)):
        return kind, tuple(_frozen(each, seen) for each in value), _own(value, seen)
    if isinstance(value, dict):
        items = tuple((_frozen(k, seen), _frozen(v, seen)) for k, v in value.items())
        return kind, items, _own(value, seen)
    if isinstance(value, (set, frozenset)):
        return kind, frozenset(_frozen(each, seen) for each in value)
    if isinstance(value, bytearray):
        return kind, bytes(value)
    if isinstance(value, FunctionType):
        cells = value.__closure__ or ()
        held = [*(cell.cell_contents for cell in cells), *_globals_of(value)]
        return id(value.__code__), tuple(_frozen(each, seen) for each in held)
    if isinstance(value, MethodType):
        return _frozen(value.__func__, seen), _frozen(value.__self__, seen)
    make: object = kind.__new__
    is_open = hasattr(value, "__dict__") or bool(_slot_names(kind)) or kind is object
    if is_open and (make is object.__new__ or isinstance(make, FunctionType)):
        return kind, _own(value, seen), _slots(value, seen)
    raise _CannotTellError  # written in C: its state is not in its attributes


def _own(value: Any, seen: dict[int, int]) -> object:
    own: dict[str, Any] = getattr(value, "__dict__", {})
    return tuple((name, _frozen(each, seen)) for name, each in own.items())


def _slot_names(kind: type) -> list[str]:
    names: list[str] = []
    for each in kind.__mro__:
        slots = vars(each).get("__slots__", ())
        names += [slots] if isinstance(slots, str) else slots
    return [name for name in names if name not in ("__dict__", "__weakref__")]


def _slots(value: Any, seen: dict[int, int]) -> object:
    names = _slot_names(type(value))
    return tuple((name, _frozen(getattr(value, name, None), seen)) for name in names)
