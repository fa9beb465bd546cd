"""Write a graph as nodes, constants and named values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import OnnxError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.meta import MetaOperatorOp
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView
from aidge_nb.onnx_io.element_types import narrowed
from aidge_nb.onnx_io.ir import OnnxGraph, OnnxNode, OnnxValue
from aidge_nb.onnx_io.model import OnnxSignature
from aidge_nb.onnx_io.read.check import unique_name
from aidge_nb.onnx_io.save import codes, recurrent, simple, windows
from aidge_nb.onnx_io.save.library import DOMAIN, Library
from aidge_nb.onnx_io.save.simple import renamed
from aidge_nb.onnx_io.save.site import WRITERS, WriteSite

FAMILIES = (codes, recurrent, simple, windows)
"""Modules whose writers are in the registry."""


class GraphWriter:
    """Writer of one graph.

    Meta-operators are written as functions of ``library``, or without one as the nodes inside them.
    ``entries`` are the inputs where they are not those of the graph: a body has those of its
    meta-operator.
    """

    def __init__(
        self,
        view: GraphView,
        opset: int,
        library: Library | None = None,
        entries: Sequence[Sequence[Port]] | None = None,
    ) -> None:
        self.opset = opset
        self._view = view
        self._nodes: list[OnnxNode] = []
        self._constants: dict[str, NDArray[Any]] = {}
        self._values: dict[Port, str] = {}
        self._from_outside: dict[Port, str] = {}
        self._domains: dict[str, int] = {}
        self._library = library
        self._entries = _input_groups(view) if entries is None else entries
        self._inputs = (
            _inputs(view)
            if entries is None
            else [OnnxValue(f"input_{index}") for index in range(len(entries))]
        )
        self._outputs = _outputs(view)
        self._taken = {value.name for value in (*self._inputs, *self._outputs)}
        self._taken |= _names_in_bodies(view)
        self._named: set[str] = set()

    def write(self) -> tuple[OnnxGraph, Mapping[str, int]]:
        """Return the graph, and the versions of the domains besides the standard one."""
        for value, ports in zip(self._inputs, self._entries, strict=True):
            self._from_outside.update(dict.fromkeys(ports, value.name))
        copies = self._name_outputs()
        names = _names_of(self._view)
        for node in _in_order(self._view):
            self._write_node(node, names[node])
        for source, name in copies:
            self.add("Identity", [self._values[source]], [name], name, "", {})
        graph = OnnxGraph(
            self._view.name() or "graph",
            tuple(self._nodes),
            self._constants,
            tuple(_with_unread(self._view, self._inputs)),
            tuple(self._outputs),
        )
        return graph, self._domains

    def _name_outputs(self) -> list[tuple[Port, str]]:
        """Name the outputs; list outputs that already have another name."""
        copies = []
        for value, port in zip(self._outputs, self._view.get_ordered_outputs(), strict=True):
            if port in self._values:
                copies.append((port, value.name))
            else:
                self._values[port] = value.name
        return copies

    def _write_node(self, node: Node, name: str) -> None:
        operator = node.get_operator()
        if node.type() == "Producer":
            self._write_producer(node, name)
            return
        has_writer = node.type() in WRITERS
        if isinstance(operator, MetaOperatorOp) and not (has_writer and windows.is_plain(node)):
            if has_writer or not self._write_call(node, operator, name):
                self._write_inside(node, operator, name)
            return
        site = WriteSite(
            node,
            unique_name(name, self._named),
            [self._source(Port(node, index)) for index in range(node.get_nb_inputs())],
            [self._output(Port(node, index), name) for index in range(node.get_nb_outputs())],
            self,
        )
        WRITERS.get(_writer_key(node), renamed)(site)

    def _write_call(self, node: Node, operator: MetaOperatorOp, name: str) -> bool:
        """Write a meta-operator as the call of a function, if it can be one."""
        if self._library is None:
            return False
        sources = [self._source(Port(node, index)) for index in range(node.get_nb_inputs())]
        fed = [ports for ports, source in zip(operator.input_ports, sources, strict=True) if source]
        inner = GraphWriter(operator.micro_graph, self.opset, self._library, fed)
        body, domains = inner.write()
        if any(inside.bodies for inside in body.nodes):  # they may read values around them
            return False
        for domain, version in domains.items():
            self._domains.setdefault(domain, version)
        self._domains[DOMAIN] = 1
        opsets = {"": self.opset, **domains}
        function = self._library.add(node.type(), body, opsets)
        inputs = [source for source in sources if source]
        known = {id(array): name for name, array in self._constants.items()}  # twins share theirs
        for wanted, array in body.initializers.items():
            inputs.append(known.get(id(array)) or self.constant(wanted, array))
        outputs = [self._output(Port(node, index), name) for index in range(node.get_nb_outputs())]
        label = unique_name(name, self._named)
        self.add(function.name, inputs, outputs, label, DOMAIN, {})
        return True

    def _write_inside(self, node: Node, operator: MetaOperatorOp, name: str) -> None:
        """Write the nodes inside a meta-operator."""
        for index, ports in enumerate(operator.input_ports):
            source = self._source(Port(node, index))
            self._from_outside.update(dict.fromkeys(ports, source))
        inner_outputs = operator.micro_graph.get_ordered_outputs()
        for index, port in enumerate(inner_outputs):
            if Port(node, index) in self._values:
                self._values[port] = self._values[Port(node, index)]
        names = _names_of(operator.micro_graph)
        for inner in _in_order(operator.micro_graph):
            self._write_node(inner, names[inner] if inner.name() else f"{name}_{names[inner]}")
        for index, port in enumerate(inner_outputs):
            self._values[Port(node, index)] = self._values[port]

    def _write_producer(self, node: Node, name: str) -> None:
        tensor = node.get_operator().get_output(0)
        if not tensor.has_data:
            raise OnnxError.at(
                node.label,
                "cannot be written as ONNX: it has no values",
                cure="Fill its tensor first, with set_array() or set_output().",
            )
        array = narrowed(tensor.array, node.annotations.get("onnx.type"))
        port = Port(node, 0)
        value = self._values.get(port) or unique_name(name, self._taken)
        self._values[port] = value
        if node.get_operator().attr.constant:
            label = unique_name(name, self._named)
            self.add("Constant", [], [value], label, "", {"value": array})
        else:
            self._constants[value] = array

    def _source(self, port: Port) -> str:
        """Return the value name at an input; an unconnected tensor becomes a constant."""
        source = port.node.source(port.index)
        if source is not None and source in self._values:
            return self._values[source]
        if port in self._from_outside:
            return self._from_outside[port]
        tensor = port.node.get_operator().get_input(port.index)
        if source is None and tensor is not None and tensor.has_data:
            return self.constant(f"{port.node.name()}_{port.index}", tensor.array)
        if source is not None or not port.node.get_operator().is_optional_input(port.index):
            raise OnnxError.at(
                f"{port.node.label}, input#{port.index}",
                "cannot be written as ONNX: "
                + ("it closes a cycle" if source is not None else "nothing feeds it"),
            )
        return ""

    def _output(self, port: Port, name: str) -> str:
        if port not in self._values:
            read = port.node.output(port.index) or port.index == 0
            wanted = name if port.index == 0 else f"{name}_{port.index}"
            self._values[port] = unique_name(wanted, self._taken) if read else ""
        return self._values[port]

    # --- what writers of operators use ------------------------------------------------------

    def constant(self, wanted: str, array: NDArray[Any]) -> str:
        """Add a constant, and give its name."""
        name = unique_name(wanted, self._taken)
        self._constants[name] = array
        return name

    def fresh(self, wanted: str) -> tuple[str, str]:
        """Return the names of a node that the graph does not have, and of its result."""
        return unique_name(wanted, self._named), unique_name(wanted, self._taken)

    def add(
        self,
        op_type: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        name: str,
        domain: str,
        attributes: Mapping[str, Any],
    ) -> None:
        """Add a node."""
        self._nodes.append(
            OnnxNode(op_type, tuple(inputs), tuple(outputs), name, domain, dict(attributes))
        )

    def use_domain(self, site: WriteSite, domain: str, version: int) -> None:
        """Record the opset version of a domain that a node needs."""
        known = self._domains.setdefault(domain, version)
        if known != version:
            raise site.error(
                f"other nodes need version {known} of the domain {domain}", found=version
            )


def _writer_key(node: Node) -> str:
    from aidge_nb.graph.generic import GenericOperatorOp

    is_generic = isinstance(node.get_operator(), GenericOperatorOp)
    ours = node.annotations.get("onnx.domain") == DOMAIN
    return node.type() if ours or not is_generic else ""


def _in_order(view: GraphView) -> Sequence[Node]:
    """Return the nodes in the order in which they were added, if they can run in it."""
    seen: set[Node] = set()
    for node in view.get_nodes():
        if any(port.node in view and port.node not in seen for _, port in node.edges_in()):
            return view.topological_order()
        seen.add(node)
    return list(view.get_nodes())


def _names_in_bodies(view: GraphView) -> set[str]:
    """Return the value names that bodies define: names around them must differ."""
    found: set[str] = set()

    def gather(graph: OnnxGraph) -> None:
        found.update(graph.defined)
        for node in graph.nodes:
            for body in node.bodies.values():
                gather(body)

    for node in view.get_nodes():
        for value in node.get_operator().attr.values():
            if isinstance(value, OnnxGraph):
                gather(value)
    return found


def _input_groups(view: GraphView) -> list[list[Port]]:
    """Return the inputs that the caller feeds: mandatory ones, and those with a tensor."""
    return [
        ports
        for ports in view.get_input_groups()
        if any(
            not port.node.is_optional_input(port.index)
            or port.node.get_operator().get_input(port.index) is not None
            for port in ports
        )
    ]


def _names_of(view: GraphView) -> dict[Node, str]:
    """Return a unique name for every node: ``FC_1`` for one without a name."""
    names = view.unique_names()
    return {
        node: name if node.name() else name.strip("()").replace("#", "_")
        for node, name in names.items()
    }


def _inputs(view: GraphView) -> list[OnnxValue]:
    ports = [group[0] for group in _input_groups(view)]
    tensors = [port.node.get_operator().get_input(port.index) for port in ports]
    return _values(view, "input", tensors)


def _with_unread(view: GraphView, inputs: Sequence[OnnxValue]) -> Sequence[OnnxValue]:
    """Declare the model's unused inputs too, in their positions."""
    declared = view.annotations.get("onnx.declared")
    if not isinstance(declared, OnnxSignature):
        return inputs
    by_name = {value.name: value for value in inputs}
    unread = {value.name for value in declared.inputs} - by_name.keys()
    if len(unread) + len(inputs) != len(declared.inputs):
        return inputs
    return [by_name.get(value.name, value) for value in declared.inputs]


