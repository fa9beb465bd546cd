"""Stands in for ``aidge_export_cpp``: writes the C package of this library."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from os import PathLike
from typing import Any

from aidge_nb.compat.served.export_utils import ExportConfig, ExportLib
from aidge_nb.compat.served.mem_info import generate_optimized_memory_info
from aidge_nb.compat.served.unserved import refusing
from aidge_nb.graph.view import GraphView

__all__ = [
    "ExportConfig",
    "ExportLibCpp",
    "coverage_report",
    "export",
    "generate_optimized_memory_info",
    "has_coverage",
]

__getattr__ = refusing(__name__, "aidge_export_cpp")


class ExportLibCpp(ExportLib):
    """The operators that programs in C can have."""

    _name = "export_cpp"


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


def _counts(graph: GraphView) -> tuple[dict[str, int], dict[str, int]]:
    from aidge_nb.kernels.c import find_c_kernel

    known, unknown = Counter[str](), Counter[str]()
    for node in graph:
        inside = node.get_operator().micro_graph
        fits = (
            node.type() == "Producer"
            or find_c_kernel(node.get_operator().spec)
            or inside is not None
        )
        (known if fits else unknown)[node.type()] += 1
    return dict(known), dict(unknown)


def has_coverage(graph: GraphView) -> bool:
    """Return whether each operator of a graph has a kernel in C."""
    return not _counts(graph)[1]


def coverage_report(graph: GraphView) -> tuple[dict[str, int], dict[str, int]]:
    """Count the operators that have a kernel in C and those that have none, by type."""
    return _counts(graph)
