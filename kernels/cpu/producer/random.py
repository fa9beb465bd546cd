"""Random values.

Other runtimes draw other numbers from the same seed: equal seeds give equal numbers here alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aidge_nb.core.limits import need_room
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.formats import TYPES, holder
from aidge_nb.kernels.standard import standard


def _generator(seed: float | None) -> np.random.Generator:
    if seed is None:
        return np.random.default_rng()
    return np.random.default_rng(int(np.float32(seed).view(np.uint32)))


@standard("RandomUniform")
def uniform(
    *,
    shape: Sequence[int],
    dtype: int = 1,
    high: float = 1.0,
    low: float = 0.0,
    seed: float | None = None,
) -> Array:
    """Draw from low to high."""
    need_room(shape)
    drawn = _generator(seed).uniform(low, high, tuple(shape))
    return np.asarray(drawn, holder(TYPES[dtype]))


@standard("RandomUniformLike")
def uniform_like(
    x: Array, *, dtype: int = 0, high: float = 1.0, low: float = 0.0, seed: float | None = None
) -> Array:
    """Draw from low to high, as many as ``x`` has elements."""
    drawn = _generator(seed).uniform(low, high, x.shape)
    return np.asarray(drawn, holder(TYPES[dtype]) if dtype else x.dtype)


@standard("RandomNormal")
def normal(
    *,
    shape: Sequence[int],
    dtype: int = 1,
    mean: float = 0.0,
    scale: float = 1.0,
    seed: float | None = None,
) -> Array:
    """Draw from a normal distribution."""
    need_room(shape)
    drawn = _generator(seed).normal(mean, scale, tuple(shape))
    return np.asarray(drawn, holder(TYPES[dtype]))


@standard("RandomNormalLike")
def normal_like(
    x: Array, *, dtype: int = 0, mean: float = 0.0, scale: float = 1.0, seed: float | None = None
) -> Array:
    """Draw from a normal distribution, as many as ``x`` has elements."""
    drawn = _generator(seed).normal(mean, scale, x.shape)
    return np.asarray(drawn, holder(TYPES[dtype]) if dtype else x.dtype)


@standard("Bernoulli")
def bernoulli(x: Array, *, dtype: int = 0, seed: float | None = None) -> Array:
    """Draw 1 with the probability that each element says, else 0."""
    drawn = _generator(seed).random(x.shape) < x
    return np.asarray(drawn, holder(TYPES[dtype]) if dtype else x.dtype)


@standard("Multinomial")
def multinomial(
    x: Array, *, dtype: int = 6, sample_size: int = 1, seed: float | None = None
) -> Array:
    """Draw classes with the probabilities whose logarithms ``x`` gives, up to a constant."""
    wide = x.astype(np.float64)
    weights = np.exp(wide - wide.max(1, keepdims=True))
    steps = np.cumsum(weights / weights.sum(1, keepdims=True), 1)
    need_room((sample_size, *x.shape))
    drawn = _generator(seed).random((len(x), sample_size))
    return np.asarray((drawn[:, :, None] > steps[:, None, :]).sum(-1), holder(TYPES[dtype]))
