"""Operators of ONNX that have a function and no declaration, one module per family."""

from aidge_nb.kernels.cpu.standard import (
    attention,
    casting,
    control,
    convolving,
    learning,
    losses,
    normalizing,
    pooling,
    quantization,
    random,
    recurrent,
    sampling,
    sequences,
    signal,
    text,
    various,
)

__all__ = [
    "attention",
    "casting",
    "control",
    "convolving",
    "learning",
    "losses",
    "normalizing",
    "pooling",
    "quantization",
    "random",
    "recurrent",
    "sampling",
    "sequences",
    "signal",
    "text",
    "various",
]
