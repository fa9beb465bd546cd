"""Functions of the ONNX standard that the exact arithmetic has, each named here on purpose.

Those on quantized numbers are exact as they are: sums are whole numbers, and scaling them back is
one product and one rounding to even.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from aidge_nb.kernels.exact.recurrent import gru, lstm, rnn
from aidge_nb.kernels.find import find_standard_kernel
from aidge_nb.kernels.standard import StandardKernel

SHARED_STANDARD = frozenset(
    (
        *("QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear"),
        *("QLinearConv", "QLinearMatMul", "ConvInteger", "MatMulInteger"),
    )
)
"""ONNX operators for which ``exact`` takes the function of ``cpu``."""

_OWN: dict[str, Callable[..., Any]] = {"RNN": rnn, "GRU": gru, "LSTM": lstm}


def find_exact_standard(op_type: str, domain: str = "") -> StandardKernel | None:
    """Find the function of an operator that only ONNX declares; None without one."""
    found = find_standard_kernel(op_type, domain) if domain == "" else None
    if found is not None and op_type in _OWN:
        return replace(found, function=_OWN[op_type])
    return found if op_type in SHARED_STANDARD else None
