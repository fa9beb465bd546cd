"""Spectra."""

from __future__ import annotations

import numpy as np

from aidge_nb.core.errors import ShapeError
from aidge_nb.core.limits import need_room
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.formats import TYPES, holder
from aidge_nb.kernels.standard import NodeContext, standard


def _complex(x: Array) -> Array:
    """Return complex numbers whose parts lie in the last dimension, of size 1 or 2."""
    if x.shape[-1] not in (1, 2):
        raise ShapeError.at("input#0", "the last dimension is not 1 or 2", found=list(x.shape))
    wide = x.astype(np.result_type(x.dtype, np.float32))
    return wide[..., 0] if x.shape[-1] == 1 else wide[..., 0] + 1j * wide[..., 1]


def _parts(x: Array, dtype: np.dtype[np.generic]) -> Array:
    return np.stack([x.real, x.imag], -1).astype(dtype)


def axis_of_dft(given: Array | None, axis: int | None, opset: int) -> int:
    """Return the axis of a transform: that of an input, else the attribute, or the usual one."""
    if given is not None:
        return int(given.reshape(-1)[0])
    return axis if axis is not None else 1 if opset < 20 else -2


def width_of(data: Array, window: Array | None, length: Array | None) -> int:
    """Return the number of elements of a frame."""
    if length is not None:
        return int(length.reshape(-1)[0])
    return data.shape[1] if window is None else len(window)


@standard("DFT", decided_by=(1, 2))
def dft(
    x: Array,
    length: Array | None,
    axis_input: Array | None,
    *,
    axis: int | None = None,
    inverse: int = 0,
    onesided: int = 0,
    site: NodeContext,
) -> Array:
    """Transform along an axis."""
    axis = axis_of_dft(axis_input, axis, site.opset) % x.ndim
    count = x.shape[axis] if length is None else int(length.reshape(-1)[0])
    need_room((x.size, count), 16)
    data = _complex(x)
    if inverse:
        if onesided:
            count = 2 * (x.shape[axis] - 1) if length is None else count
            return np.fft.irfft(data, count, axis)[..., None].astype(x.dtype)
        return _parts(np.fft.ifft(data, count, axis), x.dtype)
    spectrum = np.fft.fft(data, count, axis)
    if onesided:
        spectrum = np.take(spectrum, range(count // 2 + 1), axis)
    return _parts(spectrum, x.dtype)


@standard("STFT", decided_by=(1, 3))
def stft(
    signal: Array, step: Array, window: Array | None, length: Array | None, *, onesided: int = 1
) -> Array:
    """Transform frame after frame."""
    data = _complex(signal) if signal.ndim == 3 else signal
    width = width_of(data, window, length)
    frames = np.lib.stride_tricks.sliding_window_view(data, width, 1)[
        :, :: int(step.reshape(-1)[0])
    ]
    spectrum = np.fft.fft(frames if window is None else frames * window, axis=-1)
    if onesided:
        spectrum = spectrum[..., : width // 2 + 1]
    return _parts(spectrum, signal.dtype)


@standard("MelWeightMatrix", decided_by=(0, 1, 2, 3, 4))
def mel_weight_matrix(
    bins: Array, length: Array, rate: Array, lower: Array, upper: Array, *, output_datatype: int = 1
) -> Array:
    """Return triangles that are equally wide on the mel scale, 2595 · log10(1 + f / 700)."""
    count, size = int(bins), int(length)
    need_room((size // 2 + 1, count))
    low, high = (2595 * np.log10(1 + float(edge) / 700) for edge in (lower, upper))
    mels = low + np.arange(count + 2) * (high - low) / (count + 2)
    hertz = 700 * (10 ** (mels / 2595) - 1)
    places = (((size + 1) * hertz) // float(rate)).astype(int)
    result = np.zeros((size // 2 + 1, count))
    for band, (left, centre, right) in enumerate(zip(places, places[1:], places[2:], strict=False)):
        if left == centre:
            result[centre, band] = 1
        else:
            rising = np.arange(left, centre + 1)
            result[rising, band] = (rising - left) / (centre - left)
        if right > centre:
            falling = np.arange(centre, right)
            result[falling, band] = (right - falling) / (right - centre)
    return result.astype(holder(TYPES[output_datatype]))
