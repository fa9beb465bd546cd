"""Stands in for ``aidge_learning``: losses, metrics, optimizers and learning rates."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from aidge_nb import learning
from aidge_nb.compat.served.aidge_backend_cpu import get_project_version, show_version
from aidge_nb.compat.served.unserved import not_served, submodule

__all__ = ["SUBMODULES", "get_project_version", "show_version"]

SUBMODULES: dict[str, ModuleType] = {
    part: submodule(f"aidge_learning.{part}", f"learning.{part}") for part in ("loss", "metrics")
}
"""What ``import aidge_learning.NAME`` finds besides."""


def __getattr__(name: str) -> Any:
    __tracebackhide__ = True  # tracebacks end where the name was asked for
    if name in SUBMODULES:
        return SUBMODULES[name]
    if name not in learning.__all__:
        raise AttributeError(not_served("aidge_learning", name, __dir__()))
    return getattr(learning, name)


def __dir__() -> list[str]:
    return sorted({*learning.__all__, *__all__} - {"SUBMODULES"})
