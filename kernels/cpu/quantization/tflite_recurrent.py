"""Recurrent layers on codes that round as TensorFlow Lite's reference kernels do.

Gates are input, forget, cell, output; sums and gates have 16 bits, 12 or 15 behind the point.

Source: https://github.com/tensorflow/tflite-micro (tensorflow/lite/micro/kernels)
"""

from __future__ import annotations

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.quantization.fixed_point import rescaled, rescaled_wide
from aidge_nb.kernels.cpu.quantization.interpolated import (
    sigmoid_of_16_bits,
    tangent_of_16_bits,
)
from aidge_nb.kernels.cpu.quantization.tflite import codes_of
from aidge_nb.kernels.standard import TFLITE, standard

_GATE = np.zeros((), np.int16)
_ONE_TO_ONE = (3, 0)  # codes with 12 bits behind the point are places of the table


@standard("QLinearLSTM", domain=TFLITE)
def lstm(
    x: Array,
    w: Array,
    r: Array,
    bias: Array,
    x_zero: Array,
    y_zero: Array,
    by: Array,
    *,
    time_major: int = 0,
) -> Array:
    """Run an LSTM over sequences (batch, time, features), from a state of zeros.

    ``w`` and ``r`` have four gates of weights, ``by`` lines of a multiplier and a shift: of the
    sums of both in each gate, of the products of gates (kept, added, given), of the tangent of the
    cell, and the bound of the cell.
    """
    steps = x.astype(np.int64) - int(x_zero)
    steps = steps if time_major else steps.transpose(1, 0, 2)
    given, fed = w.astype(np.int64), r.astype(np.int64)
    scaled = rescaled_wide if x.dtype == np.int16 else rescaled
    pairs = [(int(multiplier), int(shift)) for multiplier, shift in by]
    bound = pairs[12][0]
    units = w.shape[1]
    hidden = np.zeros((steps.shape[1], units), np.int64)
    cell, outputs = hidden, []
    for step in steps:
        gates = []
        for gate in range(4):
            sums = step @ given[gate].T + bias[gate]
            back = hidden @ fed[gate].T
            total = _kept(scaled(sums, *pairs[gate])) + _kept(scaled(back, *pairs[4 + gate]))
            curve = tangent_of_16_bits if gate == 2 else sigmoid_of_16_bits
            gates.append(curve(_kept(total), _ONE_TO_ONE).astype(np.int64))
        kept = _kept(rescaled(gates[1] * cell, *pairs[8]))
        cell = _kept(kept + _kept(rescaled(gates[0] * gates[2], *pairs[9])))
        cell = np.clip(cell, -bound, bound) if bound else cell
        shown = tangent_of_16_bits(cell, pairs[11]).astype(np.int64)
        codes = codes_of(rescaled(shown * gates[3], *pairs[10]), y_zero)
        hidden = codes.astype(np.int64) - int(y_zero)
        outputs.append(codes)
    result = np.stack(outputs) if outputs else np.zeros((0, *hidden.shape), y_zero.dtype)
    return result if time_major else np.ascontiguousarray(result.transpose(1, 0, 2))


def _kept(x: Array) -> Array:
    return codes_of(x, _GATE).astype(np.int64)
