"""Stands in for ``aidge_core.export_utils``: exports of this library, and small helpers."""

from __future__ import annotations

from argparse import ArgumentParser, BooleanOptionalAction, Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from aidge_nb.compat.served import export_helpers, partition
from aidge_nb.compat.served.unserved import not_served, served_names
from aidge_nb.core.errors import ExportError
from aidge_nb.core.log import logger
from aidge_nb.graph.backend import MAKERS
from aidge_nb.scheduling.model.impl import OperatorImpl

if TYPE_CHECKING:
    from aidge_nb.export import ExportedPackage
    from aidge_nb.graph.view import GraphView

FilePath = str | PathLike[str]

EXPORT_MANIFEST_NAME = "manifest.json"
"""The file of an exported folder that describes it."""


def __getattr__(name: str) -> Any:
    __tracebackhide__ = True  # tracebacks end where the name was asked for
    for module in (partition, export_helpers):
        if name in served_names(module):
            return getattr(module, name)
    raise AttributeError(not_served("aidge_core.export_utils", name, list(globals())))


# --- exports --------------------------------------------------------------------------------


@dataclass(frozen=True)
class ExportConfig:
    """The target and folder of an export; it warns of options that have no effect here.

    Attributes
    ----------
    target
        A target of :mod:`aidge_nb.export`; ``host`` is this machine.
    export_folder
        Where the package is written; ``export_<target>`` by default.
    compile
        Whether it is built, too.
    clone_model, cuda, multiple_mems
        Taken for Aidge's sake: the graph is never changed, nothing runs on graphics processors, and
        the export plans memory by itself.
    dtype, dformat, heuristic, mem_wrap, auto_concat
        As before: tensors have the types of the graph, and the export chooses formats and kernels.
    execution_domain, legacy, aidge_cmp, static_analysis, cmsis, npu, xnn, use_docker, build_jobs
        As before: they are for Aidge's own board packages.
    model_prequantized, dev_mode, bsp_package_version
        As before.
    """

    target: str = "host"
    execution_domain: str | None = None
    export_folder: str | None = None
    dtype: str | None = "float32"
    dformat: str | None = None
    heuristic: str = "nb_op"
    legacy: bool = False
    aidge_cmp: bool = False
    static_analysis: str | None = None
    cmsis: bool = False
    npu: bool = False
    xnn: bool = False
    cuda: bool = True
    use_docker: bool = False
    compile: bool = True
    build_jobs: int | None = None
    clone_model: Any = False
    model_prequantized: bool = False
    dev_mode: bool = False
    bsp_package_version: str | None = None
    mem_wrap: bool = False
    auto_concat: bool = False
    multiple_mems: bool = True

    def __post_init__(self) -> None:
        """Warn of what changes nothing."""
        silent = ("target", "export_folder", "compile", "clone_model", "cuda", "multiple_mems")
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name not in silent and value != each.default:
                logger.warning("ExportConfig: %s=%r has no effect here", each.name, value)

    @classmethod
    def add_to_parser(cls, parser: ArgumentParser, skip: Sequence[str] = ()) -> ArgumentParser:
        """Add an option for each attribute to a parser of arguments, but for those to skip."""
        for each in fields(cls):
            if each.name in skip or each.name == "model_prequantized":
                continue
            kind: dict[str, Any] = {"action": "store_true"} if each.default is False else {}
            if each.default is True:
                kind = {"action": BooleanOptionalAction}
            if each.name == "build_jobs":
                kind = {"type": int}
            option = f"--{each.name.replace('_', '-')}"
            parser.add_argument(option, dest=each.name, default=each.default, **kind)
        return parser

    @classmethod
    def from_namespace(cls, args: Namespace) -> ExportConfig:
        """Return what a parser has found."""
        names = {each.name for each in fields(cls)}
        return cls(**{name: value for name, value in vars(args).items() if name in names})


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


def scheduler_export(
    scheduler: Any,
    export_folder_path: FilePath,
    export_lib: object = None,
    memory_manager: object = None,
    memory_manager_args: object = None,
    **others: object,
) -> int:
    """Write the graph of a scheduler as a C program, in the scheduler's order.

    Parameters
    ----------
    scheduler
        A scheduler that has scheduled its graph.
    export_folder_path
        Where.
    export_lib, memory_manager, memory_manager_args, others
        Taken for Aidge's sake: kernels and the memory layout are those of this library.

    Returns
    -------
    int
        The bytes of memory that the program needs for its tensors.
    """
    from aidge_nb.export import export as write

    names = scheduler.graph_view().unique_names()
    order = scheduler.get_sequential_static_scheduling()
    chosen = [names[node] for node in order if node.type() != "Producer"]
    package = write(scheduler.graph_view(), export_folder_path, order=chosen)
    return package.plan.arena_bytes


