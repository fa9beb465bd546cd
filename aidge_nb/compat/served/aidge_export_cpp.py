"""Stands in for ``aidge_export_cpp``: writes the C package of this library."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

from aidge_nb.compat.served.hints import not_served
from aidge_nb.graph.view import GraphView
from aidge_nb.memory import generate_optimized_memory_info

__all__ = ["export", "generate_optimized_memory_info"]

SUBMODULES: dict[str, object] = {}


def __getattr__(name: str) -> Any:
    __tracebackhide__ = True  # tracebacks end where the name was asked for
    raise AttributeError(not_served("aidge_export_cpp", name, __all__))


def export(
    export_folder_name: str | PathLike[str],
    model: GraphView,
    scheduler: object = None,  # the export makes its own schedule
    inputs_tensor: Sequence[Any] | None = None,
    labels: object = None,
    dev_mode: bool = False,
    aidge_cmp: bool = False,  # expected outputs per layer are always written
    **others: object,
) -> Any:
    """Write a graph as a self-contained C program, see :func:`aidge_nb.export.export`.

    Parameters
    ----------
    export_folder_name
        Where.
    model
        The graph, with known dimensions.
    inputs_tensor
        Input data to go with it.
    scheduler, labels, dev_mode, aidge_cmp, others
        Taken for Aidge's sake: what they ask for is always there, or has no meaning here.
    """
    from aidge_nb.export import export as write

    return write(model, export_folder_name, inputs=inputs_tensor)
