"""Recording what ONNX Runtime makes of trained models, small enough to be kept in the repository.

    python -m tests.models.record

fetches the packages and writes ``tests/models/recorded``: of each output its dimensions, its
statistics, and some of its elements; of whole numbers a digest of all of them. The models and the
data that they run on are those of :mod:`tests.models.cases`.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.models.cases import CASES, ModelCase
from tests.models.fetch import fetch, models_in

__all__ = ["FOLDER", "digest", "figures", "places"]

FOLDER = Path(__file__).parent / "recorded"
_ELEMENTS = 48
_EXTREMES = 8


def digest(content: bytes) -> str:
    """Give the SHA-256 of some bytes."""
    return hashlib.sha256(content).hexdigest()


def extremes(flat: NDArray[Any]) -> NDArray[np.int64]:
    """Find the elements that are furthest from 0."""
    return np.sort(np.argsort(-np.abs(flat), kind="stable")[:_EXTREMES])


def places(size: int) -> NDArray[np.int64]:
    """Choose the elements that are kept, evenly."""
    return np.unique(np.linspace(0, max(0, size - 1), min(size, _ELEMENTS)).astype(np.int64))


def figures(output: NDArray[Any]) -> dict[str, Any]:
    """Give what is kept of an output."""
    flat = np.ascontiguousarray(output).reshape(-1)
    kept: dict[str, Any] = {"type": flat.dtype.name, "dims": list(output.shape)}
    if flat.dtype.kind != "f":
        return kept | {"sha256": digest(flat.tobytes()), "values": flat[places(flat.size)].tolist()}
    wide = flat.astype(np.float64)
    kept |= {"mean": wide.mean(), "deviation": wide.std(), "least": wide.min()}
    kept |= {"largest": wide.max(), "values": _nine_digits(wide[places(flat.size)])}
    at = extremes(wide)
    return kept | {"extremes": at.tolist(), "at_extremes": _nine_digits(wide[at])}


def _nine_digits(values: NDArray[np.float64]) -> list[float]:
    """Give numbers with as many digits as float32 has."""
    return [float(f"{value:.9g}") for value in values.tolist()]


def record(case: ModelCase, content: bytes) -> dict[str, Any]:
    """Run a model."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    kinds = {value.name: value.type for value in session.get_inputs()}
    constants = {name: each for name, each in case.constants.items() if name in kinds}
    data = replace(case, constants=constants).data(kinds)
    results = session.run(None, data)
    return {
        "package": case.package,
        "file": case.file,
        "sha256": digest(content),
        "recorded_with": f"onnxruntime {onnxruntime.__version__}",
        "kinds": kinds,
        "outputs": [
            {"name": value.name, **figures(np.asarray(result))}
            for value, result in zip(session.get_outputs(), results, strict=True)
        ],
    }


def main() -> None:
    """Record all models."""
    FOLDER.mkdir(exist_ok=True)
    models: dict[str, dict[str, bytes]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            if case.package not in models:
                archive = fetch(case.package, Path(folder, case.package))
                models[case.package] = models_in(archive)
            found = record(case, models[case.package][case.file])
            text = json.dumps(found, indent=1) + "\n"
            Path(FOLDER, f"{case.id}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
