"""Adapters: from a node to the calls that compute it, one module per family of operators."""

from aidge_nb.kernels.c.adapters import (
    arithmetic,
    constants,
    convolution,
    elementwise,
    indexing,
    linear,
    moves,
    normalization,
    pooling,
    quantized,
    recurrent,
    reduction,
    resampling,
    state,
)

__all__ = [
    "arithmetic",
    "constants",
    "convolution",
    "elementwise",
    "indexing",
    "linear",
    "moves",
    "normalization",
    "pooling",
    "quantized",
    "recurrent",
    "reduction",
    "resampling",
    "state",
]
