"""Stands in for ``aidge_core.export_utils``: exports of this library, and small helpers."""

from __future__ import annotations

import logging
import shutil
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from aidge_nb.compat.served import partition
from aidge_nb.compat.served.hints import not_served
from aidge_nb.core.dtype import DType, as_dtype
from aidge_nb.core.errors import ExportError
from aidge_nb.core.log import logger
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.backend import MAKERS
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import InputCategory
from aidge_nb.scheduling.model.impl import OperatorImpl

if TYPE_CHECKING:
    from aidge_nb.export import ExportedPackage
    from aidge_nb.graph.view import GraphView

FilePath = str | PathLike[str]

EXPORT_MANIFEST_NAME = "manifest.json"
"""The file of an exported folder that describes it."""


def __getattr__(name: str) -> Any:
    __tracebackhide__ = True  # tracebacks end where the name was asked for
    if name in partition.__all__:
        return getattr(partition, name)
    raise AttributeError(not_served("aidge_core.export_utils", name, list(globals())))


# --- exports --------------------------------------------------------------------------------


@dataclass(frozen=True)
class ExportConfig:
    """The target and folder of an export.

    Attributes
    ----------
    target
        A target of :mod:`aidge_nb.export`; ``host`` is this machine.
    export_folder
        Where the package is written; ``export_<target>`` by default.
    dtype
        Taken for Aidge's sake: tensors have the types of the graph.
    compile
        Whether it is built, too.
    dformat, aidge_cmp, dev_mode, mem_wrap, auto_concat, multiple_mems
        Taken for Aidge's sake: the export chooses formats and plans memory by itself.
    """

    target: str = "host"
    export_folder: str | None = None
    dtype: str | None = "float32"
    compile: bool = True
    dformat: str | None = None
    aidge_cmp: bool = False
    dev_mode: bool = False
    mem_wrap: bool = False
    auto_concat: bool = False
    multiple_mems: bool = False


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
    order = [names[node] for node in scheduler.get_sequential_static_scheduling()]
    chosen = [name for name in order if name not in _producers(names)]
    package = write(scheduler.graph_view(), export_folder_path, order=chosen)
    return package.plan.arena_bytes


def _producers(names: dict[Node, str]) -> set[str]:
    return {name for node, name in names.items() if node.type() == "Producer"}


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
    """Give a parser of arguments the options of :class:`ExportConfig`."""
    parser.add_argument("--target", default="host", help="this machine, or a microcontroller")
    parser.add_argument("--export_folder", default=None, help="where the program is written")
    parser.add_argument("--no-compile", dest="compile", action="store_false", help="write alone")


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


# --- types and tensors ----------------------------------------------------------------------


def aidge2c(datatype: DType) -> str | None:
    """Return the type of C for a type; None, with a warning, where it has none."""
    from aidge_nb.export.write.literals import C_TYPES

    if datatype not in C_TYPES:
        logger.warning("C has no type %s", datatype.name)
        return None
    return "bool" if datatype is DType.boolean else C_TYPES[datatype]


def aidge2export_type(datatype: DType, conversion_map: dict[DType, str] | None = None) -> str:
    """Return the type of an export for a type, by a table; that of C by default."""
    found = conversion_map.get(datatype) if conversion_map else aidge2c(datatype)
    if found is None:
        raise ExportError.at("export", "has no such type", found=datatype.name)
    return found


def str2aidge(datatype: str) -> DType:
    """Return the type of a name."""
    return as_dtype(datatype)


def _axis_size(axis: str) -> Callable[[Tensor], int]:
    def size(tensor: Tensor) -> int:
        order = tensor.dformat.value or "nchw"[-tensor.ndim :]
        return int(tensor.dims[order.index(axis)]) if axis in order else 1

    size.__doc__ = f"Return the size of a tensor along {axis!r}, 1 where it has no such axis."
    return size


get_chan, get_height, get_width = map(_axis_size, "chw")


def generate_str(template_path: FilePath, **names: Any) -> str:
    """Fill a template of Jinja, which must be installed."""
    from jinja2 import Template

    template = Template(Path(template_path).read_text("utf-8"), keep_trailing_newline=True)
    return str(template.render(**names))


def generate_file(file_path: FilePath, template_path: FilePath, **names: Any) -> None:
    """Write a file by filling a template of Jinja; folders are made."""
    text = generate_str(template_path, **names)
    Path(file_path).parent.mkdir(parents=True, exist_ok=True)
    Path(file_path).write_text(text, "utf-8")


def normalize(array: Any) -> Any:
    """Map numbers to -1 to 1."""
    low, high = np.min(array), np.max(array)
    return (2 * (array - low) / (high - low) - 1) if high > low else array


def generate_random_samples(dims: Sequence[int], nb_samples: int) -> list[Tensor]:
    """Make tensors of random numbers from -1 to 1."""
    draw = np.random.default_rng()
    return [Tensor(draw.uniform(-1, 1, tuple(dims)).astype(np.float32)) for _ in range(nb_samples)]


