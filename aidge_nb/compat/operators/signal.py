"""Spectra, windows and complex numbers, with the inputs and attributes of Aidge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.compat.operators.declare import node_of, operator
from aidge_nb.core.dtype import DType, as_dtype
from aidge_nb.core.errors import ShapeError
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import ShapeContext

Array = NDArray[Any]
Shapes = Sequence[Sequence[int]]


def _complex_result(context: ShapeContext) -> Sequence[DType]:
    wide = context.dtypes[0] in (DType.float64, DType.complex128)
    return [DType.complex128 if wide else DType.complex64]


def _as_complex(spectrum: Array, like: Array) -> Array:
    wide = like.dtype in (np.float64, np.complex128)
    return spectrum.astype(np.complex128 if wide else np.complex64)


def _setting(context: ShapeContext, index: int, name: str) -> int:
    """Return a number that an input or an attribute gives; 0 for neither."""
    if context.present(index):
        return int(context.value(index).reshape(-1)[0])
    return int(context.attrs[name])


def _number(given: Array | None, attribute: int) -> int:
    return attribute if given is None else int(given.reshape(-1)[0])


def _bins(length: int, onesided: bool) -> int:
    return length // 2 + 1 if onesided else length


def _dft_dims(context: ShapeContext) -> Shapes:
    dims = list(context.dim(0))
    axis = _setting(context, 2, "axis") % max(len(dims), 1)
    length = _setting(context, 1, "dft_length") or dims[axis]
    dims[axis] = _bins(length, context.attrs["onesided"])
    return [dims]


@operator("DFT", "signal dft_length? axis?", _dft_dims, _complex_result)
def dft(
    x: Array,
    length: Array | None,
    axis_input: Array | None,
    *,
    dft_length: int = 0,
    axis: int = -1,
    inverse: bool = False,
    onesided: bool = False,
) -> Array:
    """Transform along an axis."""
    axis = _number(axis_input, axis)
    count = _number(length, dft_length) or x.shape[axis]
    spectrum = (np.fft.ifft if inverse else np.fft.fft)(x, count, axis)
    return _as_complex(np.take(spectrum, range(_bins(count, onesided)), axis), x)


def DFT(
    name: str = "",
    dft_length: int = 0,
    axis: int = -1,
    inverse: bool = False,
    onesided: bool = False,
) -> Node:
    """Make a node that computes the discrete Fourier transform along an axis.

    Parameters
    ----------
    name
        Name of the node.
    dft_length
        Length of the transform: data are cut or filled with zeros; 0 for that of the axis.
    axis
        The axis.
    inverse
        Whether to transform back.
    onesided
        Whether to give the first half of the result alone.
    """
    return node_of(
        "DFT", name, dft_length=dft_length, axis=axis, inverse=inverse, onesided=onesided
    )


def _stft_dims(context: ShapeContext) -> Shapes:
    batch, count = context.dim(0)[:2]
    width = _setting(context, 3, "frame_length")
    step = _setting(context, 1, "frame_step")
    if not width and context.present(2):
        width = context.dim(2)[0]
    if width < 1 or step < 1:
        raise ShapeError.at(
            context.where,
            "frames are unknown",
            expected="frame_length and frame_step of 1 or more",
            found=f"{width} and {step}",
        )
    frames = max(0, (count - width) // step + 1)
    return [[batch, frames, _bins(width, context.attrs["onesided"])]]


@operator("STFT", "signal frame_step? window? frame_length?", _stft_dims, _complex_result)
def stft(
    signal: Array,
    step: Array | None,
    window: Array | None,
    length: Array | None,
    *,
    frame_length: int = 0,
    frame_step: int = 0,
    onesided: bool = False,
) -> Array:
    """Transform frame after frame."""
    data = signal[..., 0] if signal.ndim == 3 else signal
    width = _number(length, frame_length) or (0 if window is None else len(window))
    views = np.lib.stride_tricks.sliding_window_view(data, width, 1)
    frames = views[:, :: _number(step, frame_step)]
    spectrum = np.fft.fft(frames if window is None else frames * window, axis=-1)
    return _as_complex(spectrum[..., : _bins(width, onesided)], signal)


def STFT(
    name: str = "", frame_length: int = 0, frame_step: int = 0, onesided: bool = False
) -> Node:
    """Make a node that transforms overlapping frames of signals ``[batch, samples]``.

    Parameters
    ----------
    name
        Name of the node.
    frame_length, frame_step
        Samples in a frame, and from one frame to the next.
    onesided
        Whether to give the first half of each spectrum alone.
    """
    return node_of(
        "STFT", name, frame_length=frame_length, frame_step=frame_step, onesided=onesided
    )


@operator(
    "HannWindow",
    "size",
    lambda context: [[int(context.value(0).reshape(-1)[0])]],
    lambda context: [context.attrs["output_datatype"]],
)
def hann_window(
    size: Array, *, output_datatype: DType = DType.float32, periodic: bool = True
) -> Array:
    """Return a cosine arch."""
    count = int(size.reshape(-1)[0])
    turns = np.arange(count) / max(count if periodic else count - 1, 1)
    return (0.5 * (1 - np.cos(2 * np.pi * turns))).astype(output_datatype.numpy)


def HannWindow(
    name: str = "", output_datatype: DType | str = DType.float32, periodic: bool = True
) -> Node:
    """Make a node that gives a Hann window of as many samples as its input says.

    Parameters
    ----------
    name
        Name of the node.
    output_datatype
        Element type of the window.
    periodic
        Whether the window goes on after its last sample, or ends there.
    """
    kind = as_dtype(output_datatype)
    return node_of("HannWindow", name, output_datatype=kind, periodic=periodic)


@operator(
    "ComplexToInnerPair",
    "data_input",
    lambda context: [[*context.dim(0), 2]],
    lambda context: [DType.float64 if context.dtypes[0] is DType.complex128 else DType.float32],
)
def complex_to_inner_pair(x: Array) -> Array:
    """Put real and imaginary parts side by side."""
    return np.stack([x.real, x.imag], -1)


def ComplexToInnerPair(name: str = "") -> Node:
    """Make a node that gives complex numbers as pairs: their parts in a last axis of size 2."""
    return node_of("ComplexToInnerPair", name)


def _pair_dims(context: ShapeContext) -> Shapes:
    *dims, last = context.dim(0) or (0,)
    if last != 2:
        where, found = f"{context.where}, input#0", list(context.dim(0))
        raise ShapeError.at(where, "does not end with pairs", expected="[..., 2]", found=found)
    return [dims]


@operator("InnerPairToComplex", "data_input", _pair_dims, _complex_result)
def inner_pair_to_complex(x: Array) -> Array:
    """Make complex numbers of pairs."""
    return _as_complex(x[..., 0] + 1j * x[..., 1], x)


def InnerPairToComplex(name: str = "") -> Node:
    """Make a node that makes complex numbers of pairs along the last axis."""
    return node_of("InnerPairToComplex", name)
