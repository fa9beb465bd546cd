"""Checks of gradients of ONNX operators without declaration."""

from __future__ import annotations

from typing import Any

import numpy as np

from aidge_nb.kernels.gradients import Recorded, stand_in
from aidge_nb.kernels.registry import find_standard_gradient, find_standard_kernel
from aidge_nb.kernels.standard import NodeContext
from tests.kernels.case import Array
from tests.kernels.finite import Arrays, check_gradients, is_float

__all__ = ["check", "normal"]


def check(op_type: str, arrays: Arrays, nb_outputs: int, **attributes: Any) -> None:
    opset, domain = attributes.pop("opset", 22), attributes.pop("domain", "")
    kernel = find_standard_kernel(op_type, domain)
    gradient = find_standard_gradient(op_type, domain)
    assert kernel is not None
    assert gradient is not None

    def function(given: Arrays) -> tuple[Array, ...]:
        return kernel(list(given), attributes, NodeContext(opset, nb_outputs))[:nb_outputs]

    outputs = function(arrays)
    rng = np.random.default_rng(5)
    grads = tuple(
        np.asarray(rng.standard_normal(y.shape)) if is_float(y) else None for y in outputs
    )
    every = frozenset(index for index, array in enumerate(arrays) if is_float(array))
    kept_inputs = tuple(
        a if a is None or gradient.reads_input(i) else stand_in(a) for i, a in enumerate(arrays)
    )
    kept_outputs = tuple(
        a if gradient.reads_output(i) else stand_in(a) for i, a in enumerate(outputs)
    )
    run = Recorded(kept_inputs, kept_outputs, grads, every)
    found = gradient(run, {"opset": opset, **attributes})
    padded = [*found, *[None] * (len(arrays) - len(found))]
    assert all(grad is not None for grad, a in zip(padded, arrays, strict=True) if is_float(a))
    check_gradients(function, arrays, grads, padded)


def normal(*dims: int, seed: int = 0) -> Array:
    return np.random.default_rng((seed, *dims)).standard_normal(dims)
