"""Public names of a package, imported at first use (PEP 562).

A package's ``__init__.py`` calls :func:`attach` with one table of its names; nothing else lists
them. Type checkers and editors read the stub ``__init__.pyi`` beside it, which
``python3 .ci/stubs.py`` writes from the same table.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Set
from importlib import import_module
from types import ModuleType
from typing import Any

_FULL_NAME = "aidge_nb."


def attach(
    package: str, names: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return the ``__getattr__``, ``__dir__`` and ``__all__`` of a package.

    A name may be that of a submodule, too: the package then has the name, not the submodule.

    Parameters
    ----------
    package
        Name of the package: its ``__name__``.
    names
        Public names, separated by spaces, by the submodule that defines them; ``"*"`` stands for
        all public names of a subpackage. The names of ``"."`` are submodules. A module of a room
        above has its full name, ``aidge_nb.room.module``, and is always imported at first use. Must
        be a literal: the stub is made without importing anything.

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

    if shared := home.keys() & {module.partition(".")[0] for module in names}:
        sys.modules[package].__class__ = _keeping(shared)
    return find, list_names, list(home)


def _keeping(names: Set[str]) -> type[ModuleType]:
    """Make the type of a package in which submodules do not take the place of other names."""

    class Keeping(ModuleType):
        def __setattr__(self, name: str, value: object) -> None:
            if not (isinstance(value, ModuleType) and name in names):
                super().__setattr__(name, value)

    return Keeping
