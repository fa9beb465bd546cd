"""Stands in for ``aidge_core``: the same names, served by :mod:`aidge_nb`."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from aidge_nb.compat.served import export_utils, making, utils
from aidge_nb.compat.served.hints import not_served
from aidge_nb.graph.generic import GenericOperatorOp
from aidge_nb.graph.operator import Operator
from aidge_nb.memory.aidge.optimize import OptimizeStrategy
from aidge_nb.scheduling.order.policies import SchedulingPolicy

__all__ = ["SUBMODULES"]

_ROOMS = (
    "ops",
    "graph",
    "scheduling",
    "memory",
    "advice",
    "runtime",
    "recipes",
    "tiling",
    "export",
    "compat.operators",
)
_LIBRARY = sys.modules["aidge_nb"]
_ENUMS = (SchedulingPolicy, OptimizeStrategy)
"""Their members are names of the module too."""


def __getattr__(name: str) -> Any:
    __tracebackhide__ = True  # tracebacks end where the name was asked for
    found = _find(name)
    if found is None:
        raise AttributeError(not_served("aidge_core", name, __dir__()))
    return found


def __dir__() -> list[str]:
    names = {name for name in dir(_LIBRARY) if not name.startswith("_")}
    names.update(making.__all__, SUBMODULES)
    return sorted(names.union(*(_public(room) for room in _ROOMS)))


def _find(name: str) -> Any:
    if name.startswith("_"):
        return None
    if name in SUBMODULES:
        return SUBMODULES[name]
    if name in making.__all__:
        return getattr(making, name)
    if name.endswith("Op") and hasattr(_LIBRARY, name.removesuffix("Op")):
        return _made_by(name.removesuffix("Op"))
    for place in (_LIBRARY, *_ENUMS):
        found = getattr(place, name, None)
        if found is not None:
            return found
    for room in _ROOMS:
        if name in _public(room):
            return getattr(import_module(f"aidge_nb.{room}"), name)
    return None


def _public(room: str) -> list[str]:
    return list(getattr(import_module(f"aidge_nb.{room}"), "__all__", ()))


def _made_by(type_name: str) -> Any:
    """Return the class of an operator type, of which aidge_core has one per type."""
    return GenericOperatorOp if type_name == "GenericOperator" else Operator


def _submodule(name: str, room: str) -> ModuleType:
    """Make a submodule with the names of one of our packages."""
    module = ModuleType(f"aidge_core.{name}")

    def find(asked: str) -> Any:
        __tracebackhide__ = True  # tracebacks end where the name was asked for
        if asked not in _public(room):
            raise AttributeError(not_served(f"aidge_core.{name}", asked, _public(room)))
        return getattr(import_module(f"aidge_nb.{room}"), asked)

    module.__getattr__ = find  # type: ignore[method-assign]  # PEP 562
    return module


SUBMODULES = {
    "aidge_core": sys.modules[__name__],
    "export_utils": export_utils,
    "mem_info": _submodule("mem_info", "memory"),
    "recipes": _submodule("recipes", "recipes"),
    "utils": utils,
}
"""What ``import aidge_core.NAME`` finds besides; ``aidge_core.NAME`` is the same."""
