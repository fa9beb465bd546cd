"""The state of a conversion: the graph so far, and where each ONNX value comes from."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from aidge_nb.core.dtype import DType, as_dtype
from aidge_nb.core.errors import OnnxError, ShapeError
from aidge_nb.core.log import logger
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.spec import SPECS
from aidge_nb.graph.topology import with_ancestors
from aidge_nb.graph.view import GraphView
from aidge_nb.onnx_io.convert.inference import StaticInference
from aidge_nb.onnx_io.element_types import EXOTIC
from aidge_nb.onnx_io.ir import OnnxNode, OnnxValue
from aidge_nb.onnx_io.model import OnnxModel
from aidge_nb.onnx_io.read.check import unique_name
from aidge_nb.ops.build import make_node, make_producer


class Conversion:
    """The graph so far, and the port of each ONNX value.

    ``dims`` holds the dimensions of inputs by name where the model leaves them open: they are used
    to choose operators and do not stay in the graph. ``types`` holds the element types of values,
    as ONNX calls them, where they were inferred; ``convert`` adds the node for one ONNX node.
    """

    def __init__(
        self,
        model: OnnxModel,
        dims: Mapping[str, Sequence[int | str | None]],
        convert: Callable[[Conversion, OnnxNode], None],
        types: Mapping[str, str | None] | None = None,
    ) -> None:
        self.model = model
        graph = model.graph
        declared = (*graph.values.values(), *graph.inputs, *graph.outputs)
        self.types = {**(types or {}), **{value.name: value.dtype for value in declared}}
        self.convert_node = convert
        self.view = GraphView(model.name)
        self.constants: dict[str, NDArray[Any]] = dict(model.initializers)
        self.inputs = {value.name: _input_tensor(value) for value in model.inputs}
        self.input_ports: dict[str, list[Port]] = {name: [] for name in self.inputs}
        self._ports: dict[str, Port] = {}
        self._names = {node.name for node in model.nodes}
        self._known = StaticInference(self.view, self.inputs, model.inputs, dims)
        self.report: list[tuple[str, str, str]] = []

    def convert(self, node: OnnxNode) -> None:
        """Add the nodes for an ONNX node whose inputs exist already."""
        self._names.add(node.name)
        self.convert_node(self, node)

    def unique_name(self, wanted: str) -> str:
        """Return a node name that is not taken."""
        return unique_name(wanted, self._names)

    def port(self, value: str) -> Port | None:
        """Return the port of a value: a new Producer for a constant, None for a model input."""
        if value not in self._ports and value in self.constants and value not in self.inputs:
            name = self.unique_name(value)
            self._ports[value] = Port(self.producer(name, self.constants[value], value), 0)
        return self._ports.get(value)

    def producer(
        self, name: str, array: NDArray[Any], value: str, *, constant: bool = False
    ) -> Node:
        """Add a Producer of a value; it notes an element type that NumPy has not."""
        node = make_producer(Tensor.holding(array), name, constant=constant)
        if self.types.get(value) in EXOTIC:
            node.annotations["onnx.type"] = self.types[value]
        self.view.add(node)
        return node

    def define(self, value: str, port: Port) -> None:
        """Record the port of a value."""
        self._ports[value] = port

    def connect(self, node: Node, index: int, value: str | Port) -> None:
        """Connect a value to an input of a node."""
        port = value if isinstance(value, Port) else self.port(value)
        if port is not None:
            port.node.add_child(node, port.index, index)
        elif isinstance(value, str):
            if value not in self.inputs:  # of a function that was inlined
                where = f"{self.model.source}, node {node.label}, input#{index}"
                raise OnnxError.at(where, f"nothing defines the value {value!r}")
            node.get_operator().associate_input(index, self.inputs[value])
            self.input_ports[value].append(Port(node, index))

    @cached_property
    def read(self) -> frozenset[str]:
        """Names of all values that some node reads, inner graphs included, and of model outputs."""
        return frozenset((*_read(self.model.nodes), *(each.name for each in self.model.outputs)))

    def dims(self, value: str) -> tuple[int, ...] | None:
        """Return the dimensions of a value, None where they are not known before the graph runs."""
        if value in self.constants:
            return self.constants[value].shape
        if value in self.inputs:
            return self._known.input_dims(value)
        port = self.port(value)
        return None if port is None else self._known.dims(port)

    def value(self, name: str) -> NDArray[Any] | None:
        """Return the data of a value, None where they are not known before the graph runs."""
        if name in self.constants:
            return self.constants[name]
        port = None if name in self.inputs else self.port(name)
        return None if port is None else self._known.value(port)

    def finish(self) -> GraphView:
        """Order inputs and outputs as in the model, and drop helper nodes."""
        outputs = []
        for output in self.model.outputs:
            port = self.port(output.name)
            if port is None:
                identity = self.add("Identity", self.unique_name(output.name), [output.name])
                port = Port(identity, 0)
            outputs.append(port)
        self._known.forget()
        self._drop_all_but(with_ancestors(port.node for port in outputs))
        self.view.set_ordered_inputs(
            [port for ports in self.input_ports.values() for port in ports]
        )
        self.view.set_ordered_outputs(outputs)
        return self.view

    def _drop_all_but(self, used: Collection[Node]) -> None:
        """Remove nodes that no output depends on, such as decided conditions."""
        for node in self.view.get_nodes():
            if node not in used:
                node.reset_connections()
                self.view.remove(node, include_learnable_params=False)
                logger.info("%s: no output depends on it, it was left out", node.label)
        for name, ports in self.input_ports.items():
            self.input_ports[name] = [port for port in ports if port.node in used]

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
        """Connect the inputs of a node and add it to the graph."""
        for index, value in enumerate(inputs):
            if value:
                self.connect(node, index, value)
        self.view.add(node)
        return node


def _read(nodes: Iterable[OnnxNode]) -> Iterator[str]:
    """Return the names of nodes' inputs, and the nodes and outputs of their inner graphs."""
    for node in nodes:
        yield from node.inputs
        for body in node.bodies.values():
            yield from _read(body.nodes)
            yield from (each.name for each in body.outputs)


def _input_tensor(value: OnnxValue) -> Tensor:
    """Make the tensor of an input: without dims, but for scalars, which can have no others."""
    tensor = Tensor(dtype=_dtype(value.dtype))
    if value.dims == ():
        tensor.resize(())
    return tensor


def _dtype(name: str | None) -> DType:
    """Return the type that stands for an ONNX element type."""
    try:
        return as_dtype(name or "float32")
    except ShapeError:
        return DType.float32
