"""Products of quantized matrices of the domain com.microsoft, and the recurrent layer of them.

Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.quantization.standard import (
    divisor,
    dynamic_quantize_linear,
    int32_sum,
    integer_product,
    is_wide,
    requantized,
)
from aidge_nb.kernels.cpu.recurrent.cells import LongCell
from aidge_nb.kernels.cpu.recurrent.standard import Layer, RecurrentOptions
from aidge_nb.kernels.standard import MICROSOFT, Codes, standard


@standard("MatMulIntegerToFloat", domain=MICROSOFT)
def mat_mul_integer_to_float(
    a: Array,
    b: Array,
    a_scale: Array,
    b_scale: Array,
    a_zero: Array | None,
    b_zero: Array | None,
    bias: Array | None,
) -> Array:
    """Multiply matrices of quantized numbers; the result is float32."""
    total = integer_product(a, b, a_zero, b_zero).astype(np.float32)
    result = total * (a_scale.astype(np.float32) * b_scale)
    return np.asarray(result if bias is None else result + bias, np.float32)


@standard("DynamicQuantizeMatMul", domain=MICROSOFT)
def dynamic_quantize_mat_mul(
    a: Array, b: Array, b_scale: Array, b_zero: Array | None, bias: Array | None
) -> Array:
    """Quantize the left matrix to uint8 as its data ask for, multiply, and give float32."""
    codes, scale, zero = dynamic_quantize_linear(a)
    return mat_mul_integer_to_float(codes, b, scale, b_scale, zero, b_zero, bias)


@standard("QGemm", domain=MICROSOFT)
def q_gemm(
    a: Codes[Array],
    b: Codes[Array],
    c: Array | None,
    y_scale: Array | None,
    y_zero: Array | None,
    *,
    alpha: float = 1.0,
    transA: int = 0,
    transB: int = 0,
) -> Array:
    """Return A B + C of quantized matrices, quantized where an output scale is given."""
    left, right = a.codes.T if transA else a.codes, b.codes.T if transB else b.codes
    total = integer_product(left, right, a.zero, b.zero)
    if c is not None:
        wide = total.astype(np.int64) + c
        total = wide if is_wide(left, right) else int32_sum(wide)
    factor = np.float32(alpha) * a.scale.astype(np.float32) * b.scale
    if y_scale is None:
        return np.asarray(total.astype(np.float32) * factor, np.float32)
    like = left.dtype if y_zero is None else y_zero.dtype
    return requantized(total, np.asarray(factor / divisor(y_scale)), y_zero, like)


Scaled = tuple[Array, Array | None]
"""Scale and zero point of a matrix of weights: one, or one per gate and unit."""


@dataclass
class QuantizedLongCell(LongCell):
    """A cell of an LSTM whose weights are codes, and whose data are quantized as they come."""

    data: Scaled = field(init=False)
    state: Scaled = field(init=False)

    def of_data(self, x: Array, w: Array) -> Array:
        """Return W x of all steps at once, quantized by one range."""
        scale, zero = self.data
        return dynamic_quantize_mat_mul(x, w.T, scale, zero, None)

    def of_state(self, h: Array) -> Array:
        """Return R h, quantized by the range of this step."""
        scale, zero = self.state
        return dynamic_quantize_mat_mul(h, self.r.T, scale, zero, None)


@standard("DynamicQuantizeLSTM", domain=MICROSOFT, options=RecurrentOptions)
def dynamic_quantize_lstm(
    x: Array,
    w: Array,
    r: Array,
    b: Array | None,
    lengths: Array | None,
    initial_h: Array | None,
    initial_c: Array | None,
    p: Array | None,
    w_scale: Array,
    w_zero: Array,
    r_scale: Array,
    r_zero: Array,
    *,
    options: RecurrentOptions,
    input_forget: int = 0,
) -> tuple[Array, ...]:
    """Run long short-term memory with weights of 8 bits.

    Weights are ``[directions, inputs, 4 hidden]`` and ``[directions, hidden, 4 hidden]``: those of
    LSTM, transposed. Gates and states are float32; the data are quantized to uint8 by the range of
    the whole sequence, the state by that of each step.
    """
    biases = np.zeros((len(r), 2 * r.shape[2]), x.dtype) if b is None else b
    turned = r.swapaxes(1, 2)
    cells = options.cells(QuantizedLongCell, turned, biases, p, variant=bool(input_forget))
    for index, cell in enumerate(cells):
        if isinstance(cell, QuantizedLongCell):
            cell.data = w_scale[index], w_zero[index]
            cell.state = r_scale[index], r_zero[index]
    return Layer(x, lengths, options).run(w.swapaxes(1, 2), cells, initial_h, initial_c)
