"""Names of a package that are imported when somebody asks for them (PEP 562).

Importing the package stays quick: what not everybody needs waits in its module.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def when_asked_for(
    package: str, modules: Mapping[str, tuple[str, ...]], rooms: Sequence[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make the ``__getattr__`` and the ``__dir__`` of a package.

    Parameters
    ----------
    package
        Name of the package.
    modules
        Names to be found, by the module that has them.
    rooms
        Submodules to be found themselves.

    Examples
    --------
    >>> find, names = when_asked_for("aidge_nb", {"math": ("pi",)}, rooms=["zoo"])
    >>> find("pi"), find("zoo").__name__
    (3.141592653589793, 'aidge_nb.zoo')
    >>> find("Zoom")
    Traceback (most recent call last):
    ...
    AttributeError: module 'aidge_nb' has no attribute 'Zoom'
    >>> {"pi", "zoo", "Tensor"} <= set(names())
    True
    """
    module_of = {name: module for module, names in modules.items() for name in names}

    def find(name: str) -> Any:
        if name in module_of:
            return getattr(import_module(module_of[name]), name)
        if name in rooms:
            return import_module(f"{package}.{name}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    def list_names() -> list[str]:
        return sorted({*vars(import_module(package)), *module_of, *rooms})

    return find, list_names
