"""Small models give the bytes that TensorFlow Lite Micro's interpreter gave, in NumPy and in C."""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import aidge_nb
from tests.tflite_io.cases import CASES, built, inputs_of, net_of
from tests.tflite_io.more_cases import NEAR
from tests.tflite_io.record import FOLDER, interpreted

RECORDED = json.loads((FOLDER / "outputs.json").read_text())


def test_every_model_is_recorded_with_its_origin() -> None:
    assert sorted(RECORDED) == sorted([*CASES, "interpreter"])
    assert RECORDED["interpreter"].startswith("tflite-micro ")
    for name in CASES:
        assert (FOLDER / f"{name}.tflite").read_bytes() == built(name)


def run(content: Any, data: list[Any], backend: str) -> list[Any]:
    view = aidge_nb.load_tflite(content)
    view.set_backend(backend)
    tensors = [aidge_nb.Tensor(array) for array in data]
    results = aidge_nb.SequentialScheduler(view).forward(data=tensors)
    return [np.asarray(result.array) for result in results]


def check(name: str, backend: str) -> None:
    """Compare all bytes; numbers may differ in the last bits."""
    found = run(FOLDER / f"{name}.tflite", inputs_of(name), backend)
    for ours, wanted in zip(found, RECORDED[name], strict=True):
        if name in NEAR and ours.dtype == np.float32:
            np.testing.assert_allclose(ours, np.float32(wanted), rtol=2e-6, atol=1e-6)
        else:
            assert ours.tolist() == wanted


@pytest.mark.parametrize("name", sorted(CASES))
@pytest.mark.parametrize("backend", ["cpu", "exact"])
def test_of_numpy(name: str, backend: str) -> None:
    check(name, backend)


NOT_IN_C = ("transposed", "wide_transposed")


@pytest.mark.parametrize("name", sorted(set(CASES) - set(NOT_IN_C)))
def test_of_c(name: str) -> None:
    check(name, "c")


@pytest.mark.slow
@pytest.mark.skipif(find_spec("tflite_micro") is None, reason="needs tflite-micro")
@pytest.mark.parametrize("name", sorted(set(CASES) - set(NEAR)))
def test_of_other_scales_and_data(name: str) -> None:
    for seed in range(1, 12):
        net, outputs = net_of(name, seed)
        content, data = net.file(*outputs), inputs_of(name, seed)
        wanted = interpreted(content, data, len(outputs))
        for ours, theirs in zip(run(content, data, "cpu"), wanted, strict=True):
            assert ours.tobytes() == theirs.tobytes()
