"""Gradients of spectra: transforms are linear, and what goes back is transformed once more."""

from __future__ import annotations

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.signal.standard import axis_of_dft, width_of
from aidge_nb.kernels.gradients import Recorded, standard_gradient


def _complex(parts: Array) -> Array:
    return parts[..., 0] + 1j * parts[..., 1]


def _like(x: Array, numbers: Array) -> Array:
    """Return the real part, or both parts, as the data have them."""
    parts = [numbers.real] if x.shape[-1] == 1 else [numbers.real, numbers.imag]
    return np.stack(parts, -1).astype(x.dtype)


def _resized(numbers: Array, axis: int, size: int) -> Array:
    """Cut off what is too much along an axis, or put zeros after."""
    kept = np.take(numbers, range(min(size, numbers.shape[axis])), axis)
    widths = [(0, 0)] * kept.ndim
    widths[axis] = (0, size - kept.shape[axis])
    return np.pad(kept, widths)


@standard_gradient("DFT", inputs=(1, 2))
def dft(
    run: Recorded,
    *,
    axis: int | None = None,
    inverse: int = 0,
    onesided: int = 0,
    opset: int = 20,
) -> Array:
    """Transform back; of real numbers from half a spectrum each half is counted."""
    x, rank = run.x, run.dy.ndim
    axis = axis_of_dft(run.optional(2), axis, opset) % rank
    given, length = run.optional(1), x.shape[axis]
    if inverse and onesided:
        count = run.dy.shape[axis]
        found = np.fft.rfft(run.dy[..., 0], axis=axis) / count
        twice = np.full(found.shape[axis], 2.0)
        twice[0] = 1
        if count % 2 == 0:
            twice[-1] = 1
        shape = [-1 if each == axis else 1 for each in range(found.ndim)]
        return _like(x, _resized(found * twice.reshape(shape), axis, length))
    count = length if given is None else int(given.reshape(-1)[0])
    back = _resized(_complex(run.dy), axis, count)
    found = np.fft.fft(back, axis=axis) / count if inverse else np.fft.ifft(back, axis=axis) * count
    return _like(x, _resized(found, axis, length))


@standard_gradient("STFT", inputs=(0, 1, 2, 3))
def stft(run: Recorded) -> tuple[Array | None, ...]:
    """Transform each frame back, and add up what frames share."""
    window, length, step = run.optional(2), run.optional(3), int(run.input(1).reshape(-1)[0])
    bare = run.x if run.x.ndim == 3 else run.x[..., None]
    signal = _complex(bare) if bare.shape[-1] == 2 else bare[..., 0]
    width = width_of(signal, window, length)
    frames = np.fft.ifft(_resized(_complex(run.dy), -1, width), axis=-1) * width
    shares = frames if window is None else frames * window
    total = np.zeros(signal.shape, complex)
    to_window = np.zeros(width)
    for number in range(frames.shape[1]):
        place = slice(number * step, number * step + width)
        total[:, place] += shares[:, number]
        to_window += (np.conj(signal[:, place]) * frames[:, number]).real.sum(0)
    to_signal = _like(bare, total).reshape(run.x.shape)
    return to_signal, None, None if window is None else to_window.astype(window.dtype)
