"""Small quantized models, in both forms: operators on codes (QLinear), and between codes (QDQ)."""

from __future__ import annotations

import numpy as np

from aidge_nb.graph import GraphView
from aidge_nb.onnx_io import load_onnx
from aidge_nb.zoo.builder import ModelBuilder


class Quantized(ModelBuilder):
    """A builder that knows scales and zero points."""

    def scale(self, name: str, value: float, zero: int, dtype: str) -> list[str]:
        """Add a scale and a zero point."""
        return [
            self.constant(f"{name}_scale", np.float32(value)),
            self.constant(f"{name}_zero", np.array(zero, dtype)),
        ]

    def codes(self, name: str, dims: tuple[int, ...], dtype: str = "int8") -> str:
        """Add random codes."""
        low = -100 if dtype == "int8" else 0
        return self.constant(name, self._random.integers(low, 100, dims).astype(dtype))


def qlinear(dtype: str = "int8") -> GraphView:
    """Make a model whose layers compute on codes."""
    zero = 3 if dtype == "int8" else 128
    builder = Quantized(f"qlinear_{dtype}", 0)
    value = builder.input("data", (1, 3, 8, 8))
    x = builder.scale("x", 0.02, zero, dtype)
    value = builder.node("QuantizeLinear", [value, *x], "quantize")
    w, y = builder.scale("w", 0.01, 0, "int8"), builder.scale("y", 0.05, zero, dtype)
    weights = builder.codes("conv_weight", (6, 3, 3, 3))
    bias = builder.constant("conv_bias", np.arange(6, dtype=np.int32) * 50)
    value = builder.node(
        "QLinearConv",
        [value, *x, weights, *w, *y, bias],
        "conv",
        kernel_shape=(3, 3),
        pads=(1, 1, 1, 1),
        strides=(2, 2),
    )
    value = builder.node("MaxPool", [value], "pool", kernel_shape=(2, 2), strides=(2, 2))
    value = builder.node(
        "Reshape", [value, builder.constant("shape", np.array([1, 24], np.int64))], "flat"
    )
    v, z = builder.scale("v", 0.02, 0, "int8"), builder.scale("z", 0.1, zero, dtype)
    value = builder.node(
        "QLinearMatMul", [value, *y, builder.codes("fc_weight", (24, 5)), *v, *z], "fc"
    )
    value = builder.node("DequantizeLinear", [value, *z], "dequantize")
    return load_onnx(builder.build({value: (1, 5)}))


def qdq(dtype: str = "int8") -> GraphView:
    """Make a model whose layers compute on numbers, with codes between them."""
    zero = 3 if dtype == "int8" else 128
    builder = Quantized(f"qdq_{dtype}", 0)
    value = builder.input("data", (1, 3, 8, 8))

    def coded(value: str, name: str, scale: float) -> str:
        parameters = builder.scale(name, scale, zero, dtype)
        codes = builder.node("QuantizeLinear", [value, *parameters], f"{name}_q")
        return builder.node("DequantizeLinear", [codes, *parameters], f"{name}_dq")

    def weights(name: str, dims: tuple[int, ...]) -> str:
        codes = builder.codes(f"{name}_codes", dims)
        return builder.node(
            "DequantizeLinear", [codes, *builder.scale(name, 0.01, 0, "int8")], f"{name}_dq"
        )

    value = coded(value, "x", 0.02)
    value = builder.node(
        "Conv", [value, weights("w", (6, 3, 3, 3))], "conv", kernel_shape=(3, 3), strides=(1, 1)
    )
    value = builder.node("Relu", [value], "relu")
    value = coded(value, "y", 0.05)
    value = builder.node("GlobalAveragePool", [value], "pool")
    value = builder.node("Flatten", [value], "flat")
    value = builder.node("Gemm", [value, weights("v", (5, 6))], "fc", transB=1)
    return load_onnx(builder.build({coded(value, "z", 0.1): (1, 5)}))
