"""Read TensorFlow Lite models: files as plain data, and as graphs.

:func:`read_tflite` gives what a file says (:class:`TfliteModel`); :func:`load_tflite` gives the
graph to schedule, plan and run, whose 8-bit operators round as TensorFlow Lite's.
"""

from __future__ import annotations

from aidge_nb.tflite_io.convert.model import convert_model
from aidge_nb.tflite_io.load import TfliteLayout, load_tflite
from aidge_nb.tflite_io.model import TfliteModel, TfliteOperator, TfliteTensor
from aidge_nb.tflite_io.read.parse import read_tflite

__all__ = [
    # Reading
    "convert_model",
    "load_tflite",
    "read_tflite",
    # Models as plain data
    "TfliteLayout",
    "TfliteModel",
    "TfliteOperator",
    "TfliteTensor",
]
