"""Trained models, fetched with pip, compute what ONNX Runtime computed when it was recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from aidge_nb import onnx_backend
from tests.models.cases import CASES, ModelCase
from tests.models.fetch import FetchError, fetch, models_in
from tests.models.record import FOLDER, digest, figures, places

TOLERANCE = 5e-5
"""Of the largest number of an output, or of 1 where that is smaller."""


@pytest.fixture(scope="session")
def fetched(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, bytes] | FetchError]:
    """Fetch all packages; in the place of one that cannot be, why."""
    found: dict[str, dict[str, bytes] | FetchError] = {}
    for package in sorted({case.package for case in CASES}):
        try:
            found[package] = models_in(fetch(package, tmp_path_factory.mktemp("package")))
        except FetchError as error:
            found[package] = error
    return found


def recorded(case: ModelCase) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(FOLDER, f"{case.id}.json").read_text(encoding="utf-8"))
    return found


def check(output: NDArray[Any], wanted: dict[str, Any]) -> None:
    """Compare an output with what was kept of the right one."""
    assert list(output.shape) == wanted["dims"]
    assert output.dtype.name == wanted["type"]
    found = figures(output)
    if output.dtype.kind != "f":
        assert found == {key: wanted[key] for key in found}
        return
    scale = max(1.0, abs(wanted["least"]), abs(wanted["largest"]))
    flat = output.reshape(-1).astype(np.float64)
    assert np.abs(flat[places(flat.size)] - wanted["values"]).max(initial=0) <= TOLERANCE * scale
    at_extremes = flat[wanted["extremes"]]
    assert np.abs(at_extremes - wanted["at_extremes"]).max(initial=0) <= TOLERANCE * scale
    for figure in ("mean", "deviation", "least", "largest"):
        assert abs(found[figure] - wanted[figure]) <= TOLERANCE * scale, figure


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*several nodes have the same name")
@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_trained_models_compute_what_was_recorded(
    fetched: dict[str, dict[str, bytes] | FetchError], case: ModelCase
) -> None:
    models, right = fetched[case.package], recorded(case)
    if isinstance(models, FetchError):
        pytest.skip(str(models))
    content = models[case.file]
    assert digest(content) == right["sha256"], "the package has another model than was recorded"
    prepared = onnx_backend.prepare(content)
    data = case.data(right["kinds"])
    given = {name: data[name] for name in right["kinds"]}
    for run in (prepared.run, prepared.run, prepared.run_once):
        for output, wanted in zip(run(given), right["outputs"], strict=True):
            check(np.asarray(output), wanted)


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_records_are_small_and_say_where_they_come_from(case: ModelCase) -> None:
    right = recorded(case)
    assert (right["package"], right["file"]) == (case.package, case.file)
    assert right["recorded_with"].startswith("onnxruntime 1.")
    assert Path(FOLDER, f"{case.id}.json").stat().st_size < 20_000
    for output in right["outputs"]:
        assert len(output["values"]) == len(places(int(np.prod(output["dims"]))))


def test_a_package_that_is_not_there_is_named(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing-1.0-py3-none-any.whl")
    with pytest.raises(FetchError, match=r"missing-1.0-py3-none-any.whl could not be fetched: "):
        fetch(missing, tmp_path / "archives")
