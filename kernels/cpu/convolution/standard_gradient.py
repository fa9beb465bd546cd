"""Gradients of convolutions and poolings with any padding."""

from __future__ import annotations

from math import prod

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array, index
from aidge_nb.kernels.cpu.common.sliding import WindowOptions, without_padding
from aidge_nb.kernels.cpu.convolution.gradient import convolution_gradient
from aidge_nb.kernels.cpu.convolution.standard import Spreading
from aidge_nb.kernels.gradients import Recorded, standard_gradient

Ints = tuple[int, ...]


@standard_gradient("Conv", inputs=(0, 1), options=WindowOptions)
def conv(run: Recorded, *, options: WindowOptions, group: int = 1) -> tuple[Array | None, ...]:
    """Pass to data, weights and bias; what comes back to the padding is lost."""
    sizes = run.x.shape[2:]
    sliding = options.over(sizes, run.input(1).shape[2:])
    padded = Recorded(
        (sliding.padded(run.x, 0), *run.inputs[1:]), run.outputs, run.grads, run.wanted
    )
    found = convolution_gradient(padded, sliding.strides, sliding.dilations, group)
    data = None if found[0] is None else without_padding(found[0], sliding, sizes)
    return (data, *found[1:])


@standard_gradient("ConvTranspose", inputs=(0, 1), options=WindowOptions)
def conv_transpose(
    run: Recorded,
    *,
    options: WindowOptions,
    group: int = 1,
    output_padding: Ints = (),
    output_shape: Ints = (),
) -> tuple[Array | None, ...]:
    """Convolve what comes back, with what was cut off put back as zeros."""
    x, w, dy = run.x, run.input(1), run.dy
    spreading = Spreading.of(x.shape[2:], w.shape[2:], options, output_padding, output_shape)
    whole = np.zeros((*dy.shape[:2], *spreading.full), dy.dtype)
    kept = whole[index(..., *spreading.inside)]
    common = index(..., *map(slice, np.minimum(kept.shape, dy.shape)[2:]))
    kept[common] = dy[common]
    parts = np.empty((*dy.shape[:2], *spreading.kernel, *spreading.sizes), dy.dtype)
    for tap, place in spreading.taps():
        parts[index(slice(None), slice(None), *tap)] = whole[index(..., *place)]
    places = prod(spreading.sizes)
    data = x.reshape(len(x), group, -1, places)
    rows = w.reshape(group, -1, prod(w.shape[1:]))
    spread = parts.reshape(len(x), group, -1, places)
    return (
        (rows @ spread).reshape(x.shape),
        (data @ spread.swapaxes(-1, -2)).sum(0).reshape(w.shape),
        None if run.optional(2) is None else dy.sum((0, *range(2, dy.ndim))),
    )
