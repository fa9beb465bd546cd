"""Operators: a declaration, attributes, tensors at the ports and an implementation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from numpy.typing import DTypeLike, NDArray

from aidge_nb.core.dims import Dims, check_dims
from aidge_nb.core.dtype import DType, as_dtype
from aidge_nb.core.errors import GraphError, ShapeError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.attributes import Attributes, Count, OperatorWords
from aidge_nb.graph.backend import Implementation, make_implementation
from aidge_nb.graph.spec import InputCategory, OpSpec, ShapeContext

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView


class Operator(OperatorWords):
    """An operator: a spec, attributes, one tensor per port and perhaps an implementation.

    Parameters
    ----------
    spec
        The declaration.
    attr
        Attribute values; the defaults of the spec when None.
    nb_inputs, nb_outputs
        Number of ports, where the spec leaves it open.
    """

    __slots__ = (
        "__weakref__",
        "_backend",
        "_impl",
        "_impl_is_users",
        "_inputs",
        "_outputs",
        "attr",
        "cp_model",
        "label",
        "spec",
    )

    def __init__(
        self,
        spec: OpSpec,
        attr: Attributes | None = None,
        *,
        nb_inputs: int | None = None,
        nb_outputs: int | None = None,
    ) -> None:
        self.spec = spec
        self.attr = spec.make_attributes() if attr is None else attr
        self.label = f"({spec.type})"
        count = len(spec.inputs) if nb_inputs is None else nb_inputs
        self._inputs: list[Tensor | None] = [None] * count
        self._outputs = [
            Tensor() for _ in range(len(spec.outputs) if nb_outputs is None else nb_outputs)
        ]
        self._backend = ""
        self._impl: Implementation | None = None
        self._impl_is_users = False
        self.cp_model: Any = None  # set by the scheduler until a backend is chosen

    # --- description -------------------------------------------------------------------------

    def type(self) -> str:
        """Return the name of the operator's type."""
        return self.spec.type

    @property
    def nb_inputs(self) -> Count:
        """Number of input ports."""
        return Count(len(self._inputs))

    @property
    def nb_outputs(self) -> Count:
        """Number of output ports."""
        return Count(len(self._outputs))

    @property
    def micro_graph(self) -> GraphView | None:
        """The graph inside a meta-operator; None for others."""
        return None

    def is_atomic(self) -> bool:
        """Return whether the operator contains no graph."""
        return self.micro_graph is None

    @overload
    def input_category(self) -> list[InputCategory]: ...
    @overload
    def input_category(self, index: int) -> InputCategory: ...
    def input_category(self, index: int | None = None) -> InputCategory | list[InputCategory]:
        """Return the category of input ``index``, or of all."""
        if index is None:
            return [self.input_category(each) for each in range(len(self._inputs))]
        return self.spec.input_spec(index).category

    def get_inputs_name(self) -> list[str]:
        """Return the names of the inputs, as the type declares them."""
        return [each.name for each in self.spec.inputs]

    def get_outputs_name(self) -> list[str]:
        """Return the names of the outputs, as the type declares them."""
        return list(self.spec.outputs)

    def is_optional_input(self, index: int) -> bool:
        """Return whether input ``index`` may stay unconnected."""
        return self.spec.input_spec(index).category.is_optional

    def is_back_edge(self, index: int) -> bool:
        """Return whether input ``index`` closes a cycle."""
        return index in self.spec.back_edges

    def may_leave_out(self, index: int) -> bool:
        """Return whether an output needs no memory when nothing reads it.

        Kernels write all of their outputs, except optional ones. What a meta-operator with several
        outputs (LSTM) computes lies inside of it, and is handed on only where it is wanted.
        """
        is_inside = self.micro_graph is not None and self.nb_outputs > 1
        return is_inside or index in self.spec.optional_outputs

    # --- tensors ----------------------------------------------------------------------------

    def _check_port(self, kind: str, index: int, count: int) -> None:
        if not 0 <= index < count:
            raise GraphError.at(
                f"{self.label}, {kind}#{index}",
                f"no such {kind}",
                expected=f"0 to {count - 1}" if count else f"no {kind} at all",
                found=index,
            )

    def get_input(self, index: int) -> Tensor | None:
        """Return the tensor at input ``index``; None if it has none."""
        if not 0 <= index < len(self._inputs):
            self._check_port("input", index, self.nb_inputs)
        return self._inputs[index]

    def get_output(self, index: int) -> Tensor:
        """Return the tensor at output ``index``."""
        if not 0 <= index < len(self._outputs):
            self._check_port("output", index, self.nb_outputs)
        return self._outputs[index]

    def get_inputs(self) -> tuple[Tensor | None, ...]:
        """Return the tensors at all inputs; None for inputs without one."""
        return tuple(self._inputs)

    def get_outputs(self) -> tuple[Tensor, ...]:
        """Return the tensors at all outputs."""
        return tuple(self._outputs)

    def share_outputs(self, other: Operator) -> None:
        """Make the outputs be the tensors of another operator of the same kind."""
        self._outputs = list(other._outputs)

    get_raw_input = get_input
    get_raw_output = get_output

    def set_input(self, index: int, tensor: Tensor) -> None:
        """Set the tensor of input ``index``; a tensor already there takes its content instead."""
        self._check_port("input", index, self.nb_inputs)
        present = self._inputs[index]
        if present is None:
            self._inputs[index] = tensor
        else:
            present.share(tensor)

    def set_output(self, index: int, tensor: Tensor) -> None:
        """Copy the content of a tensor to output ``index``."""
        self.get_output(index).share(tensor)

    def associate_input(self, index: int, tensor: Tensor) -> None:
        """Make input ``index`` share ``tensor``."""
        self._check_port("input", index, self.nb_inputs)
        self._inputs[index] = tensor

    def reset_input(self, index: int) -> None:
        """Remove the tensor of input ``index``."""
        self._check_port("input", index, self.nb_inputs)
        self._inputs[index] = None

    # --- shapes -----------------------------------------------------------------------------

    def shape_context(
        self, values: Callable[[int], NDArray[Any] | None] = lambda index: None
    ) -> ShapeContext:
        """Return the context that shape functions read."""
        known = [
            None if tensor is None or tensor.undefined() else tensor for tensor in self._inputs
        ]
        return ShapeContext(
            self.label,
            [None if tensor is None else tensor.shape for tensor in known],
            [None if tensor is None else tensor.dtype for tensor in known],
            self.attr,
            values,
            self.nb_outputs,
        )

    def infer_dims(
        self,
        values: Callable[[int], NDArray[Any] | None],
        *,
        allow_data_dependency: bool = False,
    ) -> None:
        """Compute dimensions and element types of the outputs from those of the inputs.

        ``values`` gives the data of an input where they are known before the graph runs;
        ``allow_data_dependency`` matters to micro-graphs alone.

        Raises
        ------
        ShapeError
            When the inputs do not fit.
        """
        self._set_output_dims(*results_in(self, self.shape_context(values)))

    def _set_output_dims(self, dims: Iterable[Dims], dtypes: Iterable[DType]) -> None:
        for tensor, new_dims, dtype in zip(self._outputs, dims, dtypes, strict=False):
            if tensor.undefined() or tensor.shape != new_dims or tensor.dtype is not dtype:
                tensor.clear()
                tensor.set_datatype(dtype)
                tensor.resize(new_dims)

    def macs(self) -> int | None:
        """Count multiply-accumulates of one execution; None while dimensions are unknown."""
        for tensor in self._outputs:
            if tensor.undefined():
                return None
        if self.spec.macs is None:
            return 0
        return self.spec.macs(self.shape_context(), [tensor.shape for tensor in self._outputs])

    def set_datatype(self, dtype: DType | DTypeLike) -> None:
        """Convert floating-point outputs to ``dtype``; integers and booleans stay."""
        for tensor in self._outputs:
            if tensor.dtype.is_float:
                tensor.set_datatype(dtype)

    # --- implementation ---------------------------------------------------------------------

    def backend(self) -> str:
        """Return the name of the backend; empty when none was chosen."""
        return self._backend

    def set_backend(self, name: str) -> None:
        """Choose who runs the operator; an implementation given by the user stays."""
        self._backend = name
        if not self._impl_is_users:
            self._impl = make_implementation(name, self)

    def set_impl(self, impl: Implementation | None) -> None:
        """Return the operator an implementation of the user's own; None takes it back."""
        self._impl, self._impl_is_users = impl, impl is not None

    def get_impl(self) -> Implementation | None:
        """Return the implementation; None if there is none yet."""
        return self._impl

    def forward(self) -> None:
        """Run the operator on its tensors."""
        self._need_impl().forward()

    def backward(self) -> None:
        """Propagate gradients from the outputs to the inputs."""
        self._need_impl().backward()

    def _need_impl(self) -> Implementation:
        if self._impl is None:
            raise GraphError.at(
                self.label, "has no implementation", cure='Call set_backend("cpu") first.'
            )
        return self._impl

    # --- copies and text --------------------------------------------------------------------

    def clone(self) -> Operator:
        """Make an independent operator with copies of the attributes and of the output tensors."""
        copy = type(self).__new__(type(self))
        Operator.__init__(
            copy,
            self.spec,
            Attributes(self.attr),
            nb_inputs=self.nb_inputs,
            nb_outputs=self.nb_outputs,
        )
        copy._outputs = [tensor.clone() for tensor in self._outputs]
        if self._backend:
            copy.set_backend(self._backend)
        return copy

    def __getstate__(self) -> dict[str, Any]:
        slots = [name for kind in type(self).__mro__ for name in getattr(kind, "__slots__", ())]
        names = [*(name for name in slots if name != "__weakref__"), *getattr(self, "__dict__", ())]
        impl = self._impl if self._impl_is_users else None  # others, and C-P states, begin anew
        return {name: getattr(self, name) for name in names} | {"_impl": impl, "cp_model": None}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)
        if self._backend and not self._impl_is_users:
            self._impl = make_implementation(self._backend, self)

    def __repr__(self) -> str:
        return f"Operator({self.type()})"


