"""Regions of images: cutting them out at one size, and choosing among boxes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from aidge_nb.core.limits import need_room
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.standard import NodeContext, standard


@standard("RoiAlign")
def roi_align(
    x: Array,
    regions: Array,
    batch: Array,
    *,
    mode: str = "avg",
    output_height: int = 1,
    output_width: int = 1,
    sampling_ratio: int = 0,
    spatial_scale: float = 1.0,
    coordinate_transformation_mode: str | None = None,
    site: NodeContext,
) -> Array:
    """Cut regions out of images, resampled to one size."""
    half = half_of(coordinate_transformation_mode, site.opset)
    cut = []
    for region, which in zip(regions, batch, strict=True):
        cells = (output_height, output_width)
        rows, columns = spans_of(region, cells, sampling_ratio, spatial_scale, half)
        cut.append(_cells(x[int(which)], rows.places, columns.places, mode))
    if not cut:
        return np.zeros((0, x.shape[1], output_height, output_width), x.dtype)
    return np.stack(cut).astype(x.dtype)


def half_of(style: str | None, opset: int) -> float:
    """Return the offset of a pixel's centre: the default changed in opset 16."""
    style = style or ("half_pixel" if opset >= 16 else "output_half_pixel")
    return 0.5 if style == "half_pixel" else 0.0


@dataclass(frozen=True)
class Span:
    """One side of a region: where it begins, and its samples in units of a cell.

    ``samples`` is [cells, samples of a cell]; ``is_stretched`` says that the side was shorter
    than a pixel and was made one pixel long.
    """

    first: float
    cell: float
    samples: Array
    is_stretched: bool

    @property
    def places(self) -> Array:
        """The samples in pixels."""
        return np.asarray(self.first + self.samples * self.cell)


def spans_of(
    region: Array, cells: tuple[int, int], ratio: int, scale: float, half: float
) -> list[Span]:
    """Return the height and the width of a region (left, top, right, bottom)."""
    left, top, right, bottom = region.astype(np.float64) * scale - half
    spans = []
    for first, last, count in zip((top, left), (bottom, right), cells, strict=True):
        is_stretched = not half and last - first < 1
        cell = (1.0 if is_stretched else last - first) / count
        n = ratio or max(1, int(np.ceil(cell)))
        need_room((cells[0] * n, cells[1] * n, 2))
        samples = np.arange(count)[:, None] + (np.arange(n) + 0.5) / n
        spans.append(Span(first, cell, samples, is_stretched))
    return spans


def sampled(rows: Array, columns: Array, sizes: Sequence[int]) -> tuple[Array, Array, Array]:
    """Return the places ([cells, cells, samples, samples, 2]) of the samples of all cells.

    Also gives them moved into the image, and which of them are not too far outside to count.
    """
    places = np.stack(np.broadcast_arrays(rows[:, None, :, None], columns[None, :, None, :]), -1)
    inside = np.asarray(((places >= -1) & (places <= np.array(sizes))).all(-1))
    return places, np.clip(places, 0, np.array(sizes) - 1), inside


def corner_parts(image: Array, y: Array, x: Array) -> tuple[Array, ...]:
    """Return the shares of the four pixels around places inside the image."""
    height, width = image.shape[1:]
    y0, x0 = np.floor(y).astype(int), np.floor(x).astype(int)
    y1, x1 = np.minimum(y0 + 1, height - 1), np.minimum(x0 + 1, width - 1)
    dy, dx = y - y0, x - x0
    return (
        (1 - dy) * (1 - dx) * image[:, y0, x0],
        (1 - dy) * dx * image[:, y0, x1],
        dy * (1 - dx) * image[:, y1, x0],
        dy * dx * image[:, y1, x1],
    )


def _cells(image: Array, rows: Array, columns: Array, mode: str) -> Array:
    """Return the mean (or maximum) of the samples of each cell; rows and columns per cell."""
    _, places, inside = sampled(rows, columns, image.shape[1:])
    parts = corner_parts(image, places[..., 0], places[..., 1])
    if mode == "max":
        return np.asarray((np.maximum.reduce(parts) * inside).max((-1, -2)))
    return np.asarray((sum(parts) * inside).mean((-1, -2)))


@standard("NonMaxSuppression", open_dims=True)
def non_max_suppression(
    boxes: Array,
    scores: Array,
    most: Array | None,
    overlap: Array | None,
    least: Array | None,
    *,
    center_point_box: int = 0,
) -> Array:
    """Choose the best boxes of each class that do not overlap better ones."""
    limit = 0 if most is None else int(most.reshape(-1)[0])
    threshold = 0.0 if overlap is None else float(overlap.reshape(-1)[0])
    chosen: list[tuple[int, int, int]] = []
    for batch, kind in product(range(scores.shape[0]), range(scores.shape[1])):
        corners = _corners(boxes[batch], bool(center_point_box))
        values = scores[batch, kind]
        order = np.argsort(-values, kind="stable")
        if least is not None:
            order = order[values[order] > least.reshape(-1)[0]]
        kept: list[int] = []
        for number in order.tolist():
            if len(kept) >= limit:
                break
            if all(_share(corners[number], corners[other]) <= threshold for other in kept):
                kept.append(number)
        chosen += [(batch, kind, number) for number in kept]
    return np.array(chosen, np.int64).reshape(-1, 3)


def _corners(boxes: Array, by_centre: bool) -> Array:
    if by_centre:
        x, y, width, height = boxes.T
        boxes = np.stack([y - height / 2, x - width / 2, y + height / 2, x + width / 2], 1)
    first, second = boxes[:, :2], boxes[:, 2:]
    return np.concatenate([np.minimum(first, second), np.maximum(first, second)], 1)


def _share(a: Array, b: Array) -> float:
    """Return the intersection of two boxes over their union."""
    extent = np.maximum(np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]), 0)
    common = float(extent[0] * extent[1])
    union = float(np.prod(a[2:] - a[:2]) + np.prod(b[2:] - b[:2])) - common
    return common / union if common > 0 and union > 0 else 0.0
