"""Write graphs as ONNX models: the inverse of :mod:`aidge_nb.onnx_io.convert`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from aidge_nb.core.errors import OnnxError
from aidge_nb.core.log import logger
from aidge_nb.graph.view import GraphView, check_view
from aidge_nb.onnx_io.model import OnnxModel
from aidge_nb.onnx_io.save.graph import GraphWriter
from aidge_nb.onnx_io.save.library import Library
from aidge_nb.onnx_io.save.schema import knows

__all__ = ["save_onnx", "to_onnx"]

_USUAL_OPSETS = (21, 23, 24, 27, 28)
"""Versions that are tried for a graph that came from no model, the most widely read first."""
_IR_VERSION = 10
_BYTES = (".onnx", ".pb", ".protobuf")
_TEXT = (".json", ".onnxjson", ".onnxtext", ".onnxtxt", ".pbtxt", ".prototxt", ".textproto")
"""Names from which the ``onnx`` package, which takes any name, tells the format."""


def to_onnx(graph: GraphView, opset: int | None = None, *, functions: bool = True) -> OnnxModel:
    """Return a graph as an ONNX model.

    A graph that was loaded is written with the versions of operators that it was loaded with.
    Meta-operators that ONNX has no operator for become functions of the model, which any runtime
    can run: blocks that differ in their weights alone share one. Names of nodes, inputs, outputs
    and parameters stay.

    Parameters
    ----------
    graph
        The graph.
    opset
        Version of the standard operators, for a graph that was not loaded.
    functions
        Whether meta-operators become functions; if not, what is inside is written in their place.

    Raises
    ------
    OnnxError
        When ONNX has no operator for a node, or none of this version that does the same; when a
        parameter has no values. The message names the node. Also if `view` is not a graph.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.Tanh(name="a"), aidge_nb.LeakyReLU(0.5, name="b")])
    >>> to_onnx(view).nodes[1]
    OnnxNode('LeakyRelu', ('a',) -> ('output',), name='b', alpha=0.5)
    >>> aidge_nb.fuse_to_metaops(view, "Tanh->LeakyReLU", "Act"), to_onnx(view).functions[0].name
    (1, 'Act')
    """
    check_view(graph, "save", OnnxError)
    opsets: dict[str, int] = dict(graph.annotations.get("onnx.opsets", {}))
    if opset is not None:
        opsets[""] = opset
    if not opsets.get(""):
        opsets[""] = next(
            (version for version in _USUAL_OPSETS if knows(graph, version)), _USUAL_OPSETS[0]
        )
    library = Library() if functions else None
    written, domains = GraphWriter(graph, opsets[""], library).write()
    used: Mapping[str, int] = {"": opsets[""], **domains}
    own = () if library is None else library.functions
    return OnnxModel(written, used, own, ir_version=_IR_VERSION)


def save_onnx(
    graph: GraphView,
    path: str | os.PathLike[str],
    opset: int | None = None,
    *,
    functions: bool = True,
) -> None:
    """Write a graph to an ONNX file; see :func:`to_onnx`. Equal graphs give equal bytes.

    Raises
    ------
    OnnxError
        As :func:`to_onnx`, when the file cannot be written, or when its name is that of a text
        format (``.json``, ``.textproto``, ...); no file is left then. Other names that do
        not end in ``.onnx`` are warned of.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from aidge_nb import zoo
    >>> from aidge_nb.onnx_io import load_onnx
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "lenet.onnx")
    ...     save_onnx(load_onnx(zoo.build("lenet")), path)
    ...     len(load_onnx(path).get_nodes())
    22
    """
    check_view(graph, "save", OnnxError)
    if not isinstance(path, (str, os.PathLike)):
        expected, found = "a path such as 'model.onnx'", type(path).__name__
        raise OnnxError.at("save_onnx", "has no path to write to", expected=expected, found=found)
    _check_suffix(Path(path).suffix.lower(), path)
    to_onnx(graph, opset, functions=functions).save(path)


def _check_suffix(suffix: str, path: object) -> None:
    """Reject input names that the ``onnx`` package misreads; warn of unusual ones."""
    if suffix in _TEXT:
        raise OnnxError.at(
            str(path),
            "is the name of a text file, and a model is written as bytes",
            expected="a name that ends in .onnx",
            found=suffix,
        )
    if suffix not in _BYTES:
        logger.warning("%s: a model is written, and its name does not end in .onnx", path)
