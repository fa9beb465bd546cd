"""Trained models out of packages, beside ONNX Runtime: told dims beforehand, and written back."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime
import pytest

import aidge_nb
from aidge_nb.onnx_io import load_onnx, to_onnx
from tests.models.cases import CASES, ModelCase
from tests.models.fetch import FetchError, fetch, models_in

pytestmark = pytest.mark.slow

Fetched = dict[str, dict[str, bytes] | FetchError]

TOLERANCES = {"nmp.onnx": 5e-5}
"""Relative to the largest output; its logarithms of small numbers take more than others."""


@pytest.fixture(scope="session")
def fetched(tmp_path_factory: pytest.TempPathFactory) -> Fetched:
    """Fetch all packages; in the place of one that cannot be, why."""
    found: Fetched = {}
    for package in sorted({case.package for case in CASES}):
        try:
            found[package] = models_in(fetch(package, tmp_path_factory.mktemp("package")))
        except FetchError as error:
            found[package] = error
    return found


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
@pytest.mark.filterwarnings("ignore:.*several nodes have the same name")
def test_trained_models_whose_dims_and_constants_are_told(
    fetched: Fetched, case: ModelCase
) -> None:
    """:mod:`tests.models` runs them with open dims; here what is known is folded before."""
    models = fetched[case.package]
    if isinstance(models, FetchError):
        pytest.skip(str(models))
    content = models[case.file]
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(content, options)
    kinds = {value.name: value.type for value in session.get_inputs()}
    data = {name: value for name, value in case.data(kinds).items() if name in kinds}
    expected = session.run(None, data)
    constants: dict[str, Any] = {
        name: np.array(value) for name, value in case.constants.items() if name in kinds
    }
    view = load_onnx(content, dims=case.dims, constants=constants)
    assert view.annotations["onnx.report"].generic == ()
    view.set_backend("cpu")
    fed = [data[value.name] for value in view.annotations["onnx"].inputs]
    found = [each.array for each in aidge_nb.SequentialScheduler(view).forward(data=fed)]
    for result, wanted in zip(found, expected, strict=True):
        tolerance = TOLERANCES.get(case.file, 5e-5)
        assert np.abs(result - wanted).max() <= tolerance * np.abs(wanted).max()


@pytest.mark.filterwarnings("ignore:.*several nodes have the same name")
def test_trained_models_come_back_from_files(fetched: Fetched) -> None:
    for models in fetched.values():
        if isinstance(models, FetchError):
            continue
        for name, model in models.items():
            if name != "silero_vad_16k_sequence.onnx":
                content = to_onnx(load_onnx(model)).to_bytes()
                assert to_onnx(load_onnx(content)).to_bytes() == content, name