def context_of(operator: Operator, arrays: Sequence[NDArray[Any] | None]) -> ShapeContext:
    """Return the context that shape functions read where the inputs have these values."""
    return ShapeContext(
        operator.label,
        [None if array is None else Dims(array.shape) for array in arrays],
        [None if array is None else as_dtype(array.dtype) for array in arrays],
        operator.attr,
        lambda index: arrays[index],
        operator.nb_outputs,
    )


def results_in(operator: Operator, context: ShapeContext) -> tuple[list[Dims], Sequence[DType]]:
    """Return dimensions and element types of the outputs; raise ShapeError where there are none."""
    try:
        found = [check_dims(dims, operator.label) for dims in operator.spec.dims(context)]
    except (ValueError, TypeError, IndexError, ArithmeticError) as error:
        raise ShapeError.at(
            operator.label,
            f"inputs or attributes have no meaning for it: {error}",
            found={
                **operator.attr,
                "inputs": [None if d is None else list(d) for d in context.dims],
            },
        ) from error
    if len(found) < operator.nb_outputs:
        raise ShapeError.at(
            operator.label, "too few output dims", expected=operator.nb_outputs, found=len(found)
        )
    if operator.spec.dtypes is not None:
        return found, operator.spec.dtypes(context)
    first = next((dtype for dtype in context.dtypes if dtype is not None), DType.float32)
    return found, [first] * operator.nb_outputs
