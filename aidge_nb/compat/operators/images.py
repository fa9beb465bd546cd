"""Images: regions, boxes and sampling, with the inputs and attributes of Aidge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.compat.operators.declare import node_of, operator, same
from aidge_nb.core.dtype import DType
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import ShapeContext

Array = NDArray[Any]
Shapes = Sequence[Sequence[int]]
UNSEEDED = -(2**63)
"""Aidge's default of a seed: another result each time."""


@operator(
    "ConnectedComponentLabeling",
    "data_input",
    same,
    lambda context: [DType.uint32],
)
def label_components(x: Array, *, use_eight_connectivity: bool = True) -> Array:
    """Number the regions of each image, in the order of their first elements."""
    labels = np.zeros(x.shape, np.uint32)
    for image, found in zip(
        x.reshape(-1, *x.shape[-2:]), labels.reshape(-1, *x.shape[-2:]), strict=True
    ):
        _label(image != 0, found, use_eight_connectivity)
    return labels


def _label(image: Array, labels: Array, diagonal: bool) -> None:
    steps = [(0, 1), (1, 0), (0, -1), (-1, 0)]
    steps += [(1, 1), (1, -1), (-1, 1), (-1, -1)] if diagonal else []
    rows, columns = image.shape
    count = 0
    for first in zip(*np.nonzero(image), strict=True):
        if labels[first]:
            continue
        count += 1
        labels[first] = count
        open_places = [first]
        while open_places:
            row, column = open_places.pop()
            for down, right in steps:
                place = row + down, column + right
                inside = 0 <= place[0] < rows and 0 <= place[1] < columns
                if inside and image[place] and not labels[place]:
                    labels[place] = count
                    open_places.append(place)


def ConnectedComponentLabeling(use_eight_connectivity: bool = True, name: str = "") -> Node:
    """Make a node that numbers the connected regions of images, the last two axes.

    Parameters
    ----------
    use_eight_connectivity
        Whether elements that touch at a corner are connected.
    name
        Name of the node.
    """
    return node_of(
        "ConnectedComponentLabeling", name, use_eight_connectivity=use_eight_connectivity
    )


@operator(
    "GridSample",
    "data_input grid_field",
    lambda context: [[*context.dim(0)[:2], *context.dim(1)[1:-1]]],
)
def grid_sample(
    x: Array, grid: Array, *, mode: str, padding_mode: str, align_corners: bool
) -> Array:
    """Read images at the places that a grid gives."""
    from aidge_nb.kernels.cpu.resampling.standard import grid_sample as of_onnx

    return of_onnx(x, grid, mode=mode, padding_mode=padding_mode, align_corners=int(align_corners))


def GridSample(mode: str, padding_mode: str, align_corners: bool, name: str = "") -> Node:
    """Make a node that reads images at the places that a grid gives, last coordinate first.

    Parameters
    ----------
    mode
        ``nearest``, ``linear`` or ``cubic``.
    padding_mode
        What lies outside: ``zeros``, ``border`` or ``reflection``.
    align_corners
        Whether -1 and 1 are the middles of the outermost elements, or their edges.
    name
        Name of the node.
    """
    return node_of(
        "GridSample", name, mode=mode, padding_mode=padding_mode, align_corners=align_corners
    )


def _most(context: ShapeContext) -> int:
    if context.present(2):
        return int(context.value(2).reshape(-1)[0])
    return int(context.attrs["max_output_boxes_per_class"])


