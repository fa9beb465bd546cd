"""Operators on which runtimes have gone wrong compute what ONNX Runtime did; its record is here.

The reference implementation that comes with ``onnx`` is no judge: it takes the statistics of the
batch below opset 14, and Softmax below opset 13 for that of opset 13.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from aidge_nb import onnx_backend
from tests.onnx_io.convert.recorded.cases import RecordedCase, cases
from tests.onnx_io.convert.recorded.record import FILE, unpack

CASES = list(cases())
RECORDED: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))


def test_every_case_was_recorded() -> None:
    assert [case.name for case in CASES] == list(RECORDED["outputs"])
    assert RECORDED["recorded_with"].startswith("onnxruntime 1.")
    assert FILE.stat().st_size < 200_000


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_what_onnx_runtime_computed(case: RecordedCase) -> None:
    prepared = onnx_backend.prepare(case.model())
    right = [unpack(packed) for packed in RECORDED["outputs"][case.name]]
    for run in (prepared.run, prepared.run_once):
        for found, wanted in zip(run(case.data), right, strict=True):
            array = np.asarray(found)
            assert array.shape == wanted.shape
            assert array.dtype == wanted.dtype
            if case.exact or array.dtype.kind != "f":
                np.testing.assert_array_equal(array, wanted)
            else:
                scale = max(1.0, float(np.abs(wanted).max(initial=0)))
                assert np.abs(array - wanted).max(initial=0) <= 1e-6 * scale
