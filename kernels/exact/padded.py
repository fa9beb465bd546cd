"""Operators with a sliding window after a Pad, computed without padding: taps are skipped."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aidge_nb.graph.spec import OpSpec
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.common.sliding import PaddedWindow
from aidge_nb.kernels.exact.convolution import convolved
from aidge_nb.kernels.exact.pooling import averaged, maximal, window_of
from aidge_nb.kernels.padded import Window
from aidge_nb.ops.convolution import CONVS, DEPTHWISE_CONVS
from aidge_nb.ops.pooling import AVG_POOLINGS, MAX_POOLINGS

Arrays = Sequence[Array | None]


def _conv(window: Window, x: Array, others: Arrays) -> Array:
    attrs = window.attrs
    weight, bias = others
    if weight is None:
        raise TypeError("a convolution has weights")
    group = x.shape[1] if window.spec in DEPTHWISE_CONVS else int(attrs["group"])
    strides, dilations = attrs["stride_dims"], attrs["dilation_dims"]
    return convolved(x, weight, bias, strides, dilations, group, attrs["pads"])


def _sliding(window: Window, x: Array) -> PaddedWindow:
    names = ("kernel_dims", "stride_dims", "dilations", "ceil_mode", "pads")
    return window_of(x, *(window.attrs[name] for name in names))


def _max(window: Window, x: Array, others: Arrays) -> Array:
    return maximal(x, _sliding(window, x))[0]


def _average(window: Window, x: Array, others: Arrays) -> Array:
    attrs = window.attrs
    return averaged(x, _sliding(window, x), attrs["rounding_mode"], attrs["ignore_pads"])


_WINDOWS: dict[OpSpec, Callable[[Window, Array, Arrays], Array]] = {
    **dict.fromkeys((*CONVS, *DEPTHWISE_CONVS), _conv),
    **dict.fromkeys(MAX_POOLINGS, _max),
    **dict.fromkeys(AVG_POOLINGS, _average),
}


def compute_window(window: Window, x: Array, others: Arrays) -> Array:
    """Compute an operator after a Pad; ``others`` are its inputs after the data."""
    return _WINDOWS[window.spec](window, x, others)