@operator(
    "NonMaxSuppression",
    "boxes scores max_output_boxes_per_class? iou_threshold? score_threshold?",
    lambda context: [[context.dim(1)[0] * context.dim(1)[1] * _most(context), 3], [1, 1]],
    lambda context: [DType.int64, DType.float32],
    ("selected_indices", "selected_count"),
)
def suppress(
    boxes: Array,
    scores: Array,
    most: Array | None,
    overlap: Array | None,
    least: Array | None,
    *,
    center_point_box: int = 0,
    max_output_boxes_per_class: int = 0,
    iou_threshold: float = 0.0,
    score_threshold: float = 0.0,
) -> tuple[Array, Array]:
    """Choose boxes; rows that are left are zeros, and their number is counted."""
    from aidge_nb.kernels.cpu.images.regions import non_max_suppression

    limit = np.array([max_output_boxes_per_class]) if most is None else most
    share = np.array([iou_threshold]) if overlap is None else overlap
    score = np.array([score_threshold]) if least is None else least
    found = non_max_suppression(
        boxes, scores, limit, share, score, center_point_box=center_point_box
    )
    rows = np.zeros((scores.shape[0] * scores.shape[1] * int(limit.reshape(-1)[0]), 3), np.int64)
    rows[: len(found)] = found
    return rows, np.full((1, 1), len(found), np.float32)


def NonMaxSuppression(
    center_point_box: int = 0,
    max_output_boxes_per_class: int = 0,
    iou_threshold: float = 0.0,
    score_threshold: float = 0.0,
    name: str = "",
) -> Node:
    """Make a node that chooses the best boxes that do not overlap better ones.

    The first output has room for ``max_output_boxes_per_class`` rows of each class; the second
    says how many are used.

    Parameters
    ----------
    center_point_box
        0 for boxes as two corners, 1 for centre, width and height.
    max_output_boxes_per_class
        How many are chosen at most.
    iou_threshold
        Largest share of a box that may overlap a better one.
    score_threshold
        Score above which boxes are looked at.
    name
        Name of the node.
    """
    return node_of(
        "NonMaxSuppression",
        name,
        center_point_box=center_point_box,
        max_output_boxes_per_class=max_output_boxes_per_class,
        iou_threshold=iou_threshold,
        score_threshold=score_threshold,
    )


@operator(
    "DropBlock",
    "data_input",
    lambda context: [context.dim(0)] * 2,
    lambda context: [context.dtypes[0] or DType.float32, DType.boolean],
    ("data_output", "mask"),
)
def drop_block(
    x: Array,
    *,
    drop_prob: float = 0.1,
    block_size: int = 7,
    training_mode: bool = True,
    seed: int = UNSEEDED,
) -> tuple[Array, Array]:
    """Drop blocks of images while a network learns, and make up for them."""
    kept = np.ones(x.shape, bool)
    rows, columns = x.shape[-2:]
    size = min(block_size, rows, columns)
    if not training_mode or drop_prob <= 0:
        return x.copy(), kept
    rng = np.random.default_rng(None if seed == UNSEEDED else abs(seed))
    places = (rows - size + 1) * (columns - size + 1)
    rate = drop_prob * rows * columns / (size * size * places)
    corners = rng.random((*x.shape[:-2], rows - size + 1, columns - size + 1)) < rate
    for *image, row, column in np.argwhere(corners).tolist():
        block: tuple[Any, ...] = (*image, slice(row, row + size), slice(column, column + size))
        kept[block] = False
    return (x * kept * (kept.size / max(1, kept.sum()))).astype(x.dtype), kept


def DropBlock(
    drop_prob: float = 0.1,
    block_size: int = 7,
    training_mode: bool = True,
    seed: int = UNSEEDED,
    name: str = "",
) -> Node:
    """Make a node that drops blocks of its input while a network learns.

    Source: G. Ghiasi and others, DropBlock, 2018. Which blocks differs from Aidge's choice.

    Parameters
    ----------
    drop_prob
        Share of the elements that are dropped.
    block_size
        Rows and columns of a block.
    training_mode
        Whether to drop anything.
    seed
        Where the choice begins.
    name
        Name of the node.
    """
    return node_of(
        "DropBlock",
        name,
        drop_prob=drop_prob,
        block_size=block_size,
        training_mode=training_mode,
        seed=seed,
    )
