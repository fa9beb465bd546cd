"""Frozen dataclasses that are defined in a quarter of the time.

For each class, ``dataclasses.dataclass(frozen=True)`` compiles six methods: for some two hundred
classes, a seventh of the time of ``aidge-nb report``. Five of the six do the same in all classes.
They are written here once, so that only ``__init__`` is compiled; all else is the standard
library's. What inherits from such a class must be made here, too.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError, fields
from dataclasses import dataclass as _standard
from operator import attrgetter
from typing import TYPE_CHECKING, Any

Methods = dict[str, Callable[..., Any]]


def _dataclass(
    cls: type[Any] | None = None,
    /,
    *,
    frozen: bool = False,
    slots: bool = False,
    eq: bool = True,
    repr: bool = True,
) -> Any:
    """Make a class a dataclass, as that of the standard library does; most are frozen.

    Examples
    --------
    >>> @dataclass(frozen=True, slots=True)
    ... class Interval:
    ...     start: int
    ...     stop: int = 1
    >>> Interval(0), Interval(0) == Interval(0, 1), hash(Interval(0)) == hash(Interval(0, 1))
    (Interval(start=0, stop=1), True, True)
    >>> Interval(0).stop = 3
    Traceback (most recent call last):
    ...
    dataclasses.FrozenInstanceError: cannot assign to field 'stop'
    """
    if not frozen:
        return _standard(cls, slots=slots, eq=eq, repr=repr)

    def make(given: type[Any]) -> type[Any]:
        made = _standard(init=False, repr=False, eq=False, slots=slots)(given)
        own = fields(made)
        methods = {"__init__": _init(made, own), **_frozen(made, {each.name for each in own})}
        if slots:
            methods |= {"__getstate__": _state, "__setstate__": _restore}
        if repr:
            methods["__repr__"] = _shown([each.name for each in own if each.repr])
        if eq:
            methods |= _compared([each.name for each in own if each.compare])
        for name, method in methods.items():
            if vars(given).get(name) is None:  # a class with __eq__ has None as __hash__
                setattr(made, name, method)
        return made

    return make if cls is None else make(cls)


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    dataclass = _dataclass


class _Absent:
    """Stands for an argument that is not given, where a function makes the value."""

    def __repr__(self) -> str:
        return "<factory>"


def _init(cls: type[Any], own: Sequence[Field[Any]]) -> Callable[..., None]:
    """Compile ``__init__``, the one method whose arguments differ from class to class."""
    given: dict[str, Any] = {"_set": object.__setattr__, "_absent": _Absent()}
    heads, body = ["self"], []
    for each in own:
        name = value = head = each.name
        if each.default_factory is not MISSING:
            given[f"_new_{name}"] = each.default_factory
            head, value = f"{name}=_absent", f"_new_{name}() if {name} is _absent else {name}"
        elif each.default is not MISSING:
            given[f"_default_{name}"] = each.default
            head = f"{name}=_default_{name}"
        heads.append(head)
        body.append(f"_set(self, {name!r}, {value})")
    body.append("self.__post_init__()" if hasattr(cls, "__post_init__") else "pass")
    lines = [f" def __init__({', '.join(heads)}):", *(f"  {line}" for line in body)]
    text = "\n".join([f"def make({', '.join(given)}):", *lines, " return __init__"])
    made: dict[str, Any] = {}
    exec(text, getattr(sys.modules.get(cls.__module__), "__dict__", {}), made)
    init: Callable[..., None] = made["make"](**given)
    init.__qualname__ = f"{cls.__qualname__}.__init__"  # errors say it
    init.__annotations__ = {**{each.name: each.type for each in own}, "return": None}
    return init


def _frozen(cls: type[Any], names: set[str]) -> Methods:
    def assign(self: Any, name: str, value: object) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def delete(self: Any, name: str) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return {"__setattr__": assign, "__delattr__": delete}


def _state(self: Any) -> list[Any]:
    return [getattr(self, each.name) for each in fields(self)]


def _restore(self: Any, state: Sequence[Any]) -> None:
    for each, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)


def _shown(names: Sequence[str]) -> Callable[[Any], str]:
    def show(self: Any) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({values})"

    return show


def _compared(names: Sequence[str]) -> Methods:
    if len(names) > 1:
        values: Callable[[Any], Any] = attrgetter(*names)
    else:  # which would give one value alone, not in a tuple

        def values(self: Any) -> Any:
            return tuple(getattr(self, name) for name in names)

    def equals(self: Any, other: object) -> Any:
        return values(self) == values(other) if type(other) is type(self) else NotImplemented

    def hashed(self: Any) -> int:
        return hash(values(self))

    return {"__eq__": equals, "__hash__": hashed}