def _outputs(view: GraphView) -> list[OnnxValue]:
    ports = view.get_ordered_outputs()
    tensors = [port.node.get_operator().get_output(port.index) for port in ports]
    return _values(view, "output", tensors)


def _values(view: GraphView, kind: str, tensors: Sequence[Tensor | None]) -> list[OnnxValue]:
    """Declare values as in the model that the graph came from, else by their tensors."""
    names = _names(view, kind, len(tensors))
    signature = view.annotations.get("onnx")
    if isinstance(signature, OnnxSignature):
        known = signature.inputs if kind == "input" else signature.outputs
        if len(known) == len(tensors):
            return [replace(value, name=n) for value, n in zip(known, names, strict=True)]
    return [_declared(name, tensor) for name, tensor in zip(names, tensors, strict=True)]


def _declared(name: str, tensor: Tensor | None) -> OnnxValue:
    dtype = "float32" if tensor is None else tensor.dtype.value
    dims = None if tensor is None or tensor.undefined() else tuple(tensor.dims)
    return OnnxValue(name, "string" if dtype == "object" else np.dtype(dtype).name, dims)


def _names(view: GraphView, kind: str, count: int) -> Sequence[str]:
    names = view.annotations.get(f"{kind}_names", ())
    if len(names) == count == len(set(names)):
        return [str(name) for name in names]
    return [kind] if count == 1 else [f"{kind}_{index}" for index in range(count)]
