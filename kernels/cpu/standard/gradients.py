"""Gradients of operators of ONNX without declaration; importing this binds them all."""

from aidge_nb.kernels.cpu.standard import (
    attention_gradient,
    causal_gradient,
    contrib_attention_gradient,
    deformed_gradient,
    fused_gradient,
    fused_normalizing_gradient,
    fused_product_gradient,
    linear_attention_gradient,
    moving_gradient,
    recurrent_gradient,
    regions_gradient,
    sampling_gradient,
    signal_gradient,
    various_gradient,
    windows_gradient,
)

__all__ = [
    "attention_gradient",
    "causal_gradient",
    "contrib_attention_gradient",
    "deformed_gradient",
    "fused_gradient",
    "fused_normalizing_gradient",
    "fused_product_gradient",
    "linear_attention_gradient",
    "moving_gradient",
    "recurrent_gradient",
    "regions_gradient",
    "sampling_gradient",
    "signal_gradient",
    "various_gradient",
    "windows_gradient",
]
