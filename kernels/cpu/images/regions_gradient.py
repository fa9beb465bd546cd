"""Gradient of cutting out regions: to the images, and to the corners of the regions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.images.regions import (
    Span,
    corner_parts,
    half_of,
    sampled,
    spans_of,
)
from aidge_nb.kernels.cpu.resampling.sampling_gradient import read_back
from aidge_nb.kernels.gradients import Recorded, standard_gradient


@standard_gradient("RoiAlign", inputs=(0, 1, 2))
def roi_align(
    run: Recorded,
    *,
    mode: str = "avg",
    output_height: int = 1,
    output_width: int = 1,
    sampling_ratio: int = 0,
    spatial_scale: float = 1.0,
    coordinate_transformation_mode: str | None = None,
    opset: int = 16,
) -> tuple[Array, Array]:
    """Pass to the pixels around the samples, and to the regions that placed these."""
    half = half_of(coordinate_transformation_mode, opset)
    cells, regions = (output_height, output_width), run.input(1)
    to_images, to_regions = np.zeros(run.x.shape), np.zeros(regions.shape)
    for number, which in enumerate(run.input(2).tolist()):
        spans = spans_of(regions[number], cells, sampling_ratio, spatial_scale, half)
        image, dy = run.x[which], run.dy[number]
        to_image, to_places = _region(image, dy, spans, mode)
        to_images[which] += to_image
        top, bottom = _ends(to_places[..., 0].sum((1, 3)), spans[0])
        left, right = _ends(to_places[..., 1].sum((0, 2)), spans[1])
        to_regions[number] = np.array([left, top, right, bottom]) * spatial_scale
    return to_images, to_regions


def _region(image: Array, dy: Array, spans: Sequence[Span], mode: str) -> tuple[Array, Array]:
    """Give the gradients of an image and of all samples of one region."""
    rows, columns = (span.places for span in spans)
    given, places, inside = sampled(rows, columns, image.shape[1:])
    if mode == "max":
        parts = np.stack(corner_parts(image, places[..., 0], places[..., 1]), -1)
        shares = np.moveaxis(_to_largest(parts * inside[..., None], dy), -1, 0) * inside
        to_image, to_places = read_back(image, places, shares, "linear", "border", True)
    else:
        share = dy[..., None, None] * inside / (inside.shape[2] * inside.shape[3])
        to_image, to_places = read_back(image, places, repeat(share), "linear", "border", True)
    return to_image, to_places * (given == places)  # those moved into the image stay there


def _to_largest(parts: Array, dy: Array) -> Array:
    """Pass ``[C, cells, cells]`` to the largest of the parts of each cell."""
    flat = parts.reshape(*dy.shape, -1)
    shares = np.zeros(flat.shape)
    np.put_along_axis(shares, flat.argmax(-1)[..., None], dy[..., None], -1)
    return shares.reshape(parts.shape)


def _ends(to_places: Array, span: Span) -> tuple[float, float]:
    """Give the gradients of where a side begins and ends."""
    total = float(to_places.sum())
    if span.is_stretched:
        return total, 0.0
    last = float((to_places * span.samples).sum()) / len(span.samples)
    return total - last, last
