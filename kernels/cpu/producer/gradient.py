"""Gradients of operators that make tensors."""

from __future__ import annotations

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.gradients import Recorded, gradient, without_gradient
from aidge_nb.ops import producer

without_gradient(
    producer.CONSTANT_OF_SHAPE,
    producer.EYE_LIKE,
    reason="gives constants, which do not depend on the elements of its input",
)


@gradient(producer.RANGE)
def range_(run: Recorded) -> tuple[Array | None, ...]:
    """Pass to the start once and to the step as often as it was taken; the limit only ends."""
    start, delta = run.x, run.input(2)
    times = np.arange(run.dy.size, dtype=run.dy.dtype)
    return (
        np.asarray(run.dy.sum()).reshape(start.shape),
        None,
        np.asarray((run.dy * times).sum()).reshape(delta.shape),
    )
