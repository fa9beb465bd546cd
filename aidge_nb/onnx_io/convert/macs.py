"""Count multiply-accumulates of operators that run as ONNX defines them.

Convolutions, products of matrices, attention and recurrent layers are counted, from the dimensions
of what they read and write; every other operator has none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

from aidge_nb.core.dims import Dims

_MICROSOFT, _OURS, _TFLITE = "com.microsoft", "aidge_nb", "tflite"


class _Unknown(Exception):  # noqa: N818  # it is no error
    """The dimensions of an input are unknown."""


class _Call:
    """The known dimensions and attributes of an operator."""

    def __init__(
        self, inputs: Sequence[Dims | None], output: Dims, attributes: Mapping[str, Any]
    ) -> None:
        self.inputs, self.output, self.attributes = inputs, output, attributes

    def dims(self, index: int) -> Dims:
        found = self.inputs[index] if index < len(self.inputs) else None
        if found is None:
            raise _Unknown
        return found

    def has(self, index: int) -> bool:
        return index < len(self.inputs) and self.inputs[index] is not None


def macs_of(
    kind: str,
    domain: str,
    inputs: Sequence[Dims | None],
    output: Dims,
    attributes: Mapping[str, Any],
) -> int | None:
    """Count the multiply-accumulates of an operator; None while dimensions are unknown.

    ``inputs`` and ``output`` are dimensions: None for inputs that are missing or not known, and
    those of the first output.

    Examples
    --------
    >>> macs_of("MatMulInteger", "", [(2, 3), (3, 5)], (2, 5), {})
    30
    >>> macs_of("Attention", "", [(1, 2, 7, 8), (1, 2, 9, 8), (1, 2, 9, 8)], (1, 2, 7, 8), {})
    2016
    >>> macs_of("Relu", "", [(2, 3)], (2, 3), {})
    0
    """
    count = _COUNTS.get((domain, kind))
    if count is None:
        return 0
    try:
        return count(_Call(inputs, output, attributes))
    except (_Unknown, LookupError, ArithmeticError, ValueError):  # or none that it can take
        return None


def _convolution(weights: int) -> Callable[[_Call], int]:
    return lambda call: prod(call.output) * prod(call.dims(weights)[1:])


def _spread(weights: int) -> Callable[[_Call], int]:
    return lambda call: prod(call.dims(0)) * prod(call.dims(weights)[1:])


def _product(call: _Call) -> int:
    left, is_turned = call.dims(0), bool(call.attributes.get("transA", 0))
    return prod(call.output) * left[-2 if is_turned and len(left) > 1 else -1]


def _attention(call: _Call) -> int:
    """Count the products of queries with keys, and of scores with values."""
    keys = call.dims(1)[-2] + (call.dims(4)[-2] if call.has(4) else 0)
    return keys * (prod(call.dims(0)) + prod(call.output))


def _attention_of_projected(call: _Call) -> int:
    return call.dims(1)[-2] * (prod(call.dims(0)) + prod(call.output))


def _attention_with_projection(call: _Call) -> int:
    """Count the projections to queries, keys and values; queries are as wide as keys."""
    data, weights = call.dims(0), call.dims(1)
    queries = prod(data[:-1]) * (weights[-1] - call.output[-1]) // 2
    return prod(data) * weights[-1] + data[1] * (queries + prod(call.output))


def _linear_attention(call: _Call) -> int:
    """Count updates and reads of each head's state; delta rules read it by key too.

    A decay scales the state, which counts as little as other scales do.
    """
    value, is_packed = call.dims(2), len(call.dims(2)) == 3
    width = value[-1] // (int(call.attributes.get("kv_num_heads", 1)) if is_packed else 1)
    rule = call.attributes.get("update_rule", "gated_delta")
    reads = "delta" in (rule.decode() if isinstance(rule, bytes) else rule)
    return width * (prod(call.dims(0)) + (1 + reads) * prod(call.dims(1)))


def _recurrent(call: _Call) -> int:
    """Count, per step, the products of data and state with all weights."""
    steps, batch = call.dims(0)[:2]
    return steps * batch * (prod(call.dims(1)) + prod(call.dims(2)))


_COUNTS: Mapping[tuple[str, str], Callable[[_Call], int]] = {
    (domain, kind): count
    for domain, kinds, count in (
        ("", "Conv ConvInteger DeformConv CausalConvWithState", _convolution(1)),
        (_MICROSOFT, "FusedConv", _convolution(1)),
        ("", "QLinearConv", _convolution(3)),
        (_TFLITE, "QLinearConv", _convolution(3)),
        ("", "ConvTranspose", _spread(1)),
        (_TFLITE, "QLinearConvTranspose", _spread(3)),
        (_OURS, "QLinearConvTranspose", _spread(3)),
        ("", "MatMul MatMulInteger QLinearMatMul Gemm", _product),
        (_TFLITE, "QGemm QLinearMatMul", _product),
        (_MICROSOFT, "MatMulIntegerToFloat DynamicQuantizeMatMul FusedMatMul", _product),
        (_MICROSOFT, "FusedGemm QGemm", _product),
        ("", "Attention", _attention),
        ("", "LinearAttention", _linear_attention),
        (_MICROSOFT, "MultiHeadAttention", _attention_of_projected),
        (_MICROSOFT, "Attention QAttention", _attention_with_projection),
        ("", "LSTM GRU RNN", _recurrent),
        (_TFLITE, "QLinearLSTM", _recurrent),
    )
    for kind in kinds.split()
}
