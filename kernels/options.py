"""Attributes of ONNX that several functions take together, as one value.

A function that declares ``options=SomeDataclass`` where it is bound has a keyword ``options``; the
fields of the dataclass are attributes of its operator, with their defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from typing import Any

from aidge_nb.graph.spec import OpSpec

OPTIONS = "options"


def attribute_names(function: Callable[..., Any], options: type | None) -> frozenset[str]:
    """Return the attributes that a function takes: its keywords, and the fields of its options."""
    code: Any = getattr(function, "__code__")  # noqa: B009  # a function's, for type checkers
    names = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    shared = (field.name for field in fields(options)) if options else ()
    return frozenset((*names, *shared)) - {OPTIONS}


def shared_defaults(function: Callable[..., Any], specs: Iterable[OpSpec]) -> frozenset[str]:
    """Return the keywords with a default that are attributes of one of several operators."""
    defaults: Any = getattr(function, "__kwdefaults__", None) or ()
    return frozenset(defaults).intersection(name for spec in specs for name in spec.attrs)


def with_options(attributes: Mapping[str, Any], options: type | None) -> dict[str, Any]:
    """Return the keywords of a call: attributes that are fields of ``options`` become one value.

    Examples
    --------
    >>> from dataclasses import make_dataclass
    >>> Pads = make_dataclass("Pads", [("pads", tuple), ("auto_pad", str, "NOTSET")])
    >>> with_options({"pads": (1, 1), "group": 2}, Pads)
    {'group': 2, 'options': Pads(pads=(1, 1), auto_pad='NOTSET')}
    """
    if options is None:
        return dict(attributes)
    names = {field.name for field in fields(options)}
    shared = {name: value for name, value in attributes.items() if name in names}
    own = {name: value for name, value in attributes.items() if name not in names}
    return {**own, OPTIONS: options(**shared)}
