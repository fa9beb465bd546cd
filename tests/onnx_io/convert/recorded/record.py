"""Recording what ONNX Runtime makes of the cases.

    python -m tests.onnx_io.convert.recorded.record

writes ``outputs.json`` beside this file. Graphs are left as they are (no optimization), for it is
the operators that are asked about. Sums of 8-bit numbers are right to the last bit on processors
with VNNI, or for numbers of 7 bits: record on such a one.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.onnx_io.convert.recorded.cases import RecordedCase, cases

__all__ = ["FILE", "pack", "unpack"]

FILE = Path(__file__).parent / "outputs.json"


def pack(array: NDArray[Any]) -> dict[str, Any]:
    """Write an array as text."""
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    return {"type": array.dtype.name, "dims": list(array.shape), "data": data}


def unpack(packed: dict[str, Any]) -> NDArray[Any]:
    """Read what :func:`pack` wrote."""
    data = base64.b64decode(packed["data"])
    return np.frombuffer(data, packed["type"]).reshape(packed["dims"])


def record(case: RecordedCase) -> list[dict[str, Any]]:
    """Run a case."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        case.model().SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return [pack(np.asarray(output)) for output in session.run(None, case.data)]


def main() -> None:
    """Record all cases."""
    import onnxruntime

    outputs = {case.name: record(case) for case in cases()}
    found = {"recorded_with": f"onnxruntime {onnxruntime.__version__}", "outputs": outputs}
    FILE.write_text(json.dumps(found, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
