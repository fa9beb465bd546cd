"""The formats of model files that can be read: one table, which all entrances use.

The command line, the page on which a file is dropped and :func:`load_model` ask it which function
reads a file, and what to call the files in messages. One more line adds a format.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aidge_nb.core.errors import OnnxError, listed
from aidge_nb.core.values import dataclass

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from aidge_nb.graph.view import GraphView


@dataclass(frozen=True, slots=True)
class ModelReader:
    """A format of model files, and the function that reads them.

    Attributes
    ----------
    name
        What the format is called in messages.
    suffixes
        How names of such files end, the usual ending first.
    module, function
        The function that reads a path or bytes, and gives an
        :class:`~aidge_nb.onnx_io.OnnxModel`, or a graph whose annotation ``"onnx"`` declares its
        inputs and outputs, as that of ``load_onnx`` does. Its module is imported when needed.
    mark, mark_at
        Bytes that all such files have, and their offset; empty if there are none.
    """

    name: str
    suffixes: tuple[str, ...]
    module: str
    function: str
    mark: bytes = b""
    mark_at: int = 0

    def read(self, source: Any) -> Any:
        """Read a path or bytes."""
        return getattr(import_module(self.module), self.function)(source)

    def is_marked(self, head: bytes) -> bool:
        """Return whether the first bytes of a file are those of this format."""
        return bool(self.mark) and head[self.mark_at :].startswith(self.mark)


READERS = (
    ModelReader("ONNX", (".onnx", ".pb"), "aidge_nb.onnx_io", "read_onnx"),
    ModelReader(
        "TFLite", (".tflite",), "aidge_nb.tflite_io.load", "read_converted", b"TFL3", mark_at=4
    ),
)
"""All formats. What belongs to no other is taken for the first one, whose reader says why not."""

_HEAD = 64


def suffixes() -> tuple[str, ...]:
    """Return how the names of model files end.

    Examples
    --------
    >>> suffixes()[0]
    '.onnx'
    """
    return tuple(suffix for reader in READERS for suffix in reader.suffixes)


def a_file() -> str:
    """Return what a model file is called in a sentence, such as ``"an ONNX file"``."""
    names = listed([reader.name for reader in READERS], " or ")
    return f"a{'n' if names[0] in 'AEIO' else ''} {names} file"


def a_dropped_file() -> str:
    """Return what a page calls the files that it takes: by the usual endings of their names."""
    usual = listed([reader.suffixes[0] for reader in READERS], " or ")
    return f"an {usual} file"


def reader_of(source: Any) -> ModelReader:
    """Return what reads a source: by its first bytes, else by the ending of its name.

    Examples
    --------
    >>> reader_of("model.onnx").name
    'ONNX'
    """
    head = _head(source)
    name = str(source).lower() if isinstance(source, (str, os.PathLike)) else ""
    marked = [reader for reader in READERS if reader.is_marked(head)]
    named = [reader for reader in READERS if name.endswith(reader.suffixes)]
    return [*marked, *named, READERS[0]][0]


def _head(source: Any) -> bytes:
    """Return the first bytes of a source; none if it is no file and no bytes."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source[:_HEAD])
    if isinstance(source, (str, os.PathLike)):
        try:
            if Path(source).is_file():  # and no pipe, which would wait for its writer
                with Path(source).open("rb") as file:
                    return file.read(_HEAD)
        except (OSError, ValueError):  # its reader says why
            pass
    return b""


def load_model(
    source: Any,
    dims: Mapping[str, Sequence[int]] | None = None,
    constants: Mapping[str, ArrayLike] | None = None,
) -> GraphView:
    """Load a model file of any format that can be read as a graph.

    Parameters
    ----------
    source
        Path or bytes of a model, or anything that :func:`~aidge_nb.load_onnx` takes.
    dims, constants
        For ONNX files, as :func:`~aidge_nb.load_onnx` takes them.

    Raises
    ------
    OnnxError
        When the model cannot be read.

    Examples
    --------
    >>> from aidge_nb import zoo
    >>> len(load_model(zoo.build("tiling_model").to_bytes()).get_nodes())
    10
    """
    from aidge_nb.graph.view import GraphView
    from aidge_nb.onnx_io import load_onnx

    reader = reader_of(source)
    if reader is READERS[0]:
        return load_onnx(source, dims=dims, constants=constants)
    found = reader.read(source)
    if not isinstance(found, GraphView):
        return load_onnx(found, dims=dims, constants=constants)
    if dims or constants:
        problem = f"the inputs of {reader.name} files are what the file says"
        raise OnnxError.at("load_model", problem, cure="Leave out dims and constants.")
    return found
