"""Tutorials written for Aidge run on this library, and this library's views on real Aidge objects.

:func:`install` lets ``import aidge_core`` and its companions find this library:

- in a notebook: ``%load_ext aidge_nb.compat``
- on the command line: ``python -m aidge_nb.compat SCRIPT.py``

A package of Aidge that is really there is left alone, unless it is told otherwise. What is served,
and what is not, is :func:`api_table`. The other way round, :func:`from_aidge` reads objects of the
real aidge_core.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aidge_nb.compat.finder import MODULES, install, uninstall
from aidge_nb.core.lazy import when_asked_for

if TYPE_CHECKING:
    from aidge_nb.compat.convert import from_aidge
    from aidge_nb.compat.table import api_table

__all__ = ["MODULES", "api_table", "from_aidge", "install", "uninstall"]

__getattr__, __dir__ = when_asked_for(
    __name__,
    {"aidge_nb.compat.convert": ("from_aidge",), "aidge_nb.compat.table": ("api_table",)},
)


def load_ipython_extension(ipython: Any) -> None:  # IPython's signature
    """Do what ``%load_ext aidge_nb.compat`` asks for."""
    install()


def unload_ipython_extension(ipython: Any) -> None:  # IPython's signature
    """Undo it."""
    uninstall()
