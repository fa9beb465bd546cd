"""Small helpers of ``aidge_core.export_utils``: types, tensors, nodes and files."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from aidge_nb.core.dtype import DType, as_dtype
from aidge_nb.core.errors import ExportError
from aidge_nb.core.log import logger
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import InputCategory

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView

FilePath = str | PathLike[str]


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
    known = [t for t in (*data, *operator.get_outputs()) if t is not None and not t.is_undefined()]
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


def generate_str(template_path: FilePath, **values: Any) -> str:
    """Fill a template of Jinja2; a name without a value raises.

    Parameters
    ----------
    template_path
        The file; templates that it includes are looked for beside it.
    values
        What its names stand for.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    path = Path(template_path)
    environment = Environment(
        loader=FileSystemLoader(path.parent),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,  # C is written, not HTML
    )
    environment.filters["c_literal"] = _c_literal
    return environment.get_template(path.name).render(values)


def generate_file(file_path: FilePath, template_path: FilePath, **values: Any) -> None:
    """Write a file, and its folder, from a template; see :func:`generate_str`.

    Raises
    ------
    ValueError
        When there is no such template.
    """
    if not Path(template_path).exists():
        raise ValueError(f"cannot read the template {template_path}: give the path of a file")
    text = generate_str(template_path, **values)
    Path(file_path).parent.mkdir(parents=True, exist_ok=True)
    Path(file_path).write_text(text, "utf-8")


def _c_literal(value: complex, dtype: DType) -> str:
    """Write a number in C."""
    if isinstance(value, complex):
        real, imaginary = _c_literal(value.real, dtype), _c_literal(abs(value.imag), dtype)
        return f"({real}{'+' if value.imag >= 0 else '-'}{imaginary}i)"
    if isinstance(value, bool):
        return str(value).lower()
    if np.isnan(value):
        return "NAN"
    if np.isinf(value):
        return "-INFINITY" if value < 0 else "INFINITY"
    return f"{value!r}{'f' if as_dtype(dtype).name in ('float32', 'complex64') else ''}"
