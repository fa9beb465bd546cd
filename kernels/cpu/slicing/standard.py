"""ReverseSequence."""

from __future__ import annotations

import numpy as np

from aidge_nb.core.errors import ShapeError
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.standard import standard


@standard("ReverseSequence")
def reverse_sequence(x: Array, lengths: Array, *, batch_axis: int = 1, time_axis: int = 0) -> Array:
    """Reverse the beginning of each sequence of a batch."""
    rows = np.moveaxis(x, (batch_axis, time_axis), (0, 1))
    result = rows.copy()
    for row, length in enumerate(lengths.tolist()):
        if not 0 <= length <= rows.shape[1]:
            raise ShapeError.at(
                "input#1", "no such length", expected=f"0 to {rows.shape[1]}", found=length
            )
        result[row, :length] = rows[row, :length][::-1]
    return np.moveaxis(result, (0, 1), (batch_axis, time_axis))
