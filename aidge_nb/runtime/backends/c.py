"""The backend ``c``: run operators with the C kernels, compiled once for this machine.

Operators without a C kernel run in NumPy, with the exact arithmetic where it has a kernel; the
logger ``aidge_nb`` reports this once for each type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.dtype import DType, as_dtype
from aidge_nb.core.errors import ExportError
from aidge_nb.core.log import logger
from aidge_nb.graph.backend import Implementation, register_backend
from aidge_nb.graph.generic import GenericOperatorOp
from aidge_nb.graph.meta import MetaOperatorOp
from aidge_nb.graph.operator import Operator, context_of, results_in
from aidge_nb.runtime.backends.cpu import CpuImpl, make_from
from aidge_nb.runtime.backends.exact import ExactMetaImpl, compute_standard

if TYPE_CHECKING:
    from aidge_nb.kernels.c.calls import Site, TensorType
    from aidge_nb.kernels.c.compiling import Program

Array = NDArray[Any]
Arrays = Sequence[Array | None]

_KEPT = 4  # programs per operator, one for each combination of input types
_told: set[tuple[str, str]] = set()


class _Watched(Mapping[int, Array]):
    """The values of all inputs; remembers which of them were read."""

    def __init__(self, arrays: Arrays) -> None:
        self._arrays = {i: array for i, array in enumerate(arrays) if array is not None}
        self.seen: dict[int, Array] = {}

    def __getitem__(self, index: int) -> Array:
        value = self._arrays[index]
        self.seen[index] = value
        return value

    def __contains__(self, index: object) -> bool:
        return index in self._arrays

    def __iter__(self) -> Iterator[int]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)


@dataclass(frozen=True, eq=False)
class _Ready:
    """A program for inputs of certain types, and the input values that it depends on."""

    program: Program | None
    outputs: tuple[TensorType, ...]
    values: Mapping[int, Array]

    def suits(self, arrays: Arrays) -> bool:
        """Tell whether the inputs have the values that the program depends on."""
        return all(_same(arrays[index], value) for index, value in self.values.items())


def _same(array: Array | None, value: Array) -> bool:
    return array is not None and np.array_equal(array, value, equal_nan=array.dtype.kind == "f")


class _Programs:
    """The programs of one operator."""

    def __init__(self, operator: Operator) -> None:
        self._operator = operator
        self._ready: dict[Any, _Ready] = {}

    def run(
        self, arrays: Arrays, unread: frozenset[int], out: Array | None
    ) -> tuple[Array, ...] | None:
        """Compute the outputs; None when C has no kernel."""
        given = [None if a is None else np.asarray(a, order="C") for a in arrays]
        key = (tuple(None if a is None else (a.dtype, a.shape) for a in given), unread)
        ready = self._ready.get(key)
        if ready is None or not ready.suits(given):
            ready = self._make(given, unread)
            if len(self._ready) >= _KEPT:
                self._ready.clear()
            self._ready[key] = ready
        if ready.program is None:
            return None
        outputs: list[Array | None] = []
        for index, kind in enumerate(ready.outputs):
            fits = out is not None and index == 0 and out.shape == kind.dims
            usable = fits and out is not None and out.flags.c_contiguous
            made = out if usable else np.empty(kind.dims, kind.dtype.numpy)
            outputs.append(None if index in unread else made)
        ready.program.run(given, outputs)
        return tuple(each for each in outputs if each is not None)

    def _make(self, arrays: Arrays, unread: frozenset[int]) -> _Ready:
        from aidge_nb.kernels.c.compiling import Program
        from aidge_nb.kernels.c.node_calls import calls_at

        watched = _Watched(arrays)
        try:
            site = self._site(arrays, watched, unread)
            calls = calls_at(site, self._operator)
        except ExportError as error:
            _tell(self._operator.type(), str(error))
            return _Ready(None, (), {})
        values = {index: np.array(value) for index, value in watched.seen.items()}
        return _Ready(Program(calls), site.outputs, values)

    def _site(self, arrays: Arrays, watched: _Watched, unread: frozenset[int]) -> Site:
        from aidge_nb.kernels.c.calls import TensorType
        from aidge_nb.kernels.c.node_calls import site_of_operator

        operator = self._operator
        types = [None if a is None else TensorType(as_dtype(a.dtype), a.shape) for a in arrays]
        outputs = tuple(
            TensorType(dtype, tuple(dims)) for dims, dtype in _declared(operator, arrays)
        )
        site = site_of_operator(operator, tuple(types), outputs)
        return replace(site, constants=watched, unread=unread)


def _declared(operator: Operator, arrays: Arrays) -> list[tuple[Sequence[int], DType]]:
    """Return dimensions and types of the outputs, from those of the inputs."""
    tensors = [operator.get_output(index) for index in range(operator.nb_outputs)]
    if not operator.is_atomic() or isinstance(operator, GenericOperatorOp):
        return [(tensor.dims, tensor.dtype) for tensor in tensors]
    return list(zip(*results_in(operator, context_of(operator, arrays)), strict=False))


def _tell(type_name: str, reason: str) -> None:
    """Log once what runs in NumPy, and why."""
    if (type_name, reason) not in _told:
        _told.add((type_name, reason))
        logger.info("%s runs in NumPy: %s", type_name, reason)


class CompiledImpl(CpuImpl):
    """Run one operator with its C kernel."""

    def __init__(self, op: Operator, backend: str = "c") -> None:
        super().__init__(op, backend)
        self._programs = _Programs(op)

    def run(self, arrays: Arrays) -> tuple[Array, ...]:
        """Compute the outputs from arrays."""
        optional = self._operator.spec.optional_outputs
        unread = frozenset(() if self.needs_optional_outputs else optional)
        result = self._programs.run(arrays, unread, self.out)
        return self._run_in_numpy(arrays) if result is None else result

    def _run_in_numpy(self, arrays: Arrays) -> tuple[Array, ...]:
        from aidge_nb.kernels import find_kernel

        operator = self._operator
        found = compute_standard(operator, arrays)
        if found is not None:
            return found
        others = (a.dtype for a in arrays if a is not None and a.dtype.kind == "f")
        is_float32 = all(dtype == np.float32 for dtype in others)
        is_exact = is_float32 and find_kernel(operator.spec, "exact") is not None
        impl = CpuImpl(operator, "exact" if is_exact else "cpu")
        impl.needs_optional_outputs, impl.out = self.needs_optional_outputs, self.out
        compute = getattr(operator, "compute", None)
        return compute(arrays) if compute is not None else impl.run(arrays)


class CompiledMetaImpl(ExactMetaImpl):
    """Run a meta-operator by its micro-graph, or one that follows a Pad in one C kernel."""

    def __init__(self, op: MetaOperatorOp, backend: str = "c") -> None:
        super().__init__(op, backend)
        self._programs = _Programs(op)

    def compute_window(self, arrays: Arrays) -> Array:
        """Compute the output of an operator that follows a Pad."""
        result = self._programs.run(arrays, frozenset(), None)
        return super().compute_window(arrays) if result is None else result[0]


def _make(operator: Operator, backend: str) -> Implementation:
    from aidge_nb.kernels.c.compiling import find_compiler

    find_compiler()
    return make_from(CompiledImpl, CompiledMetaImpl, CompiledImpl, operator, backend)


register_backend("c", _make)
