"""Gradient of Select."""

from __future__ import annotations

from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.gradients import Recorded, gradient
from aidge_nb.ops import sequence


@gradient(sequence.SELECT, inputs=(0,))
def select(run: Recorded) -> tuple[Array | None, ...]:
    """Pass to the branch that was taken."""
    chosen = 1 + int(run.x.reshape(-1)[0])
    return tuple(run.dy if index == chosen else None for index in range(len(run.inputs)))
