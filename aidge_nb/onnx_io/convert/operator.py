"""Operators that run as ONNX defines them, without a declaration of ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.dims import Dims
from aidge_nb.core.dtype import DType, as_dtype
from aidge_nb.core.errors import (
    KERNEL_FAILURES,
    AidgeError,
    DataDependencyError,
    LimitError,
    MissingKernelError,
    ShapeError,
    explain,
)
from aidge_nb.core.limits import current_limits, need_room, room
from aidge_nb.graph.generic import GenericOperatorOp
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import InputCategory, ShapeContext
from aidge_nb.kernels.gradients import Gradient, Recorded
from aidge_nb.kernels.registry import find_standard_gradient, find_standard_kernel
from aidge_nb.kernels.standard import NodeContext, StandardKernel
from aidge_nb.onnx_io.convert.macs import macs_of
from aidge_nb.onnx_io.element_types import EXOTIC
from aidge_nb.ops.coded import WEIGHTS
from aidge_nb.runtime.backends.gradient import add_gradients
from aidge_nb.scheduling.model.impl import OperatorImpl

Arrays = Sequence[NDArray[Any] | None]


@contextmanager
def _within_limits(context: ShapeContext) -> Iterator[None]:
    """Leave the dimensions of a result open where finding them takes too much."""
    try:
        with room(current_limits().constant_bytes):
            yield
    except LimitError as error:
        raise DataDependencyError(
            explain(context.where, f"output dims are not known before it runs; {error}")
        ) from error


class OnnxOperatorOp(GenericOperatorOp):
    """A generic operator that a function of :mod:`aidge_nb.kernels.standard` computes.

    Its output dims are found by trying the function on zeros; where they depend on data they are
    known when it has run.
    """

    __slots__ = ("_kernel", "_site", "_tried", "domain", "learned")

    is_known = True

    def __init__(
        self,
        type_name: str,
        domain: str,
        categories: Sequence[InputCategory],
        attributes: Mapping[str, Any],
        kernel: StandardKernel,
        site: NodeContext,
    ) -> None:
        self.domain = domain
        self._kernel = kernel
        self._site = site
        self._tried: tuple[Any, list[Dims], list[DType]] | None = None
        super().__init__(type_name, categories, site.nb_outputs, attributes)
        self.spec = replace(self.spec, overwrites=kernel.overwrites)
        self.learned = WEIGHTS.get(type_name)

    @property
    def opset(self) -> int:
        """Opset version of the operator's domain."""
        return self._site.opset

    @property
    def has_exotic_types(self) -> bool:
        """True when it uses element types that NumPy lacks, held in wider ones."""
        return any(kind in EXOTIC for kind in (*self._site.input_types, *self._site.output_types))

    def compute(
        self, arrays: Arrays, kernel: StandardKernel | None = None
    ) -> tuple[NDArray[Any], ...]:
        """Compute the outputs of the given inputs, by the operator's own function or another.

        Raise ShapeError when the function cannot take these arrays.
        """
        try:
            function = self._kernel if kernel is None else kernel
            results = function(list(arrays), self.attr.dict(), self._site)
        except AidgeError as error:
            raise type(error)(explain(self.label, str(error))) from error
        except KERNEL_FAILURES as error:
            raise ShapeError.at(
                self.label,
                f"the kernel failed: {error}",
                found=[None if a is None else f"{a.dtype}{list(a.shape)}" for a in arrays],
            ) from error
        made = sum(result is not None for result in results[: self.nb_outputs])
        if made < self.nb_outputs:
            problem = "fewer outputs than are wanted"
            raise ShapeError.at(self.label, problem, expected=self.nb_outputs, found=made)
        return results[: self.nb_outputs]

    def infer_dims(
        self,
        values: Callable[[int], NDArray[Any] | None],
        *,
        allow_data_dependency: bool = False,
    ) -> None:
        """Compute dimensions and element types of the outputs, by a trial on ones and zeros.

        Raise DataDependencyError when they depend on data that are not known.
        """
        self._set_output_dims(*self._try(self.shape_context(values)))

    def _dims(self, context: ShapeContext) -> Sequence[Sequence[int]]:
        return self._try(context)[0]

    def _try(self, context: ShapeContext) -> tuple[list[Dims], list[DType]]:
        if self._kernel.open_dims:
            raise DataDependencyError.at(
                context.where, "output dims are known when it has run, and not before"
            )
        with _within_limits(context):
            arrays = [self._trial_input(context, index) for index in range(self.nb_inputs)]
        deciding = (array for i, array in enumerate(arrays) if i in self._kernel.decided_by)
        decisive = [array.tobytes() for array in deciding if array is not None]
        key = (context.dims, context.dtypes, decisive)
        if self._tried is None or self._tried[0] != key:
            with _within_limits(context), np.errstate(all="ignore"):
                results = self.compute(arrays)
            dims = [Dims(result.shape) for result in results]
            self._tried = (key, dims, [as_dtype(result.dtype) for result in results])
        return self._tried[1:]

    def _trial_input(self, context: ShapeContext, index: int) -> NDArray[Any] | None:
        if not context.present(index):
            return None
        if index in self._kernel.decided_by:
            value = context.value(index)
            need_room(value.shape)
            return value
        dims = context.dim(index)
        need_room(dims)  # NumPy itself takes fewer elements where pointers are short
        dtype = context.dtypes[index] or DType.float32
        if dtype is DType.string:
            return np.broadcast_to(np.array("", object), dims)
        one = 1 if dtype.numpy.kind == "f" else 0  # one may divide by it, or take it for an index
        return np.broadcast_to(np.array(one, dtype.numpy), dims)

    def macs(self) -> int | None:
        """Count multiply-accumulates; see :mod:`aidge_nb.onnx_io.convert.macs`."""
        if super().macs() is None:
            return None
        tensors = [self.get_input(index) for index in range(self.nb_inputs)]
        known = [None if each is None or each.undefined() else each.shape for each in tensors]
        dims, attributes = self.get_output(0).shape, self.attr.dict()
        return macs_of(self.type(), self.domain, known, dims, attributes)

    def set_backend(self, name: str) -> None:
        """Set the backend; on ``cpu`` the operator's own function computes it."""
        super().set_backend(name)
        if name == "cpu" and not self._impl_is_users:
            self._impl = _OnnxImpl(self, name)

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        super().__setstate__(state)
        if self._backend:
            self.set_backend(self._backend)

    def clone(self) -> OnnxOperatorOp:
        """Make an independent operator."""
        copy = OnnxOperatorOp(
            self.type(),
            self.domain,
            [port.category for port in self.spec.inputs],
            self.attr.dict(),
            self._kernel,
            self._site,
        )
        copy.spec = replace(self.spec, dims=copy._dims)
        copy._outputs = [tensor.clone() for tensor in self._outputs]
        if self._backend:
            copy.set_backend(self._backend)
        return copy


