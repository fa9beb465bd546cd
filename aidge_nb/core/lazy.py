"""Public names of a package, imported at first use (PEP 562).

A package's ``__init__.py`` calls :func:`attach` with one table of its names; nothing else lists
them. Type checkers and editors read the stub ``__init__.pyi`` beside it, which
``python3 .ci/stubs.py`` writes from the same table.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

_FULL_NAME = "aidge_nb."


def attach(
    package: str, names: Mapping[str, str], *, now: bool = False
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return the ``__getattr__``, ``__dir__`` and ``__all__`` of a package.

    Parameters
    ----------
    package
        Name of the package: its ``__name__``.
    names
        Public names, separated by spaces, by the submodule that defines them; ``"*"`` stands for
        all public names of a subpackage. The names of ``"."`` are submodules. A module of a room
        above has its full name, ``aidge_nb.room.module``, and is always imported at first use. Must
        be a literal: the stub is made without importing anything.
    now
        Import all names at once: for a package in which a function has the name of its module,
        which would otherwise hide it when the module is imported first.

    Examples
    --------
    >>> find, names, public = attach("importlib", {"metadata": "version files", ".": "resources"})
    >>> find("version").__name__, find("resources").__name__
    ('version', 'importlib.resources')
    >>> find("verson")
    Traceback (most recent call last):
    ...
    AttributeError: module 'importlib' has no attribute 'verson'
    >>> public
    ['version', 'files', 'resources']
    """
    home: dict[str, str] = {}
    for module, listed in names.items():
        public = import_module(f"{package}.{module}").__all__ if listed == "*" else listed.split()
        home.update(dict.fromkeys(public, module))

    def find(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if home[name] == ".":
            return import_module(f"{package}.{name}")  # which sets the attribute
        is_above = home[name].startswith(_FULL_NAME)
        module = home[name] if is_above else f"{package}.{home[name]}"
        value = getattr(import_module(module), name)
        setattr(sys.modules[package], name, value)  # the next use does not come here
        return value

    def list_names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *home})

    if now:
        for name, module in home.items():
            if not module.startswith(_FULL_NAME):
                find(name)
    return find, list_names, list(home)
