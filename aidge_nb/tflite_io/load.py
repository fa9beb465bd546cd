"""Load TensorFlow Lite models as graphs."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from aidge_nb.core.errors import listed
from aidge_nb.core.log import NOTICE, logger
from aidge_nb.graph.inference import propagate_dims
from aidge_nb.graph.view import GraphView
from aidge_nb.onnx_io.load import load_onnx
from aidge_nb.onnx_io.model import OnnxModel
from aidge_nb.tflite_io.convert.model import convert_model
from aidge_nb.tflite_io.read.parse import read_tflite


@dataclass(frozen=True)
class TfliteLayout:
    """How the images of a file were laid out anew.

    Attributes
    ----------
    turned
        Names of the tensors that are moved from rows, columns, channels to channels, rows, columns
        or back while the graph runs; all other images are computed in their layout.

    Examples
    --------
    >>> print(TfliteLayout(("image",)))
    Images are channels, rows, columns: 1 is moved there or back (image)
    """

    turned: tuple[str, ...]

    def __str__(self) -> str:
        count = len(self.turned)
        moved = "1 is" if count == 1 else f"{count or 'none'} are"
        named = f" ({listed(self.turned, most=3)})" if count else ""
        return f"Images are channels, rows, columns: {moved} moved there or back{named}"


def read_converted(source: Any) -> OnnxModel:
    """Read a TensorFlow Lite file as a model of ONNX's operators; see :func:`load_tflite`."""
    return convert_model(read_tflite(source))


def load_tflite(
    source: str | os.PathLike[str] | bytes | bytearray | memoryview, verbose: bool = False
) -> GraphView:
    """Load a TensorFlow Lite model as a graph, with its dims.

    8-bit operators round as TensorFlow Lite's reference kernels do: results are equal to the byte.
    Inputs and outputs have the layout of the file (rows, columns, channels); between them, images
    are channels, rows, columns, as the kernels want them. Operators that this library has not
    become generic ones, with a warning: the graph can be looked at, and not run.

    Parameters
    ----------
    source
        Path or bytes of a ``.tflite`` file.
    verbose
        Whether to write to the standard output which operators are native and which generic.

    Returns
    -------
    GraphView
        Its ``annotations["tflite"]`` are a :class:`TfliteLayout`: which images are moved.

    Raises
    ------
    TfliteError
        When the file cannot be read, is of another format, or is damaged.

    Examples
    --------
    >>> load_tflite(b"no model")
    Traceback (most recent call last):
    aidge_nb.core.errors.TfliteError: bytes: the file is not a TensorFlow Lite model \
(expected b'TFL3', found plain text). Pass a .tflite file, as the TensorFlow Lite converter writes \
it.
    """
    model = read_converted(source)
    view = load_onnx(model, verbose=verbose)
    dims = [
        [int(size) for size in value.dims or () if isinstance(size, int)] for value in model.inputs
    ]
    layout, generic = layout_of(model), _generic(model)
    view.annotations["tflite"] = layout
    logger.log(NOTICE, str(layout))
    for note in generic:
        logger.warning("%s: %s", model.source, note)
    if generic:  # dims behind a generic operator are those of the file
        propagate_dims(view, dims, allow_data_dependency=True)
    else:
        view.forward_dims(dims, allow_data_dependency=True)
    return view


def layout_of(model: OnnxModel) -> TfliteLayout:
    """Return how the images of a converted model were laid out."""
    turned = str(model.metadata.get("tflite.turned", ""))
    return TfliteLayout(tuple(turned.split("\n")) if turned else ())


def _generic(model: OnnxModel) -> list[str]:
    found = model.metadata.items()
    names = [(key[15:], why) for key, why in found if key.startswith("tflite.generic.")]
    return [f"{name} is generic: {why}" for name, why in names]


def notes_of(model: OnnxModel) -> tuple[str, ...]:
    """Return what to say about a converted model, a line each; nothing about other models."""
    if "tflite.turned" not in model.metadata:
        return ()
    return str(layout_of(model)), *_generic(model)