def generate_input_file(
    export_folder: FilePath,
    array_name: str,
    tensor: Tensor,
    template_path: object = None,
    tensor_name: str | None = None,
    header_ext: str = ".h",
    flatten: bool = True,
) -> None:
    """Write a tensor as an array of C, in a header of the folder."""
    numbers = ", ".join(map(str, np.ravel(np.asarray(tensor)).tolist()))
    size = f"[{tensor.size}]"
    text = (
        f"static const {aidge2c(tensor.dtype)} {tensor_name or array_name}{size} = {{{numbers}}};\n"
    )
    Path(export_folder).mkdir(parents=True, exist_ok=True)
    (Path(export_folder) / f"{array_name}{header_ext}").write_text(text, "utf-8")


# --- graphs ---------------------------------------------------------------------------------


def is_constant_node(node: Node) -> bool:
    """Return whether a node is a Producer that is marked constant."""
    return node.type() == "Producer" and bool(node.get_operator().attr.constant)


def get_node_from_metaop(node: Node, node_type: str) -> list[Node]:
    """List the nodes of a type: this one, or those inside of it."""
    if node.type() == node_type:
        return [node]
    inside: Iterable[Node] = node.get_operator().micro_graph or ()
    return [found for each in inside for found in get_node_from_metaop(each, node_type)]


def get_node_sram_bytes(node: Node) -> int:
    """Return the bytes of the data inputs and outputs of a node."""
    operator = node.get_operator()
    data = [
        tensor
        for index, tensor in enumerate(operator.get_inputs())
        if operator.input_category(index).is_data
    ]
    known = [t for t in (*data, *operator.get_outputs()) if t is not None and not t.undefined]
    return sum(tensor.size * tensor.dtype.itemsize for tensor in known)


def set_nodes_names(scheduler: Any) -> None:
    """Name nodes by place in the schedule, type and number, and Producers after who reads them."""
    ranks: dict[str, int] = {}
    order = dict.fromkeys(scheduler.get_sequential_static_scheduling())
    for place, node in enumerate(node for node in order if node.type() != "Producer"):
        rank = ranks[node.type()] = ranks.get(node.type(), -1) + 1
        node.set_name(f"_{place}_{node.type()}_{rank}")
        for index, port in node.edges_in():
            if port.node.type() == "Producer":
                is_param = node.input_category(index) is not InputCategory.Data
                word = {1: "weights", 2: "biases"}.get(index) if is_param else None
                port.node.set_name(f"{node.name()}_{word or f'constant_{index}'}")


def remove_optional_inputs(graph_view: GraphView) -> None:
    """Take the inputs that may stay unconnected out of the order of the graph's inputs."""
    graph_view.set_ordered_inputs(graph_view.get_mandatory_inputs())


def set_ref_id(graph: GraphView) -> None:
    """Note the number of each node, also inside of meta-operators, as ``cmp_id``."""
    for node in graph:
        node.annotations["cmp_id"] = node.id()
        inside = node.get_operator().micro_graph
        if inside is not None:
            set_ref_id(inside)


def propagate(scheduler: Any, tensors: Sequence[Tensor]) -> Any:
    """Run a graph; return its first output as an array."""
    return np.array(scheduler.forward(data=list(tensors))[0])


def run_tests(
    graph: GraphView, dataset: Sequence[Tensor], labels: Sequence[Tensor] | None = None
) -> list[Any]:
    """Run a graph on each tensor; return the outputs, and log how many have the right class."""
    from aidge_nb.runtime import SequentialScheduler

    scheduler = SequentialScheduler(graph)
    outputs = [propagate(scheduler, [tensor]) for tensor in dataset]
    if labels is not None:
        pairs = zip(outputs, labels, strict=False)
        right = sum(int(np.argmax(out) == np.ravel(np.asarray(label))[0]) for out, label in pairs)
        logger.warning("%d of %d have the right class", right, len(outputs))
    return outputs


# --- files ----------------------------------------------------------------------------------


def copy_file(filename: FilePath, dst_folder: FilePath, symlink: bool = False) -> None:
    """Copy a file into a folder, or link it there."""
    target = Path(dst_folder) / Path(filename).name
    target.parent.mkdir(parents=True, exist_ok=True)
    if symlink:
        target.symlink_to(Path(filename).resolve())
    else:
        shutil.copy(filename, target)


def copy_folder(foldername: FilePath, dst_folder: FilePath, symlink: bool = False) -> None:
    """Copy a folder, or link it."""
    if symlink:
        Path(dst_folder).symlink_to(Path(foldername).resolve())
    else:
        shutil.copytree(foldername, dst_folder, dirs_exist_ok=True)


def configure_logging(verbosity: int) -> None:
    """Show more messages the higher the number: notices, decisions, details."""
    from aidge_nb.core.log import Level, Log

    levels = (Level.Warn, Level.Notice, Level.Info, Level.Debug)
    Log.set_console_level(levels[min(max(verbosity, 0), 3)])
    logging.captureWarnings(verbosity > 0)
