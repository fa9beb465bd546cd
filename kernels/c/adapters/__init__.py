"""Adapters: from a node to the calls that compute it, one module per family of operators."""

from aidge_nb.kernels.c.adapters import (
    activation,
    arithmetic,
    convolution,
    indexing,
    linear,
    maths,
    normalization,
    pooling,
    producer,
    quantization,
    recurrent,
    reduction,
    resampling,
    sequence,
    shape,
    slicing,
)

__all__ = [
    "activation",
    "arithmetic",
    "convolution",
    "indexing",
    "linear",
    "maths",
    "normalization",
    "pooling",
    "producer",
    "quantization",
    "recurrent",
    "reduction",
    "resampling",
    "sequence",
    "shape",
    "slicing",
]
