"""Meta-operators: a graph that acts as one operator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import DTypeLike, NDArray

from aidge_nb.core.dtype import DType
from aidge_nb.core.errors import DataDependencyError, ShapeError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.attributes import Attributes
from aidge_nb.graph.inference import propagate_dims
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.operator import Operator
from aidge_nb.graph.spec import CpModel, InputSpec, OpSpec, ShapeContext

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView


def _inner_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    raise NotImplementedError(f"{context.where}: dims come from the micro-graph")


class MetaOperatorOp(Operator):
    """An operator made of a graph, its micro-graph.

    Its tensors *are* those of the micro-graph's ports, so nothing is copied at the border.

    Parameters
    ----------
    type_name
        What ``node.type()`` gives.
    micro_graph
        The graph inside. Its ordered inputs and outputs become the ports.
    input_ports
        For each outer input the inner ports that it feeds; the ordered inputs, one each, when
        None.
    attributes, cp
        Attributes and consumer-producer model of the whole.
    """

    __slots__ = ("_input_ports", "_micro_graph")

    def __init__(
        self,
        type_name: str,
        micro_graph: GraphView,
        input_ports: Sequence[Sequence[Port]] | None = None,
        attributes: Mapping[str, Any] | None = None,
        cp: CpModel = CpModel.DEFAULT,
    ) -> None:
        groups = input_ports or [[port] for port in micro_graph.get_ordered_inputs()]
        outputs = micro_graph.get_ordered_outputs()
        attrs = dict(attributes or {})
        spec = OpSpec(
            type_name,
            tuple(
                InputSpec(node.input_name(i), node.input_category(i)) for (node, i), *_ in groups
            ),
            _inner_dims,
            outputs=tuple(port.node.output_name(port.index) for port in outputs),
            attrs=attrs,
            cp=cp,
            overwrites_mixed=_in_place(groups) if len(outputs) == 1 else (),
        )
        super().__init__(spec, Attributes(attrs))
        self._micro_graph = micro_graph
        self._input_ports = [list(group) for group in groups]
        self._outputs = [port.node.get_operator().get_output(port.index) for port in outputs]

    @property
    def micro_graph(self) -> GraphView:
        """The graph inside."""
        return self._micro_graph

    @property
    def input_ports(self) -> list[list[Port]]:
        """The inner ports that each outer input feeds."""
        return self._input_ports

    def get_micro_graph(self) -> GraphView:
        """Return the graph inside."""
        return self._micro_graph

    def set_input(self, index: int, tensor: Tensor) -> None:
        """Set the tensor of an outer input and of the inner ports connected to it."""
        super().set_input(index, tensor)
        shared = self.get_input(index)
        if shared is not None:
            self.associate_input(index, shared)

    def associate_input(self, index: int, tensor: Tensor) -> None:
        """Make an outer input, and the inner ports connected to it, share ``tensor``."""
        super().associate_input(index, tensor)
        for port in self._input_ports[index]:
            port.node.get_operator().associate_input(port.index, tensor)

    def reset_input(self, index: int) -> None:
        """Remove the tensor of an outer input and of the inner ports connected to it."""
        super().reset_input(index)
        for port in self._input_ports[index]:
            port.node.get_operator().reset_input(port.index)

    def infer_dims(
        self,
        values: Callable[[int], NDArray[Any] | None],
        *,
        allow_data_dependency: bool = False,
    ) -> None:
        """Propagate dimensions through the micro-graph.

        Raises
        ------
        ShapeError
            When the inputs do not fit what is inside.
        DataDependencyError
            When dimensions inside stay unknown.
        """
        outer = {port: index for index, ports in enumerate(self._input_ports) for port in ports}
        report = propagate_dims(
            self._micro_graph,
            allow_data_dependency=allow_data_dependency,
            known=lambda port: values(outer[Port(*port)]) if port in outer else None,
        )
        if report.problems:
            raise ShapeError.at(self.label, "; ".join(report.problems))
        if not report.complete:
            raise DataDependencyError.at(
                self.label,
                "dims inside stay unknown",
                found=", ".join(report.unknown[:5]),
                cure="Give the missing inputs (initial states, shapes) dimensions.",
            )

    def macs(self) -> int | None:
        """Count multiply-accumulates of one execution.

        What follows a Pop inside is executed for each element that is popped, up to a Stack.
        """
        total, turns = 0, _turns(self._micro_graph)
        for node in self._micro_graph.get_nodes():
            part = node.get_operator().macs()
            if part is None:
                return None
            total += part * turns.get(node, 1)
        return total

    def set_datatype(self, dtype: DType | DTypeLike) -> None:
        """Convert floating-point tensors of the micro-graph."""
        self._micro_graph.set_datatype(dtype)

    def set_backend(self, name: str) -> None:
        """Choose who runs the operator and its micro-graph."""
        self._micro_graph.set_backend(name)
        super().set_backend(name)

    def clone(self) -> MetaOperatorOp:
        """Make an independent meta-operator around a copy of the micro-graph."""
        inner, twin = self._micro_graph.clone_with_map()
        ports = [[Port(twin[port.node], port.index) for port in g] for g in self._input_ports]
        copy = MetaOperatorOp(self.type(), inner, ports, self.attr.dict(), self.spec.cp)
        if self._backend:
            copy.set_backend(self._backend)
        return copy

    def __getstate__(self) -> dict[str, Any]:
        number = {node: number for number, node in enumerate(self._micro_graph)}
        ports = [[(number[port.node], port.index) for port in g] for g in self._input_ports]
        return {**super().__getstate__(), "_input_ports": ports}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        nodes = list(state["_micro_graph"])
        ports = [[Port(nodes[number], index) for number, index in g] for g in state["_input_ports"]]
        super().__setstate__({**state, "_input_ports": ports})


def _turns(inside: GraphView) -> dict[Node, int]:
    """Return how often nodes that follow a Pop are executed; the others are once."""
    turns: dict[Node, int] = {}
    for pop in (node for node in inside.get_nodes() if node.type() == "Pop"):
        source = pop.get_operator().get_input(0)
        steps = source.dims[0] if source is not None and source.ndim else 1
        waiting = [pop]
        while waiting:
            node = waiting.pop()
            if node not in turns and node.type() != "Stack":
                turns[node] = steps
                waiting += node.get_children()
    return turns


def _in_place(groups: Sequence[Sequence[Port]]) -> tuple[int, ...]:
    """Return the inputs whose memory the single output may reuse.

    All that follows from such an input works element by element. Whoever runs the inside, node by
    node or in one loop, has read an element then when something is written in its place.
    """
    return tuple(index for index, ports in enumerate(groups) if all(map(_is_elementwise, ports)))


def _is_elementwise(port: Port) -> bool:
    """Return whether all nodes that depend on this input work element by element."""
    pending, seen = [port], {port}
    while pending:
        node, index = pending.pop()
        operator = node.get_operator()
        spec = operator.spec
        if index not in (spec.overwrites if operator.micro_graph is None else spec.in_place):
            return False
        new = [each for ports in node.outputs() for each in ports if each not in seen]
        pending += new
        seen.update(new)
    return True


def MetaOperator(  # noqa: N802  # factories carry the operator's name
    type_name: str,
    micro_graph: GraphView,
    name: str = "",
    *,
    input_ports: Sequence[Sequence[Port]] | None = None,
    attributes: Mapping[str, Any] | None = None,
    cp: CpModel = CpModel.DEFAULT,
) -> Node:
    """Make a node out of a graph.

    Examples
    --------
    >>> import aidge_nb
    >>> inner = aidge_nb.sequential([aidge_nb.Tanh(), aidge_nb.ReLU()])
    >>> node = MetaOperator("TanhReLU", inner, name="act")
    >>> node.get_nb_inputs(), node.type()
    (1, 'TanhReLU')
    """
    return Node(MetaOperatorOp(type_name, micro_graph, input_ports, attributes, cp), name)
