"""Small models give the bytes that TensorFlow Lite Micro's interpreter gave, in NumPy and in C."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import aidge_nb
from tests.tflite_io.cases import CASES, built, inputs_of
from tests.tflite_io.record import FOLDER

RECORDED = json.loads((FOLDER / "outputs.json").read_text())


def test_every_model_is_recorded_with_its_origin() -> None:
    assert sorted(RECORDED) == sorted([*CASES, "interpreter"])
    assert RECORDED["interpreter"].startswith("tflite-micro ")
    for name in CASES:
        assert (FOLDER / f"{name}.tflite").read_bytes() == built(name)


def computed(name: str, backend: str) -> list[Any]:
    view = aidge_nb.load_tflite(FOLDER / f"{name}.tflite")
    view.set_backend(backend)
    data = [aidge_nb.Tensor(array) for array in inputs_of(name)]
    results = aidge_nb.SequentialScheduler(view).forward(data=data)
    return [np.asarray(result.array) for result in results]


@pytest.mark.parametrize("name", sorted(CASES))
@pytest.mark.parametrize("backend", ["cpu", "exact"])
def test_of_numpy(name: str, backend: str) -> None:
    for ours, wanted in zip(computed(name, backend), RECORDED[name], strict=True):
        assert ours.tolist() == wanted


@pytest.mark.parametrize("name", sorted(set(CASES) - {"transposed"}))
def test_of_c(name: str) -> None:
    for ours, wanted in zip(computed(name, "c"), RECORDED[name], strict=True):
        assert ours.tolist() == wanted
