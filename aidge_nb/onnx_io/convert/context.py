"""What converters work with: the graph so far, and one ONNX node at a time.

A converter gets a :class:`Call`, makes nodes with :meth:`Call.make` and returns the ports that
stand for the outputs of the ONNX node. It raises :class:`Unsupported` for a variant that no
operator covers; the node then becomes a generic operator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.dtype import DType, as_dtype
from aidge_nb.errors import AidgeError, ShapeError
from aidge_nb.graph.generic import GenericOperatorOp
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.spec import SPECS, InputCategory
from aidge_nb.graph.values import KnownValues
from aidge_nb.graph.view import GraphView
from aidge_nb.onnx_io.check import unique_name
from aidge_nb.onnx_io.ir import OnnxNode
from aidge_nb.onnx_io.model import OnnxModel
from aidge_nb.ops.build import make_node, make_producer
from aidge_nb.tensor import Tensor

__all__ = ["CONVERTERS", "Call", "Conversion", "Converter", "Unsupported", "converts"]


class Unsupported(Exception):  # noqa: N818  # a variant and not an error of the user
    """A variant of an operator that has no counterpart; the text says which."""


class Conversion:
    """The graph so far, and where each ONNX value comes from.

    Parameters
    ----------
    model
        The model to convert.
    dims
        Dimensions of the inputs by name, where the model leaves them open. They are used to
        choose operators and do not stay in the graph.
    """

    def __init__(self, model: OnnxModel, dims: Mapping[str, Sequence[int]]) -> None:
        self.model = model
        self.view = GraphView(model.name)
        self.constants: dict[str, NDArray[Any]] = dict(model.initializers)
        self.inputs = {value.name: Tensor(dtype=_dtype(value.dtype)) for value in model.inputs}
        self.input_ports: dict[str, list[Port]] = {name: [] for name in self.inputs}
        self._ports: dict[str, Port] = {}
        self._names = {node.name for node in model.nodes}
        self._dims = _Inference(self, dims)

    def unique_name(self, wanted: str) -> str:
        """Give a node name that is not taken."""
        return unique_name(wanted, self._names)

    def port(self, value: str) -> Port | None:
        """Give the port that a value comes from, a new Producer for a constant; None for inputs."""
        if value not in self._ports and value in self.constants and value not in self.inputs:
            name = self.unique_name(value)
            self._ports[value] = Port(self.producer(name, self.constants[value]), 0)
        return self._ports.get(value)

    def producer(self, name: str, array: NDArray[Any], *, constant: bool = False) -> Node:
        """Add a Producer."""
        node = make_producer(Tensor(array), name, constant=constant)
        self.view.add(node)
        return node

    def define(self, value: str, port: Port) -> None:
        """Say where a value comes from."""
        self._ports[value] = port

    def connect(self, node: Node, index: int, value: str | Port) -> None:
        """Feed an input of a node."""
        port = value if isinstance(value, Port) else self.port(value)
        if port is not None:
            port.node.add_child(node, port.index, index)
        elif isinstance(value, str):
            node.get_operator().associate_input(index, self.inputs[value])
            self.input_ports[value].append(Port(node, index))

    def dims(self, value: str) -> tuple[int, ...] | None:
        """Give the dimensions of a value, None where they are not known before the graph runs."""
        if value in self.constants:
            return self.constants[value].shape
        return self._dims.of(value)

    def dtype(self, value: str) -> DType | None:
        """Give the element type of a value, None where it is not known."""
        if value in self.constants:
            return as_dtype(self.constants[value].dtype)
        declared = self.model.graph.values.get(value)
        if declared is not None:
            return _dtype(declared.dtype)
        tensor = self.inputs.get(value)
        return None if tensor is None else tensor.dtype

    def finish(self) -> GraphView:
        """Order inputs and outputs as the model does, and forget what was inferred."""
        self._dims.forget()
        self.view.set_ordered_inputs(
            [port for ports in self.input_ports.values() for port in ports]
        )
        outputs = []
        for output in self.model.outputs:
            port = self.port(output.name)
            if port is None:
                identity = self.add("Identity", self.unique_name(output.name), [output.name])
                port = Port(identity, 0)
            outputs.append(port)
        self.view.set_ordered_outputs(outputs)
        return self.view

    def add(
        self,
        type_name: str,
        name: str,
        inputs: Sequence[str | Port | None],
        **attributes: Any,
    ) -> Node:
        """Add a node of a declared operator and feed its inputs."""
        spec = SPECS[type_name]
        nb_inputs = len(inputs) if spec.variadic else None
        node = make_node(spec, name, nb_inputs=nb_inputs, **attributes)
        return self.place(node, inputs)

    def place(self, node: Node, inputs: Iterable[str | Port | None]) -> Node:
        """Feed the inputs of a node and add it to the graph."""
        for index, value in enumerate(inputs):
            if value:
                self.connect(node, index, value)
        self.view.add(node)
        return node


class _Inference:
    """Dimensions of values while the graph grows, computed on demand."""

    def __init__(self, conversion: Conversion, dims: Mapping[str, Sequence[int]]) -> None:
        self._conversion = conversion
        self._given = {
            value.name: tuple(dims.get(value.name, value.dims or ()))
            for value in conversion.model.inputs
            if value.dims is not None or value.name in dims
        }
        self._visited: dict[Node, None] = {}
        self._unknown: set[Node] = set()

    def of(self, value: str) -> tuple[int, ...] | None:
        if value in self._conversion.inputs:
            return self._input_dims(value)
        port = self._conversion.port(value)
        if port is None:
            return None
        self._catch_up()
        tensor = port.node.get_operator().get_output(port.index)
        return None if tensor.undefined else tuple(tensor.dims)

    def _input_dims(self, name: str) -> tuple[int, ...] | None:
        dims = self._given.get(name)
        sizes = [dim for dim in dims or () if isinstance(dim, int)]
        return None if dims is None or len(sizes) < len(dims) else tuple(sizes)

    def _catch_up(self) -> None:
        """Infer the nodes that were added since the last time."""
        for name, tensor in self._conversion.inputs.items():
            dims = self._input_dims(name)
            if dims is not None:
                tensor.resize(dims)
        values = KnownValues(allow_computed=True)
        for node in self._conversion.view.get_nodes():
            if node not in self._visited:
                self._visited[node] = None
                self._infer(node, values)

    def _infer(self, node: Node, values: KnownValues) -> None:
        operator = node.get_operator()
        tensors = [operator.get_input(index) for index in range(operator.nb_inputs)]
        if node.type() == "Producer" or any(t is not None and t.undefined for t in tensors):
            return
        try:
            operator.infer_dims(
                lambda index: values.of_input(node, index), allow_data_dependency=True
            )
        except ShapeError:
            return

    def forget(self) -> None:
        """Leave the graph as if nothing had been inferred."""
        for node in self._visited:
            if node.type() != "Producer":
                for index in range(node.get_nb_outputs()):
                    node.get_operator().get_output(index).clear()
        for tensor in self._conversion.inputs.values():
            tensor.clear()


@dataclass(frozen=True)
class Call:
    """One ONNX node, to be converted."""

    node: OnnxNode
    conversion: Conversion

    @property
    def name(self) -> str:
        """Name of the node."""
        return self.node.name

    @property
    def opset(self) -> int:
        """Version of the operators of the node's domain."""
        return self.conversion.model.opsets.get(self.node.domain, 1)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Values that the node reads; empty names for optional ones left out."""
        return self.node.inputs

    def has(self, index: int) -> bool:
        """Whether input ``index`` is there."""
        return index < len(self.node.inputs) and bool(self.node.inputs[index])

    def uses_output(self, index: int) -> bool:
        """Whether output ``index`` is wanted."""
        return index < len(self.node.outputs) and bool(self.node.outputs[index])

    def need_outputs(self, count: int) -> None:
        """Refuse a node of which more than the first ``count`` outputs are wanted."""
        if any(map(self.uses_output, range(count, len(self.node.outputs)))):
            raise Unsupported(f"outputs beyond the first {count} are wanted")

    def attr(self, name: str, default: Any = None) -> Any:
        """Give an attribute, or its default."""
        return self.node.attributes.get(name, default)

    def constant(self, index: int) -> NDArray[Any] | None:
        """Give the value of input ``index``; None when it is absent or not constant."""
        return self.conversion.constants.get(self.inputs[index]) if self.has(index) else None

    def need_constant(self, index: int, what: str) -> NDArray[Any]:
        """Give the value of an input that has to be constant."""
        value = self.constant(index)
        if value is None:
            raise Unsupported(f"{what} is not constant")
        return value

    def ints(self, name: str, index: int) -> list[int] | None:
        """Give a list of integers that is an attribute in old opsets and an input in new ones."""
        if name in self.node.attributes:
            return [int(number) for number in np.atleast_1d(self.attr(name))]
        if not self.has(index):
            return None
        return [int(number) for number in np.atleast_1d(self.need_constant(index, name))]

    def number(self, name: str, index: int) -> float | None:
        """Give a number that is an attribute in old opsets and an input in new ones."""
        if name in self.node.attributes:
            return float(self.attr(name))
        return float(self.need_constant(index, name).item()) if self.has(index) else None

    def dims(self, index: int) -> tuple[int, ...] | None:
        """Give the dimensions of an input, None where they are not known."""
        return self.conversion.dims(self.inputs[index]) if self.has(index) else None

    def rank(self, index: int, what: str = "its number of dimensions") -> int:
        """Give the number of dimensions of an input that has to be known."""
        value = self.inputs[index]
        dims = self.dims(index)
        declared = self.conversion.model.graph.values.get(value)
        if dims is None and declared is not None and declared.dims is not None:
            return len(declared.dims)
        for entry in self.conversion.model.inputs:
            if dims is None and entry.name == value and entry.dims is not None:
                return len(entry.dims)
        if dims is None:
            raise Unsupported(f"{what} is not known; pass dims=")
        return len(dims)

    def make(
        self,
        type_name: str,
        inputs: Sequence[str | Port | None] | None = None,
        suffix: str = "",
        **attributes: Any,
    ) -> Node:
        """Add a node, named as the ONNX node; ``suffix`` sets helpers of it apart."""
        if type_name not in SPECS:
            raise Unsupported(f"there is no operator {type_name}")
        name = self.conversion.unique_name(f"{self.name}_{suffix}") if suffix else self.name
        given = self.inputs if inputs is None else inputs
        return self.conversion.add(type_name, name, given, **attributes)

    def producer(self, suffix: str, array: Any) -> Port:
        """Add a constant that belongs to the conversion and not to the model."""
        name = self.conversion.unique_name(f"{self.name}_{suffix}")
        return Port(self.conversion.producer(name, np.asarray(array), constant=True), 0)


Converter = Callable[[Call], Node | Sequence[Port | None]]

CONVERTERS: dict[str, Converter] = {}
"""Converters of standard operators that are more than a rename, by ONNX operator type."""


def converts(*op_types: str) -> Callable[[Converter], Converter]:
    """Make a function the converter of these operators."""

    def bind(converter: Converter) -> Converter:
        CONVERTERS.update(dict.fromkeys(op_types, converter))
        return converter

    return bind


def generic(call: Call) -> Node:
    """Add a generic operator for a node that nothing else covers."""
    used = len(call.inputs)
    while used and not call.has(used - 1):
        used -= 1
    categories = [
        InputCategory.Data if call.has(index) else InputCategory.OptionalData
        for index in range(used)
    ]
    operator = GenericOperatorOp(
        call.node.op_type, categories, len(call.node.outputs), call.node.attributes
    )
    declared = _declared_dims(call)
    if declared is not None:
        operator.set_forward_dims(lambda dims: declared)
    return call.conversion.place(Node(operator, call.name), call.inputs[:used])


def _declared_dims(call: Call) -> list[list[int]] | None:
    """Give the output dims that the model declares, where it does for all."""
    graph = call.conversion.model.graph
    known = {value.name: value for value in (*graph.values.values(), *graph.outputs)}
    declared = []
    for output in call.node.outputs:
        dims = known[output].dims if output in known else None
        if dims is None or not all(isinstance(dim, int) for dim in dims):
            return None
        declared.append([int(dim) for dim in dims if dim is not None])
    return declared


def _dtype(name: str | None) -> DType:
    """Give the type that stands for an ONNX element type."""
    try:
        return as_dtype(name or "float32")
    except AidgeError:
        return DType.float32
