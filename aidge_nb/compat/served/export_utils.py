"""Stands in for ``aidge_core.export_utils``: the entry to the export, as release 0.10.1 has it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aidge_nb.compat.served.hints import not_served

if TYPE_CHECKING:
    from aidge_nb.export import ExportedPackage
    from aidge_nb.graph.view import GraphView

__all__ = ["ExportConfig", "export"]


def __getattr__(name: str) -> Any:
    __tracebackhide__ = True  # tracebacks end where the name was asked for
    raise AttributeError(not_served("aidge_core.export_utils", name, __all__))


@dataclass(frozen=True)
class ExportConfig:
    """The target and folder of an export.

    Attributes
    ----------
    target
        A target of :mod:`aidge_nb.export`; ``host`` is this machine.
    export_folder
        Where the package is written; ``export_<target>`` by default.
    compile
        Whether it is built, too.
    """

    target: str = "host"
    export_folder: str | None = None
    compile: bool = True


def export(
    graph: GraphView,
    config: ExportConfig,
    input_tensors: Sequence[Any] | None = None,
    labels: object = None,
    nb_test: int = 0,
) -> ExportedPackage:
    """Write a graph as a self-contained C program, see :func:`aidge_nb.export.export`.

    ``labels`` and ``nb_test`` are taken for Aidge's sake.
    """
    from aidge_nb.export import export as write

    folder = config.export_folder or f"export_{config.target}"
    package = write(graph, folder, target=config.target, inputs=input_tensors)
    if config.compile:
        package.build()
    return package
