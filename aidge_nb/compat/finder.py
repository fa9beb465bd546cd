"""Letting ``import aidge_core`` find this library."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from aidge_nb.log import logger

__all__ = ["MODULES", "install", "uninstall"]

MODULES = (
    "aidge_core",
    "aidge_onnx",
    "aidge_backend_cpu",
    "aidge_export_cpp",
    "aidge_learning",
    "aidge_model_explorer",
    "tuto_utils",
)
"""What tutorials written for Aidge import."""

_replaced: dict[str, ModuleType | None] = {}


def install(force: bool = False) -> tuple[str, ...]:
    """Register this library under the names of Aidge's packages.

    Parameters
    ----------
    force
        Whether to stand in for a package that is really there; it stays where it is on disk and
        comes back with :func:`uninstall`.

    Returns
    -------
    tuple of str
        The modules that this library serves from now on.

    Examples
    --------
    >>> names = install(force=True)
    >>> import aidge_core
    >>> aidge_core.ReLU(name="relu").type()
    'ReLU'
    >>> uninstall()
    """
    for name in MODULES:
        if name in _replaced:
            continue
        if not force and _is_there(name):
            logger.info("%s is installed and left alone; install(force=True) replaces it", name)
            continue
        served = import_module(f"aidge_nb.compat.served.{name}")
        _replaced[name] = sys.modules.get(name)
        for full, module in _with_submodules(name, served).items():
            sys.modules[full] = module
    return tuple(name for name in MODULES if name in _replaced)


def uninstall() -> None:
    """Take back what :func:`install` did."""
    for name, before in _replaced.items():
        served = import_module(f"aidge_nb.compat.served.{name}")
        for full in _with_submodules(name, served):
            sys.modules.pop(full, None)
        if before is not None:
            sys.modules[name] = before
    _replaced.clear()


def _is_there(name: str) -> bool:
    if name in sys.modules:
        return True
    try:
        return find_spec(name) is not None
    except ValueError:  # a module without a specification, such as one made by hand
        return True


def _with_submodules(name: str, module: ModuleType) -> dict[str, ModuleType]:
    """List a module and those that ``import name.part`` shall find too."""
    parts: dict[str, ModuleType] = getattr(module, "SUBMODULES", {})
    return {name: module, **{f"{name}.{part}": each for part, each in parts.items()}}
