"""Write the recorded models, and what TensorFlow Lite Micro's interpreter computes with them.

    pip install tflite-micro
    python -m tests.tflite_io.record

The models are those of :mod:`tests.tflite_io.cases` and :mod:`tests.tflite_io.more_cases`;
``outputs.json`` names the interpreter.
"""

from __future__ import annotations

import json
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.tflite_io import more_cases  # noqa: F401  # adds its cases
from tests.tflite_io.cases import CASES, built, inputs_of, net_of

FOLDER = Path(__file__).resolve().parent / "recorded"


def interpreted(model: bytes, given: list[Any], count: int) -> list[Any]:
    """Return the outputs of TensorFlow Lite Micro."""
    runtime = import_module("tflite_micro.python.tflite_micro.runtime")

    interpreter = runtime.Interpreter.from_bytes(model)
    for index, array in enumerate(given):
        interpreter.set_input(array, index)
    interpreter.invoke()
    return [interpreter.get_output(index).copy() for index in range(count)]


def main() -> None:
    """Write all."""
    found: dict[str, Any] = {"interpreter": f"tflite-micro {version('tflite-micro')}"}
    for name in sorted(CASES):
        model = built(name)
        (FOLDER / f"{name}.tflite").write_bytes(model)
        arrays = interpreted(model, inputs_of(name), len(net_of(name)[1]))
        found[name] = [array.tolist() for array in arrays]
    (FOLDER / "outputs.json").write_text(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
