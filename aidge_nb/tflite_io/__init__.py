"""Read TensorFlow Lite models as graphs to schedule, plan and run.

8-bit operators round as TensorFlow Lite's do. What a file says, as plain data, is
:class:`.model.TfliteModel`, read by :func:`.read.parse.read_tflite`.
"""

from __future__ import annotations

from aidge_nb.tflite_io.load import TfliteLayout, load_tflite

__all__ = ["TfliteLayout", "load_tflite"]
