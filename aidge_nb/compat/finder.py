"""Make ``import aidge_core`` find this library."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from aidge_nb.compat.recorded import table_lines
from aidge_nb.core.leniency import set_lenient
from aidge_nb.core.log import logger
from aidge_nb.graph.backend import MAKERS
from aidge_nb.scheduling.model.prod_conso import MODELS

MODULES = (
    "aidge_core",
    "aidge_onnx",
    "aidge_backend_cpu",
    "aidge_export_cpp",
    "aidge_learning",
    "aidge_quantization",
    "aidge_model_explorer",
    "tuto_utils",
)
"""What tutorials written for Aidge import."""

BOUND_TO_CORE = MODULES[1:6]
"""Those whose objects go into functions of ``aidge_core``: they are served together with it."""

ABSENT = {
    name: (what, instead)
    for name, what, instead in (
        re.split(": | => ", line, maxsplit=2) for line in table_lines("absent.txt")
    )
}
"""Packages of Aidge that have no counterpart here: what they are, and what to do instead."""

_replaced: dict[str, ModuleType | None] = {}


def install(force: bool = False) -> tuple[str, ...]:
    """Register this library under the names of Aidge's packages.

    What Aidge allows and this library refuses is then done with a warning: parameters that were
    never filled are 0, and recipes go on where they could change results.

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
    left = () if force else tuple(n for n in MODULES if n not in _replaced and _is_there(n))
    if "aidge_core" in left:
        left = tuple(dict.fromkeys((*left, *BOUND_TO_CORE)))
        logger.warning(
            "aidge_core is installed and left alone, with what works on its objects; for this "
            "library in its place: import aidge_nb.compat; aidge_nb.compat.install(force=True)"
        )
    set_lenient(True)
    if _teacher not in sys.meta_path:
        sys.meta_path.append(_teacher)  # the last one: what is installed is found before
    for name in MODULES:
        if name in _replaced:
            continue
        if name in left:
            logger.info("%s is left alone; install(force=True) replaces it", name)
            continue
        served = import_module(f"aidge_nb.compat.served.{name}")
        _replaced[name] = sys.modules.get(name)
        for full, module in _with_submodules(name, served).items():
            sys.modules[full] = module
    return tuple(name for name in MODULES if name in _replaced)


def uninstall() -> None:
    """Undo :func:`install`."""
    set_lenient(False)
    if _teacher in sys.meta_path:
        sys.meta_path.remove(_teacher)
    for name, before in _replaced.items():
        served = import_module(f"aidge_nb.compat.served.{name}")
        for full in _with_submodules(name, served):
            sys.modules.pop(full, None)
        if before is not None:
            sys.modules[name] = before
    _replaced.clear()
    for registered in (MAKERS, MODELS):
        registered.clear()


def load_ipython_extension(ipython: object) -> None:
    """Install for ``%load_ext aidge_nb.compat``."""
    install()


def unload_ipython_extension(ipython: object) -> None:
    """Uninstall for ``%unload_ext aidge_nb.compat``."""
    uninstall()


class _Teacher:
    """Import hook that explains why a package of Aidge is not served."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        """Raise ModuleNotFoundError for packages of Aidge; be silent on others."""
        if name in ABSENT:
            what, instead = ABSENT[name]
            reason = f"({what}) is not served by aidge_nb: {instead}"
        elif name in BOUND_TO_CORE:
            reason = (
                "is not installed, and aidge_nb does not serve it beside the real aidge_core; "
                "aidge_nb.compat.install(force=True) serves both"
            )
        else:
            return
        raise ModuleNotFoundError(f"No module named {name!r}: it {reason}", name=name)


_teacher = _Teacher()


def _is_there(name: str) -> bool:
    if name in sys.modules:
        return True
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # the teacher, of an earlier call, says so
        return False
    except ValueError:  # a module without a specification, such as one made by hand
        return True


def _with_submodules(name: str, module: ModuleType) -> dict[str, ModuleType]:
    """Return a module and its submodules, by import name."""
    parts: dict[str, ModuleType] = getattr(module, "SUBMODULES", {})
    return {name: module, **{f"{name}.{part}": each for part, each in parts.items()}}
