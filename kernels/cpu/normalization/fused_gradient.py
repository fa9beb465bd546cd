"""Gradients of normalizations that an optimizer joined with the sums before them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.common.sums import summed_to
from aidge_nb.kernels.cpu.normalization.standard_gradient import (
    layer_normalization,
    simplified_layer_normalization,
)
from aidge_nb.kernels.cpu.quantization.microsoft import MICROSOFT
from aidge_nb.kernels.gradients import Recorded, standard_gradient


@standard_gradient("SkipLayerNormalization", domain=MICROSOFT, inputs=(0, 1, 2, 4))
def skip_layer_normalization(run: Recorded, *, epsilon: float = 1e-12) -> tuple[Array | None, ...]:
    """Pass through mean and deviation to the sum, which is an output, too."""
    rows = (_sum(run, 4), run.input(2), run.optional(3))
    normal = replace(run, inputs=rows, grads=run.grads[:3])
    to_sum, to_gamma, to_beta = layer_normalization(normal, epsilon=epsilon)
    to_x, to_skip, to_bias = _to_terms(run, to_sum, 4)
    return to_x, to_skip, to_gamma, to_beta, to_bias


@standard_gradient("SkipSimplifiedLayerNormalization", domain=MICROSOFT, inputs=(0, 1, 2, 3))
def skip_simplified_layer_normalization(
    run: Recorded, *, epsilon: float = 1e-5
) -> tuple[Array | None, ...]:
    """Pass through the mean square to the sum, which is an output, too."""
    rows = (_sum(run, 3), run.input(2))
    normal = replace(run, inputs=rows, grads=(run.dy, *run.grads[2:3]))
    to_sum, to_gamma = simplified_layer_normalization(normal, epsilon=epsilon)
    to_x, to_skip, to_bias = _to_terms(run, to_sum, 3)
    return to_x, to_skip, to_gamma, to_bias


def _sum(run: Recorded, bias: int) -> Array:
    """Add what was skipped, and the input ``bias`` if there is one."""
    added = run.optional(bias)
    total = run.x + run.input(1)
    return np.asarray(total if added is None else total + added)


def _to_terms(run: Recorded, to_sum: Array | None, bias: int) -> tuple[Array | None, ...]:
    """Give the gradients of what was added up; the sum is output 3."""
    grad = np.asarray(to_sum) + _further(run, 3)
    terms = (run.x, run.input(1), run.optional(bias))
    return tuple(None if term is None else summed_to(grad, term.shape) for term in terms)


def _further(run: Recorded, index: int) -> Array:
    """Give the gradient of a further output; 0 where there is none."""
    grad = run.grads[index] if index < len(run.grads) else None
    return np.zeros((), run.dy.dtype) if grad is None else grad


@standard_gradient("EmbedLayerNormalization", domain=MICROSOFT, inputs=(0, 1, 2, 3, 4, 5, 8))
def embed_layer_normalization(run: Recorded, *, epsilon: float = 1e-12) -> tuple[Array | None, ...]:
    """Pass through mean and deviation, and add to each row of a table where it was looked up."""
    words, segments, segment_table = run.x, run.optional(1), run.optional(4)
    places = run.optional(8)
    if places is None:
        places = np.arange(words.shape[1])[None]
    total = run.input(2)[words] + run.input(3)[places]
    if segments is not None and segment_table is not None:
        total = total + segment_table[segments]
    rows = (total, run.input(5), run.input(6))
    found = layer_normalization(replace(run, inputs=rows, grads=(run.dy,)), epsilon=epsilon)
    to_sum = np.asarray(found[0]) + _further(run, 2)
    return (
        None,
        None,
        _looked_up(run.input(2), words, to_sum),
        _looked_up(run.input(3), places, to_sum),
        None if segment_table is None else _looked_up(segment_table, segments, to_sum),
        *found[1:],
    )


def _looked_up(table: Array, places: Array | None, grad: Array) -> Array:
    """Add each row to where it was taken; nothing was, without places."""
    result = np.zeros(table.shape, grad.dtype)
    if places is not None:
        np.add.at(result, places, summed_to(grad, (*places.shape, table.shape[1])))
    return result
