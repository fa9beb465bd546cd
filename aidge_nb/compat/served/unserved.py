"""Names of Aidge that are not served: a reason each, and what to do instead."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from fnmatch import fnmatchcase
from importlib import import_module
from types import ModuleType
from typing import Any

from aidge_nb.compat.recorded import table_lines

REASONS: dict[str, str] = {}
"""Kinds of reasons."""

UNSERVED: dict[str, tuple[str, str]] = {}
"""Names and patterns that are not served: the kind of reason, and what to do instead."""

for _line in table_lines("unserved.txt"):
    _kind, _, _rest = _line.partition(": ")
    _patterns, _, _instead = _rest.partition(" => ")
    if _instead:
        UNSERVED |= dict.fromkeys(_patterns.split(), (_kind, _instead))
    else:
        REASONS[_kind] = _rest


def reason_of(name: str) -> tuple[str, str]:
    """Return why a name is not served, and what to do instead; empty when nothing is known.

    Examples
    --------
    >>> reason_of("inject_faults")[0]
    'it belongs to the engine for fault injection'
    """
    for pattern, (kind, instead) in UNSERVED.items():
        if fnmatchcase(name, pattern):
            return REASONS[kind], instead
    return "", ""


INSTEAD = {
    "DataType": "it is aidge_core.dtype, with names in lower case",
    "GraphRegex": "it is aidge_core.SinglePassGraphMatching(graph).match(query)",
}
"""Names that tutorials for older releases of Aidge call, and those to use instead."""


def not_served(module: str, name: str, known: Iterable[str] = ()) -> str:
    """Return the message for a name of Aidge that is not served: why, and what to do instead.

    Examples
    --------
    >>> print(not_served("aidge_core", "DataType"))
    module 'aidge_core' as served by aidge_nb has no 'DataType': it is aidge_core.dtype, with \
names in lower case
    >>> print(not_served("aidge_core", "get_git_hash"))
    module 'aidge_core' as served by aidge_nb has no 'get_git_hash': it is a piece of Aidge's \
compiled library that nobody calls from Python; instead: get_project_version() is the version
    >>> print(not_served("aidge_onnx", "load_onx", ["load_onnx", "export_onnx"]))
    module 'aidge_onnx' as served by aidge_nb has no 'load_onx' (did you mean load_onnx?); \
`python -m aidge_nb.compat --table` lists what there is
    """
    begin = f"module {module!r} as served by aidge_nb has no {name!r}"
    if name in INSTEAD:
        return f"{begin}: {INSTEAD[name]}"
    why, instead = reason_of(name)
    if why:
        return f"{begin}: {why}; instead: {instead}"
    close = get_close_matches(name, list(known))
    meant = f" (did you mean {', '.join(close)}?)" if close else ""
    return f"{begin}{meant}; `python -m aidge_nb.compat --table` lists what there is"


def served_names(module: ModuleType) -> list[str]:
    """List the names that a module serves: its ``__all__``, or what it defines and is public."""
    mine = [
        name
        for name, each in vars(module).items()
        if not name.startswith("_") and getattr(each, "__module__", "") == module.__name__
    ]
    return list(getattr(module, "__all__", mine))


def refusing(module: str, full: str) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a module that stands in for one of Aidge's."""

    def refuse(name: str) -> Any:
        __tracebackhide__ = True  # tracebacks end where the name was asked for
        raise AttributeError(not_served(full, name, served_names(sys.modules[module])))

    return refuse


def submodule(full: str, room: str) -> ModuleType:
    """Make a module of Aidge that has the names of one of our packages."""
    module = ModuleType(full)

    def find(asked: str) -> Any:
        __tracebackhide__ = True  # tracebacks end where the name was asked for
        served = import_module(f"aidge_nb.{room}")
        known = getattr(served, "__all__", dir(served))
        if asked not in known or asked.startswith("_"):
            raise AttributeError(not_served(full, asked, known))
        return getattr(served, asked)

    module.__getattr__ = find  # type: ignore[method-assign]  # PEP 562
    return module
