"""Gradients of matrix products of ONNX without a declaration."""

from __future__ import annotations

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.linear.gradient import gemm
from aidge_nb.kernels.gradients import Recorded, standard_gradient

standard_gradient("Gemm", inputs=(0, 1))(gemm)


@standard_gradient("Det", inputs=(0,), outputs=(0,))
def det(run: Recorded) -> Array:
    """Pass dy det(x) x⁻ᵀ (Jacobi's formula); x must have an inverse."""
    inverse = np.linalg.inv(run.x).swapaxes(-1, -2)
    return np.asarray((run.dy * run.y)[..., None, None] * inverse)
