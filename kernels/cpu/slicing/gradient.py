"""Gradients of operators that cut tensors, put them together, pad and repeat them."""

from __future__ import annotations

from typing import Any

import numpy as np

from aidge_nb.core.dims import axis_of
from aidge_nb.kernels.cpu.common.arrays import Array, Ints, given_back, optional
from aidge_nb.kernels.cpu.slicing.forward import SOURCES, padded_places, parts_along, taken_slices
from aidge_nb.kernels.gradients import Recorded, gradient, standard_gradient
from aidge_nb.ops import slicing as specs
from aidge_nb.ops.rules import split_sizes


@gradient(specs.SLICE, inputs=(1, 2, 3, 4))
def slice_(run: Recorded, *, starts: Ints, ends: Ints, axes: Ints, steps: Ints) -> Array:
    """Put back what was kept, with zeros elsewhere."""
    result = np.zeros(run.x.shape, run.dy.dtype)
    tensors = [run.optional(index) for index in range(1, 5)]
    result[taken_slices(run.x.shape, tensors, (starts, ends, axes, steps))] = run.dy
    return result


@gradient(specs.CONCAT)
def concat(run: Recorded, *, axis: int) -> tuple[Array, ...]:
    """Cut where the inputs met."""
    along = axis_of(int(axis), run.dy.ndim)
    sizes = [run.input(index).shape[along] for index in range(len(run.inputs))]
    return tuple(map(np.ascontiguousarray, parts_along(run.dy, along, sizes)))


@gradient(specs.SPLIT, inputs=(1,))
def split(run: Recorded, *, axis: int, split: Ints, nb_outputs: int) -> Array:
    """Put the parts together; one from which nothing came back counts as zeros."""
    along = axis_of(int(axis), run.x.ndim)
    count = int(nb_outputs)
    sizes = split_sizes(run.x.shape[along], count, optional(run.optional(1), split))
    shapes = [(*run.x.shape[:along], size, *run.x.shape[along + 1 :]) for size in sizes]
    return np.concatenate(
        [
            np.zeros(shape, run.x.dtype) if grad is None else grad
            for shape, grad in zip(shapes, run.grads, strict=True)
        ],
        axis=along,
    )


@gradient(specs.PAD, inputs=(1, 3))
def pad(run: Recorded, *, mode: str, pads: Ints, axes: Ints) -> tuple[Array | None, ...]:
    """Leave out what was added; where it was taken from the data, add it to where it came from."""
    x, dy = run.x, run.dy
    amounts = specs.padding_of(
        x.ndim, optional(run.optional(1), pads), optional(run.optional(3), axes)
    )
    if mode in SOURCES:
        for axis, (before, behind) in reversed(list(enumerate(amounts))):
            if before or behind:
                size = x.shape[axis]
                dy = given_back(dy, padded_places(mode, size, before, behind), axis, size)
        return (dy,)
    inner: list[Any] = []
    kept: list[Any] = []
    for size, (before, behind) in zip(x.shape, amounts, strict=True):
        inner.append(slice(max(0, before), size + before + behind - max(0, behind)))
        kept.append(slice(max(0, -before), size - max(0, -behind)))
    result = np.zeros(x.shape, dy.dtype)
    result[tuple(kept)] = dy[tuple(inner)]
    value = run.optional(2)
    if value is None or mode != "constant" or 2 not in run.wanted:
        return (result,)
    added = np.asarray(dy.sum() - result.sum(), dy.dtype)
    return result, None, np.broadcast_to(added, value.shape).copy()


@gradient(specs.TILE, inputs=(1,))
def tile(run: Recorded) -> Array:
    """Add up the copies."""
    repeats = [int(count) for count in run.input(1).ravel()]
    pairs = [n for pair in zip(repeats, run.x.shape, strict=True) for n in pair]
    return np.asarray(run.dy.reshape(pairs).sum(axis=tuple(range(0, len(pairs), 2))))


@gradient(specs.TRILU, inputs=(1,))
def trilu(run: Recorded, *, upper: bool, k: int) -> Array:
    """Pass in the triangle that was kept."""
    (offset,) = map(int, optional(run.optional(1), (k,)))
    return np.triu(run.dy, offset) if upper else np.tril(run.dy, offset)


# --- ONNX operators without a declaration ---------------------------------------------------------


@standard_gradient("ReverseSequence", inputs=(1,))
def reverse_sequence(run: Recorded, *, batch_axis: int = 1, time_axis: int = 0) -> Array:
    """Reverse once more."""
    result = np.array(run.dy)
    rows = np.moveaxis(result, (batch_axis, time_axis), (0, 1))
    for row, length in enumerate(run.input(1).tolist()):
        rows[row, :length] = rows[row, :length][::-1].copy()
    return result
