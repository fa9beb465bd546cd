"""Make ``import aidge_core`` find this library."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

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
    "aidge_backend_cuda": (
        "kernels for graphics processors",
        "graphs run on the CPU here: import aidge_backend_cpu",
    ),
    "aidge_backend_opencv": (
        "pictures read by OpenCV, and ready data sets",
        "read pictures with another package and make aidge_core.Tensor of them",
    ),
    "aidge_benchmark": (
        "results, precision and times of models in several libraries",
        "aidge_nb.export.ExportedPackage.check_layers, python -m aidge_nb report MODEL",
    ),
    "aidge_compression": (
        "smaller convolutional networks by sharing and coding weights",
        "aidge_nb.quantize makes weights of 8 bits or 4; aidge_nb.memory_report shows the bytes",
    ),
    "aidge_export_arm_cortexm": (
        "C++ for microcontrollers",
        "aidge_nb.export.export(graph, folder, target='cortex-m4'); see aidge_nb.export.TARGETS",
    ),
    "aidge_export_tensorrt": (
        "programs for TensorRT",
        "save the model with aidge_onnx.export_onnx: TensorRT reads ONNX",
    ),
    "aidge_gui": (
        "a window to look at graphs and models",
        "aidge_nb.workbench(graph) shows graph, schedule and memory in the notebook",
    ),
    "aidge_interop_torch": (
        "Aidge's graphs as layers of PyTorch, and models of PyTorch as graphs",
        "save the model as ONNX and read it with aidge_onnx.load_onnx",
    ),
    "aidge_pruning": (
        "smaller networks by leaving out weights",
        "prune the model before, and load it as ONNX",
    ),
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