def serialize_to_cpp(
    export_folder: FilePath, graph_view: GraphView, enable_python_binding: bool = True
) -> ExportedPackage:
    """Write a graph as C: all of it, with its parameters; ``aidge_core`` is not needed to run it.

    ``enable_python_binding`` is taken for Aidge's sake: the folder has a program, no binding.
    """
    from aidge_nb.export import export as write

    return write(graph_view, export_folder)


def run_export(export_folder_name: FilePath) -> str:
    """Build the program of an exported folder and run it on its example inputs.

    Returns
    -------
    str
        What it printed.
    """
    from aidge_nb.export.boards.toolchain import make

    return make(Path(export_folder_name), ["check"], {})


def compile_export(export_folder_name: FilePath, **others: object) -> None:
    """Build an exported folder with its Makefile."""
    from aidge_nb.export.boards.toolchain import make

    make(Path(export_folder_name), ["all"], {})


class ExportLib(OperatorImpl):
    """Operators that an export knows, by type: a backend to choose, schedule and look at.

    Kernels of programs in C are added with :mod:`aidge_nb.export`; those that are registered here
    are called on export nodes of one's own.
    """

    _name = "export"
    mem_section: str | None = None
    static_files: ClassVar[dict[str, str]] = {}
    static_folders: ClassVar[dict[str, str]] = {}
    _registered: ClassVar[dict[tuple[str, str], tuple[Any, Any]]] = {}

    def __init__(self, operator: Any, backend: str = "") -> None:
        super().__init__(operator, backend or self._name)

    @classmethod
    def register(
        cls, op_type: str | Sequence[str], spec: Any, prod_conso: Callable[[Any], Any] | None = None
    ) -> Callable[[Any], Any]:
        """Register the class that follows for operators of these types.

        Parameters
        ----------
        op_type, spec
            The types, and what the implementation takes and gives.
        prod_conso
            Makes the consumer-producer model; the operator's own by default.
        """

        def take(made: Any) -> Any:
            for each in [op_type] if isinstance(op_type, str) else op_type:
                cls._registered[cls._name, each] = made, spec
                MAKERS[each, cls._name] = lambda operator: cls._made(operator, prod_conso)
            return made

        return take

    register_generic = register

    @classmethod
    def register_metaop(
        cls, op_type: str | Sequence[str], recipe: str, spec: Any, prod_conso: Any = None
    ) -> Callable[[Any], Any]:
        """Register the class that follows for meta-operators, whose query is ``recipe``."""
        return cls.register(op_type, spec, prod_conso)

    @classmethod
    def _made(cls, operator: Any, prod_conso: Any) -> ExportLib:
        made = cls(operator)
        if prod_conso is not None:
            made.get_prod_conso = lambda: prod_conso(operator)  # type: ignore[method-assign]
        return made

    def get_available_impl_specs(self) -> list[Any]:
        """List what the implementations of the operator's type take and give."""
        found = self._registered.get((self._name, self.get_operator().type()))
        return [] if found is None else [found[1]]

    def get_export_node(self, spec: Any) -> Any:
        """Return the class that was registered for the operator's type; None when none was."""
        found = self._registered.get((self._name, self.get_operator().type()))
        return None if found is None else found[0]


def get_export_libs_from_names(lib_names: Sequence[str]) -> list[type[ExportLib]]:
    """Return the export libraries of some names."""
    pending, known = [ExportLib], {}
    while pending:
        kind = pending.pop()
        known[kind._name] = kind
        pending += kind.__subclasses__()
    unknown = [name for name in lib_names if name not in known]
    if unknown:
        raise ExportError.at("export", "no such library", expected=sorted(known), found=unknown)
    return [known[name] for name in lib_names]


def add_export_args(parser: ArgumentParser) -> None:
    """Add to a parser of arguments the options of :class:`ExportConfig`."""
    ExportConfig.add_to_parser(parser)


def adapt_graph(graph: GraphView, export_libs: object = None, **others: object) -> None:
    """Return without changes: kernels in C take every layout and type."""


adapt_graph_legacy = adapt_graph


def remove_concat_quantizers(model: GraphView) -> None:
    """Remove the Quantizers that follow a Concat."""
    from aidge_nb.recipes.edit import editing

    with editing(model) as edit:
        for node in edit.nodes("Quantizer"):
            parent = node.get_parent(0)
            if parent is not None and parent.type() == "Concat":
                edit.bypass(node)
