"""Gradient of convolving with moved taps: to data, weights, offsets, bias and mask."""

from __future__ import annotations

from itertools import repeat

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.common.sliding import Sliding
from aidge_nb.kernels.cpu.resampling.sampling import moved_columns, moved_places
from aidge_nb.kernels.cpu.resampling.sampling_gradient import read_back
from aidge_nb.kernels.gradients import Recorded, standard_gradient

Ints = tuple[int, ...]


@standard_gradient("DeformConv", inputs=(0, 1, 2, 4))
def deform_conv(
    run: Recorded,
    *,
    dilations: Ints = (),
    group: int = 1,
    offset_group: int = 1,
    pads: Ints = (),
    strides: Ints = (),
) -> tuple[Array | None, ...]:
    """Go back through the product to what each tap saw, and from there to where it looked."""
    x, w, offset, mask = run.x, run.input(1), run.input(2), run.optional(4)
    sliding = Sliding.of(x.shape[2:], w.shape[2:], strides, dilations, pads)
    places = moved_places(offset, sliding, offset_group)
    columns = moved_columns(x, places)
    factor = np.ones(()) if mask is None else mask.reshape(*columns[:, :, :1].shape)

    rows = w.reshape(group, w.shape[0] // group, -1)
    inner = (len(x), group, rows.shape[2], int(np.prod(sliding.counts)))
    dy = run.dy.reshape(*inner[:2], rows.shape[1], inner[3])
    to_rows = (dy @ (columns * factor).reshape(inner).swapaxes(-1, -2)).sum(0)
    to_masked = (rows.swapaxes(-1, -2) @ dy).reshape(columns.shape)
    to_x, to_offset = _to_taps(x, places, to_masked * factor)
    return (
        to_x,
        to_rows.reshape(w.shape),
        to_offset.reshape(offset.shape),
        run.dy.sum((0, *range(2, run.dy.ndim))),
        None if mask is None else (to_masked * columns).sum(2).reshape(mask.shape),
    )


def _to_taps(x: Array, places: Array, to_columns: Array) -> tuple[Array, Array]:
    """Give the gradients of the data and, in the order of offsets, of the places of taps."""
    parts = x.reshape(*to_columns.shape[:3], *x.shape[2:])
    to_parts, to_places = np.zeros(parts.shape), np.zeros(places.shape)
    for n, g, tap in np.ndindex(places.shape[:3]):
        share = repeat(to_columns[n, g, :, tap])
        found = read_back(parts[n, g], places[n, g, tap], share, "linear", "zeros", True)
        to_parts[n, g] += found[0]
        to_places[n, g, tap] = found[1]
    return to_parts.reshape(x.shape), np.moveaxis(to_places, -1, 3)
