"""A graph as a value, read by views, reports and diagrams.

Producers of parameters are folded into the nodes that read them: a picture of a network shows
its layers, with the number of their weights.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from aidge_nb.core.pictures import Shown
from aidge_nb.core.values import dataclass
from aidge_nb.graph.generic import GenericOperatorOp
from aidge_nb.graph.inside import InsideView, inside_of
from aidge_nb.graph.topology import names_of

if TYPE_CHECKING:
    from aidge_nb.core.tensor import Tensor
    from aidge_nb.graph.node import Node, Port
    from aidge_nb.graph.view import GraphView


@dataclass(frozen=True, slots=True)
class NodeView:
    """A node of a snapshot.

    Attributes
    ----------
    name, type
        Its name, unique in the graph, and its type.
    attrs
        Names and values of its attributes, as text.
    parameters, constants
        Number of elements of the Producers that feed it (shared ones count for their first
        reader) or are inside it: learned ones, and others, such as shapes, axes, limits and
        running statistics.
    weight_bytes
        Bytes of both.
    weights
        Dimensions of each Producer that feeds it.
    macs
        Multiply-accumulates of one execution; None while dimensions are unknown.
    backend
        The backend; empty when none is chosen.
    native
        Whether the operator is declared.
    inside
        The graph inside of a meta-operator; None for others.
    """

    name: str
    type: str
    attrs: tuple[tuple[str, str], ...]
    parameters: int
    macs: int | None
    backend: str
    native: bool
    constants: int = 0
    weight_bytes: int = 0
    inside: InsideView | None = None
    weights: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class EdgeView:
    """An edge between two nodes.

    Attributes
    ----------
    source, target
        Numbers of the nodes in the snapshot, from 0.
    output, input
        Numbers of the ports, from 0.
    dims, nbytes
        Dimensions and bytes of the tensor; None while they are unknown.
    dtype
        Its element type.
    back
        Whether it closes a cycle.
    """

    source: int
    output: int
    target: int
    input: int
    dims: tuple[int, ...] | None
    dtype: str
    nbytes: int | None
    back: bool


@dataclass(frozen=True, slots=True)
class PortView:
    """An input or output of the whole graph.

    Attributes
    ----------
    label
        The name that ``view.annotations["input_names"]`` (or ``"output_names"``) gives, as models
        read from ONNX have them; else ``input`` or ``output``.
    node, port
        Number of the node in the snapshot, and of its port, from 0.
    dims, dtype
        Dimensions, None while they are unknown, and element type.
    nbytes
        Bytes of the tensor; None while they are unknown.
    """

    label: str
    node: int
    port: int
    dims: tuple[int, ...] | None
    dtype: str
    nbytes: int | None = None


@dataclass(frozen=True, slots=True)
class GraphSnapshot(Shown):
    """A whole graph: nodes in topological order, edges by node number.

    Attributes
    ----------
    name
        Name of the graph.
    nodes, edges
        Its nodes but Producers of parameters, and the edges between them.
    inputs, outputs
        Inputs and outputs of the graph, in order.
    folded
        Name of each Producer that was folded, and the number of the node that reads it.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.FC(4, 2, name="fc"), aidge_nb.ReLU(name="relu")])
    >>> snapshot = view.snapshot()
    >>> [(node.name, node.parameters) for node in snapshot.nodes]
    [('fc', 10), ('relu', 0)]
    """

    name: str
    nodes: tuple[NodeView, ...]
    edges: tuple[EdgeView, ...]
    inputs: tuple[PortView, ...]
    outputs: tuple[PortView, ...]
    folded: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of(cls, view: GraphView) -> GraphSnapshot:
        """Return a snapshot of a graph."""
        order = view.topological_order()
        names = names_of(order)
        shown = [
            node
            for node in order
            if node.type() != "Producer" or not any(child in view for child in node.get_children())
        ]
        number = {node: i for i, node in enumerate(shown)}
        owner: dict[Node, int] = {}
        for node in shown:
            for _, parent in node.edges_in():
                if parent.node in view and parent.node not in number:
                    owner.setdefault(parent.node, number[node])
        inner = [_inner_elements(node) for node in shown]
        parameters, constants, nbytes = ([own[i] for own in inner] for i in range(3))
        weights: list[list[tuple[int, ...]]] = [[] for _ in shown]
        for producer, reader in owner.items():
            tensor = producer.get_operator().get_output(0)
            (parameters if is_learned(producer) else constants)[reader] += tensor.size
            nbytes[reader] += tensor.nbytes
            weights[reader].append(tuple(tensor.dims))
        return cls(
            name=view.name(),
            nodes=tuple(
                replace(
                    _node_view(node, names[node], parameters[i], constants[i], nbytes[i]),
                    weights=tuple(weights[i]),
                )
                for i, node in enumerate(shown)
            ),
            edges=tuple(
                _edge_view(number, node, index, parent)
                for node in shown
                for index, parent in node.edges_in()
                if parent.node in number
            ),
            inputs=tuple(_input_views(view, number)),
            outputs=tuple(
                _port_view(label, number[port.node], port.index, _output(port))
                for label, port in _labelled("output", view, view.get_ordered_outputs())
                if port.node in number
            ),
            folded=tuple((names[producer], reader) for producer, reader in owner.items()),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values, for JSON."""
        return asdict(self)


