"""Gradients of operators that leave the elements alone."""

from __future__ import annotations

import numpy as np

from aidge_nb.core.errors import ShapeError
from aidge_nb.kernels.cpu.common.arrays import Array, Ints, summed_to
from aidge_nb.kernels.gradients import Recorded, gradient, standard_gradient, without_gradient
from aidge_nb.ops import shape as specs
from aidge_nb.ops.rules import axes_of

without_gradient(
    specs.SHAPE, specs.SIZE, reason="gives dimensions, which do not depend on the elements"
)


@gradient(specs.RESHAPE, specs.FLATTEN, specs.SQUEEZE, specs.UNSQUEEZE)
def reshaped(run: Recorded) -> Array:
    """Return the dimensions of the input."""
    return run.dy.reshape(run.x.shape)


@gradient(specs.TRANSPOSE)
def transpose(run: Recorded, *, output_dims_order: Ints) -> Array:
    """Put the dimensions back in their order."""
    if not len(output_dims_order):
        return np.array(run.dy.transpose(), order="C")
    order = axes_of(output_dims_order, run.dy.ndim)
    return np.array(run.dy.transpose(np.argsort(order)), order="C")


@gradient(specs.IDENTITY)
def identity(run: Recorded) -> Array:
    """Pass."""
    return run.dy


@gradient(specs.DROPOUT, inputs=(1, 2), outputs=(1,))
def dropout(run: Recorded, *, probability: float) -> Array:
    """Pass; in training, what was kept, scaled as it was."""
    training, ratio, kept = run.optional(2), run.optional(1), run.outputs[1]
    if training is None or not training.reshape(-1)[0] or kept is None:
        return run.dy
    share = float(probability if ratio is None else ratio.reshape(-1)[0])
    return np.asarray(run.dy * kept / np.asarray(max(1 - share, 1e-38), run.dy.dtype))


@standard_gradient("Cast", "CastLike")
@gradient(specs.CAST, specs.CAST_LIKE)
def cast(run: Recorded) -> Array:
    """Convert the gradient to the type of the input."""
    return run.dy.astype(run.x.dtype, copy=False)


@gradient(specs.EXPAND)
def expand(run: Recorded) -> Array:
    """Add up what was repeated."""
    return summed_to(run.dy, run.x.shape)


# --- ONNX operators without a declaration ---------------------------------------------------------


@standard_gradient("Dropout", inputs=(1, 2), outputs=(1,))
def onnx_dropout(run: Recorded, *, ratio: float = 0.5) -> Array:
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
