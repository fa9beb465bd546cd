"""NumPy kernels, one module per family of operators; importing this binds them all."""

from aidge_nb.kernels.cpu import (
    activation,
    arithmetic,
    convolution,
    indexing,
    linear,
    maths,
    normalization,
    pooling,
    producer,
    reduction,
    resampling,
    resize,
    sequence,
    shape,
    slicing,
    transposed_convolution,
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
    "reduction",
    "resampling",
    "resize",
    "sequence",
    "shape",
    "slicing",
    "transposed_convolution",
]