def is_learned(producer: Node) -> bool:
    """Return whether the values of a Producer are learned, judged by the inputs it feeds.

    Floats that feed a parameter are, and floats, more than one, that meet the data (a MatMul or an
    Add of a file may have any weights). Shapes, axes, limits and statistics are constants, and so
    are scales of operators on codes, which say themselves where their weights are.
    """
    tensor = producer.get_operator().get_output(0)
    readers = producer.output(0)
    said = {_says_learned(port) for port in readers}
    if said - {None}:
        return True in said
    if not readers or not tensor.dtype.is_float:
        return False
    categories = [port.node.input_category(port.index) for port in readers]
    return any(category.is_param for category in categories) or (
        tensor.size > 1 and any(category.is_data for category in categories)
    )


def _says_learned(port: Port) -> bool | None:
    operator = port.node.get_operator()
    learned = operator.learned if isinstance(operator, GenericOperatorOp) else None
    return None if learned is None else port.index in learned


def _inner_elements(node: Node) -> tuple[int, int, int]:
    """Count learned and constant elements, and bytes, of the Producers inside a meta-operator."""
    micro = node.get_operator().micro_graph
    learned = constant = nbytes = 0
    if micro is None:
        return learned, constant, nbytes
    for inner in micro.get_nodes():
        more = _inner_elements(inner)
        if inner.type() == "Producer":
            tensor = inner.get_operator().get_output(0)
            size = tensor.size
            more = (size, 0, tensor.nbytes) if is_learned(inner) else (0, size, tensor.nbytes)
        learned, constant, nbytes = learned + more[0], constant + more[1], nbytes + more[2]
    return learned, constant, nbytes


def _output(port: Port) -> Tensor:
    return port.node.get_operator().get_output(port.index)


def _dims(tensor: Tensor | None) -> tuple[int, ...] | None:
    return None if tensor is None or tensor.undefined() else tuple(tensor.dims)


def _node_view(
    node: Node, name: str, parameters: int, constants: int, weight_bytes: int
) -> NodeView:
    operator = node.get_operator()
    return NodeView(
        name=name,
        type=node.type(),
        attrs=tuple([(key, str(value)) for key, value in operator.attr.dict().items()]),
        parameters=parameters,
        constants=constants,
        weight_bytes=weight_bytes,
        macs=operator.macs(),
        backend=operator.backend(),
        native=not isinstance(operator, GenericOperatorOp) or operator.is_known,
        inside=inside_of(operator),
    )


def _edge_view(number: dict[Node, int], node: Node, index: int, parent: Port) -> EdgeView:
    tensor = _output(parent)
    dims = _dims(tensor)
    return EdgeView(
        source=number[parent.node],
        output=parent.index,
        target=number[node],
        input=index,
        dims=dims,
        dtype=tensor.dtype.name,
        nbytes=None if dims is None else tensor.nbytes,
        back=node.parent_is_back_edge(index),
    )


def _port_view(label: str, node: int, port: int, tensor: Tensor | None) -> PortView:
    dims = _dims(tensor)
    if tensor is None or dims is None:
        return PortView(label, node, port, dims, "" if tensor is None else tensor.dtype.name)
    return PortView(label, node, port, dims, tensor.dtype.name, tensor.nbytes)


def _labelled(kind: str, view: GraphView, ports: list[Port]) -> list[tuple[str, Port]]:
    """Pair ports with the names of the graph's inputs or outputs, if it has any."""
    names = view.annotations.get(f"{kind}_names", ())
    return list(zip([*names, *[kind] * len(ports)], ports, strict=False))


def _input_views(view: GraphView, number: dict[Node, int]) -> list[PortView]:
    groups = view.get_input_groups()
    label = {
        port: name
        for group, (name, _) in zip(
            groups, _labelled("input", view, [group[0] for group in groups]), strict=True
        )
        for port in group
    }
    found = []
    for port in view.get_ordered_inputs():
        if port.node not in number or port.node.source(port.index) is not None:
            continue
        tensor = port.node.get_operator().get_input(port.index)
        if tensor is None and port.node.is_optional_input(port.index):
            continue
        found.append(_port_view(label[port], number[port.node], port.index, tensor))
    return found
