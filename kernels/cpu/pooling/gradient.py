"""Gradients of pooling: back to the windows, of which the largest element or all get a share."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array, Ints, index
from aidge_nb.kernels.cpu.pooling.forward import along, places_inside, tap_places
from aidge_nb.kernels.gradients import Recorded, gradient
from aidge_nb.ops import pooling as specs


@gradient(*specs.MAX_POOLINGS, inputs=(0,), outputs=(0,))
def max_pooling(run: Recorded, *, kernel_dims: Ints, stride_dims: Ints, dilations: Ints) -> Array:
    """Pass to the first largest element of each window."""
    sizes, counts = run.x.shape[2:], run.y.shape[2:]
    every = zip(sizes, kernel_dims, counts, stride_dims, dilations, strict=True)
    places = [tap_places(*each) for each in every]
    result = np.zeros(run.x.shape, run.dy.dtype)
    left = np.ones(run.y.shape, bool)
    for taps in product(*places):
        window = index(..., *(window for _, window, _ in taps))
        data = index(..., *(data for _, _, data in taps))
        chosen = left[window] & (run.x[data] == run.y[window])
        left[window] &= ~chosen
        result[data] += np.where(chosen, run.dy[window], 0)
    return result


@gradient(*specs.AVG_POOLINGS)
def avg_pooling(
    run: Recorded, *, kernel_dims: Ints, stride_dims: Ints, dilations: Ints, ignore_pads: Ints
) -> Array:
    """Pass equal shares to the elements of each window, but for those in the padding."""
    sizes, counts = run.x.shape[2:], run.dy.shape[2:]
    rank = len(sizes)
    pads = tuple(ignore_pads) or (0,) * (2 * rank)
    result = run.dy
    steps = (kernel_dims, counts, stride_dims, dilations)
    for i, places in enumerate(places_inside(sizes, pads, steps)):
        axis = i + 2
        number = np.zeros(counts[i], run.dy.dtype)
        for _, window, _ in places:
            number[window] += 1
        share = result / np.maximum(number, 1).reshape(-1, *(1 for _ in range(rank - 1 - i)))
        result = np.zeros((*share.shape[:axis], sizes[i], *share.shape[axis + 1 :]), share.dtype)
        for _, window, data in places:
            result[along(axis, data)] += share[along(axis, window)]
    return result


@gradient(specs.GLOBAL_AVERAGE_POOLING)
def global_average_pooling(run: Recorded) -> Array:
    """Pass equal shares to all elements of a channel."""
    share = run.dy / max(1, prod(run.x.shape[2:]))
    return np.broadcast_to(share, run.x.shape).copy()


@gradient(specs.GLOBAL_MAX_POOLING, inputs=(0,))
def global_max_pooling(run: Recorded) -> Array:
    """Pass to the first largest element of a channel."""
    flat = run.x.reshape(*run.x.shape[:2], prod(run.x.shape[2:]))
    result = np.zeros(flat.shape, run.dy.dtype)
    if flat.size:
        first = flat.argmax(axis=-1)[..., None]
        np.put_along_axis(result, first, run.dy.reshape(first.shape), -1)
    return result.reshape(run.x.shape)
