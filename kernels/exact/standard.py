"""Functions of the ONNX standard that the exact arithmetic has, each named here on purpose.

Those on quantized numbers are exact as they are: sums are whole numbers, and scaling them back is
one product and one rounding to even.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from aidge_nb.kernels.exact.recurrent import dynamic_quantize_lstm, recurrent
from aidge_nb.kernels.registry import find_standard_kernel
from aidge_nb.kernels.standard import MICROSOFT, OURS, TFLITE, StandardKernel

SHARED_STANDARD = frozenset(
    (
        *("QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear"),
        *("QLinearConv", "QLinearMatMul", "ConvInteger", "MatMulInteger"),
        *("QLinearAdd", "QLinearMul", "QLinearLeakyRelu", "QLinearSigmoid", "QLinearConcat"),
        *("QLinearGlobalAveragePool", "QLinearAveragePool", "QLinearSoftmax"),
        *("MatMulIntegerToFloat", "DynamicQuantizeMatMul", "QGemm", "LookUp"),
        *("Rescale", "ResizeCodes"),
        *("QLinearConvTranspose", "QLinearReduceMean", "QuantizeImage"),
        *("QLinearTanh", "QLinearRescale", "QLinearPRelu", "QLinearDiv"),
        *("QLinearSquaredDifference", "QLinearBilinear", "QLinearLSTM"),
    )
)
"""Operators of ONNX and com.microsoft for which ``exact`` takes the function of ``cpu``."""

_DOMAINS = ("", MICROSOFT, OURS, TFLITE)
_RECURRENT = ("RNN", "GRU", "LSTM")


def find_exact_standard(op_type: str, domain: str = "") -> StandardKernel | None:
    """Find the function of an operator that only ONNX declares; None without one."""
    found = find_standard_kernel(op_type, domain) if domain in _DOMAINS else None
    if found is not None and op_type in _RECURRENT:
        return replace(found, function=partial(recurrent, op_type), options=None)
    if found is not None and op_type == "DynamicQuantizeLSTM":
        return replace(found, function=dynamic_quantize_lstm, options=None)
    return found if op_type in SHARED_STANDARD else None
