"""NumPy gradients, one module beside each family of kernels; importing this binds them all."""

from aidge_nb.kernels.cpu import (
    activation_gradient,
    arithmetic_gradient,
    convolution_gradient,
    indexing_gradient,
    linear_gradient,
    maths_gradient,
    normalization_gradient,
    pooling_gradient,
    reduction_gradient,
    resampling_gradient,
    shape_gradient,
    slicing_gradient,
)

__all__ = [
    "activation_gradient",
    "arithmetic_gradient",
    "convolution_gradient",
    "indexing_gradient",
    "linear_gradient",
    "maths_gradient",
    "normalization_gradient",
    "pooling_gradient",
    "reduction_gradient",
    "resampling_gradient",
    "shape_gradient",
    "slicing_gradient",
]
