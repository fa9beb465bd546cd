"""Gradients of operators of ONNX without declaration; importing this binds them all."""

from aidge_nb.kernels.cpu.standard import recurrent_gradient

__all__ = ["recurrent_gradient"]
