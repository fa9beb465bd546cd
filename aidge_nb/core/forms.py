"""Check the types of plain values, as JSON gives them, against the fields of the class to be made.

What a reader of saved values accepts is declared once: by the annotations of its dataclasses. A
form is such an annotation, a dataclass, a NamedTuple (a list in JSON), a dictionary of forms by
key, where a key that ends with ``?`` may be missing, :class:`Many` values of a form, or a list of
forms, of which one must fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from reprlib import Repr
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import numpy as np

from aidge_nb.core.amounts import is_number, is_whole
from aidge_nb.core.errors import AidgeError

_SHOW = Repr()
_SHOW.maxlevel, _SHOW.maxstring, _SHOW.maxother, _SHOW.maxlong = 2, 40, 40, 40
_NAMES = {
    int: "a whole number",
    float: "a number",
    str: "text",
    bool: "true or false",
    NoneType: "null",
}
_DEEPEST = 100
_LARGEST = 1 << 63


class Many(NamedTuple):
    """The form of a list whose items all have one form."""

    form: Any


def check_form(value: object, form: Any, where: str, kind: type[AidgeError] = AidgeError) -> None:
    """Check plain values against a form, or the fields of an object against its own annotations.

    Parameters
    ----------
    value
        The values: dictionaries, lists, texts, numbers; objects of the classes in the form.
    form
        The form.
    where
        What is read, for messages.
    kind
        The class of the error.

    Raises
    ------
    AidgeError
        Of that kind: names the field, the type that was expected, and the value that was found.

    Examples
    --------
    >>> check_form({"sizes": [1, 2]}, {"sizes": tuple[int, ...], "unit?": str}, "table")
    >>> check_form({"sizes": [1, "2"]}, {"sizes": tuple[int, ...]}, "table")
    Traceback (most recent call last):
    ...
    aidge_nb.core.errors.AidgeError: table: sizes[1]: wrong type (expected a whole number, found
    '2')
    """
    fault = next(_faults(value, form, "", 0), None)
    if fault is not None:
        path, problem, expected, found = fault
        at = f"{where}: {path}" if path else where
        raise kind.at(at, problem, expected=expected, found=found)


def read_form(value: Any, form: Any, where: str, kind: type[AidgeError] = AidgeError) -> Any:
    """Check plain values as :func:`check_form` does, and make what they describe.

    Dictionaries become the dataclasses of the form, which does not hold itself; lists become
    tuples; the rest stays as it is.

    Examples
    --------
    >>> from aidge_nb.memory import MemoryPlan
    >>> made = {"order": ["relu"], "buffers": [], "peak": 0, "lower_bound": 0}
    >>> read_form(made, MemoryPlan, "plan").order
    ('relu',)
    """
    check_form(value, form, where, kind)
    return _maker(form)(value)


@cache
def _maker(form: Any, reads_itself: bool = False) -> Callable[[Any], Any]:
    """Return the function that makes an object of a form of plain values that fit it.

    Classes inside of others read themselves where they can: their ``from_dict`` checks more.
    """
    if isinstance(form, type) and is_dataclass(form):
        if reads_itself and hasattr(form, "from_dict"):
            return lambda value: value if isinstance(value, form) else form.from_dict(value)
        makers = {name: _maker(each, True) for name, (each, _) in _fields_of(form).items()}
        return lambda value: (
            value
            if isinstance(value, form)
            else form(**{name: makers[name](each) for name, each in value.items()})
        )
    if get_origin(form) in (Union, UnionType):
        makes = [(each, _maker(each, True)) for each in get_args(form)]
        return lambda value: next(
            make(value) for each, make in makes if next(_faults(value, each, "", 0), None) is None
        )
    if (items := _items(form)) is None:
        return _as_it_is
    inside = [_maker(each, True) for each in items]
    if len(inside) == 1 and _repeats(form):
        return lambda value: tuple(map(inside[0], value))
    whole = form if hasattr(form, "_fields") else lambda *values: values
    return lambda value: whole(*(make(each) for make, each in zip(inside, value, strict=True)))


def _as_it_is(value: Any) -> Any:
    return value


def as_plain(value: Any) -> dict[str, Any]:
    """Return a dataclass as a dictionary of its fields, with tuples as lists, for JSON.

    Examples
    --------
    >>> from aidge_nb.memory.values.options import WhatIf
    >>> as_plain(WhatIf(in_place=("relu",)))
    {'fused': [], 'in_place': ['relu']}
    """
    return {each.name: _plainly(getattr(value, each.name)) for each in fields(value)}


def _plainly(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [_plainly(each) for each in value]
    if is_dataclass(value):
        return value.to_dict() if hasattr(value, "to_dict") else as_plain(value)
    return value


_Fault = tuple[str, str, str, str]


def _faults(value: object, form: Any, path: str, level: int) -> Iterator[_Fault]:
    """Yield path, problem, what was expected, and what was found, of all that is wrong."""
    if level > _DEEPEST:
        yield path, "is nested too deeply", f"at most {_DEEPEST} levels", "more"
    elif form is Any:
        return
    elif isinstance(form, Many):
        if not isinstance(value, (list, tuple)):
            yield path, "wrong type", "a list", _SHOW.repr(value)
            return
        for number, each in enumerate(value):
            yield from _faults(each, form.form, f"{path}[{number}]", level + 1)
    elif isinstance(form, list):
        yield from _one_of(value, form, path, level)
    elif isinstance(form, dict):
        needed = {name.removesuffix("?"): (each, name[-1] != "?") for name, each in form.items()}
        yield from _mapping(value, needed, path, level)
    elif isinstance(form, type) and is_dataclass(form):
        if isinstance(value, form):
            for name, (each, _) in _fields_of(type(value)).items():
                yield from _faults(getattr(value, name), each, _at(path, name), level + 1)
        else:
            yield from _mapping(value, _fields_of(form), path, level)
    elif get_origin(form) in (Union, UnionType):
        yield from _one_of(value, get_args(form), path, level)
    else:
        yield from _plain(value, form, path, level)


def _plain(value: object, form: Any, path: str, level: int) -> Iterator[_Fault]:
    origin, arguments = get_origin(form), get_args(form)
    if origin is Literal:
        if value not in arguments or isinstance(value, bool):
            expected = " or ".join(map(repr, arguments))
            yield path, "unknown value", expected, _SHOW.repr(value)
    elif isinstance(origin, type) and issubclass(origin, Mapping):
        if not isinstance(value, Mapping):
            yield _wrong(value, form, path)
            return
        for key, each in value.items():
            yield from _faults(key, arguments[0], f"a key of {path}", level + 1)
            yield from _faults(each, arguments[1], f"{path}[{_SHOW.repr(key)}]", level + 1)
    elif (items := _items(form)) is not None:
        yield from _list(value, form, items, path, level)
    elif not _is_a(value, form):
        yield _wrong(value, form, path)
    elif is_whole(value) and abs(value) >= _LARGEST:
        yield path, "is too large", "a number below 2**63", _SHOW.repr(value)


def _list(
    value: object, form: Any, items: tuple[Any, ...], path: str, level: int
) -> Iterator[_Fault]:
    if not isinstance(value, (list, tuple)):
        yield _wrong(value, form, path)
        return
    if len(items) == 1 and _repeats(form):
        items = items * len(value)
    if len(items) != len(value):
        yield path, "has the wrong length", f"{len(items)} values", str(len(value))
    for number, (each, inner) in enumerate(zip(value, items, strict=False)):
        yield from _faults(each, inner, f"{path}[{number}]", level + 1)


def _mapping(
    value: object, needed: Mapping[str, tuple[Any, bool]], path: str, level: int
) -> Iterator[_Fault]:
    if not isinstance(value, Mapping):
        yield path, "wrong type", "a mapping", _SHOW.repr(value)
        return
    for name in value:
        if name not in needed:
            yield path, "unknown field", ", ".join(needed), _SHOW.repr(name)
    for name, (form, is_needed) in needed.items():
        if name in value:
            yield from _faults(value[name], form, _at(path, name), level + 1)
        elif is_needed:
            yield _at(path, name), "is missing", _words(form), "no such field"


def _one_of(value: object, forms: Sequence[Any], path: str, level: int) -> Iterator[_Fault]:
    found = [next(_faults(value, form, path, level), None) for form in forms]
    if None not in found:
        inside = [each for each in found if each is not None and each[0] != path]
        expected = " or ".join(dict.fromkeys(map(_words, forms)))
        yield inside[0] if len(inside) == 1 else (path, "wrong type", expected, _SHOW.repr(value))


def _wrong(value: object, form: Any, path: str) -> _Fault:
    return path, "wrong type", _words(form), _SHOW.repr(value)


def _at(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _words(form: Any) -> str:
    """Describe a form in a few words."""
    if get_origin(form) in (Union, UnionType):
        return " or ".join(dict.fromkeys(map(_words, get_args(form))))
    if get_origin(form) is Literal:
        return " or ".join(map(repr, get_args(form)))
    if _items(form) is not None:
        return "a list"
    if isinstance(form, type) and not is_dataclass(form):
        return _NAMES.get(form, form.__name__)
    return "a mapping"


def _is_a(value: object, form: Any) -> bool:
    if form is int:
        return is_whole(value)
    if form is float:
        return is_number(value)
    if form is bool:
        return isinstance(value, bool | np.bool_)
    return isinstance(value, form if isinstance(form, type) else object)


def _items(form: Any) -> tuple[Any, ...] | None:
    """Return the forms of the items of a list, one for all where it repeats; None if no list."""
    if isinstance(form, type) and issubclass(form, tuple) and hasattr(form, "_fields"):
        hints = get_type_hints(form)
        return tuple(hints[name] for name in form._fields)
    origin = get_origin(form)
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return tuple(each for each in get_args(form) if each is not ...)
    return None


def _repeats(form: Any) -> bool:
    return ... in get_args(form) or not issubclass(get_origin(form) or tuple, tuple)


@cache
def _fields_of(made: type) -> Mapping[str, tuple[Any, bool]]:
    """Return the form of each field of a dataclass, and whether it must be given."""
    unknown: dict[str, Any] = {}  # names that are imported for type checkers alone
    while True:
        try:
            hints = get_type_hints(made, localns=unknown)
            break
        except NameError as error:
            unknown[str(error.name)] = Any
    return {
        each.name: (
            hints[each.name],
            each.default is MISSING and each.default_factory is MISSING,
        )
        for each in fields(made)
    }
