"""Steps on NumPy arrays, one module beside each family of kernels; importing this binds them."""

from aidge_nb.kernels.cpu import (
    convolution_fixed,
    elementwise_fixed,
    linear_fixed,
    moving_fixed,
    normalization_fixed,
    pooling_fixed,
    reduction_fixed,
)

__all__ = [
    "convolution_fixed",
    "elementwise_fixed",
    "linear_fixed",
    "moving_fixed",
    "normalization_fixed",
    "pooling_fixed",
    "reduction_fixed",
]
