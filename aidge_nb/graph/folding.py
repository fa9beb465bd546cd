"""Compute values before a graph runs, as far as that is in proportion to the constants in it.

A constant that a file fills, repeats or doubles can be larger than any memory. How much will be
written is known from the dimensions, before anything is allocated.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from numpy.typing import NDArray

from aidge_nb.core.errors import DataDependencyError, LimitError
from aidge_nb.core.limits import MACS_PER_BYTE, PER_CONSTANT, current_limits, over_limit, room
from aidge_nb.graph.backend import make_implementation
from aidge_nb.graph.generic import GenericOperatorOp
from aidge_nb.graph.operator import Operator, context_of, results_in

Arrays = Sequence[NDArray[Any] | None]


class FoldingBudget:
    """Run single operators on known values, within the limit ``constant_bytes``.

    Parameters
    ----------
    constants
        Bytes of each constant that there is from the beginning.
    """

    def __init__(self, constants: Iterable[int] = ()) -> None:
        self._free = PER_CONSTANT * sum(constants)
        self._written = 0

    def run(
        self, operator: Operator, arrays: Arrays, backend: str = "cpu"
    ) -> tuple[NDArray[Any], ...]:
        """Compute the outputs of an operator.

        Raises
        ------
        LimitError
            When that would write too much.
        MissingKernelError, ShapeError
            As the operator's implementation does.
        """
        implementation = make_implementation(backend, operator)
        left = self._free + current_limits().constant_bytes - self._written
        cost = _cost(operator, arrays)
        if cost is not None and cost > left:
            needed = self._written + cost - self._free
            problem = "is not computed before the graph runs, its constant takes too many bytes"
            raise LimitError(over_limit("constant_bytes", needed, operator.label, problem))
        with room(left):
            results = implementation.run(arrays)
        self._written += sum(each.nbytes for each in results) if cost is None else cost
        return results


def _cost(operator: Operator, arrays: Arrays) -> int | None:
    """Return the bytes that will be written, None for operators that tell when they have run."""
    if isinstance(operator, GenericOperatorOp):
        return None
    context = context_of(operator, arrays)
    try:
        dims, dtypes = results_in(operator, context)
    except DataDependencyError:
        return None
    written = sum(size.size * dtype.itemsize for size, dtype in zip(dims, dtypes, strict=False))
    macs = 0 if operator.spec.macs is None else operator.spec.macs(context, dims)
    return written + macs // MACS_PER_BYTE
