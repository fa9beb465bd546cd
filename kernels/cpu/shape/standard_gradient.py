"""Gradients of Cast and Dropout as ONNX has them."""

from __future__ import annotations

import numpy as np

from aidge_nb.core.errors import ShapeError
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.gradients import Recorded, standard_gradient


@standard_gradient("Dropout", inputs=(1, 2), outputs=(1,))
def dropout(run: Recorded, *, ratio: float = 0.5) -> Array:
    """Pass everything, and in training what was kept.

    Raise ShapeError when it is not known what was kept.
    """
    rate, training = run.optional(1), run.optional(2)
    if training is None or not training:
        return run.dy
    mask = run.outputs[1] if len(run.outputs) > 1 else None
    if mask is None:
        cure = "Read the mask in the model, too."
        raise ShapeError.at("output#1", "it is not known what was kept", cure=cure)
    return np.asarray(run.dy * mask / (1 - (ratio if rate is None else float(rate))))


@standard_gradient("Cast", "CastLike")
def cast(run: Recorded) -> Array:
    """Convert the gradient to the type of the input."""
    return run.dy.astype(run.x.dtype, copy=False)
