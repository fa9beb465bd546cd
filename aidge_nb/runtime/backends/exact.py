"""The backend ``exact``: run operators with NumPy kernels whose every bit is defined.

The arithmetic is described in :mod:`aidge_nb.kernels.exact`; exported C gives the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from numpy.typing import NDArray

from aidge_nb.core.errors import AidgeError, saying_where
from aidge_nb.graph.backend import register_backend
from aidge_nb.graph.operator import Operator
from aidge_nb.runtime.backends.cpu import CpuImpl, MetaImpl, make_from
from aidge_nb.scheduling.model.impl import OperatorImpl

Arrays = Sequence[NDArray[Any] | None]


class ExactImpl(CpuImpl):
    """Run one operator with its exact NumPy kernel."""


class ExactMetaImpl(MetaImpl):
    """Run a meta-operator by its micro-graph, or one that follows a Pad without padding."""

    def forward(self) -> None:
        """Run the operator on its tensors."""
        if not self._forward_window():
            super().forward()

    def _forward_window(self) -> bool:
        """Run an operator that follows a Pad; return False for others."""
        from aidge_nb.kernels.padded import inner_window

        window = inner_window(self._operator)
        if window is None:
            return False
        arrays = [self._input_array(index) for index in range(window.nb_inputs)]
        with saying_where(self._operator.label):
            self._operator.get_output(0).set_array(self.compute_window(arrays))
        return True

    def compute_window(self, arrays: Arrays) -> NDArray[Any]:
        """Compute the output of an operator that follows a Pad."""
        from aidge_nb.kernels.exact.padded import compute_window
        from aidge_nb.kernels.padded import inner_window

        window, (x, *others) = inner_window(self._operator), arrays
        if window is None or x is None:
            raise AidgeError.at(self._operator.label, "is not an operator that follows a Pad")
        return compute_window(window, x, others)


def compute_standard(operator: Operator, arrays: Arrays) -> tuple[NDArray[Any], ...] | None:
    """Compute an operator that only ONNX declares; None when it has no exact function."""
    from aidge_nb.kernels.exact.standard import find_exact_standard

    compute: Callable[..., tuple[NDArray[Any], ...]] | None = getattr(operator, "compute", None)
    domain = getattr(operator, "domain", None)
    kernel = None if domain is None else find_exact_standard(operator.type(), domain)
    return None if compute is None or kernel is None else compute(arrays, kernel)


class ExactOnnxImpl(OperatorImpl):
    """Run an operator that only ONNX declares."""

    def run(self, arrays: Arrays) -> tuple[NDArray[Any], ...]:
        """Compute the outputs from arrays."""
        result = compute_standard(self._operator, arrays)
        return super().run(arrays) if result is None else result


register_backend("exact", partial(make_from, ExactImpl, ExactMetaImpl, ExactOnnxImpl))