class _OnnxImpl(OperatorImpl):
    def run(self, arrays: Arrays) -> tuple[NDArray[Any], ...]:
        """Compute the outputs of the given inputs."""
        operator = self._operator
        if not isinstance(operator, OnnxOperatorOp):
            return super().run(arrays)
        return operator.compute(arrays)

    def has_gradient(self) -> bool:
        """Return whether there is a gradient of the operator."""
        return self._gradient() is not None

    def backward(self) -> None:
        """Add to the gradients of the inputs.

        Raise MissingKernelError when the operator has no gradient.
        """
        function = self._gradient()
        if function is None:
            raise self.missing_gradient()
        operator = self._operator
        version = {"opset": operator.opset} if isinstance(operator, OnnxOperatorOp) else {}

        def of_version(
            run: Recorded, attributes: Mapping[str, Any]
        ) -> tuple[NDArray[Any] | None, ...]:
            return function(run, {**attributes, **version})

        add_gradients(self, of_version)

    def _gradient(self) -> Gradient | None:
        operator = self._operator
        domain = operator.domain if isinstance(operator, OnnxOperatorOp) else ""
        return find_standard_gradient(operator.type(), domain)


def onnx_node(
    op_type: str,
    inputs: Sequence[InputCategory],
    attributes: Mapping[str, Any] | None = None,
    *,
    name: str = "",
    domain: str = "",
    opset: int = 21,
) -> Node:
    """Make a node of one output that runs as ONNX, or the domain given, defines it.

    Raise MissingKernelError when no function computes the operator.

    Examples
    --------
    >>> onnx_node("PRelu", [InputCategory.Data, InputCategory.Param], name="leak")
    Node(leak, PRelu)
    """
    kernel = find_standard_kernel(op_type, domain)
    if kernel is None:
        raise MissingKernelError.at(op_type, "no function computes it", found=domain or "ai.onnx")
    operator = OnnxOperatorOp(
        op_type, domain, inputs, dict(attributes or {}), kernel, NodeContext(opset)
    )
    node = Node(operator, name)
    node.annotations["onnx.domain"] = domain
    node.annotations["onnx.version"] = 1 if domain else opset
    return node
