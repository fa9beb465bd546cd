"""Gradient of ReverseSequence."""

from __future__ import annotations

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.gradients import Recorded, standard_gradient


@standard_gradient("ReverseSequence", inputs=(1,))
def reverse_sequence(run: Recorded, *, batch_axis: int = 1, time_axis: int = 0) -> Array:
    """Reverse once more."""
    result = np.array(run.dy)
    rows = np.moveaxis(result, (batch_axis, time_axis), (0, 1))
    for row, length in enumerate(run.input(1).tolist()):
        rows[row, :length] = rows[row, :length][::-1].copy()
    return result
