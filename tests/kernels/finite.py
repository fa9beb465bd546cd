"""Gradients by finite differences: the slow way that needs to know nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tests.kernels.case import Array

Arrays = Sequence[Array | None]
Function = Callable[[Arrays], Sequence[Array]]

STEP = 1e-6
TOLERANCE = 1e-5  # of what the slopes add up to at most; the differences are good to about 1e-8


def is_float(array: Array | None) -> bool:
    """Whether an array has a gradient at all."""
    return array is not None and array.dtype.kind == "f"


def directions(array: Array, rng: np.random.Generator, most: int = 24) -> list[Array]:
    """Give the unit vectors of a small array, and random directions of a large one."""
    if array.size <= most:
        units = np.eye(array.size, dtype=array.dtype)
        return [unit.reshape(array.shape) for unit in units]
    return [rng.standard_normal(array.shape).astype(array.dtype) for _ in range(8)]


def slope(
    function: Function, arrays: Arrays, index: int, direction: Array, grads: Arrays
) -> tuple[float, float]:
    """Give how Σ outputs · grads grows along a direction of one input, and its scale."""
    sides = []
    for sign in (1, -1):
        moved = list(arrays)
        given = arrays[index]
        assert given is not None
        moved[index] = given + sign * STEP * direction
        sides.append(function(moved))
    total = scale = 0.0
    for up, down, grad in zip(*sides, grads, strict=True):
        if grad is not None:
            same = up == down  # infinities, too
            growth = np.subtract(up, down, out=np.zeros_like(up), where=~same)
            parts = growth / (2 * STEP) * grad
            total += float(parts.sum())
            scale += float(np.abs(parts).sum())
    return total, scale


def check_gradients(function: Function, arrays: Arrays, grads: Arrays, found: Arrays) -> None:
    """Compare gradients of inputs with slopes; those that are None are left out."""
    rng = np.random.default_rng(0)
    for index, (array, gradient) in enumerate(zip(arrays, found, strict=True)):
        if array is None or gradient is None:
            continue
        assert gradient.shape == array.shape, f"input {index}"
        assert gradient.dtype == array.dtype, f"input {index}"
        for direction in directions(array, rng):
            expected, scale = slope(function, arrays, index, direction, grads)
            ours = float((gradient * direction).sum())
            scale = max(1.0, scale, float(np.abs(gradient * direction).sum()))
            assert abs(ours - expected) <= TOLERANCE * scale, (
                f"input {index}: expected {expected}, found {ours}"
            )
